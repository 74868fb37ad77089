"""Exports ticked by the real BehaviorTree.CPP: the same statuses in every tick."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from py_trees.common import Status

from bt_exec.failure import Failed
from bt_exec.interchange.btcpp_export import export_btcpp
from bt_exec.interchange.btcpp_import import import_btcpp
from bt_exec.interchange.xml_text import parse_xml
from bt_exec.nodes.build import build
from bt_exec.nodes.frontier import Frontier
from bt_exec.nodes.runtime import Runtime
from bt_exec.pack import Catalogue, Pack
from bt_exec.rig import Rig
from bt_exec.site.shipped_data import site_names
from bt_exec.site.site import load_site
from bt_exec.skill import Condition, Running, Skill, Steps, Verdict, condition, skill
from bt_exec.spec.library import Library
from bt_exec.spec.model import Do, Mission, MissionSpec, NodeBase, TreeSpec, walk
from bt_exec.testing import FakeClock
from bt_exec.testing.tree_run import plan_without_verification
from tests.cases import cases, examples

pytest.importorskip("behaviortreepy")
import behaviortreepy as btcpp

from bt_exec.interchange.node_models import conditions_in
from tests.bt_exec.interchange.real_btcpp import (
    CONDITIONS,
    MOST_TICKS,
    SKILLS,
    Recorder,
    holds,
    plan_of,
    without_ports,
)


class Ticker:
    """Robot of this test: the current tick."""

    still = True
    tick = 0

    def stop(self) -> None:
        """Do nothing."""


def scripted_skill(name: str) -> Skill:
    def steps(robot: Any) -> Steps:
        """Run as scripted."""
        ticks, success = plan_of(name, robot.tick)
        for _ in range(ticks):
            yield Running()
        if not success:
            raise Failed("NO")

    return skill(name=name, fails={"NO"}, timeout_s=3600)(steps)


def scripted_condition(name: str) -> Condition:
    def ask(robot: Any) -> Verdict:
        """Answer as scripted."""
        return Verdict(holds(name, robot.tick))

    return condition(name=name)(ask)


PACK = Pack(
    "plans",
    skills=tuple(map(scripted_skill, SKILLS)),
    conditions=tuple(map(scripted_condition, CONDITIONS)),
)
CATALOGUE = Catalogue([PACK])


def statuses_here(root: NodeBase) -> list[str]:
    """Return the status of the root in each tick, to its end."""
    robot, clock = Ticker(), FakeClock()
    runtime = Runtime(CATALOGUE, {PACK.name: Rig(robot)}, {}, lambda: clock.time, lambda _: None)
    spec = MissionSpec(mission=Mission(command="x"), root=root)
    built = build(plan_without_verification(spec), runtime)
    frontier = Frontier(built.root, runtime)
    found: list[str] = []
    while len(found) < MOST_TICKS and (not found or found[-1] == "RUNNING"):
        runtime.tick = robot.tick = robot.tick + 1
        frontier.tick()
        found.append(built.root.status.name)
        clock.step(0.05)
    if built.root.status is Status.RUNNING:
        built.root.stop(Status.INVALID)
    return found


leaf_conditions = st.sampled_from(CONDITIONS)
expressions = st.recursive(
    leaf_conditions,
    lambda inner: st.one_of(
        inner.map(lambda part: {"not": part}),
        st.lists(inner, min_size=1, max_size=3).map(lambda parts: {"all": parts}),
        st.lists(inner, min_size=1, max_size=3).map(lambda parts: {"any": parts}),
    ),
    max_leaves=3,
)
modifiers = st.fixed_dictionaries(
    {},
    optional={
        "skip_if": expressions,
        "while": expressions,
        "retry": st.integers(1, 4),
        "repeat": st.integers(1, 3),
        "timeout": st.just("1h"),
        "name": st.sampled_from(["first", "다시", "a/b"]),
    },
) | st.just({})


def modified(kind: st.SearchStrategy[dict[str, Any]]) -> st.SearchStrategy[dict[str, Any]]:
    return st.tuples(kind, modifiers).map(lambda both: {**both[0], **both[1]})


def composites(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    many = st.lists(inner, min_size=1, max_size=4)
    needed = st.sampled_from(["all", "any", 2])
    return modified(
        many.map(lambda nodes: {"sequence": nodes})
        | many.map(lambda nodes: {"fallback": nodes})
        | inner.map(lambda node: {"tree": "sub", "body": node})
        | st.tuples(st.lists(inner, min_size=2, max_size=4), needed).map(
            lambda both: {"parallel": both[0], "succeed_when": both[1]}
        )
    )


leaves = modified(
    st.sampled_from(SKILLS).map(lambda name: {"do": name})
    | expressions.map(lambda asked: {"check": asked})
    | expressions.map(lambda asked: {"check": asked, "tell": True})
)
roots = st.recursive(leaves, composites, max_leaves=8)


@given(roots)
@settings(max_examples=examples(300))
def test_random_trees_have_the_same_statuses_in_btcpp(data):
    spec = MissionSpec.model_validate({"mission": {"command": "x"}, "root": data})
    text, _ = export_btcpp(spec, Library(), CATALOGUE)
    assert Recorder(text).statuses() == statuses_here(spec.root), text


@pytest.mark.slow
@given(roots)
@settings(max_examples=cases(2000, 800))
def test_many_random_trees_have_the_same_statuses_in_btcpp(data):
    spec = MissionSpec.model_validate({"mission": {"command": "x"}, "root": data})
    text, _ = export_btcpp(spec, Library(), CATALOGUE)
    assert Recorder(text).statuses() == statuses_here(spec.root), text


@pytest.mark.parametrize("name", site_names())
def test_shipped_trees_load_in_the_real_library(name):
    site = load_site(name)
    for tree in site.library:
        text, _ = export_btcpp(tree, site.library, site.catalogue)
        factory = btcpp.BehaviorTreeFactory()
        used = [*site.library]
        for skill_name in {n.do for t in used for n in walk(t.root) if isinstance(n, Do)}:
            factory.register_simple_stateful_action(skill_name, succeed, succeed)
        for asked in {c for t in used for n in walk(t.root) for c, _ in conditions_in(n)}:
            factory.register_simple_condition(asked, succeed)
        factory.create_tree_from_text(without_ports(text, everywhere=True))


def succeed(_: Any) -> Any:
    return btcpp.NodeStatus.SUCCESS


def test_imported_export_has_the_same_statuses_as_in_btcpp():
    data = {"tree": "t", "root": {"retry": 2, "sequence": [{"do": SKILLS[0]}, {"do": SKILLS[1]}]}}
    tree = TreeSpec.model_validate(data)
    text, _ = export_btcpp(tree, Library(), CATALOGUE)
    (back,) = import_btcpp([("a.xml", parse_xml(text))]).documents
    assert Recorder(text).statuses() == statuses_here(back.root)
