"""Turn report of the door pack, field by field."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from bt_exec.failure import Failure
from bt_exec.mission_reporter import Action, MissionView, Skip
from bt_exec.site.site import load_site
from bt_exec.skill import Verdict
from bt_exec.spec.expand import expand
from bt_exec.spec.load import load_text
from bt_exec.spec.model import MissionSpec
from bt_exec_skills.door.perception.observation import DoorEstimate
from bt_exec_skills.door.reporter import DoorReporter
from bt_exec_skills.door.rigs import DoorSettings
from tests.missions.contract import KEYS

SITE = load_site("door")
OPEN, CLOSE, GET = "open_door", "close_door", "get_material"
OPENING = Action("open_door", {"arm": "right", "object_label": "door"}, "open_door")
YES, NO, DOUBT = Verdict.yes("seen"), Verdict.no("not seen"), Verdict.unknown("dark")
LOST = "MATERIAL_NOT_VISIBLE_AFTER_OPEN"


def spec(tree: str) -> MissionSpec:
    document = load_text(
        f"mission: {{command: x, plan_version: 2}}\nroot: {{tree: {tree}}}"
    ).document
    assert isinstance(document, MissionSpec)
    return expand(document, SITE.library)


def view(tree: str = GET, scene: Any = None, **given: Any) -> MissionView:
    """Return a view of a finished mission with some fields replaced."""
    usual: dict[str, Any] = {
        "command": "x",
        "language": "en",
        "next_action": None,
        "remaining": (),
        "done": (),
        "skipped": (),
        "verdicts": {},
        "status": "satisfied",
        "reason_code": "OK",
        "message": "",
        "settings": DoorSettings(),
    }
    return MissionView(**{**usual, **given}, spec=spec(tree), observation=scene)


def report(*args: Any, **given: Any) -> dict[str, Any]:
    found = DoorReporter({}).turn_report(view(*args, **given))
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("status", "reason", "told"),
    [
        ("satisfied", "OK", ("satisfied", "OK", "goal reached")),
        ("satisfied", "ALREADY_OPEN", ("satisfied", "ALREADY_OPEN", "door already open")),
        ("satisfied", "ALREADY_HOME", ("satisfied", "OK", "goal reached")),
        ("blocked", LOST, ("blocked", LOST, "material not visible after opening")),
        ("blocked", "SKILL_FAILED", ("blocked", "SKILL_FAILED", "stopped: SKILL_FAILED")),
        ("failed", "EXECUTIVE_CRASHED", ("blocked", "SKILL_FAILED", "stopped: EXECUTIVE_CRASHED")),
        ("aborted", "ABORTED", ("blocked", "SKILL_FAILED", "stopped: ABORTED")),
        ("blocked", "OK", ("blocked", "SKILL_FAILED", "stopped: OK")),
    ],
)
def test_report_has_the_status_and_a_stop_signal_if_blocked(status, reason, told):
    found = report(status=status, reason_code=reason)
    assert tuple(found["goal_status"].values()) == told
    assert found["explanation"] == told[2][:1].upper() + told[2][1:] + "."
    blocked = told[0] == "blocked"
    assert list(found) == [key for key in KEYS if key != "stop_signal" or blocked]
    if blocked:
        assert found["stop_signal"] == {
            "should_stop": True,
            "reason_code": told[1],
            "notify": True,
            "message": told[2],
        }


def test_turn_report_contains_the_failure_code():
    failure = Failure("GRASP_SLIPPED", "it slipped")
    found = report(status="blocked", reason_code="SKILL_FAILED", failure=failure, language="ko")
    assert found["goal_status"]["message"] == "멈춤: GRASP_SLIPPED"


@pytest.mark.parametrize(
    ("tree", "reason", "language", "warnings"),
    [
        (GET, LOST, "en", ["material not visible after opening"]),
        (GET, LOST, "ko", ["문을 연 뒤에도 자재가 보이지 않음"]),
        (GET, "UNCERTAIN_PERCEPTION", "en", []),
        (OPEN, LOST, "en", []),
    ],
)
def test_invisible_material_causes_a_warning(tree, reason, language, warnings):
    found = report(tree, status="blocked", reason_code=reason, language=language)
    assert found["visibility_warnings"] == warnings


@pytest.mark.parametrize(
    ("skip", "kept"),
    [
        (Skip("open_door", "already open"), True),
        (Skip("close_door", "already closed"), True),
        (Skip("return_home", "already home"), False),
        (Skip("door_is", "already open"), False),  # a question is not an action
    ],
)
def test_skip_log_lists_skipped_actions_with_reasons(skip, kept):
    entry = {"skipped": {"name": skip.name, "reason": skip.reason}}
    assert report(skipped=(skip,))["skip_log"] == ([entry] if kept else [])


def test_turn_reports_are_numbered_from_zero():
    turns = DoorReporter({})
    found = [turns.turn_report(view()) for _ in range(3)]
    steps = [(one["mode"], one["step_index"], one["plan_version"]) for one in found if one]
    assert steps == [("init", 0, 2), ("step", 1, 2), ("step", 2, 2)]


def test_next_action_is_reported_with_its_arguments():
    rest = (OPENING, Action("return_home", {"why": None}))
    found = report(status="in_progress", next_action=OPENING, remaining=rest)
    opening = {"name": "open_door", "args": {"arm": "right", "object_label": "door"}}
    assert found["next_action"] == opening
    assert found["full_action_list"] == [opening, {"name": "return_home", "args": {}}]
    assert found["explanation"] == "Next: open_door right door."
    assert found["goal_status"]["message"] == "in progress"


@pytest.mark.parametrize(
    ("state", "status", "silent"),
    [
        ("open", "in_progress", True),
        ("uncertain", "in_progress", False),
        (None, "in_progress", False),
        ("open", "satisfied", False),
    ],
)
def test_turn_report_without_a_next_action_states_only_uncertainty(state, status, silent, scene):
    seen = None if state is None else scene(state=state)
    found = DoorReporter({}).turn_report(view(scene=seen, status=status))
    assert (found is None) == silent
    if found is not None and status == "in_progress":
        assert found["explanation"] == "Not sure what is seen; looking again."
    acting = view(scene=seen, status="in_progress", next_action=OPENING, remaining=(OPENING,))
    assert DoorReporter({}).turn_report(acting) is not None


@pytest.mark.parametrize(
    ("verdicts", "seen", "reason"),
    [
        ({}, "uncertain", "not looked behind the door yet"),
        ({"material_visible": DOUBT}, "uncertain", "not looked behind the door yet"),
        ({"material_visible": YES}, True, "material detected"),
        ({"material_visible": NO}, False, "no material detected"),
        ({"handle_visible": NO}, "uncertain", "not looked behind the door yet"),
    ],
)
def test_material_state_is_taken_from_the_last_observation(verdicts, seen, reason):
    found = report(GET, verdicts=verdicts)
    assert found["observations"]["material_visible"] == seen
    gate = {"gate": "material_visible_after_open", "result": seen, "reason": reason}
    assert found["gate_evaluations"][1:] == [gate]
    door_only = report(OPEN, verdicts=verdicts)
    assert door_only["observations"]["material_visible"] == "uncertain"
    assert [gate["gate"] for gate in door_only["gate_evaluations"]] == ["need_open_door"]


SKIPPED = (Skip("open_door", "already open"),)


@pytest.mark.parametrize(
    ("given", "state", "result", "reason"),
    [
        ({"skipped": SKIPPED}, "open", False, "already open"),
        ({"skipped": (Skip("close_door", "already closed"),)}, "open", False, "door open"),
        ({"done": (OPENING,)}, "open", False, "door was opened"),
        ({"done": (Action("return_home", {}),)}, "ajar", True, "door ajar"),
        ({}, "closed", True, "door closed"),
        ({}, "uncertain", "uncertain", "door state uncertain"),
        ({}, None, "uncertain", "door state uncertain"),
    ],
)
def test_turn_report_states_whether_the_door_must_be_opened(given, state, result, reason, scene):
    found = report(GET, None if state is None else scene(state=state), **given)
    gate = {"gate": "need_open_door", "result": result, "reason": reason}
    assert found["gate_evaluations"][0] == gate


@pytest.mark.parametrize(
    ("tree", "inside", "result", "reason"),
    [
        (GET, 0.5, True, "door not fully open: part of the inside is hidden"),
        (GET, 1.0, False, "door open"),
        (GET, None, False, "door open"),
        (OPEN, 0.5, False, "door open"),  # the inside is not needed
    ],
)
def test_open_door_that_hides_the_inside_must_be_opened_further(
    scene: Any, tree: str, inside: float | None, result: bool, reason: str
) -> None:
    seen = replace(scene(state="open"), door=DoorEstimate("open", 0.9, inside=inside))
    gate = report(tree, seen, status="in_progress", next_action=OPENING)["gate_evaluations"][0]
    assert (gate["result"], gate["reason"]) == (result, reason)


def test_report_of_a_command_to_close_has_no_gates():
    assert report(CLOSE)["gate_evaluations"] == []


def test_turn_report_contains_the_door_state(scene):
    estimate = report(CLOSE, scene(state="ajar"))["door_state_estimation"]
    assert estimate == {"state": "ajar", "confidence": 0.9, "evidence": ["primary:test"]}
    nothing = report(CLOSE)["door_state_estimation"]
    assert nothing == {"state": "uncertain", "confidence": 0.0, "evidence": ["primary:no_frame"]}
    assert report(CLOSE, scene())["observations"]["handle_present"] is True
    assert report(CLOSE, scene(labels=("door",)))["observations"]["handle_present"] is False
    assert report(CLOSE)["observations"]["handle_present"] is False


def test_reported_confidence_has_one_decimal(scene):
    seen = replace(scene(), door=DoorEstimate("open", 0.8642))
    assert report(CLOSE, seen)["door_state_estimation"]["confidence"] == 0.9


@pytest.mark.parametrize(("settings", "arm"), [({}, "right"), ({"material_arm": "left"}, "left")])
def test_arm_of_the_policy_is_reported(settings, arm):
    assert report(settings=DoorSettings(**settings))["arm_policy"] == {"material_arm": arm}
