"""Progress of a mission: state derived from its events, and the views of turn reporters."""

from __future__ import annotations

from typing import Any

import pytest

from bt_exec.events import Asked, NodeChanged, Planned, Planning, SkillEnded, SkillStarting, Turn
from bt_exec.failure import Failure
from bt_exec.mission.pack_reporters import Reporters
from bt_exec.mission.progress import MissionProgress
from bt_exec.mission.undone_parts import Undone
from bt_exec.mission_reporter import Action, MissionReporter, MissionView, Skip
from bt_exec.observation import ObservationBuffer
from bt_exec.pack import Catalogue, Pack
from bt_exec.rig import PackSettings
from bt_exec.skill import Verdict
from bt_exec.spec.load import load_text
from bt_exec.spec.model import Mission, MissionSpec
from bt_exec.testing import FakeObservation

TREE = """
tree: t
root:
  sequence:
    - {do: go, name: first, with: {to: dock}}
    - name: part
      sequence:
        - {do: go, with: {to: shelf}}
        - {check: near}
    - {do: take}
"""
FIRST = Action("go", {"to": "dock"}, "first")
SECOND = Action("go", {"to": "shelf"}, "part/go")
THIRD = Action("take", {}, "take")


def plan(*kept: str) -> MissionSpec:
    root = load_text(TREE).document.root
    return MissionSpec(mission=Mission(command="go", compiler="test", kept=kept), root=root)


class Reporter(MissionReporter):
    """Reporter that keeps its views and returns their count."""

    def __init__(self) -> None:
        super().__init__({})
        self.views: list[MissionView] = []

    def turn_report(self, view: MissionView) -> dict[str, Any] | None:
        self.views.append(view)
        return {"n": len(self.views)}


class Told:
    """Progress with one reporter for each of two packs."""

    def __init__(self) -> None:
        self.turns: list[Turn] = []
        self.arm, self.base = Reporter(), Reporter()
        packs = [
            Pack(name, reporter=lambda services, made=made: made)
            for name, made in (("arm", self.arm), ("base", self.base))
        ]
        self.reporters = Reporters(packs, {})
        self.buffer: ObservationBuffer[Any] = ObservationBuffer(lambda: 0.0)
        self.progress = MissionProgress(
            "get it",
            "en",
            self.reporters,
            {"arm": self.buffer},
            {name: PackSettings(robot=f"the {name}") for name in ("arm", "base", "third")},
            self.turns.append,
        )

    def on(self, *events: Any) -> MissionProgress:
        for event in events:
            self.progress.on(event)
        return self.progress


def start(action: Action) -> SkillStarting:
    return SkillStarting(1.5, 3, action.path, action.name, action.args, 1)


def end(action: Action, state: str = "done") -> SkillEnded:
    return SkillEnded(2.0, 4, action.path, action.name, 1, state, 0.5)


def asked(question: str, holds: bool | None, *, told: bool = False) -> Asked:
    return Asked(2.5, 5, "x", "check", question, Verdict(holds, question), told)


def test_progress_is_empty_before_the_first_event():
    progress = Told().progress
    assert (progress.command, progress.language, progress.spec) == ("get it", "en", None)
    assert (progress.started, progress.done, progress.skipped) == (set(), [], [])
    assert (progress.answered, progress.verdicts, progress.failures) == ({}, {}, [])
    assert progress.remaining_actions() == ()


def test_remaining_actions_are_in_plan_order_and_removed_when_done():
    told = Told()
    progress = told.on(Planned(0.0, 0, plan(), 1))
    assert progress.spec == plan()
    assert progress.remaining_actions() == (FIRST, SECOND, THIRD)
    told.on(start(FIRST))
    assert (progress.started, progress.done) == ({"go"}, [])
    assert progress.remaining_actions() == (FIRST, SECOND, THIRD)
    told.on(end(FIRST))
    assert (progress.done, progress.remaining_actions()) == ([FIRST], (SECOND, THIRD))


@pytest.mark.parametrize("state", ["failed", "stopped"])
def test_action_that_did_not_succeed_is_not_done(state):
    progress = Told().on(Planned(0.0, 0, plan(), 1), start(FIRST), end(FIRST, state))
    assert (progress.done, progress.remaining_actions()) == ([], (FIRST, SECOND, THIRD))


def test_restarted_action_is_among_the_remaining_ones():
    progress = Told().on(Planned(0.0, 0, plan(), 1), start(FIRST), end(FIRST), start(FIRST))
    assert progress.remaining_actions() == (FIRST, SECOND, THIRD)


def test_step_kept_from_an_earlier_plan_is_not_among_the_remaining_ones():
    told = Told()
    progress = told.on(Planned(0.0, 0, plan(), 1), start(FIRST), end(FIRST))
    told.on(Planned(3.0, 6, plan("part"), 1))
    assert progress.remaining_actions() == (FIRST, THIRD)
    assert progress.done == [FIRST]  # over all plans


def test_skip_is_recorded_once_and_removes_the_subtree_from_the_remaining_steps():
    skip = NodeChanged(1.0, 2, "part", "skipped", "already there")
    other = NodeChanged(1.0, 2, "take", "skipped", "already held")
    progress = Told().on(Planned(0.0, 0, plan(), 1), skip, skip, other)
    assert progress.skipped == [
        Skip("part", "already there", "part"),
        Skip("take", "already held", "take"),
    ]
    assert progress.remaining_actions() == (FIRST,)


@pytest.mark.parametrize("state", ["running", "done", "failed", "kept", "stopped"])
def test_only_skipped_nodes_are_in_the_skip_log(state):
    progress = Told().on(Planned(0.0, 0, plan(), 1), NodeChanged(1.0, 2, "part", state, "so"))
    assert progress.skipped == []


def test_latest_verdicts_and_answers_to_the_operator_are_kept():
    progress = Told().on(
        Planned(0.0, 0, plan(), 1),
        asked("near", False, told=True),
        asked("near", True, told=True),
        asked("far", None, told=True),
        asked("open", True),
    )
    assert progress.verdicts == {
        "near": Verdict(True, "near"),
        "far": Verdict(None, "far"),
        "open": Verdict(True, "open"),
    }
    assert progress.answered == {"near": asked("near", True, told=True)}


def test_each_reporter_gets_a_view_before_a_skill_starts():
    told = Told()
    told.buffer.add(FakeObservation(0.5))
    told.buffer.add(FakeObservation(1.0))
    skip = NodeChanged(1.0, 2, "take", "skipped", "already held")
    told.on(Planned(0.0, 0, plan(), 1), start(FIRST), end(FIRST), skip, asked("near", True))
    told.on(start(SECOND))
    assert [(turn.t, turn.tick, turn.report) for turn in told.turns] == [
        *((1.5, 3, {"n": 1}), (1.5, 3, {"n": 1})),
        *((1.5, 3, {"n": 2}), (1.5, 3, {"n": 2})),
    ]
    assert told.arm.views[-1] == MissionView(
        "get it",
        "en",
        plan(),
        FakeObservation(1.0),
        SECOND,
        (SECOND,),
        (FIRST,),
        (Skip("take", "already held", "take"),),
        {"near": Verdict(True, "near")},
        "in_progress",
        "OK",
        "",
        None,
        PackSettings(robot="the arm"),
    )
    assert (told.base.views[-1].observation, told.base.views[-1].settings) == (
        *(None, PackSettings(robot="the base")),
    )


def test_last_view_has_no_remaining_actions_and_contains_the_reason():
    told = Told()
    told.on(Planned(0.0, 0, plan(), 1))
    failure = Failure("STUCK")
    told.progress.emit_turn_reports(
        9.0, 12, None, "blocked", "SKILL_FAILED", "It is stuck.", failure
    )
    (view,) = told.arm.views
    assert view.remaining == ()
    assert (view.status, view.reason_code, view.message) == (
        *("blocked", "SKILL_FAILED", "It is stuck."),
    )
    assert (view.failure, view.next_action, view.observation) == (failure, None, None)


def test_mission_without_a_plan_has_no_turn():
    told = Told()
    told.progress.emit_turn_reports(0.0, 0, None, "refused")
    assert (told.turns, told.arm.views) == ([], [])


def test_reporter_without_a_report_or_with_an_error_does_not_affect_the_others(caplog):
    told = Told()
    told.arm.turn_report = lambda view: {}["mode"]
    told.base.turn_report = lambda view: None
    told.reporters._each["third"] = Reporter()
    told.on(Planned(0.0, 0, plan(), 1), start(FIRST))
    assert [turn.report for turn in told.turns] == [{"n": 1}]
    assert caplog.messages == ["the reporter of arm could not report"]


@pytest.mark.parametrize(
    ("before", "turns"),
    [
        ([], 1),  # an unknown verdict is reported once
        ([asked("near", None)], 1),
        ([asked("far", None), asked("near", True)], 1),
        ([start(FIRST)], 2),
        ([start(FIRST), end(FIRST)], 1),  # no turn after an action is done
    ],
)
def test_first_unknown_verdict_of_a_plan_emits_a_turn_until_an_action_is_done(before, turns):
    told = Told()
    told.on(Planned(0.0, 0, plan(), 1), *before, asked("near", None))
    assert len(told.arm.views) == turns
    if turns == 1 and not before:
        assert (told.turns[0].t, told.turns[0].tick) == (2.5, 5)
        assert told.arm.views[0].next_action is None


def test_unknown_verdict_of_a_new_plan_is_reported_again():
    told = Told()
    told.on(Planned(0.0, 0, plan(), 1), asked("near", None))
    told.on(Planned(3.0, 6, plan(), 1), asked("near", None), asked("near", None))
    assert len(told.arm.views) == 2


def test_done_action_contains_the_value_of_a_saved_result():
    spec = load_text(
        "{mission: {command: go}, root: "
        "{do: carry, with: {thing: $found_2, to: [$place, x], by: y}}}"
    ).document
    given = {"thing": "cup", "to": ["shelf", "x"], "by": "Y", "speed": 1.0}
    told = Told()
    told.on(Planned(0.0, 0, spec, 1), SkillStarting(1.0, 1, "carry", "carry", given, 1))
    progress = told.on(SkillEnded(2.0, 2, "carry", "carry", 1, "done", 1.0))
    args = {"thing": "cup", "to": ["shelf", "x"], "by": "y"}
    assert progress.done == [Action("carry", args, "carry")]


TREES = "{mission: {command: go}, root: {tree: t, save: {seen: found, other: lost}, body: {do: a}}}"


@pytest.mark.parametrize(
    ("text", "results"),
    [
        (TREES, {"seen": "cup"}),
        ("{mission: {command: go}, root: {sequence: [{do: a, save: {seen: found}}]}}", {}),
    ],
)
def test_saved_values_returned_by_the_root_tree_are_results(text, results):
    progress = Told().progress
    assert progress.results({"found": "cup"}) == {}  # no plan yet
    progress.spec = load_text(text).document
    assert progress.results({"found": "cup", "more": 1}) == results


def test_failures_of_incomplete_parts_are_listed_once():
    progress = Told().progress
    one, two, three = (Failure(code) for code in ("ONE", "TWO", "THREE"))
    progress.failures = [one, two]
    part = plan().root
    progress.undone = tuple(Undone("x", part, failure) for failure in (two, three))
    assert progress.all_failures() == (one, two, three)


def test_actions_done_after_each_failure_are_listed():
    told = Told()
    progress = told.on(Planned(0.0, 0, plan(), 1), start(FIRST), end(FIRST))
    told.on(Planning(3.0, 6, "test", Failure("ONE")), Planned(3.0, 6, plan(), 1))
    told.on(start(SECOND), end(SECOND), Planning(4.0, 7, "test"))
    told.on(Planning(5.0, 8, "test", Failure("TWO")), start(THIRD), end(THIRD))
    assert [progress.actions_done_after(number) for number in range(3)] == [
        (SECOND, THIRD),
        (THIRD,),
        (),
    ]
    assert (progress.latest, progress.plan_version) == ("take", 1)
    progress.undone = (Undone("part", plan().root, Failure("X"), frozenset({"part/go"})),)
    assert progress.achieved_actions() == (FIRST, THIRD)


def test_answer_keeps_the_facts_observed_when_it_was_given():
    told = Told()
    told.progress._buffers = {"arm": told.buffer, "base": ObservationBuffer(lambda: 0.0)}
    told.on(Planned(0.0, 0, plan(), 1), asked("near", True, told=True))
    told.buffer.add(FakeObservation(0.5, known={"door": "shut"}))
    told.buffer.add(FakeObservation(1.0, known={"door": "open"}))
    progress = told.on(asked("open", True, told=True), asked("far", True))
    assert progress.seen == {"near": {}, "open": {"door": "open"}}


def test_invalid_report_is_logged_once_and_dropped(caplog):
    told = Told()
    told.arm.turn_report = lambda view: ["n", 1]
    told.on(Planned(0.0, 0, plan(), 1), start(FIRST), end(FIRST), start(SECOND))
    assert [turn.report for turn in told.turns] == [{"n": 1}, {"n": 2}]
    assert caplog.messages == ["the reporter of arm could not report"]
    said = "turn() must return a mapping or None; found ['n', 1]"
    assert str(caplog.records[0].exc_info[1]) == said


def test_part_is_complete_if_an_action_since_the_last_failure_does_it():
    """Turns are not separated by failures, so all actions since the last failure count."""
    told = Told()
    progress = told.on(Planned(0.0, 0, plan(), 1), start(FIRST), end(FIRST))
    failure = Failure("LOST", node="go", args={"to": "dock"})
    other = Failure("LOST", node="go", args={"to": "elsewhere"})
    progress.undone = tuple(Undone("x", plan().root, one) for one in (failure, other))
    progress.record_undone(plan(), [], Catalogue([]))
    assert [part.failure for part in progress.undone] == [other]
    told.on(Planning(3.0, 6, "test", Failure("ONE")), Planned(3.0, 6, plan(), 1))
    progress.undone = (Undone("x", plan().root, failure),)
    progress.record_undone(plan(), [], Catalogue([]))
    assert [part.failure for part in progress.undone] == [failure]  # it was done before that


def test_skip_without_a_time_has_time_zero():
    assert Skip("part", "already there").t == 0.0
    assert Skip("part", "already there", t=1.0) == Skip("part", "already there", t=2.0)
