"""The account of a mission: what its events add up to, and what a turn reporter gets to see."""

from __future__ import annotations

from typing import Any

import pytest

from bt_exec.events import Asked, NodeChanged, Planned, Planning, SkillEnded, SkillStarting, Turn
from bt_exec.failure import Failure
from bt_exec.mission.incomplete import Undone
from bt_exec.mission.progress import MissionProgress
from bt_exec.mission.reporting import Action, MissionReporter, MissionView, Reporters, Skip
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
    """Keeps what it was shown and answers with a number."""

    def __init__(self) -> None:
        super().__init__({})
        self.views: list[MissionView] = []

    def turn(self, view: MissionView) -> dict[str, Any] | None:
        self.views.append(view)
        return {"n": len(self.views)}


class Told:
    """An account with one reporter for each of two packs."""

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


def test_before_anything_happened():
    progress = Told().progress
    assert (progress.command, progress.language, progress.spec) == ("get it", "en", None)
    assert (progress.started, progress.done, progress.skipped) == (False, [], [])
    assert (progress.told, progress.verdicts, progress.failures) == ({}, {}, [])
    assert progress.remaining() == ()


def test_actions_are_in_the_order_of_the_plan_and_end_as_they_are_done():
    told = Told()
    progress = told.on(Planned(0.0, 0, plan(), 1))
    assert progress.spec == plan()
    assert progress.remaining() == (FIRST, SECOND, THIRD)
    told.on(start(FIRST))
    assert (progress.started, progress.done) == (True, [])
    assert progress.remaining() == (FIRST, SECOND, THIRD)
    told.on(end(FIRST))
    assert (progress.done, progress.remaining()) == ([FIRST], (SECOND, THIRD))


@pytest.mark.parametrize("state", ["failed", "stopped"])
def test_what_did_not_end_well_is_not_done(state):
    progress = Told().on(Planned(0.0, 0, plan(), 1), start(FIRST), end(FIRST, state))
    assert (progress.done, progress.remaining()) == ([], (FIRST, SECOND, THIRD))


def test_what_is_begun_again_remains_again():
    progress = Told().on(Planned(0.0, 0, plan(), 1), start(FIRST), end(FIRST), start(FIRST))
    assert progress.remaining() == (FIRST, SECOND, THIRD)


def test_what_is_kept_of_an_earlier_plan_need_not_be_done():
    told = Told()
    progress = told.on(Planned(0.0, 0, plan(), 1), start(FIRST), end(FIRST))
    told.on(Planned(3.0, 6, plan("part"), 1))
    assert progress.remaining() == (FIRST, THIRD)
    assert progress.done == [FIRST]  # of all plans


def test_what_is_skipped_is_told_once_for_each_place_and_takes_what_is_under_it():
    skip = NodeChanged(1.0, 2, "part", "skipped", "already there")
    other = NodeChanged(1.0, 2, "take", "skipped", "already held")
    progress = Told().on(Planned(0.0, 0, plan(), 1), skip, skip, other)
    assert progress.skipped == [
        Skip("part", "already there", "part"),
        Skip("take", "already held", "take"),
    ]
    assert progress.remaining() == (FIRST,)


@pytest.mark.parametrize("state", ["running", "done", "failed", "kept", "stopped"])
def test_only_what_is_skipped_is_in_the_skip_log(state):
    progress = Told().on(Planned(0.0, 0, plan(), 1), NodeChanged(1.0, 2, "part", state, "so"))
    assert progress.skipped == []


def test_verdicts_are_the_last_ones_and_answers_those_that_were_to_be_told_and_are_known():
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
    assert progress.told == {"near": asked("near", True, told=True)}


def test_each_reporter_is_shown_the_mission_before_a_skill_starts():
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


def test_at_the_end_nothing_remains_and_the_reason_is_shown():
    told = Told()
    told.on(Planned(0.0, 0, plan(), 1))
    failure = Failure("STUCK")
    told.progress.turn(9.0, 12, None, "blocked", "SKILL_FAILED", "It is stuck.", failure)
    (view,) = told.arm.views
    assert view.remaining == ()
    assert (view.status, view.reason_code, view.message) == (
        *("blocked", "SKILL_FAILED", "It is stuck."),
    )
    assert (view.failure, view.next_action, view.observation) == (failure, None, None)


def test_without_a_plan_there_is_no_turn():
    told = Told()
    told.progress.turn(0.0, 0, None, "refused")
    assert (told.turns, told.arm.views) == ([], [])


def test_who_has_nothing_to_report_stays_silent_and_who_breaks_down_costs_only_its_own(caplog):
    told = Told()
    told.arm.turn = lambda view: {}["mode"]
    told.base.turn = lambda view: None
    told.reporters._each["third"] = Reporter()
    told.on(Planned(0.0, 0, plan(), 1), start(FIRST))
    assert [turn.report for turn in told.turns] == [{"n": 1}]
    assert caplog.messages == ["the reporter of arm could not report"]


@pytest.mark.parametrize(
    ("before", "turns"),
    [
        ([], 1),  # that it is not known yet is told once
        ([asked("near", None)], 1),
        ([asked("far", None), asked("near", True)], 1),
        ([start(FIRST)], 2),
        ([start(FIRST), end(FIRST)], 1),  # a mission at work looks without a word
    ],
)
def test_the_first_doubt_of_a_plan_is_a_turn_until_something_was_done(before, turns):
    told = Told()
    told.on(Planned(0.0, 0, plan(), 1), *before, asked("near", None))
    assert len(told.arm.views) == turns
    if turns == 1 and not before:
        assert (told.turns[0].t, told.turns[0].tick) == (2.5, 5)
        assert told.arm.views[0].next_action is None


def test_the_doubt_of_a_new_plan_is_told_again():
    told = Told()
    told.on(Planned(0.0, 0, plan(), 1), asked("near", None))
    told.on(Planned(3.0, 6, plan(), 1), asked("near", None), asked("near", None))
    assert len(told.arm.views) == 2


def test_what_was_done_with_a_saved_result_tells_its_value():
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
def test_what_the_tree_that_is_the_plan_returns(text, results):
    progress = Told().progress
    assert progress.results({"found": "cup"}) == {}  # there is no plan yet
    progress.spec = load_text(text).document
    assert progress.results({"found": "cup", "more": 1}) == results


def test_what_is_missing_is_among_the_failures_once():
    progress = Told().progress
    one, two, three = (Failure(code) for code in ("ONE", "TWO", "THREE"))
    progress.failures = [one, two]
    part = plan().root
    progress.undone = tuple(Undone("x", part, failure) for failure in (two, three))
    assert progress.every_failure() == (one, two, three)


def test_what_was_done_counts_from_the_failure_that_came_before():
    told = Told()
    progress = told.on(Planned(0.0, 0, plan(), 1), start(FIRST), end(FIRST))
    told.on(Planning(3.0, 6, "test", Failure("ONE")), Planned(3.0, 6, plan(), 1))
    told.on(start(SECOND), end(SECOND), Planning(4.0, 7, "test"))
    told.on(Planning(5.0, 8, "test", Failure("TWO")), start(THIRD), end(THIRD))
    assert [progress.done_after(number) for number in range(3)] == [(SECOND, THIRD), (THIRD,), ()]
    assert (progress.latest, progress.plan_version) == ("take", 1)
    progress.undone = (Undone("part", plan().root, Failure("X"), frozenset({"part/go"})),)
    assert progress.achieved() == (FIRST, THIRD)


def test_a_question_keeps_what_was_seen_when_it_was_asked():
    told = Told()
    told.progress._buffers = {"arm": told.buffer, "base": ObservationBuffer(lambda: 0.0)}
    told.on(Planned(0.0, 0, plan(), 1), asked("near", True, told=True))
    told.buffer.add(FakeObservation(0.5, known={"door": "shut"}))
    told.buffer.add(FakeObservation(1.0, known={"door": "open"}))
    progress = told.on(asked("open", True, told=True), asked("far", True))
    assert progress.seen == {"near": {}, "open": {"door": "open"}}


def test_a_report_that_is_none_costs_only_itself_and_is_told_once(caplog):
    told = Told()
    told.arm.turn = lambda view: ["n", 1]
    told.on(Planned(0.0, 0, plan(), 1), start(FIRST), end(FIRST), start(SECOND))
    assert [turn.report for turn in told.turns] == [{"n": 1}, {"n": 2}]
    assert caplog.messages == ["the reporter of arm could not report"]
    said = "turn() returns a mapping or None; found ['n', 1]"
    assert str(caplog.records[0].exc_info[1]) == said


def test_what_any_action_of_a_turn_makes_good_is_no_longer_missing():
    """Turns need no failure between them: everything that was done counts, from the first."""
    told = Told()
    progress = told.on(Planned(0.0, 0, plan(), 1), start(FIRST), end(FIRST))
    failure = Failure("LOST", node="go", args={"to": "dock"})
    other = Failure("LOST", node="go", args={"to": "elsewhere"})
    progress.undone = tuple(Undone("x", plan().root, one) for one in (failure, other))
    progress.left_undone(plan(), [], Catalogue([]))
    assert [part.failure for part in progress.undone] == [other]
    told.on(Planning(3.0, 6, "test", Failure("ONE")), Planned(3.0, 6, plan(), 1))
    progress.undone = (Undone("x", plan().root, failure),)
    progress.left_undone(plan(), [], Catalogue([]))
    assert [part.failure for part in progress.undone] == [failure]  # it was done before that


def test_a_skip_without_a_moment_is_of_the_beginning():
    assert Skip("part", "already there").t == 0.0
    assert Skip("part", "already there", t=1.0) == Skip("part", "already there", t=2.0)
