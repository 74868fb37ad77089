"""Explanation of a recorded mission: the cause of its end, the attempts and the known facts."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from bt_exec.events import (
    Aborting,
    Event,
    Finished,
    MissionStarted,
    NodeChanged,
    Observed,
    PerceptionFailed,
    Planned,
    Planning,
    Refused,
    Rejected,
    SkillEnded,
    SkillStarting,
)
from bt_exec.failure import Failure, Problem, Refusal
from bt_exec.journal import Journal, RecordedObservation
from bt_exec.journal.explain import Attempt, Explanation, explain
from bt_exec.mission_outcome import NOTHING_DONE, PARTLY_DONE, Outcome
from bt_exec.pack import Catalogue
from bt_exec.skill import Steps, skill
from bt_exec.spec.load import load_text
from bt_exec.spec.model import MissionSpec
from bt_exec.testing.tree_run import scripted_site

JAM = Failure("DOOR_STUCK", "stopped at 12 deg", "fetch/open_door", node="open_door")
GRIP = Failure("NO_GRIP", "behind the edge", "fetch/home/return_home", node="return_home")


@skill(effects={"hand.{arm}": "material"})
def grasp(arm: str) -> Steps:
    """Grasp the material."""
    yield


@skill(effects={"door": "open"})
def open_door(arm: str) -> Steps:
    """Open the door."""
    yield


CATALOGUE: Catalogue = scripted_site([grasp, open_door]).catalogue
Spec = Callable[[int], MissionSpec]


@pytest.fixture
def explained(journal: Journal, script: Callable[[str], list[Event]]):
    """Return a function that records events after a first observation and explains them."""

    def explained(*events: Event, catalogue: Catalogue | None = CATALOGUE) -> Explanation:
        with journal.begin(command="x", language="ko") as recorder:
            for event in (*script(recorder.mission_id)[:2], *events):
                recorder.on(event)
        return explain(journal.mission("last"), catalogue)

    return explained


def ended(status: str = "blocked", *failures: Failure, **more: object) -> Finished:
    plain = tuple(failure.to_dict() for failure in failures)
    outcome = Outcome("m", "x", status, "CODE", "못 했습니다.", failures=plain, **more)  # type: ignore[arg-type]
    return Finished(9.0, 180, outcome)


def called(skill: str, state: str = "done", call: int = 1, failure: Failure | None = None):
    return (
        SkillStarting(1.0, 20, f"fetch/{skill}", skill, {"arm": "right"}, call),
        SkillEnded(3.0, 60, f"fetch/{skill}", skill, call, state, 2.0, failure=failure),  # type: ignore[arg-type]
    )


def test_first_cause_is_reported_after_later_plans(explained, make_spec: Spec) -> None:
    found = explained(
        Planned(0.4, 1, make_spec(1), 1),
        *called("open_door", "failed", failure=JAM),
        Planning(3.0, 60, "offline", JAM),
        Planned(3.0, 60, make_spec(2), 1),
        *called("return_home", "failed", failure=GRIP),
        ended("blocked", JAM, GRIP),
    )
    assert found.cause is not None
    cause = (found.cause.failure, found.cause.version, found.cause.t, found.cause.seen)
    assert cause == (JAM, 1, 3.0, ("문 열림",))
    assert [(one.version, one.failure, one.compiler) for one in found.attempts] == [
        (1, JAM, "offline"),
        (2, GRIP, "offline"),
    ]
    names = [[name for name, _ in one.steps] for one in found.attempts]
    assert names == [["return_home"], ["return_home"]]  # the plan of the test keeps open_door


@pytest.mark.parametrize("recovers", [False, True])
def test_cause_names_a_perception_error_unless_a_later_observation_arrived(
    explained, make_spec: Spec, script, recovers: bool
) -> None:
    (seen,) = (event for event in script("m") if isinstance(event, Observed))
    found = explained(
        Planned(0.4, 1, make_spec(1), 1),
        PerceptionFailed(2.0, 40, "door", "no network"),
        *([seen] if recovers else ()),
        *called("open_door", "failed", failure=JAM),
        ended("blocked", JAM),
    )
    assert found.cause is not None
    assert found.blind == found.cause.blind == ({} if recovers else {"door": "no network"})
    assert bool(found.cause.seen) is recovers


@pytest.mark.parametrize("later", [False, True])
def test_cause_excludes_what_was_observed_after_the_failure(
    explained, make_spec: Spec, later: bool
) -> None:
    failed, blind = called("open_door", "failed", failure=JAM), PerceptionFailed(2, 40, "door", "?")
    events = (*failed, blind) if later else (blind, *failed)
    found = explained(Planned(0.4, 1, make_spec(1), 1), *events, ended("blocked", JAM))
    assert found.cause is not None
    assert (found.cause.seen, found.cause.blind) == (
        (("문 열림",), {}) if later else ((), {"door": "?"})
    )


def test_both_branches_of_a_choice_are_listed_and_its_false_condition_is_unmet(explained) -> None:
    spec = load_text(
        "mission: {command: x}\nroot: {fallback: [{sequence: [{check: door_is_open}, "
        "{do: grasp, with: {arm: left}}]}, {sequence: [{check: {not: door_is_open}}, "
        "{do: open_door, with: {arm: left}}]}]}"
    ).document
    assert isinstance(spec, MissionSpec)
    path = "door_is_open"
    unmet = Failure("CHECK_FAILED", "closed", path, "check", "door_is_open")
    found = explained(
        Planned(0.4, 1, spec, 1), NodeChanged(0.5, 2, path, "failed", "closed", unmet)
    )
    (attempt,) = found.attempts
    assert [name for name, _ in attempt.steps] == ["door_is_open", "grasp", "open_door"]
    assert (attempt.unmet, attempt.passed) == ([unmet], [])


def test_recovered_failure_is_not_the_cause(explained, make_spec: Spec) -> None:
    found = explained(
        Planned(0.4, 1, make_spec(1), 1),
        *called("open_door", "failed", failure=JAM),
        Planning(3.0, 60, "offline", replace(JAM, args={"arm": "left"})),
        Planned(3.0, 60, make_spec(2), 1),
        *called("open_door", call=2),
        *called("return_home", "failed", failure=GRIP),
        ended("blocked", JAM, GRIP),
    )
    assert found.cause is not None
    assert (found.cause.failure, found.cause.version) == (GRIP, 2)


def test_cause_of_a_partial_mission_is_its_first_incomplete_part(
    explained, make_spec: Spec
) -> None:
    undone = [{"what": "x", "why": "y", "code": one.code, "path": one.path} for one in (JAM, GRIP)]
    told = ended("partial", replace(GRIP, path="fetch/made_good"), JAM, GRIP, undone=(*undone,))
    told = replace(told, outcome=replace(told.outcome, reason_code=PARTLY_DONE))
    found = explained(Planned(0.4, 1, make_spec(1), 1), told)
    assert [one.failure for one in found.attempts] == [JAM]
    assert found.cause is not None
    assert found.cause.failure == JAM


def test_satisfied_mission_has_no_cause_but_lists_recovered_failures(
    explained, make_spec: Spec
) -> None:
    found = explained(
        Planned(0.4, 1, make_spec(1), 1),
        *called("grasp", "failed", failure=GRIP),
        *called("grasp", call=2),
        ended("satisfied"),
    )
    assert found.cause is None
    assert found.attempts[0].passed == [GRIP]
    assert found.facts == {"door": "open", "hand.right": "material"}


def test_recovered_failures_exclude_stops_and_failures_before_the_plan(
    explained, make_spec: Spec
) -> None:
    found = explained(
        NodeChanged(0.2, 1, "early", "failed", "", JAM),
        Planned(0.4, 1, make_spec(1), 1),
        NodeChanged(0.5, 2, "fetch", "running"),
        *called("grasp", "stopped"),
        NodeChanged(0.6, 3, "fetch", "failed", "", GRIP),
        NodeChanged(0.7, 4, "fetch", "failed", "", GRIP),
        NodeChanged(0.8, 5, "fetch", "done"),
        ended("satisfied"),
    )
    assert [attempt.passed for attempt in found.attempts] == [[GRIP]]


def test_interrupted_mission_lists_possible_contents_of_a_hand(explained, make_spec: Spec) -> None:
    events = (Planned(0.4, 1, make_spec(1), 1), *called("open_door"), called("grasp")[0])
    found = explained(*events)
    assert [run.start.skill for run in found.running] == ["grasp"]
    assert (found.facts, found.possible) == ({"door": "open"}, {"hand.right": "material"})
    assert found.uncertain["hand.right"] == "?"
    without = explained(*events, catalogue=None)
    assert (without.facts, without.possible) == ({"door": "open"}, {})


def test_mission_without_a_plan_is_explained_by_its_refusal_and_problems(
    explained, make_spec: Spec
) -> None:
    refused = explained(Refused(0.3, 0, Refusal("NEGATED", "하지 않습니다.")), ended("refused"))
    assert (refused.refusal, refused.attempts, refused.cause) == ("하지 않습니다.", (), None)
    problem = Problem("UNKNOWN_SKILL", "there is no fly", "root")
    rejected = explained(
        Rejected(0.3, 0, make_spec(1), (problem,)), ended("refused", problems=(str(problem),))
    )
    assert rejected.problems == (str(problem),)


def test_source_of_a_stop_is_reported_for_aborted_missions(explained) -> None:
    assert explained(Aborting(1.0, 3, "clean", "operator"), ended("aborted")).stopped == "operator"
    assert explained(Aborting(1.0, 3, "robot stop", "x"), ended("blocked", JAM)).stopped == ""


def test_empty_record_is_explained(journal: Journal) -> None:
    journal.begin(command="x").close()
    found = explain(journal.mission("last"))
    assert (found.attempts, found.cause, found.facts, found.running) == ((), None, {}, ())


def test_steps_show_the_value_of_a_saved_result(explained):
    spec = load_text(
        "{mission: {command: x}, root: {sequence: [{do: look, save: {thing: found}},"
        " {do: carry, with: {thing: $found}}, {do: leave, with: {thing: $found}}]}}"
    ).document
    found = explained(
        Planned(0.5, 0, spec, 1),
        SkillStarting(1.0, 20, "carry", "carry", {"thing": "cup"}, 1),
        SkillEnded(2.0, 40, "carry", "carry", 1, "done", 1.0),
    )
    steps = (("look", {}), ("carry", {"thing": "cup"}), ("leave", {"thing": "$found"}))
    assert found.attempts[-1].steps == steps


def test_each_plan_shows_the_values_that_it_ran_with(explained):
    spec = load_text(
        "{mission: {command: x}, root: {sequence: [{do: carry, with: {thing: $found}}]}}"
    ).document
    again = spec.model_copy(
        update={"mission": spec.mission.model_copy(update={"plan_version": 2, "parent": 1})}
    )
    calls = [SkillStarting(n, 20, "carry", "carry", {"thing": f"cup {n}"}, n) for n in (1, 2)]
    found = explained(Planned(0.5, 0, spec, 1), calls[0], Planned(1.5, 0, again, 1), calls[1])
    assert [one.steps for one in found.attempts] == [
        (("carry", {"thing": f"cup {n}"}),) for n in (1, 2)
    ]


def test_time_of_the_cause_is_its_first_report_after_the_command(
    journal: Journal, make_spec: Spec
) -> None:
    with journal.begin(command="x", language="ko") as recorder:
        for event in (
            MissionStarted(2.0, 0, recorder.mission_id, "x", "ko", "sim"),
            Planned(3.0, 1, make_spec(1), 1),
            NodeChanged(4.0, 2, "fetch", "running"),
            NodeChanged(5.0, 3, "fetch", "failed", "", GRIP),
            Planning(6.0, 4, "offline", JAM),
            NodeChanged(7.0, 5, "fetch/open_door", "failed", "", JAM),
            NodeChanged(8.0, 5, "fetch", "failed", "", JAM),
            ended("blocked", JAM),
        ):
            recorder.on(event)
    found = explain(journal.mission("last"))
    assert found.cause is not None
    assert (found.cause.failure, found.cause.t) == (JAM, 5.0)


def test_skip_reasons_are_listed_once_and_results_in_order(explained, make_spec: Spec) -> None:
    skipped = [{"name": name, "reason": why} for name, why in (("a", "x"), ("b", "y"), ("c", "x"))]
    runs = [
        (
            SkillStarting(1.0, 20, "look", "look", {}, call),
            SkillEnded(2.0, 30, "look", "look", call, "done", 1.0, result),
        )
        for call, result in enumerate(({"cup": 1}, None, {"cup": 2}))
    ]
    open_end = SkillStarting(1.0, 20, "look", "look", {}, 9)
    found = explained(
        Planned(0.4, 1, make_spec(1), 1),
        *(event for run in runs for event in run),
        open_end,
        ended("satisfied", skipped=(*skipped,)),
    )
    assert found.skipped == ("x", "y")
    assert [run.end.result for run in found.found] == [{"cup": 1}, {"cup": 2}]
    assert found.running == ()  # the mission has an end


def test_ending_is_the_last_refusal_or_the_first_stop_request(explained) -> None:
    refused = Refused(0.3, 0, Refusal("NEGATED", "first"))
    later = Refused(0.4, 0, Refusal("NEGATED", "last"))
    assert explained(refused, later, ended("refused")).refusal == "last"
    assert explained(refused, ended("blocked", JAM)).refusal == ""
    stops = [Aborting(1.0, 3, "clean", why) for why in ("operator", "again")]
    assert explained(*stops, ended("aborted")).stopped == "operator"
    assert explained(ended("aborted")).stopped == ""
    assert explained(*stops).stopped == ""  # its end is not recorded


def test_explanation_lists_the_problems_of_the_last_rejected_plan(
    explained, make_spec: Spec
) -> None:
    one, two = (Problem("UNKNOWN_SKILL", text, "root") for text in ("one", "two"))
    rejected = [Rejected(0.3, 0, make_spec(1), problems) for problems in ((one,), (two, two))]
    assert explained(*rejected, ended("refused", problems=("two",))).problems == (str(two),)
    assert explained(*rejected, ended("refused")).problems == ()
    assert explained(*rejected).problems == ()


def test_noted_failure_is_the_cause_when_nothing_was_done(explained, make_spec: Spec) -> None:
    told = ended("blocked", JAM, undone=({"path": JAM.path},))
    told = replace(told, outcome=replace(told.outcome, reason_code=NOTHING_DONE))
    found = explained(Planned(0.4, 1, make_spec(1), 1), told)
    assert [one.failure for one in found.attempts] == [JAM]


def test_noted_failure_is_not_the_cause_if_another_failure_ended_the_mission(
    explained, make_spec: Spec
):
    told = ended("blocked", JAM, GRIP, undone=({"path": GRIP.path},))
    found = explained(
        Planned(0.4, 1, make_spec(1), 1),
        *called("grasp", "failed", failure=GRIP),
        *called("open_door", "failed", failure=JAM),
        told,
    )
    assert [one.failure for one in found.attempts] == [JAM]
    assert found.attempts[0].passed == [GRIP, JAM]


def test_facts_follow_effects_and_observations(explained, make_spec: Spec) -> None:
    """Effects change facts, later observations overrule them, and a failure makes them unknown."""
    plan = Planned(0.4, 1, make_spec(1), 1)
    late = RecordedObservation(4.0, established={"hand.right": "empty"}, text="a hand")
    found = explained(plan, *called("grasp"), Observed(4.0, 80, "arm", late), ended("satisfied"))
    assert found.facts == {"door": "open", "hand.right": "empty"}
    doubt = explained(plan, *called("open_door", "failed", failure=JAM), ended("blocked", JAM))
    assert doubt.facts == {}
    unknown = explained(plan, *called("fly"), called("fly", call=2)[0])
    assert (unknown.facts, unknown.possible) == ({"door": "open"}, {})
    halfway = explained(plan, called("open_door")[0])
    assert (halfway.facts, halfway.possible) == ({}, {"door": "open"})


WAYS = """
mission: {command: x, kept: [t/done]}
root:
  name: t
  sequence:
    - {do: done}
    - {check: {door_is: {state: open}}}
    - {check: {any: [near, far]}}
    - {name: first, fallback: [{do: push}, {do: pull}, {do: knock}]}
    - {name: second, fallback: [{sequence: [{do: lift}, {check: near}]}, {do: drop}]}
"""


def test_steps_of_a_plan_exclude_done_parts_and_alternatives(explained):
    spec = load_text(WAYS).document
    found = explained(Planned(0.5, 0, spec, 1))
    (attempt,) = found.attempts
    assert attempt.steps == (
        ("door_is", {"state": "open"}),
        (str(spec.root.sequence[2].check), {}),
        ("push", {}),
        ("lift", {}),
        ("near", {}),
    )
    assert (attempt.kept, attempt.version, attempt.compiler) == (1, 1, spec.mission.compiler)


def test_action_before_a_failure_does_not_count_as_recovery(explained, make_spec: Spec) -> None:
    """The first plan succeeded. Its actions precede the failure of the second one."""
    plans = [make_spec(1)]
    for number in (2, 3):
        header = plans[0].mission.model_copy(update={"plan_version": number})
        plans.append(plans[0].model_copy(update={"mission": header}))
    found = explained(
        Planned(0.4, 1, plans[0], 1),
        *called("open_door"),
        Planned(3.5, 61, plans[1], 1),
        Planning(4.0, 62, "offline", JAM),
        Planned(4.0, 63, plans[2], 1),
        ended("blocked", JAM, GRIP),
    )
    assert [one.failure for one in found.attempts] == [None, JAM, GRIP]
    assert found.cause is not None
    assert (found.cause.failure, found.cause.version) == (JAM, 2)
    assert found.cause.t is None  # its time is not recorded


def test_failure_of_a_plan_is_the_one_reported_at_the_replan(explained, make_spec: Spec) -> None:
    other = replace(GRIP, path="elsewhere")
    found = explained(
        Planned(0.4, 1, make_spec(1), 1),
        Planning(4.0, 62, "offline", JAM),
        ended("blocked", other),
    )
    assert [one.failure for one in found.attempts] == [JAM]
    found = explained(Planned(0.4, 1, make_spec(1), 1), ended("satisfied", other))
    assert [one.failure for one in found.attempts] == [None]
    found = explained(Planned(0.4, 1, make_spec(1), 1), ended("blocked", other, JAM))
    assert [one.failure for one in found.attempts] == [JAM]


def test_new_attempt_has_empty_fields() -> None:
    bare, other = Attempt(1, "offline", ()), Attempt(2, "offline", ())
    assert (bare.kept, bare.failure, bare.passed, bare.done) == (0, None, [], [])
    assert bare.passed is not other.passed
