"""Possible states of the facts, and changes of the facts by skills and observations.

While a branch of a parallel runs, the other branches may change facts at any time. To find these
changes, the changes of all branches are counted, and those of the branch itself are subtracted.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

from bt_exec.pack import Catalogue
from bt_exec.skill import Skill
from bt_exec.spec.model import Do, NodeBase
from bt_exec.verify.effects_on_facts import (
    UNKNOWN,
    fact_pattern,
    fill_arguments,
    has_known_arguments,
    known_args,
    needs_of,
)

__all__ = [
    "Call",
    "Calls",
    "Change",
    "ConcurrentChanges",
    "State",
    "States",
    "changes_of",
    "common_facts",
    "limit_states",
    "observation_change",
    "state_from_facts",
]

State = frozenset[tuple[str, str]]
"""A possible state of the world: facts with their values."""

States = frozenset[State]

_MOST_STATES = 64
"""Maximum number of possible states; more are merged into one with their common facts."""


@dataclass(frozen=True)
class Change:
    """Effect of a skill or a condition on the known facts.

    Attributes:
        sets: Facts with the values that they have afterwards.
        clears: Changed facts; those without a value in `sets` are unknown afterwards.
        forms: Patterns of further facts that are unknown afterwards.
        learns: Whether the change is an observation; it has no effect if it contradicts known
            facts.
    """

    sets: frozenset[tuple[str, str]] = frozenset()
    clears: frozenset[str] = frozenset()
    forms: frozenset[re.Pattern[str]] = frozenset()
    learns: bool = False

    @cached_property
    def _keys(self) -> frozenset[str]:
        return self.clears | {fact for fact, _ in self.sets}

    @cached_property
    def _restricted_changes(self) -> dict[frozenset[str], Change]:
        """Cache of restricted changes, by the facts that were left out."""
        return {frozenset(): self}

    @cached_property
    def _hash(self) -> int:
        return hash((self.sets, self.clears, self.forms, self.learns))

    def __hash__(self) -> int:
        """Return the cached hash."""
        return self._hash

    def restricted_to(self, wanted: Callable[[str], bool]) -> Change:
        """Return the change, restricted to facts for which `wanted` returns True."""
        left = frozenset(fact for fact in self._keys if not wanted(fact))
        if left not in self._restricted_changes:
            sets = frozenset(pair for pair in self.sets if pair[0] not in left)
            self._restricted_changes[left] = replace(self, sets=sets, clears=self.clears - left)
        return self._restricted_changes[left]

    def apply(self, state: State) -> State:
        """Return the state after the change."""
        keys = self._keys
        if self.learns:
            if any(fact in keys and (fact, value) not in self.sets for fact, value in state):
                return state
            return state | self.sets
        kept = (pair for pair in state if pair[0] not in keys)
        if self.forms:
            kept = (pair for pair in kept if not any(f.fullmatch(pair[0]) for f in self.forms))
        return self.sets.union(kept)

    def applied_to(self, facts: Mapping[str, str]) -> dict[str, str]:
        """Return `facts` as they are after the change, in arbitrary order."""
        return dict(self.apply(state_from_facts(facts)))


def changes_of(skill: Skill, args: Mapping[str, Any]) -> tuple[Change, Change]:
    """Return the changes of facts by a successful skill, and by one that fails or is stopped.

    Args:
        skill: The skill.
        args: Known arguments.
    """
    sets: dict[str, str] = {}
    clears: set[str] = set()
    written: set[str] = set()
    forms: set[re.Pattern[str]] = set()
    left: set[re.Pattern[str]] = set()  # patterns of facts that success leaves unknown
    for key, value in skill.effects.items():
        fact = fill_arguments(key, args) if has_known_arguments(key, args) else None
        if fact is None:
            form = fact_pattern(key, args)
            forms.add(form)
            left.add(form)
            for known in [known for known in sets if form.fullmatch(known)]:
                del sets[known]
            continue
        written.add(fact)
        sets.pop(fact, None)
        clears.add(fact)
        if has_known_arguments(value, args) and (filled := fill_arguments(value, args)) != UNKNOWN:
            sets[fact] = filled
    success = Change(frozenset(sets.items()), frozenset(clears), frozenset(left))
    return success, Change(frozenset(), frozenset(written), frozenset(forms))


class Call(NamedTuple):
    """Needs and changes of a skill with certain arguments.

    Attributes:
        needs: Facts that the skill needs, with their allowed values.
        success: Change on success.
        failure: Change on failure: all facts that the skill may set become unknown.
    """

    needs: list[tuple[str, list[str]]]
    success: Change
    failure: Change


class Calls:
    """Cache of `Call` objects, because large plans repeat the same calls.

    Args:
        catalogue: Declares the skills.
    """

    def __init__(self, catalogue: Catalogue) -> None:
        self._skills = catalogue.skills
        self._known: dict[Any, Call] = {}

    def call_of(self, node: NodeBase) -> Call | None:
        """Return the call of a node; None if it runs no skill or an unknown skill."""
        if not isinstance(node, Do) or node.do not in self._skills:
            return None
        key: Any = node.do, *((name, type(value), value) for name, value in node.args.items())
        try:
            found = self._known.get(key)
        except TypeError:  # an argument is a list
            return self._call_of_node(node)
        if found is None:
            found = self._known[key] = self._call_of_node(node)
        return found

    def _call_of_node(self, node: Do) -> Call:
        skill = self._skills[node.do]
        args = known_args(skill, node.args)
        return Call(needs_of(skill, args), *changes_of(skill, args))


def observation_change(facts: Mapping[str, str]) -> Change:
    """Return the change for an observation of `facts`; it has no effect if known facts differ."""
    return Change(state_from_facts(facts), learns=True)


def state_from_facts(facts: Mapping[str, str]) -> State:
    """Return facts as a state."""
    return frozenset(facts.items())


def limit_states(states: States) -> States:
    """Return the states, or a single state with the common facts if there are too many."""
    return states if len(states) <= _MOST_STATES else frozenset([common_facts(states)])


def common_facts(states: Iterable[State]) -> State:
    """Return the facts common to all states; empty if there are no states."""
    first, *rest = list(states) or [state_from_facts({})]
    return first.intersection(*rest)


class ConcurrentChanges:
    """Changes that may happen at any time while a branch runs in parallel.

    Args:
        changes: Changes by all concurrent branches, in any order.
    """

    def __init__(self, changes: Iterable[Change] = ()) -> None:
        self._changes = tuple(dict.fromkeys(changes))
        self._known: dict[States, States] = {}

    def union_with(self, changes: Iterable[Change]) -> ConcurrentChanges:
        """Return the union of these changes and `changes`."""
        return ConcurrentChanges((*self._changes, *changes))

    def disturbances_of_branches(
        self, branches: list[tuple[Change, ...]]
    ) -> Iterator[ConcurrentChanges]:
        """Yield, for each branch, these changes together with the changes of all other branches."""
        counts = Counter(change for branch in branches for change in branch)
        every = self.union_with(counts)
        for branch in branches:
            own = Counter(branch)
            alone = {change for change, count in own.items() if counts[change] == count}
            yield self.union_with(counts.keys() - alone) if alone else every

    def disturbed_states(self, states: States) -> States:
        """Return the possible states after any number of these changes, in any order."""
        if not self._changes or not states:
            return limit_states(states)
        if states not in self._known:
            self._known[states] = self._reachable_states(states)
        return self._known[states]

    def _reachable_states(self, states: States) -> States:
        found, fresh = set(states), list(states)
        while fresh:
            state = fresh.pop()
            for change in self._changes:
                after = change.apply(state)
                if after not in found:
                    found.add(after)
                    fresh.append(after)
                    if len(found) > _MOST_STATES:
                        return self._keep_unchanged_facts(states)
        return frozenset(found)

    def _keep_unchanged_facts(self, states: States) -> States:
        """Return a single state with the common facts that no change affects."""
        acts = [change for change in self._changes if not change.learns]
        every = frozenset().union(*(change.sets for change in acts))
        written = Change(
            clears=frozenset(fact for fact, _ in every).union(*(change.clears for change in acts)),
            forms=frozenset().union(*(change.forms for change in acts)),
        )
        return frozenset([written.apply(common_facts(states))])
