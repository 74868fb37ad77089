"""Large plans: parsing, verification, building and display take linear work.

Work is counted in function calls, so that the tests do not depend on the machine.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

import pytest

from bt_exec.events import MissionStarted, NodeChanged, Planned
from bt_exec.failure import SpecError
from bt_exec.nodes.build import build
from bt_exec.nodes.runtime import Runtime
from bt_exec.planning.compiler import Request
from bt_exec.planning.plan_preparation import examine, prepare
from bt_exec.site.site import Site, load_site
from bt_exec.spec.load import load_text
from bt_exec.spec.model import MissionSpec
from bt_exec.tui.view_drawing import draw
from bt_exec.tui.view_model import ViewModel

NODES, LARGER = 300, 4
GROUP = 20
MOST = 1.25 * LARGER
"""Maximum growth of the calls if the plan grows by `LARGER`."""


def plan_of(nodes: int, label: str = "material") -> MissionSpec:
    """Return a plan of groups of steps."""
    lines = ["mission: {command: work, plan_version: 1}", "root:", "  sequence:"]
    for number in range(nodes // GROUP):
        lines += [f"    - name: group {number}", "      sequence:"]
        step = f"{{do: move_arm, with: {{arm: right, object_label: {label}}}, timeout: 1s}}"
        lines += [f"        - {step}"] * (GROUP - 1)
    document = load_text("\n".join(lines)).document
    assert isinstance(document, MissionSpec)
    return document


def calls_of(work: Callable[[], Any]) -> int:
    """Return the number of function calls of some work, including C functions."""
    count = 0

    def profile(frame: Any, event: str, argument: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(profile)
    try:
        work()
    finally:
        sys.setprofile(before)
    return count


def growth(work: Callable[[Any], Any], made: Callable[[int], Any]) -> float:
    """Return the ratio of the calls for `LARGER` times `NODES` nodes to those for `NODES`."""
    work(made(NODES))  # fills the caches
    small, large = (calls_of(lambda n=n: work(n)) for n in (made(NODES), made(LARGER * NODES)))
    return large / small


@pytest.fixture(scope="module")
def site() -> Site:
    return load_site("door")


def request(site: Site) -> Request:
    settings = site.packs
    return Request("work", "en", site.catalogue, site.library, site.messages, settings=settings)


def test_parsing_a_plan_takes_linear_time() -> None:
    assert growth(plan_of, lambda nodes: nodes) < MOST


@pytest.mark.slow
def test_verifying_a_plan_takes_linear_time(site: Site) -> None:
    assert growth(lambda plan: prepare(plan, request(site)), plan_of) < MOST


def test_reporting_a_problem_of_each_node_takes_linear_time(site: Site) -> None:
    def work(plan: MissionSpec) -> None:
        with pytest.raises(SpecError) as found:
            examine(plan, request(site)).verified_plan()
        assert len(found.value.problems) >= NODES // GROUP * (GROUP - 1)

    assert growth(work, lambda nodes: plan_of(nodes, "door-handle")) < MOST


def test_building_a_plan_takes_linear_time(site: Site) -> None:
    def work(plan: Any) -> None:
        build(plan, Runtime(site.catalogue, {}, {}, lambda: 0.0, lambda event: None))

    assert growth(work, lambda nodes: prepare(plan_of(nodes), request(site))) < MOST


def test_drawing_of_the_live_view_makes_few_calls_for_hidden_rows() -> None:
    def shown(nodes: int) -> ViewModel:
        model = ViewModel()
        model.on(MissionStarted(0.0, 0, "m", "work", "en", "bench"))
        model.on(Planned(0.0, 0, plan_of(nodes), 1))
        model.on(NodeChanged(0.0, 0, "group 1", "running"))
        return model

    few, many = shown(NODES), shown(LARGER * NODES)
    more = calls_of(lambda: draw(many, 80, 24)) - calls_of(lambda: draw(few, 80, 24))
    assert more < 2 * (LARGER - 1) * NODES  # about one call per further node
