"""Layer 4, dry run: what skills need holds when they start, whichever way the plan goes.

Code: ``NEED_NOT_MET``. Every way that a plan may go is followed at once: what is skipped or not,
what fails, is tried again or stopped, in which order parallel branches act. A need is reported if
on one way a fact is known to contradict it. Taken for granted is that

- skills do what they declare, and leave what they write unknown where they fail or are stopped;
- an unknown fact contradicts nothing; a condition about a known fact follows it;
- a condition that establishes nothing, and is asked whether to do something (by ``skip_if``, or
  before further branches of a fallback), may have found anything that this would write;
- at any time, a parallel branch finds what the others may write, and a guard finds what it asks.

The last is strict: what runs at once is not put in order, so a plan may be turned down for a way
that it cannot go.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import Any, NamedTuple, TypeAlias

from bt_exec.pack import Catalogue
from bt_exec.spec.model import Check, Do, Fallback, MissionSpec, NodeBase, Parallel, Tree
from bt_exec.spec.paths import paths, place_of_children
from bt_exec.spec.source import Place
from bt_exec.verify.context import Context, nodes_of
from bt_exec.verify.facts import (
    NEED_NOT_MET,
    Facts,
    after_failure,
    after_success,
    established,
    holds,
    unmet,
)
from bt_exec.verify.templates import known_args

__all__ = ["check_dry_run", "left_behind"]

State = frozenset[tuple[str, str]]
"""One way things may stand: facts with their values."""

States = frozenset[State]

_MOST_STATES = 64
"""Ways told apart at one place; of more, only what all agree on stays known."""

_MOST_ROUNDS = 8
"""Rounds of a repeat and attempts of a retry that are followed; later ones bring nothing new."""

_NONE: States = frozenset()


def check_dry_run(context: Context) -> None:
    """Run the document over known facts and report every need they may contradict."""
    document = context.document
    kept = set(document.mission.kept) if isinstance(document, MissionSpec) else set()
    finished: set[Place] = set()
    if kept:  # done by an earlier plan: its effects are among the facts already
        both = zip(nodes_of(document.root), paths(document.root), strict=True)
        finished = {place for (_, place), (path, _) in both if path in kept}
    run = _DryRun(context, finished)
    run.node(document.root, ("root",), frozenset([_state(context.facts)]))
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
    """Return the facts that hold for sure once a mission has succeeded, whatever held before."""
    run = _DryRun(Context(document, catalogue), set())
    return dict(_agreed(run.node(document.root, ("root",), frozenset([_state({})])).done))


_Act: TypeAlias = Callable[[State], State]


class _Ends(NamedTuple):
    """The ways things may stand when a node has ended.

    Attributes:
        done: It succeeded.
        again: It failed, and a retry may try it again.
        over: It failed for good: a question stayed unknown.
        stopped: It was stopped from outside while it ran.
    """

    done: States
    again: States = _NONE
    over: States = _NONE
    stopped: States = _NONE


class _DryRun:
    """Follows one document.

    Attributes:
        unmet: Needs that may be contradicted, by place, fact and the value it has then: who needs
            it, what it may be, and whether it is so on every way.
    """

    def __init__(self, context: Context, kept: set[Place]) -> None:
        self.unmet: dict[tuple[Place, str, str], tuple[str, list[str], bool]] = {}
        self._catalogue = context.catalogue
        self._kept = kept
        self._others: tuple[_Act, ...] = ()  # what runs at the same time does
        self._known: dict[tuple[Place, States], _Ends] = {}

    def node(self, node: NodeBase, place: Place, before: States) -> _Ends:
        """Return how things may stand after `node`, given how they may stand before it."""
        if place in self._kept or not before:
            return _Ends(before)
        if (place, before) not in self._known:  # nested repeats come back with the same
            self._known[place, before] = self._entered(node, place, self._disturbed(before))
        return self._known[place, before]

    def _entered(self, node: NodeBase, place: Place, before: States) -> _Ends:
        if node.skip_if is None:
            return self._repeated(node, place, before)
        skipped, doubted, entered = self._asked(node.skip_if, before)
        if not established(node.skip_if, self._catalogue):
            skipped = self._forgotten(skipped, [(node, place)])
        ends = self._repeated(node, place, entered)
        return _Ends(
            _few(skipped | ends.done),
            ends.again,
            _few(doubted | ends.over),
            _few(doubted | ends.stopped),
        )

    def _asked(self, expression: Any, before: States) -> tuple[States, States, States]:
        """Return how things may stand where a condition holds, is doubted, and does not hold."""
        yes, doubt, no = set(), set(), set()
        for state in before:
            found = holds(expression, dict(state), self._catalogue)
            if found is not False:
                yes.add(_state({**dict(state), **established(expression, self._catalogue)}))
            if found is None:
                doubt.add(state)
            if found is not True:
                no.add(state)
        return frozenset(yes), frozenset(doubt), frozenset(no)

    def _repeated(self, node: NodeBase, place: Place, before: States) -> _Ends:
        ends = _Ends(before)
        for number in range(min(node.repeat or 1, _MOST_ROUNDS)):
            start = self._disturbed(ends.done) if number else before  # one round a tick
            now = self._retried(node, place, start)
            ends = _Ends(
                now.done,
                _few(ends.again | now.again),
                _few(ends.over | now.over),
                _few(ends.stopped | now.stopped),
            )
        return ends

    def _retried(self, node: NodeBase, place: Place, before: States) -> _Ends:
        ends = self._attempted(node, place, before)
        for _ in range(min(node.retry or 1, _MOST_ROUNDS) - 1):
            now = self._attempted(node, place, self._disturbed(ends.again))  # one a tick
            ends = _Ends(
                _few(ends.done | now.done),
                now.again,
                _few(ends.over | now.over),
                _few(ends.stopped | now.stopped),
            )
        return ends

    def _attempted(self, node: NodeBase, place: Place, before: States) -> _Ends:
        """Return how one attempt may end: it may be stopped by its guard or its time."""
        if node.guard is None:
            ends = self._once(node, place, before)
            broken, doubted = _NONE, _NONE
        else:
            started, doubted, broken = self._asked(node.guard, before)
            others = self._others  # it is asked each tick, and may find out what was not known
            self._others = (*others, partial(_learnt, established(node.guard, self._catalogue)))
            ends = self._once(node, place, started)
            self._others = others
            broken |= frozenset(
                state
                for state in ends.stopped
                if holds(node.guard, dict(state), self._catalogue) is not True
            )
        if node.timeout is not None:
            broken |= ends.stopped
        return _Ends(ends.done, _few(ends.again | broken), _few(ends.over | doubted), ends.stopped)

    def _once(self, node: NodeBase, place: Place, before: States) -> _Ends:
        """Return how `node` may end, modifiers aside."""
        match node:
            case Do():
                return self._do(node, place, before)
            case Check():
                holding, doubted, failing = self._asked(node.check, before)
                if node.tell:
                    return _Ends(before, over=doubted, stopped=doubted)
                return _Ends(holding, failing, doubted, doubted)
            case Fallback():
                return self._fallback(node, place, before)
            case Parallel():
                return self._parallel(node, place, before)
            case Tree(body=None):  # not expanded: what it changes is not known here
                nothing = frozenset([_state({})]) if before else _NONE
                return _Ends(nothing, nothing, nothing, nothing)
        again, over, stopped = _NONE, _NONE, _NONE
        for child, where in place_of_children(node, place):
            ends = self.node(child, where, before)
            before = ends.done
            again, over, stopped = again | ends.again, over | ends.over, stopped | ends.stopped
        return _Ends(before, _few(again), _few(over), _few(stopped))

    def _fallback(self, node: Fallback, place: Place, before: States) -> _Ends:
        done, stopped = _NONE, _NONE
        ends = _Ends(_NONE, before)
        children = list(place_of_children(node, place))
        for index, (child, where) in enumerate(children):
            ends = self.node(child, where, _few(ends.again | ends.over))
            mute = isinstance(child, Check) and not established(child.check, self._catalogue)
            so = self._forgotten(ends.done, children[index + 1 :]) if mute else ends.done
            done, stopped = done | so, stopped | ends.stopped
        return _Ends(_few(done), ends.again, ends.over, _few(stopped))

    def _forgotten(self, states: States, work: list[tuple[NodeBase, Place]]) -> States:
        """Return the states without what `work` writes: a question told that it is not needed."""
        for node, _ in (pair for one in work for pair in nodes_of(*one)):
            skill = self._catalogue.skills.get(node.do) if isinstance(node, Do) else None
            if skill is not None and isinstance(node, Do):
                args = known_args(skill, node.args)
                states = frozenset(_state(after_failure(dict(s), skill, args)) for s in states)
        return states

    def _parallel(self, node: Parallel, place: Place, before: States) -> _Ends:
        """Follow each branch while the others act; what happened, every branch agrees with."""
        branches: list[_Ends] = []
        children = list(place_of_children(node, place))
        before_all = self._others
        for child, where in children:
            beside = (act for pair in children if pair[1] != where for act in self._acts(*pair))
            self._others = (*before_all, *beside)
            ends = self.node(child, where, before)
            branches.append(_Ends(*map(self._disturbed, ends)))
            self._others = before_all
        failing = len(branches) - node.needed + 1
        again, over = ([ends[part] for ends in branches] for part in (1, 2))
        failed = _shared([one | two for one, two in zip(again, over, strict=True)], failing)
        return _Ends(
            _few(_shared([ends.done for ends in branches], node.needed)),
            _few(failed & frozenset().union(*again)),
            _few(failed & frozenset().union(*over)),
            _few(frozenset().union(*(ends.stopped for ends in branches))),
        )

    def _acts(self, node: NodeBase, place: Place) -> Iterator[_Act]:
        """Yield what may happen at any time while `node` runs beside another."""
        if place in self._kept:
            return
        for asked in (node.skip_if, node.guard, node.check if isinstance(node, Check) else None):
            yield partial(_learnt, established(asked, self._catalogue))
        skill = self._catalogue.skills.get(node.do) if isinstance(node, Do) else None
        if skill is not None and isinstance(node, Do):
            args = known_args(skill, node.args)
            yield lambda state: _state(after_success(dict(state), skill, args))
            yield lambda state: _state(after_failure(dict(state), skill, args))
        for child, where in place_of_children(node, place):
            yield from self._acts(child, where)

    def _disturbed(self, states: States) -> States:
        """Return how things may stand once what runs at the same time did what it may."""
        found, fresh = set(states), states
        while fresh and self._others and len(found) <= _MOST_STATES:
            fresh = frozenset(act(state) for state in fresh for act in self._others) - found
            found |= fresh
        return _few(frozenset(found))

    def _do(self, node: Do, place: Place, before: States) -> _Ends:
        skill = self._catalogue.skills.get(node.do)
        if skill is None:
            return _Ends(before, before, stopped=before)
        args = known_args(skill, node.args)
        contradicted: dict[tuple[str, str], list[str]] = {}
        ways = [unmet(dict(state), skill, args) for state in before]
        for fact, allowed, known in (one for way in ways for one in way):
            contradicted[fact, known] = allowed
        for (fact, known), allowed in sorted(contradicted.items()):
            sure = all((fact, allowed, known) in way for way in ways)
            self.unmet.setdefault((place, fact, known), (node.do, allowed, sure))
        done = frozenset(_state(after_success(dict(state), skill, args)) for state in before)
        failed = frozenset(_state(after_failure(dict(state), skill, args)) for state in before)
        return _Ends(done, failed, stopped=failed)


def _state(facts: Mapping[str, str]) -> State:
    return frozenset(facts.items())


def _learnt(facts: Facts, state: State) -> State:
    """Return a state in which somebody found `facts`; as it was if they contradict it."""
    known = dict(state)
    fits = all(known.get(fact, value) == value for fact, value in facts.items())
    return _state({**known, **facts}) if fits else state


def _few(states: States) -> States:
    """Return the states; of too many, the one that holds what all agree on."""
    return states if len(states) <= _MOST_STATES else frozenset([_agreed(states)])


def _agreed(states: Iterable[State]) -> State:
    """Return what is the same in all states; nothing if there is none."""
    first, *rest = list(states) or [_state({})]
    return first.intersection(*rest)


def _shared(branches: list[States], count: int) -> States:
    """Return the states that `count` branches agree on."""
    every = frozenset().union(*branches)
    found = frozenset(s for s in every if sum(s in branch for branch in branches) >= count)
    if not found and sum(map(bool, branches)) >= count:  # too many states were put together
        return frozenset([_agreed(every)])
    return found
