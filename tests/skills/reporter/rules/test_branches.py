"""Rules inside branches: the robot's place after them, and their remaining steps."""

from __future__ import annotations

from typing import Any

import pytest

from bt_exec.spec.model import (
    Check,
    Do,
    Mission,
    MissionSpec,
    NodeBase,
    Sequence,
    Tree,
)
from bt_exec_skills.reporter.rules.passes_and_checkers import continue_after_failures
from bt_exec_skills.reporter.rules.place_passes import go_before_looking
from bt_exec_skills.reporter.rules.professor_passes import (
    move_professor_first,
    remove_professor_steps,
)
from bt_exec_skills.reporter.rules.report_passes import (
    end_with_drive_home,
    end_with_report,
    keep_failure_report_after_failure,
)
from bt_exec_skills.reporter.rules.topic_and_query_pass import fill_topics


def go(place: str, **more: Any) -> dict[str, Any]:
    return {"do": "navigate", "with": {"target": place}, **more}


def see(place: str) -> dict[str, Any]:
    return {"do": "observe_scene", "with": {"target": place, "query": "people"}}


def tell(who: str) -> dict[str, Any]:
    return {"do": "talk_to_person", "with": {"target": who, "topic": "x"}}


def either(*branches: Any) -> dict[str, Any]:
    return {"fallback": branches}


def both(*branches: Any, **more: Any) -> dict[str, Any]:
    return {"parallel": branches, **more}


def part(body: Any) -> dict[str, Any]:
    return {"tree": "part", "body": body}


HALL, LOUNGE, OFFICE, BASE = "corridor_center", "lounge", "professor_office", "basecamp"
NOTED, SUM = {"check": "failure_noted"}, {"do": "summarize_mission"}
BRING = {"do": "deliver_object", "with": {"object": "tea", "recipient": "user"}}
PROFESSOR, USER = tell("professor"), tell("user")


MAYBE = {"skip_if": {"at_place": {"target": LOUNGE}}}
PERHAPS = {**USER, **MAYBE}
GIVE_UP = {"do": "fail_and_report", "with": {"reason": "x"}}
HOME = "go basecamp"


def spec(*steps: Any) -> MissionSpec:
    return MissionSpec.model_validate(
        {"mission": Mission(command=""), "root": {"sequence": [*steps]}}
    )


def shown(node: NodeBase) -> Any:
    """Return a plan in short form: ``go lounge``, ``see lounge``, branches by their kind."""
    match node:
        case Do():
            word = {"navigate": "go", "observe_scene": "see", "talk_to_person": "tell"}
            return " ".join([word.get(node.do, node.do), *list(node.args.values())[:1]])
        case Check():
            return str(node.check)
        case Tree(body=body) if body is not None:
            return {"part": shown(body)}
    children = [shown(child) for child in node.children]
    return children if isinstance(node, Sequence) else {type(node).__name__.lower(): children}


SEE, GO = f"see {HALL}", f"go {HALL}"


@pytest.mark.parametrize(
    ("steps", "plan"),
    [
        # both branches end there; or in two places
        ((either(go(HALL), go(HALL)), see(HALL)), [{"fallback": [GO, GO]}, SEE]),
        (
            (either(go(HALL), go(LOUNGE)), see(HALL)),
            [{"fallback": [GO, "go lounge"]}, GO, SEE],
        ),
        # a branch that only notes a failure does not drive
        ((either(go(HALL), NOTED), see(HALL)), [{"fallback": [GO, "failure_noted"]}, SEE]),
        # the previous branch may have driven anywhere
        ((either(go(HALL), see(HALL)),), [{"fallback": [GO, [GO, SEE]]}]),
        (
            (either(see(BASE), see(BASE)),),
            [{"fallback": ["see basecamp", ["go basecamp", "see basecamp"]]}],
        ),
        (
            (either(see(HALL), see(LOUNGE)),),
            [{"fallback": [[GO, SEE], ["go lounge", "see lounge"]]}],
        ),
        # in a separate sequence, whose first step is not changed
        (
            (either({"sequence": [go(HALL), see(LOUNGE)]}, NOTED),),
            [{"fallback": [[GO, ["go lounge", "see lounge"]], "failure_noted"]}],
        ),
        # all branches of a parallel begin at the same place
        ((both(see(BASE), see(BASE)),), [{"parallel": ["see basecamp", "see basecamp"]}]),
        ((both(go(HALL), SUM), see(HALL)), [{"parallel": [GO, "summarize_mission"]}, GO, SEE]),
        ((both(go(HALL), go(HALL)), see(HALL)), [{"parallel": [GO, GO]}, SEE]),
        # subtrees and sequences continue at the place of the previous step
        ((part(go(HALL)), see(HALL)), [{"part": GO}, SEE]),
        ((go(HALL), part(see(HALL))), [GO, {"part": SEE}]),
        ((part(see(HALL)), see(HALL)), [{"part": [GO, SEE]}, SEE]),
        ((go(HALL), BRING, see(HALL)), [GO, "deliver_object tea", GO, SEE]),
        ((go(HALL), see(LOUNGE), see(HALL)), [GO, "go lounge", "see lounge", GO, SEE]),
    ],
)
def test_drive_is_inserted_after_branches_that_may_end_elsewhere(steps, plan, context):
    found, changes = go_before_looking(spec(*steps), context("", at=BASE))
    assert shown(found.root) == plan
    assert bool(changes) == (found != spec(*steps))
    assert go_before_looking(found, context("", at=BASE)) == (found, ())


@pytest.mark.parametrize(
    ("step", "left"),
    [
        (
            either(PROFESSOR, see(HALL)),
            [],
        ),  # without the first branch, the second has no use
        (either(see(HALL), PROFESSOR), [{"fallback": [SEE]}]),
        (either(see(HALL), see(LOUNGE)), [{"fallback": [SEE, "see lounge"]}]),
        (both(PROFESSOR, see(HALL)), [SEE]),
        (both(PROFESSOR, go(OFFICE)), []),
        (both(PROFESSOR, see(HALL), SUM), [{"parallel": [SEE, "summarize_mission"]}]),
        (part(PROFESSOR), []),
        (part({"sequence": [go(OFFICE), see(HALL)], "name": "a"}), [{"part": [SEE]}]),
        (go(HALL, skip_if={"at_place": {"target": OFFICE}}), []),
        (go(HALL, **{"while": {"not": {"at_place": {"target": OFFICE}}}}), []),
        (go(HALL, skip_if={"at_place": {"target": LOUNGE}}), [GO]),
        ({"check": {"at_place": {"target": OFFICE}}}, []),
        ({"tree": "part", "with": {"person": "professor"}, "body": see(HALL)}, []),
    ],
)
def test_removal_of_visits_to_the_professor_keeps_the_other_steps(step, left, context):
    found, changes = remove_professor_steps(spec(SUM, step), context("복도 봐"))
    plan = shown(found.root)
    assert (plan if isinstance(plan, list) else [plan]) == ["summarize_mission", *left]
    assert bool(changes) == (found != spec(SUM, step))


@pytest.mark.parametrize(("needed", "then"), [("any", 1), (2, 2), ("all", 2), (3, 2)])
def test_parallel_with_a_removed_child_requires_at_most_the_remaining_ones(needed, then, context):
    step = both(PROFESSOR, see(HALL), SUM, succeed_when=needed)
    found, _ = remove_professor_steps(spec(SUM, step), context("복도 봐"))
    assert found.root.sequence[1].needed == then


@pytest.mark.parametrize(
    ("step", "plan"),
    [
        (part({"sequence": [see(HALL), PROFESSOR]}), {"part": ["tell professor", SEE]}),
        (both(see(HALL), PROFESSOR), {"parallel": ["tell professor", SEE]}),
        (
            either({"sequence": [see(HALL), PROFESSOR]}, SUM),
            {"fallback": [["tell professor", SEE], "summarize_mission"]},
        ),
    ],
)
def test_visit_to_the_professor_is_moved_to_the_front_of_its_step(step, plan, context):
    found, changes = move_professor_first(spec(step, SUM), context("교수님께 여쭤봐"))
    assert shown(found.root) == [plan, "summarize_mission"]
    assert len(changes) == 1
    assert move_professor_first(found, context("교수님께 여쭤봐")) == (found, ())


@pytest.mark.parametrize(
    ("after", "plan"),
    [
        ((go(BASE), USER), [HOME, "tell user"]),
        ((go(BASE), either(USER, NOTED)), [HOME, {"fallback": ["tell user", "failure_noted"]}]),
        ((part({"sequence": [go(BASE), USER]}),), [{"part": [HOME, "tell user"]}]),
        # optional and alternative steps are not reports
        ((go(BASE), PERHAPS), [HOME, "tell user", "tell user"]),
        (
            (go(BASE), {"sequence": [USER], **MAYBE}),
            [HOME, "tell user", ["tell user"]],
        ),
        (
            (go(BASE), either(NOTED, USER)),
            [HOME, "tell user", {"fallback": ["failure_noted", "tell user"]}],
        ),
        (
            (go(BASE), both(USER, SUM)),
            [HOME, "tell user", {"parallel": ["tell user", "summarize_mission"]}],
        ),
    ],
)
def test_plan_with_only_an_optional_report_gets_a_final_report(after, plan, context):
    found, changes = end_with_report(spec(go(HALL), *after), context("복도 보고 와"))
    assert shown(found.root) == [GO, *plan]
    assert bool(changes) == (found != spec(go(HALL), *after))
    assert end_with_report(found, context("복도 보고 와")) == (found, ())


@pytest.mark.parametrize(
    ("after", "plan"),
    [
        ((part(go(BASE)),), [{"part": HOME}]),
        ((either(go(BASE), NOTED),), [{"fallback": [HOME, "failure_noted"]}]),
        ((go(BASE, **MAYBE),), [HOME, HOME]),
        ((either(NOTED, go(BASE)),), [{"fallback": ["failure_noted", HOME]}, HOME]),
    ],
)
def test_plan_with_only_an_optional_return_gets_a_return(after, plan, context):
    found, _ = end_with_drive_home(spec(go(HALL), *after), context("복도 갔다 와"))
    assert shown(found.root) == [GO, *plan]


def about(topic: str) -> dict[str, Any]:
    return {"do": "talk_to_person", "with": {"target": "user", "topic": topic}}


@pytest.mark.parametrize(
    ("steps", "told"),
    [
        ((go(HALL), go(BASE), about("one"), about("two")), ["one", "two"]),
        ((go(HALL), about("one"), see(HALL), about("two")), ["two"]),
        # the last of those that are too early
        ((about("one"), go(HALL), about("two"), see(HALL)), ["two"]),
        ((go(HALL), see(HALL)), ["report"]),
    ],
)
def test_report_follows_the_return_to_the_base(steps, told, context):
    found, _ = end_with_report(spec(*steps), context("복도 보고 와"))
    at_base = shown(found.root).index(HOME)
    after = [step.args["topic"] for step in found.root.sequence[at_base + 1 :]]
    assert after == told


def test_plan_of_one_step_is_not_extended(context):
    plan = spec(SUM).model_copy(update={"root": Do.model_validate(GIVE_UP)})
    found, _ = keep_failure_report_after_failure(plan, context("복도 보고 와"))
    assert shown(found.root) == "tell user"
    assert found.root.args["topic"] == "report"


@pytest.mark.parametrize(
    ("command", "query"),
    [
        ("복도 봐", "복도에서 사람 수와 사람 존재 여부 확인"),
        ("", "the corridor: how many people are there"),
    ],
)
def test_observation_query_is_in_the_language_of_the_command_or_plan(command, query, context):
    found, _ = fill_topics(spec(see(HALL), SUM), context(command))
    assert found.root.sequence[0].args["query"] == query


def test_fail_and_report_step_is_kept_only_as_a_fallback(context):
    plan = spec(either(go(HALL), GIVE_UP), USER)
    assert keep_failure_report_after_failure(plan, context("복도 보고 와")) == (plan, ())
    found, _ = keep_failure_report_after_failure(spec(go(HALL), GIVE_UP), context("복도로 가"))
    assert shown(found.root) == [GO]


NOTE = "failure_noted"


@pytest.mark.parametrize(
    ("steps", "plan"),
    [
        # actions at a place belong to the drive to it
        ((go(HALL), see(HALL), USER), [{"fallback": [[GO, SEE], NOTE]}, "tell user"]),
        ((see(HALL), see(LOUNGE), USER), [{"fallback": [[SEE, "see lounge"], NOTE]}, "tell user"]),
        ((go(BASE), USER), [{"fallback": ["go basecamp", NOTE]}, "tell user"]),
        ((SUM, USER), ["summarize_mission", "tell user"]),
        # steps with alternatives or reports are not changed
        ((either(go(HALL), SUM), USER), [{"fallback": [GO, "summarize_mission"]}, "tell user"]),
        (
            (part(either(go(HALL), SUM)), USER),
            [{"part": {"fallback": [GO, "summarize_mission"]}}, "tell user"],
        ),
        ((part(go(HALL)), USER), [{"fallback": [{"part": GO}, NOTE]}, "tell user"]),
        ((part({"sequence": [go(HALL), USER]}), USER), [{"part": [GO, "tell user"]}, "tell user"]),
        # work after the last report is not reported
        ((go(HALL), USER, go(LOUNGE)), [{"fallback": [GO, NOTE]}, "tell user", "go lounge"]),
        ((go(HALL), see(HALL)), [GO, SEE]),
    ],
)
def test_failed_work_is_noted_and_reported(steps, plan, context):
    found, changes = continue_after_failures(spec(*steps), context("복도 보고 와"))
    assert shown(found.root) == plan
    assert bool(changes) == (found != spec(*steps))
    assert continue_after_failures(found, context("복도 보고 와")) == (found, ())
