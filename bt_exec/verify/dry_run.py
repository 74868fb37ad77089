"""Layer 4, dry run: the needs of skills hold at their start on every path of the plan.

Code: ``NEED_NOT_MET``. All possible executions of a plan are followed at once: skips, failures,
retries, stops, and orders of parallel branches. A need is reported if a known fact contradicts it
in one of them. The assumptions are:

- skills have their declared effects; if they fail or are stopped, these facts are unknown;
- an unknown fact contradicts nothing; a condition about a known fact follows it;
- a condition that establishes nothing and decides whether to act (in ``skip_if``, or before further
  branches of a fallback) may have found any fact that the action would set;
- at any time, parallel branches may observe each other's effects, and a guard its own facts.

The last assumption is conservative: parallel branches are not ordered, so a plan may be rejected
because of an impossible execution.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import partial
from typing import Any, NamedTuple

from bt_exec.pack import Catalogue
from bt_exec.spec.model import Check, Do, Fallback, MissionSpec, NodeBase, Parallel, Tree
from bt_exec.spec.paths import paths, place_of_children
from bt_exec.spec.source import Place
from bt_exec.verify.changes import (
    Call,
    Calls,
    Change,
    Others,
    State,
    States,
    agreed,
    few,
    learnt,
    state_of,
)
from bt_exec.verify.context import Context, nodes_of
from bt_exec.verify.facts import (
    NEED_NOT_MET,
    Facts,
    contradicted,
    established,
    holds,
)
from bt_exec.verify.readers import Readers

__all__ = ["check_dry_run", "left_behind"]

_MOST_ROUNDS = 8
"""Number of simulated rounds of a repeat and attempts of a retry; later ones add no states."""

_NONE: States = frozenset()


def check_dry_run(context: Context) -> None:
    """Simulate the document from the known facts and report every need that they may contradict."""
    document = context.document
    kept = set(document.mission.kept) if isinstance(document, MissionSpec) else set()
    finished: set[Place] = set()
    if kept:  # done by an earlier plan: its effects are among the known facts
        both = zip(nodes_of(document.root), paths(document.root), strict=True)
        finished = {place for (_, place), (path, _) in both if path in kept}
    calls = Calls(context.catalogue)
    readers = Readers(document.root, context.catalogue, calls)
    run = _DryRun(context, finished, calls, readers)
    facts = {fact: value for fact, value in context.facts.items() if fact in readers}
    run.constant = {fact: facts.pop(fact) for fact in [*facts] if readers.is_constant(fact)}
    run.node(document.root, ("root",), frozenset([state_of(facts)]))
    for (place, fact, known), (skill, allowed, sure) in run.unmet.items():
        context.report(
            NEED_NOT_MET,
            f"{skill} needs {fact} to be {' or '.join(allowed)}, but it "
            f"{'will' if sure else 'may'} be {known}",
            (*place, "do"),
            found=f"{fact}={known}",
            allowed=[f"{fact}={value}" for value in allowed],
        )


def left_behind(document: MissionSpec, catalogue: Catalogue) -> Facts:
    """Return the facts that certainly hold after a mission succeeded, whatever held before."""
    run = _DryRun(Context(document, catalogue), set(), Calls(catalogue))
    return dict(agreed(run.node(document.root, ("root",), frozenset([state_of({})])).done))


class _Ends(NamedTuple):
    """The possible states when a node has ended.

    Attributes:
        done: It succeeded.
        again: It failed, and a retry may repeat it.
        over: It failed permanently, because a condition stayed unknown.
        stopped: It was stopped from outside while it ran.
    """

    done: States
    again: States = _NONE
    over: States = _NONE
    stopped: States = _NONE


class _DryRun:
    """Dry run of one document.

    Attributes:
        unmet: Needs that may be contradicted, by place, fact and its value then: the skill, the
            allowed values, and whether this is certain.
        constant: Facts that never change while they are read; they are not part of the states.
    """

    def __init__(
        self, context: Context, kept: set[Place], calls: Calls, readers: Readers | None = None
    ) -> None:
        self._calls = calls
        self._readers = readers  # facts without a later reader are not tracked
        self.unmet: dict[tuple[Place, str, str], tuple[str, list[str], bool]] = {}
        self.constant: dict[str, str] = {}
        self._catalogue = context.catalogue
        self._kept = kept
        self._others = Others()  # changes of parallel branches
        self._changes: dict[Place, Call] = {}
        self._known: dict[tuple[Place, States], _Ends] = {}

    def is_read(self, fact: str, after: Place) -> bool:
        """Return True if a fact is tracked beyond a node, because it is read there."""
        return self._readers is None or self._readers.has_after(fact, after)

    def node(self, node: NodeBase, place: Place, before: States) -> _Ends:
        """Return the possible states after `node` for the possible states before it."""
        if place in self._kept or not before:
            return _Ends(before)
        if (place, before) not in self._known:  # nested repeats visit the same states again
            run = self._entered if node.for_each is None else self._for_any_count
            self._known[place, before] = run(node, place, self._disturbed(before))
        return self._known[place, before]

    def _for_any_count(self, node: NodeBase, place: Place, before: States) -> _Ends:
        """Return the ends for any number of items, from none to the simulated maximum."""
        assert node.for_each is not None
        ends = _Ends(before)
        start = before
        for _ in range(min(node.for_each.most, _MOST_ROUNDS)):
            now = self._entered(node, place, self._disturbed(start))
            start = now.done
            ends = _Ends(*(few(one | other) for one, other in zip(ends, now, strict=True)))
        return ends

    def _entered(self, node: NodeBase, place: Place, before: States) -> _Ends:
        if node.skip_if is None:
            return self._repeated(node, place, before)
        skipped, doubted, entered = self._after_condition(node.skip_if, before, place)
        if not established(node.skip_if, self._catalogue):
            skipped = self._without_facts_of(skipped, [(node, place)])
        ends = self._repeated(node, place, entered)
        return _Ends(
            few(skipped | ends.done),
            ends.again,
            few(doubted | ends.over),
            few(doubted | ends.stopped),
        )

    def _after_condition(
        self, expression: Any, before: States, place: Place
    ) -> tuple[States, States, States]:
        """Return the possible states if a condition holds, is unknown, and does not hold."""
        yes, doubt, no = set(), set(), set()
        found_out = {
            fact: value
            for fact, value in established(expression, self._catalogue).items()
            if self.is_read(fact, place)
        }
        given = self._constant_facts(expression)
        for state in before:
            found = holds(expression, given | dict(state), self._catalogue)
            if found is not False:
                yes.add(state_of({**dict(state), **found_out}))
            if found is None:
                doubt.add(state)
            if found is not True:
                no.add(state)
        return frozenset(yes), frozenset(doubt), frozenset(no)

    def _constant_facts(self, expression: Any) -> dict[str, str]:
        """Return the constant facts that decide a condition."""
        if self._readers is None or not self.constant:
            return {}
        return self._readers.read_by(expression, self.constant)

    def _repeated(self, node: NodeBase, place: Place, before: States) -> _Ends:
        ends = _Ends(before)
        over: States = _NONE
        reached: States = _NONE
        for number in range(min(node.repeat or 1, _MOST_ROUNDS)):
            start = self._disturbed(ends.done) if number else before  # one round a tick
            now = self._retried(node, place, start)
            if node.until is not None:
                done = self._disturbed(now.done)
                yes, doubt, no = self._after_condition(node.until.condition, done, place)
                reached, over = few(reached | yes), few(over | doubt)
                now = now._replace(done=no, stopped=now.stopped | doubt)
            ends = _Ends(
                now.done,
                few(ends.again | now.again),
                few(ends.over | now.over),
                few(ends.stopped | now.stopped),
            )
        if node.until is None:
            return ends
        return _Ends(reached, few(ends.again | ends.done), few(ends.over | over), ends.stopped)

    def _retried(self, node: NodeBase, place: Place, before: States) -> _Ends:
        ends = self._attempted(node, place, before)
        for _ in range(min(node.retry or 1, _MOST_ROUNDS) - 1):
            now = self._attempted(node, place, self._disturbed(ends.again))  # one a tick
            ends = _Ends(
                few(ends.done | now.done),
                now.again,
                few(ends.over | now.over),
                few(ends.stopped | now.stopped),
            )
        return ends

    def _attempted(self, node: NodeBase, place: Place, before: States) -> _Ends:
        """Return the ends of one attempt, which its guard or timeout may stop."""
        if node.guard is None:
            ends = self._without_modifiers(node, place, before)
            broken, doubted = _NONE, _NONE
        else:
            started, doubted, broken = self._after_condition(node.guard, before, place)
            others = self._others  # evaluated each tick, it may observe unknown facts
            self._others = others.and_also([learnt(established(node.guard, self._catalogue))])
            ends = self._without_modifiers(node, place, started)
            self._others = others
            given = self._constant_facts(node.guard)
            broken |= frozenset(
                state
                for state in ends.stopped
                if holds(node.guard, given | dict(state), self._catalogue) is not True
            )
        if node.timeout is not None:
            broken |= ends.stopped
        return _Ends(ends.done, few(ends.again | broken), few(ends.over | doubted), ends.stopped)

    def _without_modifiers(self, node: NodeBase, place: Place, before: States) -> _Ends:
        """Return the ends of `node` without its modifiers."""
        match node:
            case Do():
                return self._do(node, place, before)
            case Check():
                holding, doubted, failing = self._after_condition(node.check, before, place)
                if node.tell:
                    return _Ends(before, over=doubted, stopped=doubted)
                return _Ends(holding, failing, doubted, doubted)
            case Fallback():
                return self._fallback(node, place, before)
            case Parallel():
                return self._parallel(node, place, before)
            case Tree(body=None):  # not expanded: its changes are unknown here
                nothing = frozenset([state_of({})]) if before else _NONE
                return _Ends(nothing, nothing, nothing, nothing)
        again: set[State] = set()
        over: set[State] = set()
        stopped: set[State] = set()
        for child, where in place_of_children(node, place):
            ends = self.node(child, where, before)
            before = ends.done
            again |= ends.again
            over |= ends.over
            stopped |= ends.stopped
        return _Ends(before, *(few(frozenset(each)) for each in (again, over, stopped)))

    def _fallback(self, node: Fallback, place: Place, before: States) -> _Ends:
        done: set[State] = set()
        stopped: set[State] = set()
        ends = _Ends(_NONE, before)
        children = list(place_of_children(node, place))
        for index, (child, where) in enumerate(children):
            ends = self.node(child, where, few(ends.again | ends.over))
            mute = isinstance(child, Check) and not established(child.check, self._catalogue)
            done |= self._without_facts_of(ends.done, children[index + 1 :]) if mute else ends.done
            stopped |= ends.stopped
        return _Ends(few(frozenset(done)), ends.again, ends.over, few(frozenset(stopped)))

    def _without_facts_of(self, states: States, work: list[tuple[NodeBase, Place]]) -> States:
        """Return the states without the facts set by `work`, which was found unnecessary."""
        for node, place in (pair for one in work for pair in nodes_of(*one, kind=Do)):
            if (call := self._of_skill(node, place)) is not None:
                states = frozenset(map(call.failure.apply, states))
        return states

    def _parallel(self, node: Parallel, place: Place, before: States) -> _Ends:
        """Follow each branch while the others act; the result is consistent with every branch."""
        branches: list[_Ends] = []
        children = list(place_of_children(node, place))
        before_all = self._others
        beside = before_all.beside([tuple(self._changes_during(*pair)) for pair in children])
        for (child, where), others in zip(children, beside, strict=True):
            self._others = others
            ends = self.node(child, where, before)
            branches.append(_Ends(*map(self._disturbed, ends)))
        self._others = before_all
        failing = len(branches) - node.needed + 1
        again, over = ([ends[part] for ends in branches] for part in (1, 2))
        failed = _shared([one | two for one, two in zip(again, over, strict=True)], failing)
        return _Ends(
            few(_shared([ends.done for ends in branches], node.needed)),
            few(failed & frozenset().union(*again)),
            few(failed & frozenset().union(*over)),
            few(frozenset().union(*(ends.stopped for ends in branches))),
        )

    def _changes_during(self, node: NodeBase, place: Place) -> Iterator[Change]:
        """Yield the changes that may happen at any time while `node` runs in parallel."""
        if place in self._kept:
            return
        for asked in node.conditions.values():
            if facts := established(asked, self._catalogue):
                yield learnt(facts)
        if isinstance(node, Do) and (call := self._of_skill(node, place)) is not None:
            yield call.success
            yield call.failure
        for child, where in place_of_children(node, place):
            yield from self._changes_during(child, where)

    def _of_skill(self, node: Do, place: Place) -> Call | None:
        """Return the call of a skill, restricted to the changes that are tracked beyond it."""
        if place not in self._changes:
            call = self._calls.of(node)
            if call is None:
                return None
            if self._readers is not None:
                read = partial(self.is_read, after=place)
                call = Call(call.needs, call.success.only(read), call.failure.only(read))
            self._changes[place] = call
        return self._changes[place]

    def _disturbed(self, states: States) -> States:
        """Return the possible states after any changes of parallel branches."""
        return self._others.disturbed(states)

    def _do(self, node: Do, place: Place, before: States) -> _Ends:
        call = self._of_skill(node, place)
        if call is None:
            return _Ends(before, before, stopped=before)
        needs, success, failure = call
        unmet: dict[tuple[str, str], list[str]] = {}
        given = {fact: self.constant[fact] for fact, _ in needs if fact in self.constant}
        ways = [contradicted(given | dict(state), needs) for state in before] if needs else []
        for fact, allowed, known in (one for way in ways for one in way):
            unmet[fact, known] = allowed
        for (fact, known), allowed in sorted(unmet.items()):
            sure = all((fact, allowed, known) in way for way in ways)
            self.unmet.setdefault((place, fact, known), (node.do, allowed, sure))
        done = frozenset(map(success.apply, before))
        failed = frozenset(map(failure.apply, before))
        return _Ends(done, failed, stopped=failed)


def _shared(branches: list[States], count: int) -> States:
    """Return the states that are consistent with `count` branches."""
    branching = Counter(state for branch in branches for state in branch)
    found = frozenset(state for state, among in branching.items() if among >= count)
    if not found and sum(map(bool, branches)) >= count:  # too many states were merged
        return frozenset([agreed(branching)])
    return found
