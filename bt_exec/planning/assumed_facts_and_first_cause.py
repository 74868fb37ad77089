"""Facts expected from the declared effects of skills, and the first cause of a failed mission.

`achieved_facts` and `outdated_leaves` apply to the finished steps of a failed plan, `Assumed` to a
running mission. The first cause is the first failure without recovery. Example: a door jams, and
the next plan fails to find a grip on its edge. The first cause is the jam. A grasp that slipped and
succeeded at the second attempt is not a cause of later failures.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from bt_exec.events import Event, NodeChanged, Planned, SkillEnded, SkillStarting
from bt_exec.failure import EFFECT_LOST, SKIP_MISTAKEN, Failure
from bt_exec.pack import Catalogue
from bt_exec.planning.compiler import Done, Request
from bt_exec.spec.model import Check, Do, NodeBase
from bt_exec.spec.node_paths import nodes_with_paths
from bt_exec.verify.effects_on_facts import (
    UNKNOWN,
    Facts,
    established_facts,
    facts_after_failure,
    facts_after_success,
    fill_arguments,
    has_known_arguments,
    known_args,
)

__all__ = [
    "Assumed",
    "DoneAction",
    "achieved_facts",
    "certain_facts",
    "facts_with_assumed_effects",
    "first_cause",
    "lost_effect",
    "recovers",
]


def achieved_facts(request: Request) -> dict[str, Facts]:
    """Return the facts achieved by each finished leaf of the plan, by path, in document order.

    A skill achieves its declared effects; a check or a skipped skill achieves the facts that its
    condition establishes. If the `skip_if` of a skipped skill establishes no fact, the declared
    effects of the skill are used.
    """
    done = {one.path: one for one in request.done}
    kept = set(request.previous.mission.kept) if request.previous is not None else set()
    return {
        path: _achieved_facts(node, done.get(path), request.catalogue)
        for path, node in _leaves_of_previous_plan(request)
        if path in done or path in kept
    }


def _leaves_of_previous_plan(request: Request) -> Iterator[tuple[str, NodeBase]]:
    root = request.previous.root if request.previous is not None else None
    for path, node in nodes_with_paths(root) if root is not None else ():
        if isinstance(node, Do | Check):
            yield path, node


def _achieved_facts(node: NodeBase, done: Done | None, catalogue: Catalogue) -> Facts:
    if isinstance(node, Check):
        return {} if node.tell else established_facts(node.check, catalogue)
    assert isinstance(node, Do)
    skill = catalogue.skill(node.do)
    args = (done.args if done is not None else {}) or known_args(skill, node.args)
    found = established_facts(node.skip_if, catalogue) if done is not None and done.skipped else {}
    return found or facts_after_success({}, skill, args)


def facts_with_assumed_effects(request: Request) -> Facts:
    """Return the known facts, supplemented by assumed effects; uncertain facts are left out."""
    return certain_facts({**_assumed_effects(request), **request.situation.facts})


def certain_facts(facts: Mapping[str, str]) -> Facts:
    """Return the facts whose value is known."""
    return {fact: value for fact, value in facts.items() if value != UNKNOWN}


def _assumed_effects(request: Request) -> Facts:
    """Return the facts expected from the effects of all skills, disregarding observations."""
    facts: Facts = {}
    for gave in achieved_facts(request).values():
        facts.update(gave)
    nodes = dict(_leaves_of_previous_plan(request))
    for failure in _failures(request.failure):
        node = nodes.get(failure.path)
        if isinstance(node, Do):
            skill = request.catalogue.skill(node.do)
            facts = facts_after_failure(facts, skill, failure.args or known_args(skill, node.args))
    return certain_facts({**facts, **request.assumed})


def _failures(failure: Failure | None) -> Iterator[Failure]:
    while failure is not None:
        yield failure
        failure = failure.cause


def outdated_leaves(request: Request) -> frozenset[str]:
    """Return the paths of finished leaves whose achieved facts have changed, as observed.

    Facts that a later skill changed are not counted.
    """
    believed = _assumed_effects(request)
    steps = achieved_facts(request)
    checks = {path for path, node in _leaves_of_previous_plan(request) if isinstance(node, Check)}
    last = {fact: path for path, gave in steps.items() if path not in checks for fact in gave}
    situation: Mapping[str, str] = request.situation.facts
    return frozenset(
        path
        for path, gave in steps.items()
        for fact, value in gave.items()
        if (path in checks or last[fact] == path)
        and believed.get(fact) == value
        and situation.get(fact, value) != value
    )


def lost_effect(request: Request) -> Failure | None:
    """Return a failure if the facts contradict the effect of a finished skill; None otherwise.

    Only the last skill that sets a fact counts, and only if the declared value is constant. A value
    with an argument may be one of several true descriptions ("next to the apple", "on the table").
    A skipped skill counts only for effects that its `skip_if` establishes. A negated condition, as
    in "close it if it is open", establishes none.

    Args:
        request: Contains the plan, its finished steps, the expected facts and the observed facts.
    """
    done = {one.path: one for one in request.done}
    facts = request.situation.facts
    last: dict[str, tuple[Done, str]] = {}
    for path, node in _leaves_of_previous_plan(request):
        if not isinstance(node, Do) or path not in done:
            continue
        skill = request.catalogue.skill(node.do)
        args = done[path].args or known_args(skill, node.args)
        gave = {
            fill_arguments(key, args): value
            for key, value in skill.effects.items()
            if value != UNKNOWN and "{" not in value and has_known_arguments(key, args)
        }
        if done[path].skipped:
            held = established_facts(node.skip_if, request.catalogue)
            gave = {fact: value for fact, value in gave.items() if held.get(fact) == value}
        last.update({fact: (done[path], value) for fact, value in gave.items()})
    for fact, (one, value) in last.items():
        if request.assumed.get(fact) == value and facts.get(fact, value) != value:
            return Failure(
                SKIP_MISTAKEN if one.skipped else EFFECT_LOST,
                f"{fact} was to be {value} and is {facts[fact]}",
                one.path,
                node=one.skill,
                args=dict(one.args),
            )
    return None


class DoneAction(NamedTuple):
    """A skill that succeeded.

    Attributes:
        skill: Name of the skill.
        args: Arguments of the call.
    """

    skill: str
    args: Mapping[str, Any]


def first_cause(
    failures: Sequence[tuple[Failure, Sequence[DoneAction]]], catalogue: Catalogue | None
) -> tuple[int, Failure] | None:
    """Return the first failure without recovery, or the last failure if all were recovered.

    Args:
        failures: The failure that ended each plan, in order, with the actions that succeeded
            after it.
        catalogue: Declares the effects of skills; without it, only the same skill with the same
            arguments counts as recovery.

    Returns:
        The index of the failure in `failures`, and the last failure of its chain of causes; None
        if `failures` is empty.
    """
    for number, (failure, after) in enumerate(failures):
        last = number == len(failures) - 1
        if last or not any(recovers(done, failure, catalogue) for done in after):
            return number, failure.chain()[-1]
    return None


def recovers(done: DoneAction, failure: Failure, catalogue: Catalogue | None) -> bool:
    """Return True if a completed action is the failed one, or has at least the same effects."""
    if done.skill == failure.node and done.args == failure.args:
        return True
    wanted = _achieves(failure.node, failure.args, catalogue)
    found = _achieves(done.skill, done.args, catalogue)
    return bool(wanted) and wanted.items() <= found.items()


def _achieves(skill: str, args: Mapping[str, Any], catalogue: Catalogue | None) -> Facts:
    if catalogue is None or skill not in catalogue.skills:
        return {}
    return facts_after_success({}, catalogue.skills[skill], args)


class Assumed:
    """Expected facts of one mission, updated by its events.

    Args:
        catalogue: Declares the effects of skills and the facts of conditions.

    Attributes:
        facts: Facts by name; ``"?"`` if a skill failed, was stopped, or has an unknown effect.
    """

    def __init__(self, catalogue: Catalogue) -> None:
        self.facts: Facts = {}
        self._catalogue = catalogue
        self._nodes: dict[str, NodeBase] = {}
        self._args: dict[str, Mapping[str, Any]] = {}

    def on(self, event: Event) -> None:
        """Update the facts for an event."""
        match event:
            case Planned():
                self._nodes = dict(nodes_with_paths(event.spec.root))
            case SkillStarting():
                self._args[event.path] = event.args
            case SkillEnded():
                self._on_skill_ended(event)
            case NodeChanged(state="skipped"):
                self._on_condition(self._nodes[event.path].skip_if)
            case NodeChanged(state="done"):
                node = self._nodes.get(event.path)
                if isinstance(node, Check) and not node.tell:
                    self._on_condition(node.check)

    def _on_skill_ended(self, event: SkillEnded) -> None:
        skill, args = self._catalogue.skill(event.skill), self._args[event.path]
        self.facts.update({fill_arguments(key, args): UNKNOWN for key in skill.effects})
        if event.state == "done":
            self.facts.update(facts_after_success({}, skill, args))

    def _on_condition(self, expression: Any) -> None:
        self.facts.update(established_facts(expression, self._catalogue))
