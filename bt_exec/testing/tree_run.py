"""Execution of whole missions with scripted skills and conditions; traces for comparison."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bt_exec.events import Event, NodeChanged
from bt_exec.failure import Refusal
from bt_exec.language.messages import Messages
from bt_exec.mission.clock import Clock
from bt_exec.mission.executive import Executive
from bt_exec.mission_outcome import Outcome
from bt_exec.nodes.fault_injection import Faults
from bt_exec.observation import Situation
from bt_exec.pack import Catalogue, Pack
from bt_exec.planning.compiler import PREPARE, Plan, Request, VerifiedPlan
from bt_exec.planning.failed_part_repair import repaired_plan
from bt_exec.rig import PackSettings, Rig
from bt_exec.robot import RemoteSimulation, Simulation
from bt_exec.site.site import CompilerSettings, Limits, Rates, Site
from bt_exec.skill import Condition, Skill
from bt_exec.spec.expand import expand
from bt_exec.spec.library import Library
from bt_exec.spec.load import load_text
from bt_exec.spec.model import Mission, MissionSpec, Tree, TreeSpec
from bt_exec.testing.scripted import FakeClock, ScriptedRobot

if TYPE_CHECKING:
    from bt_exec.testing.tree_coverage import Coverage

__all__ = ["FixedCompiler", "TreeRun", "plan_without_verification", "run_tree", "scripted_site"]

COVERAGE: Coverage | None = None
"""Coverage that records each run; set by the pytest plugin for ``--bt-cov``."""


class FixedCompiler:
    """Compiler that returns the same tree for every command, and repairs it after a failure.

    Attributes:
        tree: The tree.
        requests: All requests so far.
    """

    name = "fixed"

    def __init__(self, tree: TreeSpec) -> None:
        self.tree = tree
        self.requests: list[Request] = []

    def compile(self, request: Request) -> Plan | Refusal:
        """Return the tree, or the repaired plan after a failure."""
        self.requests.append(request)
        if request.previous is not None:
            return Plan(repaired_plan(request, self.name))
        header = Mission(command=request.command, compiler=self.name)
        return Plan(MissionSpec(mission=header, root=self.tree.root))


class TreeRun:
    """Result of running a tree.

    Attributes:
        outcome: Outcome of the mission.
        events: All events, in order.
        robot: The robot; its ``log`` contains the actions of scripted skills.
        compiler: The compiler with its requests.
    """

    def __init__(self, robot: Any, compiler: Any) -> None:
        self.outcome: Outcome
        self.events: list[Event] = []
        self.robot = robot
        self.compiler = compiler

    @property
    def results(self) -> Mapping[str, Any]:
        """Values that the tree returned, by name."""
        return self.outcome.results

    def on(self, event: Event) -> None:
        """Record an event."""
        self.events.append(event)

    def trace(self) -> list[str]:
        """Return each state change as a line, such as ``"3 grasp failed SLIPPED"`` for tick 3."""
        lines = []
        for event in self.events:
            if isinstance(event, NodeChanged) and not event.will_retry:
                code = event.failure.code if event.failure is not None else ""
                detail = code or (event.detail if event.state == "skipped" else "")
                lines.append(f"{event.tick} {event.path} {event.state} {detail}".rstrip())
        return lines


def plan_without_verification(spec: MissionSpec) -> VerifiedPlan:
    """Return a plan that is marked as verified without verification, to test the executive."""
    return VerifiedPlan(spec, spec, Situation(), made_by=PREPARE)


def scripted_site(
    parts: Iterable[Skill | Condition],
    trees: Iterable[str] = (),
    *,
    limits: Limits | None = None,
    rates: Rates | None = None,
    name: str = "test",
) -> Site:
    """Return a site with one pack of skills, conditions and trees.

    The rig must provide the services that the skills and conditions use.

    Args:
        parts: Skills and conditions.
        trees: Trees as YAML.
        limits: Budgets and deadlines; the defaults if not given.
        rates: Rates of ticks and observations; the defaults if not given.
        name: Name of the site and of the pack.
    """
    found = tuple(parts)
    pack = Pack(
        name=name,
        skills=tuple(part for part in found if isinstance(part, Skill)),
        conditions=tuple(part for part in found if isinstance(part, Condition)),
        services={name: kind for part in found for name, kind in part.services.items()},
    )
    library = Library(load_text(text) for text in trees)
    return Site(
        name,
        "",
        Path("test.yaml"),
        {name: PackSettings()},
        CompilerSettings(),
        rates or Rates(),
        limits or Limits(),
        Catalogue([pack]),
        library,
        Messages(),
    )


def run_tree(
    text: str,
    parts: Iterable[Skill | Condition] = (),
    *,
    trees: Iterable[str] = (),
    args: Mapping[str, Any] | None = None,
    robot: Any = None,
    services: Mapping[str, Any] | None = None,
    simulation: Simulation | RemoteSimulation | None = None,
    faults: Iterable[str | Mapping[str, Any]] = (),
    limits: Limits | None = None,
    command: str = "test",
    abort_at: int | None = None,
    world: Mapping[str, Any] | None = None,
    unrecorded: Callable[[], str] | None = None,
) -> TreeRun:
    """Run a tree in lockstep with a fake clock, and return outcome and events.

    Args:
        text: The tree as YAML.
        parts: Skills and conditions of the tree, scripted or real.
        trees: Further trees that the tree uses, as YAML.
        args: Values of the tree's parameters; missing parameters have their defaults.
        robot: The robot; a `ScriptedRobot` if not given.
        services: Services for skills and conditions, by name.
        simulation: Simulation that is stepped between ticks; a `FakeClock` if not given.
        faults: Faults to inject: ``SKILL[:N]=CODE`` strings, or faults of a plan as plain data.
        limits: Budgets and deadlines; the defaults if not given.
        command: The command of the mission.
        abort_at: Number of the tick before which the mission is aborted; None for no abort.
        world: Further keyword arguments of the rig, such as ``perception``.
        unrecorded: Returns why the journal cannot be written; see `Executive`.

    Raises:
        SpecError: If the tree is invalid, or a parameter has neither value nor default.
        TypeError: If a service is missing.
    """
    site = scripted_site(parts, [text, *trees], limits=limits)
    body = robot if robot is not None else ScriptedRobot()
    simulation = simulation if simulation is not None else FakeClock()
    rig = Rig(body, simulation=simulation, services=services or {}, **(world or {}))
    for name in site.catalogue.packs[0].services:
        if name not in rig.services:
            raise TypeError(f"the tree needs the service {name!r}: services={{{name!r}: …}}")
    tree = load_text(text).document
    assert isinstance(tree, TreeSpec), "run_tree takes a tree, not a mission"
    bound, returned = _bind_parameters(tree, args or {}, site.library)
    compiler = FixedCompiler(bound)
    run = TreeRun(body, compiler)
    with COVERAGE.naming_plan(tree.tree) if COVERAGE is not None else nullcontext():
        executive = Executive(
            site,
            {site.name: rig},
            {},
            Clock([simulation], 1 / site.rates.tick_hz, fast=True),
            compiler,
            listeners=[run],
            faults=Faults.parse(faults, site.catalogue.skills),
            unrecorded=unrecorded,
        )
    if abort_at is not None:
        assert not isinstance(simulation, RemoteSimulation), "abort_at needs a local simulation"
        step = simulation.step

        def step_then_abort(seconds: float) -> None:
            step(seconds)
            if executive.runtime.tick + 1 == abort_at:
                executive.abort("test")

        simulation.step = step_then_abort  # type: ignore[method-assign]
    run.outcome = executive.run(command)
    if returned and run.outcome.ok:
        saved = executive.runtime.results
        results = {field: saved[name] for field, name in returned.items() if name in saved}
        run.outcome = replace(run.outcome, results=results)
    return run


def _bind_parameters(
    tree: TreeSpec, args: Mapping[str, Any], library: Library
) -> tuple[TreeSpec, Mapping[str, str]]:
    """Return a tree with bound parameters, and the saved name of each return value."""
    if not (tree.params or tree.returns or args):
        return tree, {}
    call = Tree.model_validate({"tree": tree.tree, "with": dict(args)})
    spec = expand(MissionSpec(mission=Mission(command="test"), root=call), library)
    assert isinstance(spec.root, Tree)
    assert spec.root.body is not None
    return tree.model_copy(update={"root": spec.root.body}), spec.root.save
