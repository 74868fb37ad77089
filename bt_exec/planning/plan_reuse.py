"""Reuse of finished steps of a plan: those whose effects still hold.

A new plan is simulated from the known and assumed facts: kept steps do nothing, every other step
has its declared effects. A kept step is run again if

- a skill that runs again needs a fact achieved by the step, and the fact now has another value or
  is unknown, for example because a failed step or an earlier repeated step changes it;
- a check or a guard tests such a fact, and the fact has another value or was changed again;
- nothing that it achieved holds any more, and a skill without declared needs, which may need it,
  starts before another step achieves it again;
- it is a check, and the fact it found is changed before it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from bt_exec.pack import Catalogue
from bt_exec.skill import Skill
from bt_exec.spec.model import Check, Do, Fallback, NodeBase, children_of
from bt_exec.spec.paths import paths
from bt_exec.verify.facts import Facts, after_failure, after_success, established, holds
from bt_exec.verify.templates import fill, is_known, known_args

__all__ = ["still_kept"]


def still_kept(
    root: NodeBase, achieved: Mapping[str, Facts], now: Mapping[str, str], catalogue: Catalogue
) -> tuple[str, ...]:
    """Return the paths of `achieved` that a plan need not run again, in order.

    Args:
        root: The new plan, expanded.
        achieved: Facts achieved by each of its finished steps, by path.
        now: Known and assumed facts; a missing fact is uncertain.
        catalogue: Declares needs and effects of skills, and facts of conditions.
    """
    kept, plan = dict(achieved), _steps(root)
    while True:
        try:
            _Rehearsal(kept, catalogue).run(plan, _State(dict(now), {}, frozenset()))
        except _RunAgain as again:
            del kept[again.path]
        else:
            return tuple(kept)


class _Step(NamedTuple):
    """A node with its path; a node that a plan runs twice is two steps."""

    node: NodeBase
    path: str
    children: tuple[_Step, ...]


def _steps(root: NodeBase) -> _Step:
    order = paths(root)  # parents first, in the order of construction

    def make(node: NodeBase) -> _Step:
        path, _ = next(order)
        return _Step(node, path, tuple(make(child) for child in children_of(node)))

    return make(root)


class _State(NamedTuple):
    """State of a simulation.

    Attributes:
        facts: Known facts; a missing fact is uncertain.
        givers: The kept skills that may have set a fact last, by fact.
        anew: Facts that were set by a step that ran again.
    """

    facts: Facts
    givers: Mapping[str, tuple[str, ...]]
    anew: frozenset[str]


class _RunAgain(Exception):  # noqa: N818 - control flow: a rehearsal ends where a kept step is missed
    """A kept step must run again."""

    def __init__(self, path: str) -> None:
        self.path = path


class _Rehearsal:
    """Simulation of a plan; raises `_RunAgain` at the first kept step that must run again."""

    def __init__(self, kept: Mapping[str, Facts], catalogue: Catalogue) -> None:
        self.kept = kept
        self.catalogue = catalogue

    def run(self, step: _Step, before: _State) -> _State | None:
        """Return the state after `step` succeeded; None if facts exclude success."""
        if step.path in self.kept:
            return self._kept(step, before)
        skip_if, guard = step.node.skip_if, step.node.guard
        skips = holds(skip_if, before.facts, self.catalogue) if skip_if is not None else False
        if skips:
            return before
        inside = self._after_condition(guard, before) if guard is not None else before
        after = self._run_once(step, inside) if inside is not None else None
        if skips is None:
            after = _common_facts([self._after_condition(skip_if, before), after])
        return after

    def _run_once(self, step: _Step, before: _State) -> _State | None:
        match step.node:
            case Do():
                return self._run_skill(step.node, before)
            case Check():
                return before if step.node.tell else self._after_condition(step.node.check, before)
            case Fallback():
                return self._fallback(step, before)
        state: _State | None = before
        for child in step.children:
            state = self.run(child, state) if state is not None else None
        return state

    def _fallback(self, step: _Step, before: _State) -> _State | None:
        """Try the branches in order, each after the earlier ones may have failed halfway."""
        ends: list[_State | None] = []
        for branch in step.children:
            ends.append(self.run(branch, before))
            if self._cannot_fail(branch, before):
                break
            before = self._after_failure(branch, before)
        return _common_facts(ends)

    def _cannot_fail(self, step: _Step, before: _State) -> bool:
        """Return whether `step` has nothing left to do that could fail."""
        node = step.node
        if step.path in self.kept or self._holds(node.skip_if, before):
            return True
        if isinstance(node, Do) or not (node.guard is None or self._holds(node.guard, before)):
            return False
        if isinstance(node, Check):
            return self._holds(node.check, before)
        tried = step.children[:1] if isinstance(node, Fallback) else step.children
        return bool(tried) and all(self._cannot_fail(child, before) for child in tried)

    def _holds(self, expression: Any, before: _State) -> bool:
        return expression is not None and holds(expression, before.facts, self.catalogue) is True

    def _after_failure(self, step: _Step, before: _State) -> _State:
        """Return the state after `step` failed: the facts it sets are unknown."""
        if step.path in self.kept:
            return self._record_facts(step, before)
        if isinstance(step.node, Do):
            skill = self.catalogue.skill(step.node.do)
            args = known_args(skill, step.node.args)
            facts = after_failure(before.facts, skill, args)
            return before._replace(facts=facts, anew=before.anew | _facts_set_by(skill, args))
        for child in step.children:
            before = self._after_failure(child, before)
        return before

    def _kept(self, step: _Step, before: _State) -> _State:
        if isinstance(step.node, Check) and before.anew & self.kept[step.path].keys():
            raise _RunAgain(step.path)
        return self._record_facts(step, before)

    def _record_facts(self, step: _Step, before: _State) -> _State:
        """Record the facts set by a kept skill; a kept check sets none."""
        if isinstance(step.node, Check):
            return before
        gave = dict.fromkeys(self.kept[step.path], (step.path,))
        return before._replace(givers={**before.givers, **gave})

    def _run_skill(self, node: Do, before: _State) -> _State:
        skill = self.catalogue.skill(node.do)
        args = known_args(skill, node.args)
        for key, wanted in skill.needs.items():
            if is_known(key, args) and is_known(wanted, args):
                self._require_fact(fill(key, args), fill(wanted, args).split("|"), before)
        written = _facts_set_by(skill, args)
        if not skill.needs:
            self._require_lost(written, before)
        return _State(
            after_success(before.facts, skill, args),
            {fact: paths for fact, paths in before.givers.items() if fact not in written},
            before.anew | written,
        )

    def _require_fact(self, fact: str, allowed: list[str], before: _State) -> None:
        """Require the step that sets `fact`, if the fact has no allowed value."""
        if before.facts.get(fact) in allowed:
            return
        for path in before.givers.get(fact, ()):
            if self.kept[path][fact] in allowed:
                raise _RunAgain(path)

    def _require_lost(self, written: frozenset[str], before: _State) -> None:
        """Require a step whose effects are all lost, unless its fact is in `written`."""
        for fact, givers in before.givers.items():
            for path in givers:
                if fact not in written and not self._may_hold(self.kept[path], before):
                    raise _RunAgain(path)

    def _may_hold(self, gave: Facts, before: _State) -> bool:
        """Return whether an effect of a step may hold; facts that were not touched may."""
        return any(
            before.facts.get(fact, None if fact in before.anew else value) == value
            for fact, value in gave.items()
        )

    def _after_condition(self, expression: Any, before: _State) -> _State | None:
        """Return the state after `expression` held; None if facts exclude that."""
        wanted = established(expression, self.catalogue)
        for fact, value in wanted.items():
            if fact in before.facts or fact in before.anew:
                self._require_fact(fact, [value], before)
        if holds(expression, before.facts, self.catalogue) is False:
            return None
        return before._replace(facts={**before.facts, **wanted})


def _facts_set_by(skill: Skill, args: Mapping[str, Any]) -> frozenset[str]:
    """Return the facts that a skill sets, to any value."""
    return frozenset(fill(key, args) for key in skill.effects if is_known(key, args))


def _common_facts(ends: list[_State | None]) -> _State | None:
    """Return the facts on which all possible states agree."""
    possible = [end for end in ends if end is not None]
    if not possible:
        return None
    first, *rest = possible
    facts = {k: v for k, v in first.facts.items() if all(end.facts.get(k) == v for end in rest)}
    givers: dict[str, tuple[str, ...]] = {}
    for end in possible:
        for fact, paths_of in end.givers.items():
            givers[fact] = tuple(dict.fromkeys((*givers.get(fact, ()), *paths_of)))
    return _State(facts, givers, frozenset().union(*(end.anew for end in possible)))
