"""Repair of a plan: kept steps, and alternatives of the library."""

from dataclasses import replace

import pytest

from bt_exec.failure import Failure
from bt_exec.observation import Situation
from bt_exec.planning.compiler import Done, Request
from bt_exec.planning.failed_part_repair import (
    failed_part,
    find_alternative,
    kept_paths,
    repaired_plan,
    with_decided_conditions,
)
from bt_exec.skill import Running, Steps, Verdict, condition, skill
from bt_exec.spec.expand import expand
from bt_exec.spec.library import Library
from bt_exec.spec.load import load_text
from bt_exec.spec.model import Mission, MissionSpec, Tree
from bt_exec.spec.node_paths import nodes_with_paths
from bt_exec.testing import scripted_skill
from bt_exec.testing.tree_run import scripted_site

TREES = {
    "all": "tree: all\nroot: {sequence: [{tree: open}, {tree: take}]}",
    "open": """
tree: open
params: {arm: {type: text, default: right}}
otherwise:
  - {on: [STUCK], with: {arm: left}}
  - {on: [STUCK, GONE], tree: pry}
root: {do: pull, with: {arm: $arm}}
""",
    "pry": """
tree: pry
params: {arm: {type: text, default: right}}
root: {do: pull, with: {arm: $arm}}
""",
    "take": "tree: take\nroot: {sequence: [{do: reach}, {do: hold}]}",
}


def pull_skill():
    @skill(fails={"STUCK", "GONE"}, effects={"door": "open", "at": "door"})
    def pull(arm: str) -> Steps:
        """Pull."""
        yield Running()

    return pull


@pytest.fixture
def request_after():
    parts = [
        pull_skill(),
        scripted_skill("reach", effects={"at": "shelf"}),
        scripted_skill("hold", ["SLIPPED"]),
    ]
    site = scripted_site(parts, TREES.values())
    header = Mission(command="go", plan_version=3)
    spec = expand(MissionSpec(mission=header, root=Tree(tree="all")), site.library)

    def make(path, code, args=None, done=(), facts=None, tried=()):
        failure = Failure(code, path=path, node=path.rpartition("/")[2], args=args or {})
        return Request(
            "go",
            "en",
            site.catalogue,
            site.library,
            situation=Situation(facts=facts or {}),
            previous=spec,
            failure=failure,
            done=tuple(Done(p, "", {}) for p in done),
            tried=(*tried, failure),
        )

    return make


def test_failed_part_is_the_innermost_subtree(request_after):
    request = request_after("all/take/hold", "SLIPPED")
    assert failed_part(request.previous, request.failure)[0] == "all/take"


def test_failed_part_is_the_whole_plan_if_no_subtree_encloses_the_failure(request_after):
    request = request_after("hold", "SLIPPED")
    root = load_text("tree: t\nroot: {sequence: [{tree: take}, {do: hold}]}").document.root
    spec = request.previous.model_copy(update={"root": root})
    assert failed_part(spec, request.failure) == ("sequence", root)


def test_finished_leaves_outside_the_failed_part_are_kept(request_after):
    done = ("all/open/pull", "all/take/reach")
    assert kept_paths(request_after("all/take/hold", "SLIPPED", done=done)) == ("all/open/pull",)


@pytest.mark.parametrize(
    ("facts", "kept"),
    [
        ({"door": "open"}, ("all/open/pull",)),
        ({"door": "closed"}, ()),  # contradicted: opened again
        ({"at": "shelf"}, ("all/open/pull",)),  # superseded by `reach`, not contradicted
        ({"at": "home"}, ("all/open/pull",)),
    ],
)
def test_fact_that_contradicts_the_last_writer_invalidates_its_step(request_after, facts, kept):
    done = ("all/open/pull", "all/take/reach")
    request = request_after("all/take/hold", "SLIPPED", done=done, facts=facts)
    assert kept_paths(request) == kept


def test_alternatives_are_used_in_order_and_once(request_after):
    first = request_after("all/open/pull", "STUCK", {"arm": "right"})
    _, way = find_alternative(first)
    assert (way.tree, dict(way.args)) == ("open", {"arm": "left"})
    again = request_after(
        "all/open/pull",
        "STUCK",
        {"arm": "left"},
        tried=[Failure("STUCK", node="pull", args={"arm": "right"})],
    )
    _, way = find_alternative(again)
    assert (way.tree, dict(way.args)) == ("pry", {})


def test_repaired_plan_keeps_its_tree_for_a_code_without_alternatives(request_after):
    request = request_after("all/take/hold", "SLIPPED")
    assert find_alternative(request) is None
    spec = repaired_plan(request, "test")
    assert spec.root == request.previous.root
    assert (spec.mission.plan_version, spec.mission.parent) == (4, 3)


def test_repaired_plan_names_the_alternative_and_can_be_expanded(request_after):
    request = request_after("all/open/pull", "GONE", {"arm": "right"})
    spec = expand(repaired_plan(request, "test"), request.library)
    assert "all/pry/pull" in [path for path, _ in nodes_with_paths(spec.root)]


def test_request_without_a_library_has_no_alternative(request_after):
    request = request_after("all/open/pull", "STUCK")
    assert find_alternative(replace(request, library=Library())) is None


def test_failure_of_another_skill_does_not_use_up_an_alternative(request_after):
    tried = [
        Failure("STUCK", node="reach", args={}),
        Failure("STUCK", node="hold", args={"arm": "left"}),
    ]
    _, way = find_alternative(
        request_after("all/open/pull", "STUCK", {"arm": "right"}, tried=tried)
    )
    assert dict(way.args) == {"arm": "left"}


def test_repaired_plan_names_its_version_and_parent(request_after):
    request = request_after("all/open/pull", "GONE", {"arm": "right"})
    before = Mission(command="열어", language="ko", plan_version=3, subgoals=("one", "two"))
    previous = request.previous.model_copy(update={"mission": before})
    assert repaired_plan(replace(request, previous=previous), "mender").mission == Mission(
        command="열어",
        language="ko",
        plan_version=4,
        compiler="mender",
        parent=3,
        subgoals=("one", "two"),
    )


def test_first_plan_has_no_alternative_and_no_kept_steps(request_after):
    request = request_after("all/open/pull", "STUCK", done=("all/take/reach",))
    for first in (replace(request, previous=None), replace(request, failure=None)):
        assert find_alternative(first) is None
        assert kept_paths(first) == ()


def test_alternative_that_cannot_be_expanded_keeps_nothing(request_after):
    """Verification reports its problems."""
    request = request_after("all/open/pull", "GONE", {"arm": "right"}, done=("all/take/reach",))
    pry = "tree: pry\nroot: {tree: nowhere}"
    library = Library(load_text(text) for text in (TREES["all"], TREES["open"], TREES["take"], pry))
    spec = repaired_plan(replace(request, library=library), "test")
    assert spec.mission.kept == ()
    assert [node.tree for _, node in nodes_with_paths(spec.root) if isinstance(node, Tree)] == [
        "all",
        "pry",
        "take",
    ]


WAYS = """
tree: part
params: {arm: {type: text, default: right}, hard: {type: boolean, default: false}}
otherwise:
  - {on: [NO], with: {arm: left}}
  - {on: [NO], with: {arm: left, hard: true}}
  - {on: [NO], tree: bare}
root: {do: push, with: {arm: $arm, hard: $hard}}
"""


@pytest.mark.parametrize(
    ("tried", "way"),
    [
        ([], {"arm": "left", "hard": False}),
        ([{"arm": "left", "hard": False}], {"arm": "left", "hard": True}),
        ([{"arm": "left", "hard": True}], {"arm": "left", "hard": False}),
        ([{"arm": "left", "hard": False}, {"arm": "left", "hard": True}], {}),
    ],
)
def test_alternative_is_used_only_if_the_failure_has_all_its_arguments(tried, way):
    """A tree without parameters gets no arguments."""

    @skill(fails={"NO"})
    def push(arm: str, hard: bool) -> Steps:
        """Push."""
        yield Running()

    trees = [WAYS, "tree: bare\nroot: {do: push, with: {arm: right, hard: true}}"]
    site = scripted_site([push], trees)
    call = Tree.model_validate({"tree": "part", "with": {"arm": "right", "hard": False}})
    spec = expand(MissionSpec(mission=Mission(command="go"), root=call), site.library)
    failures = [Failure("NO", path="part/push", node="push", args=args) for args in tried]
    request = Request(
        "go",
        "en",
        site.catalogue,
        site.library,
        previous=spec,
        failure=Failure("NO", path="part/push", node="push"),
        tried=tuple(failures),
    )
    _, found = find_alternative(request)
    assert (found.tree, dict(found.args)) == ("part" if way else "bare", way)


def test_repeated_part_is_replaced_where_it_failed(request_after):
    request = request_after("all/open/pull", "STUCK")
    spec = MissionSpec(mission=Mission(command="go"), root=load_text(TWICE).document.root)
    spec = expand(spec, request.library)
    failure = Failure("GONE", path="open#2/pull", node="pull", args={"arm": "right"})
    done = (Done("open/pull", "pull", {"arm": "right"}),)
    found = repaired_plan(replace(request, previous=spec, failure=failure, done=done), "test")
    assert [path for path, _ in nodes_with_paths(found.root)] == [
        "sequence",
        "open",
        "open/pull",
        "pry",
    ]
    assert found.mission.kept == ("open/pull",)


TWICE = "tree: twice\nroot: {sequence: [{tree: open}, {tree: open}]}"


def test_steps_replaced_by_an_outer_alternative_are_repeated():
    from bt_exec import Failed
    from bt_exec.testing import run_tree

    @skill()
    def reach(robot, arm: str) -> Steps:
        """Reach out."""
        robot.log.append(f"reach {arm}")
        yield Running()

    @skill(fails={"SLIPPED"})
    def hold(robot, arm: str) -> Steps:
        """Slip with the right hand."""
        robot.log.append(f"hold {arm}")
        yield Running()
        if arm == "right":
            raise Failed("SLIPPED")

    outer = """
tree: fetch
params: {arm: {type: text, default: right}}
otherwise: [{on: [SLIPPED], with: {arm: left}}]
root: {sequence: [{do: reach, with: {arm: $arm}}, {tree: inner, with: {arm: $arm}}]}
"""
    inner = "tree: inner\nparams: {arm: {type: text}}\nroot: {do: hold, with: {arm: $arm}}"
    run = run_tree("tree: t\nroot: {tree: fetch}", [reach, hold], trees=[outer, inner])
    assert run.outcome.status == "satisfied"
    assert run.robot.log == ["reach right", "hold right", "reach left", "hold left"]


@condition
def lit() -> Verdict:
    """Whether the lamp is lit."""
    return Verdict(True)


@condition(establishes={"door": "{state}"})
def door_is(state: str) -> Verdict:
    """Whether the door has a state."""
    return Verdict(True)


def decided(root: str, done: tuple[str, ...] = (), failed: str = "", kind: str = "skill"):
    """Return the request after these steps of a plan, with its answered conditions decided."""
    skills = [scripted_skill("hold", ["SLIPPED"]), scripted_skill("wave")]
    leave = scripted_skill("leave", effects={"at": "home"})
    site = scripted_site([pull_skill(), leave, *skills, lit, door_is])
    spec = load_text(f"mission: {{command: go, plan_version: 1}}\nroot: {root}").document
    assert isinstance(spec, MissionSpec)
    failure = Failure("SLIPPED", path=failed, kind=kind) if failed else None
    return with_decided_conditions(
        Request(
            "go",
            "en",
            site.catalogue,
            site.library,
            previous=spec,
            failure=failure,
            done=tuple(Done(path, "", {}) for path in done),
        )
    )


def root_of(text: str):
    return load_text(f"tree: t\nroot: {text}").document.root


PULL_AND_HOLD = "{do: pull, with: {arm: left}}, {do: hold}"
IF_LIT = f"{{sequence: [{PULL_AND_HOLD}], skip_if: {{not: lit}}}}"
EITHER = (
    f"{{fallback: [{{sequence: [{{check: lit}}, {PULL_AND_HOLD}]}}, "
    "{sequence: [{check: {not: lit}}, {do: hold}, {do: wave}]}]}"
)


@pytest.mark.parametrize(
    ("before", "done", "failed", "after"),
    [
        (IF_LIT, ("pull",), "hold", f"{{sequence: [{PULL_AND_HOLD}]}}"),
        (IF_LIT, (), "pull", f"{{sequence: [{PULL_AND_HOLD}]}}"),
        (IF_LIT, (), "", IF_LIT),
        (f"{{sequence: [{IF_LIT}, {{do: wave}}]}}", (), "wave", None),
        (f"{{sequence: [{IF_LIT}], repeat: 3}}", ("pull",), "hold", None),
        (
            f"{{sequence: [{PULL_AND_HOLD}], skip_if: {{door_is: {{state: open}}}}}}",
            ("pull",),
            "hold",
            None,  # the work of the node is done if the door is open
        ),
        (
            "{sequence: [{do: pull, with: {arm: left}}, {do: leave}], "
            "skip_if: {door_is: {state: open}}}",
            ("pull",),
            "leave",
            "{sequence: [{do: pull, with: {arm: left}}, {do: leave}]}",
        ),
        (EITHER, ("lit", "pull"), "hold", f"{{fallback: [{{sequence: [{PULL_AND_HOLD}]}}]}}"),
        (EITHER, ("check",), "hold#2", "{fallback: [{sequence: [{do: hold}, {do: wave}]}]}"),
        (EITHER, (), "", None),
    ],
)
def test_conditions_of_entered_parts_are_not_evaluated_again(before, done, failed, after) -> None:
    request = decided(before, done, failed)
    assert request.previous.root == root_of(after or before)


def test_choice_is_undecided_after_a_failed_check() -> None:
    assert decided(EITHER, (), "lit", kind="check").previous.root == root_of(EITHER)


def test_paths_of_steps_are_updated_when_a_choice_is_decided() -> None:
    request = decided(EITHER, ("hold#2",), "wave")
    assert [one.path for one in request.done] == ["hold"]
    assert request.failure.path == "wave"
