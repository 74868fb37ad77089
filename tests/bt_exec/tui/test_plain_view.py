from __future__ import annotations

import pytest

from bt_exec import events as ev
from bt_exec.failure import Failure, Problem
from bt_exec.language.messages import OWN_MESSAGES, Messages
from bt_exec.spec.model import Mission, MissionSpec
from bt_exec.tui.plain_view import PlainView
from bt_exec.tui.view_model import ViewModel
from tests.bt_exec.tui.scripted import ENGLISH, SLIPPED, Script, get_material

TOP, TAKE = "get_material", "get_material/take_material"

EXPECTED = """\
     0.0 s  command   Get the material inside the door.
     0.2 s  sees      door open 0.9 · handle yes · material yes
     0.2 s  plan 1    6 steps
     0.4 s  skipped   open_door  right → door-handle  already open
     0.4 s  running   grasp  right → material
     2.5 s  failed    grasp  right → material  GRASP_SLIPPED: the box moved 31 mm while the \
fingers closed (limit 10 mm)  (2.1 s)
     2.5 s  planning  again
     2.5 s  plan 2    keeps: open_door · changes: grasp → material_visible, move_arm, grasp
     2.5 s  kept      open_door  right → door-handle  from plan 1
     3.0 s  stop      stopping the mission
     3.0 s  stopped   return_home"""


def view_of(language: str, verbose: bool = False) -> tuple[PlainView, list[str]]:
    written: list[str] = []
    words = Messages.load([OWN_MESSAGES])
    model = ViewModel(language=language, wall=lambda: 1.0, verbose=verbose, messages=words)
    return PlainView(model, written.append, verbose=verbose), written


@pytest.mark.parametrize(
    ("language", "verbose", "expected"),
    [
        ("en", False, "rejected  a mission never begins; remove it"),
        ("ko", False, "필요한 인자가 없습니다"),
        ("en", True, "rejected  root/do: a mission never begins; remove it [MISSING_ARGUMENT]"),
    ],
)
def test_codes_of_rejected_plans_are_shown_only_when_verbose(language, verbose, expected) -> None:
    view, written = view_of(language, verbose)
    problem = Problem("MISSING_ARGUMENT", "a mission never begins; remove it", "root/do")
    view.on(ev.Rejected(0.0, 0, get_material(ENGLISH), (problem,)))
    assert expected in written[0]
    assert verbose or "[" not in written[0]


def test_same_failure_of_a_step_in_a_later_attempt_is_written_again() -> None:
    view, written = view_of("en")
    view.on(ev.Planned(0.0, 0, get_material(ENGLISH), 1))
    for attempt in (1, 2):
        detail = f"attempt {attempt} of 3"
        view.on(ev.NodeChanged(0.1, 2, f"{TAKE}/grasp", "failed", SLIPPED.code, SLIPPED))
        view.on(ev.NodeChanged(0.1, 2, TAKE, "running", detail, SLIPPED))
    words = [line.split()[2] for line in written]
    assert words[1:] == ["failed", "retry", "failed", "retry"]


def test_question_is_not_shown_as_a_fact() -> None:
    spec = MissionSpec.model_validate(
        {"mission": Mission(command="?"), "root": {"check": "door_is_open", "tell": True}}
    )
    view, _ = view_of("en")
    view.on(ev.Planned(0.0, 0, spec, 1))
    view.on(ev.NodeChanged(0.0, 0, "check:door_is_open", "done"))
    node = next(iter(view.model.forest))
    assert view.model.label(node) == "door_is_open?"


def test_plain_view_prints_each_change_as_one_line() -> None:
    written: list[str] = []
    view = PlainView(ViewModel(wall=lambda: 1.0), written.append)
    script = Script()
    script.model = view  # type: ignore[assignment]
    view.failure = None  # type: ignore[attr-defined]
    script.start(ENGLISH).at(0.2).look().plan(get_material(ENGLISH))
    script.at(0.4).node(TOP, "running").node(
        f"{TOP}/open_door/open_door", "skipped", "already open"
    )
    script.node(f"{TOP}/open_door", "done")
    script.node(f"{TAKE}/grasp", "running").node(f"{TAKE}/grasp", "running")
    script.at(2.5).node(f"{TAKE}/grasp", "failed", SLIPPED.message, SLIPPED)
    view.failure = SLIPPED  # type: ignore[attr-defined]
    script.plan(get_material(ENGLISH, 2, (f"{TOP}/open_door",)))
    script.node(f"{TOP}/open_door", "kept")
    script.at(3.0).send(ev.Aborting(3.0, 60, "clean", "operator"))
    script.node(f"{TOP}/shut_and_go_home/return_home", "stopped")
    script.send(ev.FactsKnown(3.0, 60, "end", {}))
    assert "\n".join(written) == EXPECTED


def test_step_that_times_out_is_shown_as_failed_and_not_stopped() -> None:
    view, written = view_of("en")
    view.on(ev.MissionStarted(0.0, 0, "m", ENGLISH, "en", "door"))
    view.on(ev.Planned(0.0, 0, get_material(ENGLISH), 1))
    path, late = f"{TAKE}/grasp", Failure("TIMEOUT", "not done after 0.1 s (limit 0.1 s)")
    view.on(ev.NodeChanged(0.0, 1, path, "running"))
    view.on(ev.NodeChanged(3.15, 3, path, "stopped"))
    view.on(ev.NodeChanged(3.15, 3, path, "failed", late.message, late))
    assert [line.split()[2] for line in written[-2:]] == ["running", "failed"]
    assert [change.state for change in view.model.changes] == ["running", "failed"]


def test_failed_observation_is_not_shown_as_an_observation() -> None:
    view, written = view_of("en")
    script = Script()
    script.model = view  # type: ignore[assignment]
    script.start(ENGLISH).look()
    view.on(ev.PerceptionFailed(2.0, 40, "door", "RuntimeError: made to crash on purpose"))
    view.on(ev.Planned(3.0, 60, get_material(ENGLISH), 1))
    seen = [line.partition("sees")[2].strip() for line in written if "  sees  " in line]
    assert seen[-1] == view.model.newest_observations_text() == "nothing new: injected crash"


def test_unmet_condition_is_shown_as_a_negative_answer_and_not_as_a_failure() -> None:
    choice = {
        "fallback": [
            {"sequence": [{"check": "door_is_open"}, {"do": "return_home"}]},
            {"sequence": [{"check": {"not": "door_is_open"}}, {"tree": "open_door"}]},
        ]
    }
    spec = MissionSpec.model_validate({"mission": Mission(command="?"), "root": choice})
    view, written = view_of("en")
    view.on(ev.Planned(0.0, 0, spec, 1))
    path = "door_is_open"
    unmet = Failure("CHECK_FAILED", "the door is closed", path, "check", "door_is_open")
    view.on(ev.NodeChanged(0.0, 1, path, "failed", unmet.message, unmet))
    assert written[-1].split(maxsplit=2)[2] == "no        door_is_open  the door is closed"
    assert [row.failure for row in view.model.forest] == [None] * len(list(view.model.forest))
    unknown = Failure("UNCERTAIN", "it is dark", path, "check", "door_is_open", retryable=False)
    view.on(ev.NodeChanged(0.0, 1, path, "failed", unknown.message, unknown))
    assert written[-1].split()[2] == "failed"
