"""Rehearsal of a tree without a robot, with injected failures.

Every skill of the site is replaced by a stand-in, which applies the declared effects to simulated
facts. If a stand-in fails, the facts that it may set become unknown, except those that a condition
can observe. Conditions are answered from the simulated facts. A condition about an unknown fact
holds, except in ``skip_if``, so that the node runs.

`disturbances` yields the failures that can be injected: a call of a skill fails with a declared
code or takes too long, one answer of a condition is inverted, or a condition stays unknown.
"""

from __future__ import annotations

import copy
import inspect
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import combinations
from typing import Any, Literal, TypeAlias, cast, get_args, get_origin

from bt_exec.events import Event, NodeChanged, Planned, SkillStarting
from bt_exec.failure import Failed
from bt_exec.mission.clock import Clock
from bt_exec.mission.executive import Executive
from bt_exec.mission_outcome import Outcome
from bt_exec.pack import Catalogue
from bt_exec.planning.failed_part_repair import FixedPlanCompiler
from bt_exec.rig import Rig
from bt_exec.site.site import Site
from bt_exec.skill import Condition, Label, Running, Skill, Steps, Verdict
from bt_exec.spec.condition_expression import Is, map_named_conditions
from bt_exec.spec.library import Library
from bt_exec.spec.load import Loaded
from bt_exec.spec.model import MissionSpec, NodeBase, Tree, TreeSpec, rebuild, walk
from bt_exec.testing.scripted import FakeClock, ScriptedRobot
from bt_exec.verify.effects_on_facts import (
    NEED_NOT_MET,
    fact_pattern,
    facts_after_failure,
    facts_after_success,
    truth_value,
)
from bt_exec.verify.type_checks import type_mismatch, without_metadata

__all__ = [
    "Disturbance",
    "Rehearsal",
    "disturbance_combinations",
    "disturbances",
    "explore",
    "module_of_tests",
    "rehearse",
]

End: TypeAlias = Literal["done", "recovered", "partial", "blocked", "need unmet", "stuck"]
_SKIP = "skip_if."
"""Prefix of the names of conditions in ``skip_if``, to answer them differently."""
_TIMEOUT = "TIMEOUT"
_MAX_INVERTED_EVALUATIONS = 2
"""Number of evaluations of each condition for which an inverted verdict is tried, one at a time."""


@dataclass(frozen=True)
class Disturbance:
    """One injected failure.

    Attributes:
        kind: ``fails`` for a skill, ``flips`` for one inverted answer, ``unknown`` for a condition
            that stays unknown.
        part: Name of the skill, or text of the condition; conditions of ``skip_if`` have a prefix.
        call: Number of the skill's call or the condition's evaluation, counted from 1.
        code: Code with which the skill fails; TIMEOUT if it takes too long.
    """

    kind: Literal["fails", "flips", "unknown"]
    part: str
    call: int = 1
    code: str = ""

    def __str__(self) -> str:
        """Return a short text, such as ``grasp #1 fails SLIPPED``."""
        return f"{self.part} #{self.call} {self.kind} {self.code}".rstrip()


@dataclass
class Rehearsal:
    """Result of one rehearsal.

    Attributes:
        tree: Name of the tree.
        args: Values given for its parameters.
        disturbed: The injected failures.
        outcome: The outcome of the mission.
        calls: Names of the skills that were called, in order.
        answers: Number of evaluations, by text of the condition.
        plans: Names of the trees in each plan.
        codes: Failure codes of the nodes that failed, in order.
    """

    tree: str
    args: Mapping[str, Any]
    disturbed: tuple[Disturbance, ...]
    outcome: Outcome
    calls: tuple[str, ...]
    answers: Mapping[str, int]
    plans: list[frozenset[str]] = field(default_factory=list)
    codes: list[str] = field(default_factory=list)

    @property
    def end_kind(self) -> End:
        """Kind of end; ``need unmet`` and ``stuck`` indicate mistakes in the tree.

        ``blocked`` means that the mission was refused safely, for example because the new plan
        after a failure was rejected.
        """
        rejected = not self.plans and any(NEED_NOT_MET in text for text in self.outcome.problems)
        if NEED_NOT_MET in self.codes or rejected:
            return "need unmet"
        if self.outcome.ok:
            return "recovered" if self.codes or self.outcome.replans else "done"
        if self.outcome.status == "partial":
            return "partial"
        return "blocked" if self.outcome.status == "blocked" else "stuck"

    @property
    def end_reason(self) -> str:
        """Description of the recovery, or the codes of the failure that ended the mission.

        A recovery is ``within the plan``, or names the new trees of the last plan. The text is
        empty if nothing failed.
        """
        if not self.outcome.ok:
            rejected = [text.rpartition("[")[2].rstrip("]") for text in self.outcome.problems[:1]]
            codes = (*self.codes[-1:], self.outcome.reason_code, *rejected)
            return ", ".join(dict.fromkeys(codes))
        if not self.outcome.replans:
            return "within the plan" if self.codes else ""
        new = sorted(self.plans[-1] - self.plans[0]) if self.plans else []
        return f"plan {self.outcome.replans + 1}" + (f": {', '.join(new)}" if new else "")


def rehearse(
    tree: str, site: Site, args: Mapping[str, Any], disturbed: Iterable[Disturbance] = ()
) -> Rehearsal:
    """Run a tree of a site with stand-ins for skills, and return the result.

    Args:
        tree: Name of the tree.
        site: The site; its robots, passes and reporters are not used.
        args: Values of parameters; missing required parameters get example values.
        disturbed: Failures to inject.
    """
    world = _World(site.catalogue, tuple(disturbed))
    stage = _with_stand_ins(site, world)
    given = {**_example_arguments(site.library.get(tree), site.catalogue), **args}
    root = {"tree": tree, "with": given} if given else {"tree": tree}
    spec = MissionSpec.model_validate({"mission": {"command": f"rehearse {tree}"}, "root": root})
    clock = FakeClock()
    rigs = {pack.name: Rig(ScriptedRobot()) for pack in stage.catalogue.packs}
    first = stage.catalogue.packs[0].name
    rigs[first] = Rig(ScriptedRobot(), simulation=clock, facts=lambda: dict(world.facts))
    listener = _Listener()
    period = 1 / site.rates.tick_hz
    executive = Executive(
        stage,
        rigs,
        {},
        Clock([clock], period, fast=True),
        FixedPlanCompiler(spec),
        listeners=[listener],
    )
    outcome = executive.run(f"rehearse {tree}")
    seen = (tuple(listener.calls), dict(world.answers), listener.plans, listener.codes)
    return Rehearsal(tree, dict(args), world.disturbed, outcome, *seen)


def explore(
    tree: str, site: Site, args: Mapping[str, Any], *, pairs: bool = False
) -> Iterator[Rehearsal]:
    """Yield the undisturbed rehearsal of a tree and one for each failure that can be injected.

    Args:
        tree: Name of the tree.
        site: The site.
        args: Values of parameters; missing required parameters get example values.
        pairs: Whether to inject pairs of failures as well as single ones.
    """
    undisturbed = rehearse(tree, site, args)
    yield undisturbed
    for each in disturbance_combinations(disturbances(undisturbed, site.catalogue), pairs=pairs):
        yield rehearse(tree, site, args, each)


def disturbances(undisturbed: Rehearsal, catalogue: Catalogue) -> Iterator[Disturbance]:
    """Yield each failure that can be injected into the calls and conditions of a rehearsal."""
    counts: Counter[str] = Counter()
    for skill in undisturbed.calls:
        counts[skill] += 1
        for code in (*sorted(catalogue.skills[skill].fails), _TIMEOUT):
            yield Disturbance("fails", skill, counts[skill], code)
    for question, asked in undisturbed.answers.items():
        for number in range(1, min(asked, _MAX_INVERTED_EVALUATIONS) + 1):
            yield Disturbance("flips", question, number)
        yield Disturbance("unknown", question)


def disturbance_combinations(
    singles: Iterable[Disturbance], *, pairs: bool = False
) -> Iterator[tuple[Disturbance, ...]]:
    """Yield each disturbance alone and, with `pairs`, each pair that affects different calls."""
    every = tuple(singles)
    yield from ((one,) for one in every)
    if pairs:
        for one, other in combinations(every, 2):
            if (one.part, one.call) != (other.part, other.call):
                yield one, other


class _Listener:
    """Event listener that records calls, plans and failure codes."""

    def __init__(self) -> None:
        self.calls: list[str] = []
        self.codes: list[str] = []
        self.plans: list[frozenset[str]] = []

    def on(self, event: Event) -> None:
        """Record an event."""
        if isinstance(event, SkillStarting):
            self.calls.append(event.skill)
        elif isinstance(event, Planned):
            trees = (node.tree for node in walk(event.spec.root, Tree))
            self.plans.append(frozenset(trees))
        elif isinstance(event, NodeChanged) and event.failure is not None:
            self.codes.append(event.failure.code)


class _World:
    """Simulated facts and injected failures.

    Attributes:
        facts: Known facts and their values.
        answers: Number of evaluations, by text of the condition.
    """

    def __init__(self, catalogue: Catalogue, disturbed: tuple[Disturbance, ...]) -> None:
        self.catalogue = catalogue
        self.disturbed = disturbed
        self.facts: dict[str, str] = {}
        self.answers: Counter[str] = Counter()
        self._calls: Counter[str] = Counter()
        conditions = catalogue.conditions.values()
        self._observable = [fact_pattern(key, {}) for one in conditions for key in one.establishes]

    def count_call(self, skill: Skill) -> str:
        """Count a call of a skill; return the code with which it must fail, or an empty text."""
        self._calls[skill.name] += 1
        here = (skill.name, self._calls[skill.name])
        found = (d.code for d in self.disturbed if d.kind == "fails" and (d.part, d.call) == here)
        return next(found, "")

    def undo_effects(self, skill: Skill, args: Mapping[str, Any]) -> None:
        """Remove the facts that a skill may set, except those that a condition can observe."""
        left = facts_after_failure(self.facts, skill, args)
        observable = {
            fact: value
            for fact, value in self.facts.items()
            if any(form.fullmatch(fact) for form in self._observable)
        }
        self.facts = {**left, **observable}

    def answer(self, name: str, args: Mapping[str, Any]) -> Verdict:
        """Return the verdict of a condition from the simulated facts, or an injected verdict."""
        plain_name = name.removeprefix(_SKIP)
        question = str(Is(name=name, args=args))
        self.answers[question] += 1
        number = self.answers[question]
        truth = truth_value(Is(name=plain_name, args=args), self.facts, self.catalogue)
        truth = not name.startswith(_SKIP) if truth is None else truth
        for one in self.disturbed:
            if one.part == question and one.kind == "unknown" and number >= one.call:
                return Verdict.unknown("rehearsed")
            if one.part == question and one.kind == "flips" and number == one.call:
                return Verdict(not truth, "rehearsed")
        return Verdict(truth)


def _with_stand_ins(site: Site, world: _World) -> Site:
    """Return the site with stand-ins for its skills and conditions."""
    catalogue = copy.copy(site.catalogue)
    owner = site.catalogue.owner
    own = {name: part for name, part in catalogue.skills.items() if owner(name)}
    asked = {name: part for name, part in catalogue.conditions.items() if owner(name)}
    without: dict[str, Any] = {"passes": (), "checkers": (), "reporter": None, "services": {}}
    catalogue.packs = tuple(replace(pack, **without) for pack in catalogue.packs)
    stand_ins = {name: _simulated_skill(skill, world) for name, skill in own.items()}
    catalogue.skills = {**catalogue.skills, **stand_ins}
    known = {prefix + name: part for prefix in ("", _SKIP) for name, part in asked.items()}
    built_in = {_SKIP + name: part for name, part in catalogue.conditions.items()}
    answered = {name: _simulated_condition(name, part, world) for name, part in known.items()}
    catalogue.conditions = {**catalogue.conditions, **built_in, **answered}
    own_names = {name: owner(name.removeprefix(_SKIP)) for name in built_in}
    catalogue.owners = {**catalogue.owners, **own_names}
    trees = (
        Loaded(_mark_skip_conditions(tree), site.library.source(tree.tree)) for tree in site.library
    )
    return replace(site, catalogue=catalogue, library=Library(trees), confirm="never")


def _mark_skip_conditions(tree: TreeSpec) -> TreeSpec:
    """Return a tree in which the names of conditions in ``skip_if`` have a prefix."""

    def with_marked_conditions(old: NodeBase) -> NodeBase:
        return old.model_copy(
            update=old.with_conditions(
                lambda field_name, part: (
                    map_named_conditions(part, _renamed) if field_name == "skip_if" else part
                )
            )
        )

    return tree.model_copy(update={"root": rebuild(tree.root, with_marked_conditions)})


def _renamed(leaf: Is, _: object) -> Is:
    return leaf.model_copy(update={"name": f"{_SKIP}{leaf.name}"})


def _simulated_skill(skill: Skill, world: _World) -> Skill:
    """Return a skill that applies the declared effects of `skill`."""

    def steps(**args: Any) -> Steps[Any]:
        """Apply the declared effects, or fail as injected."""
        code = world.count_call(skill)
        yield Running()
        while code == _TIMEOUT:
            yield Running()
        if code:
            world.undo_effects(skill, args)
            raise Failed(code, "rehearsed")
        world.facts = facts_after_success(world.facts, skill, args)
        return {name: _example_value(hint) for name, hint in skill.results.items()}

    return cast(Skill, _stand_in(skill, steps))


def _simulated_condition(name: str, condition: Condition, world: _World) -> Condition:
    """Return a condition that is answered from the simulated facts."""

    def ask(**args: Any) -> Verdict:
        """Return the verdict from the simulated facts."""
        return world.answer(name, args)

    return replace(_stand_in(condition, ask), name=name)


def _stand_in(part: Any, function: Any) -> Any:
    """Return a skill or condition with another function that accepts the same arguments."""
    function.__signature__ = inspect.signature(part.function)
    written = {name: _plain_type(hint) for name, hint in part.arguments.items()}
    return replace(part, function=function, injected=frozenset(), services={}, arguments=written)


def _plain_type(hint: Any) -> Any:
    """Return a type without label metadata; Any if its values cannot be written in a document."""
    marks = getattr(hint, "__metadata__", ())
    if any(isinstance(mark, Label) or mark is Label for mark in marks):
        return without_metadata(hint)
    unfit = type_mismatch(hint, "")
    return Any if unfit is not None and unfit.reason.startswith("only a skill") else hint


def _example_arguments(tree: TreeSpec, catalogue: Catalogue) -> dict[str, Any]:
    """Return an example value for each required parameter of a tree."""
    required = {name: param for name, param in tree.params.items() if param.required}
    return {
        name: _example_value(param.value_type(catalogue.types)) for name, param in required.items()
    }


def _example_value(hint: Any) -> Any:
    """Return an example value of a type; ``"example"`` if no candidate fits."""
    bare = without_metadata(hint)
    if get_origin(bare) is Literal:
        return get_args(bare)[0]
    if get_origin(bare) in (list, tuple):
        inner = [part for part in get_args(bare) if part is not Ellipsis]
        return [_example_value(part) for part in inner]
    candidates: tuple[Any, ...] = (1, 1.0, True, "example", {}, [], 0, 10, 100)
    return next((one for one in candidates if type_mismatch(hint, one) is None), "example")


def module_of_tests(site: str, runs: Iterable[Rehearsal]) -> str:
    """Return the code of a pytest module that repeats rehearsals and expects the same ends.

    Args:
        site: Name or file of the site.
        runs: The rehearsals.
    """
    rows = ((run.tree, run.args, run.disturbed, run.end_kind, run.end_reason) for run in runs)
    return _MODULE.format(site=site, cases="".join(f"    {row!r},\n" for row in rows))


_MODULE = '''"""Rehearsals at the site {site}, written by `bt-exec rehearse --write-tests FILE`."""

import pytest

from bt_exec.site.site import load_site
from bt_exec.testing.rehearsal import Disturbance, rehearse

CASES = [
{cases}]


@pytest.fixture(scope="module")
def site():
    return load_site({site!r})


@pytest.mark.parametrize(("tree", "args", "disturbed", "ends", "how"), CASES)
def test_rehearsal(site, tree, args, disturbed, ends, how):
    run = rehearse(tree, site, args, disturbed)
    assert (run.end_kind, run.end_reason) == (ends, how)
'''
