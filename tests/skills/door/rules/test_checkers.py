"""Checkers of the door pack, rule by rule."""

from __future__ import annotations

import pytest

from bt_exec.observation import Situation
from bt_exec.pack import PassContext
from bt_exec.site.site import load_site
from bt_exec.spec.expand import expand
from bt_exec.spec.load import load_text
from bt_exec.spec.model import MissionSpec
from bt_exec_skills.door.rigs import DoorSettings
from bt_exec_skills.door.rules.checkers import (
    check_moves_only_door,
    check_stated_gate_reasons,
    check_stated_state,
)

SITE = load_site("door")
OPEN = "{do: open_door, with: {arm: right, object_label: door-handle}}"
CLOSE = "{do: close_door, with: {arm: right, object_label: door-handle}}"
TAKE = "{do: grasp, with: {arm: right, object_label: material}}"
HOME, LOOK = "{do: return_home}", "{check: material_visible}"


def _spec(root: str) -> MissionSpec:
    document = load_text(f"mission: {{command: test}}\nroot: {root}").document
    assert isinstance(document, MissionSpec)
    return expand(document, SITE.library)


def _problems(rule, root, meant=None, **stated):
    seen = Situation(("door", "door-handle"), {"door": stated.pop("seen", "closed")})
    asked = _spec(meant) if meant else None
    context = PassContext(seen, DoorSettings(), "test", asked, stated)
    return list(rule(_spec(root), context))


def _codes(rule, root, meant=None, **stated):
    return [(one.code, one.place) for one in _problems(rule, root, meant, **stated)]


@pytest.mark.parametrize(
    ("root", "meant", "found"),
    [
        (CLOSE, CLOSE, []),
        (OPEN, CLOSE, [("OPENING_IN_CLOSE_COMMAND", "root/do")]),
        (CLOSE, OPEN, [("CLOSING_IN_OPEN_COMMAND", "root/do")]),
        ("{tree: open_door}", CLOSE, [("OPENING_IN_CLOSE_COMMAND", "root/body/do")]),
        (f"{{sequence: [{OPEN}, {CLOSE}]}}", f"{{sequence: [{OPEN}, {CLOSE}]}}", []),
        (
            f"{{sequence: [{OPEN}, {TAKE}]}}",
            OPEN,
            [("MATERIAL_IN_DOOR_COMMAND", "root/sequence[1]")],
        ),
        (
            f"{{sequence: [{OPEN}, {{check: material_visible}}]}}",
            OPEN,
            [("MATERIAL_IN_DOOR_COMMAND", "root/sequence[1]")],
        ),
        ("{tree: get_material}", "{tree: get_material}", []),
        (OPEN, None, []),
        # a question about the material
        (LOOK, LOOK, []),
        (f"{{sequence: [{LOOK}, {OPEN}]}}", LOOK, []),
        (
            f"{{sequence: [{OPEN}, {LOOK}]}}",
            f"{{sequence: [{OPEN}, {LOOK}]}}",
            [("MATERIAL_IN_DOOR_COMMAND", "root/sequence[1]")],
        ),
        ("{do: fly}", OPEN, []),
    ],
)
def test_plan_of_a_door_command_may_not_move_the_door_the_other_way_or_touch_material(
    root, meant, found
):
    assert _codes(check_moves_only_door, root, meant) == found


@pytest.mark.parametrize("key", ["explanation", "visibility_warnings", "goal_status"])
@pytest.mark.parametrize("words", ["material not visible", "자재가 보이지 않음"])
def test_plan_of_a_door_command_may_not_mention_material(key, words):
    assert _codes(check_moves_only_door, OPEN, OPEN, **{key: [words]}) == [
        ("MATERIAL_IN_DOOR_COMMAND", key)
    ]
    assert _codes(check_moves_only_door, OPEN, "{tree: get_material}", **{key: [words]}) == []


@pytest.mark.parametrize(
    ("gate", "result", "reason", "fits"),
    [
        ("need_open_door", True, "door closed", True),
        ("need_open_door", True, "the door is ajar", True),
        ("need_open_door", True, "문이 닫혀 있음", True),
        ("need_open_door", False, "already open", True),
        ("need_open_door", False, "이미 열려 있음", True),
        ("need_open_door", True, "already open", False),
        ("need_open_door", True, "user requested door to be closed.", False),
        ("need_open_door", True, "material not visible", False),
        ("need_open_door", False, "the arm is ready", False),
        ("need_open_door", "uncertain", "anything", True),
        ("material_visible_after_open", True, "material detected", True),
        ("material_visible_after_open", False, "no material detected", True),
        ("material_visible_after_open", False, "자재가 보이지 않음", True),
        ("material_visible_after_open", True, "no material detected", False),
        ("material_visible_after_open", True, "door open", False),
        ("another_gate", True, "whatever", True),
    ],
)
def test_unrelated_gate_reason_is_reported(gate, result, reason, fits):
    gates = [{"gate": gate, "result": result, "reason": reason}]
    found = _codes(check_stated_gate_reasons, OPEN, gate_evaluations=gates)
    assert found == ([] if fits else [("GATE_REASON_UNRELATED", "gate_evaluations[0]/reason")])


@pytest.mark.parametrize(
    ("state", "seen", "root", "codes"),
    [
        ("closed", "closed", OPEN, []),
        ("closed", "open", CLOSE, ["STATE_CONTRADICTS_SEEN", "STATE_CONTRADICTS_PLAN"]),
        ("open", "open", OPEN, ["STATE_CONTRADICTS_PLAN"]),
        ("open", "open", "{tree: open_door}", []),
        ("uncertain", "open", CLOSE, ["STATE_CONTRADICTS_PLAN"]),
        ("uncertain", "open", HOME, []),
        ("open", "open", f"{{sequence: [{HOME}, {OPEN}]}}", ["STATE_CONTRADICTS_PLAN"]),
        ("closed", "closed", TAKE, ["STATE_CONTRADICTS_PLAN"]),
        ("ajar", "ajar", f"{{sequence: [{OPEN}, {CLOSE}]}}", []),
        ("open", "ajar", LOOK, ["STATE_CONTRADICTS_SEEN"]),
        ("closed", "closed", "{tree: get_material}", []),
        ("half", "open", CLOSE, []),
    ],
)
def test_door_state_stated_by_a_plan_is_checked_against_observation_and_actions(
    state, seen, root, codes
):
    told = {"state": state, "confidence": 0.9, "evidence": []}
    found = _codes(check_stated_state, root, seen=seen, door_state_estimation=told)
    assert [code for code, _ in found] == codes


@pytest.mark.parametrize(
    ("state", "visible", "root", "found"),
    [
        ("open", False, TAKE, True),
        ("open", True, TAKE, False),
        ("open", "uncertain", TAKE, False),
        ("ajar", False, TAKE, False),  # the door is opened first, whatever is visible now
        ("open", False, f"{{sequence: [{LOOK}, {TAKE}]}}", False),
        ("open", False, f"{{sequence: [{{check: arms_home}}, {TAKE}]}}", True),
        ("open", False, f"{{sequence: [{CLOSE}, {TAKE}]}}", False),
    ],
)
def test_plan_that_reaches_for_material_stated_as_hidden_is_a_problem(state, visible, root, found):
    told = {"door_state_estimation": state, "observations": {"material_visible": visible}}
    place = "observations/material_visible"
    problems = [("STATE_CONTRADICTS_PLAN", place)] if found else []
    assert _codes(check_stated_state, root, seen=state, **told) == problems


def test_malformed_observation_in_a_plan_is_ignored():
    for seen in (3, [], {}, None):
        told = {"door_state_estimation": "open", "observations": seen}
        assert _codes(check_stated_state, TAKE, seen="open", **told) == []


def test_problem_after_a_malformed_gate_is_reported():
    odd = {"gate": "need_open_door", "result": True, "reason": "x" * 100}
    (problem,) = _problems(check_stated_gate_reasons, OPEN, gate_evaluations=["nonsense", odd])
    assert problem.place == "gate_evaluations[1]/reason"
    assert problem.found == "x" * 80


ASKS_HAND = "{check: {all: [{hand_holds: {arm: right}}, arms_home]}}"


@pytest.mark.parametrize(
    ("step", "found"),
    [(TAKE, "grasp"), (LOOK, "material_visible"), (ASKS_HAND, "arms_home, hand_holds")],
)
def test_problem_contains_the_found_value(step, found):
    (problem,) = _problems(check_moves_only_door, f"{{sequence: [{OPEN}, {step}]}}", OPEN)
    assert (problem.code, problem.found) == ("MATERIAL_IN_DOOR_COMMAND", found)


@pytest.mark.parametrize("stated", [{}, {"gate_evaluations": 3, "door_state_estimation": [1]}])
def test_malformed_facts_in_a_plan_are_ignored_by_the_rules(stated):
    for rule in (check_moves_only_door, check_stated_gate_reasons, check_stated_state):
        assert _codes(rule, OPEN, OPEN, **stated) == []
