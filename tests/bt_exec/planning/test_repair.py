"""What a re-plan keeps, and which other ways of the library it takes."""

import pytest

from bt_exec.failure import Failure
from bt_exec.observation import Situation
from bt_exec.planning.compiler import Done, Request
from bt_exec.planning.repair import failed_part, kept_paths, other_way, repaired
from bt_exec.spec.expand import expand
from bt_exec.spec.library import Library
from bt_exec.spec.model import Mission, MissionSpec, Tree
from bt_exec.spec.paths import paths
from bt_exec.testing import scripted_skill
from bt_exec.testing.missions import scripted_site

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
    from bt_exec.skill import Running, Steps, skill

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


def test_the_failed_part_is_the_innermost_subtree(request_after):
    request = request_after("all/take/hold", "SLIPPED")
    assert failed_part(request.previous, request.failure)[0] == "all/take"


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
def test_a_fact_that_contradicts_the_last_writer_undoes_it(request_after, facts, kept):
    done = ("all/open/pull", "all/take/reach")
    request = request_after("all/take/hold", "SLIPPED", done=done, facts=facts)
    assert kept_paths(request) == kept


def test_ways_are_taken_in_order_and_once(request_after):
    first = request_after("all/open/pull", "STUCK", {"arm": "right"})
    _, way = other_way(first)
    assert (way.tree, dict(way.args)) == ("open", {"arm": "left"})
    again = request_after(
        "all/open/pull",
        "STUCK",
        {"arm": "left"},
        tried=[Failure("STUCK", node="pull", args={"arm": "right"})],
    )
    _, way = other_way(again)
    assert (way.tree, dict(way.args)) == ("pry", {})


def test_a_code_that_no_way_answers_leaves_the_plan_as_it_is(request_after):
    request = request_after("all/take/hold", "SLIPPED")
    assert other_way(request) is None
    spec = repaired(request, "test")
    assert spec.root == request.previous.root
    assert (spec.mission.plan_version, spec.mission.parent) == (4, 3)


def test_a_repaired_plan_names_the_new_way_and_expands(request_after):
    request = request_after("all/open/pull", "GONE", {"arm": "right"})
    spec = expand(repaired(request, "test"), request.library)
    assert "all/pry/pull" in [path for path, _ in paths(spec.root)]


def test_no_library_is_no_other_way(request_after):
    request = request_after("all/open/pull", "STUCK")
    from dataclasses import replace

    assert other_way(replace(request, library=Library())) is None


def test_another_skills_failure_does_not_make_a_way_tried(request_after):
    tried = [
        Failure("STUCK", node="reach", args={}),
        Failure("STUCK", node="hold", args={"arm": "left"}),
    ]
    _, way = other_way(request_after("all/open/pull", "STUCK", {"arm": "right"}, tried=tried))
    assert dict(way.args) == {"arm": "left"}


def test_what_an_outer_way_replaces_is_done_again():
    from bt_exec import Failed
    from bt_exec.skill import Running, Steps, skill
    from bt_exec.testing import run_tree

    @skill()
    def reach(robot, arm: str) -> Steps:
        """Reach out."""
        robot.log.append(f"reach {arm}")
        yield Running()

    @skill(fails={"SLIPPED"})
    def hold(robot, arm: str) -> Steps:
        """Slip on the right."""
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
