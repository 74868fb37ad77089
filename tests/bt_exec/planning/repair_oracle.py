"""Brute-force oracle of plan reuse: every possible run of the new plan is enumerated.

Plans are plain data, and `bt_exec` is not used. A step is a dictionary:

- ``{"do": name, "needs": {fact: words}, "effects": {fact: word}}``, a skill
- ``{"check": (fact, word)}``, and any of these with ``"skip_if"`` or ``"while": (fact, word)``
- ``{"sequence": [...]}``, ``{"fallback": [...]}``, ``{"tree": step}``

Leaves have a ``"path"``. Facts that are not in a state are unknown.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

Step = dict[str, Any]
Fact = tuple[str, str]


class Missed(Exception):  # noqa: N818 - an answer, not an error
    """Raised if a run needs an effect of a kept step that was undone."""


class State(NamedTuple):
    facts: dict[str, str]
    givers: dict[str, str]  # for each fact, the path of the kept skill that established it last
    anew: frozenset[str]  # facts written since the new plan began
    guessed: frozenset[str] = frozenset()  # facts of `skip_if` that were only guessed to hold
    replaced: frozenset[str] = frozenset()  # facts written after the skill in `givers`


def may_be_kept(plan: Step, kept: Mapping[str, dict[str, str]], now: dict[str, str]) -> bool:
    """Return True if no run of the plan from `now` needs, or ends without, an undone kept step."""
    try:
        for succeeded, end in _ways(plan, State(now, {}, frozenset()), kept):
            if succeeded:
                _refuse_other_end(end, kept)
    except Missed:
        return False
    return True


Kept = Mapping[str, dict[str, str]]


def _ways(step: Step, state: State, kept: Kept) -> Iterator[tuple[bool, State]]:
    """Yield every possible end of a step: whether it succeeded, and the state after it."""
    if step.get("path") in kept:
        yield True, _give(step, state, kept)
        return
    if "skip_if" in step:
        fact, word = step["skip_if"]
        if state.facts.get(fact, word) == word:  # it may hold
            if fact in state.facts:
                yield True, state
                return
            _refuse_stale(step["skip_if"], state, kept)
            facts = {**state.facts, fact: word}
            yield True, state._replace(facts=facts, guessed=state.guessed | {fact})
    if "while" in step:
        fact, word = step["while"]
        _refuse_stale(step["while"], state, kept)
        if state.facts.get(fact, word) != word:
            yield False, state
            return
        state = state._replace(facts={**state.facts, fact: word})
    yield from _ways_inside(step, state, kept)


def _ways_inside(step: Step, state: State, kept: Kept) -> Iterator[tuple[bool, State]]:
    if "do" in step:
        _refuse_missed_need(step, state, kept)
        written = step["effects"]
        givers = {fact: path for fact, path in state.givers.items() if fact not in written}
        anew = state.anew | written.keys()
        certain = {fact: word for fact, word in state.facts.items() if fact not in written}
        told = {fact: word for fact, word in written.items() if word != "?"}
        guessed, replaced = state.guessed - written.keys(), state.replaced | written.keys()
        yield True, State({**certain, **told}, givers, anew, guessed, replaced)
        yield False, State(certain, state.givers, anew, guessed, replaced)
    elif "check" in step:
        fact, word = step["check"]
        _refuse_stale(step["check"], state, kept)
        if state.facts.get(fact, word) == word:
            yield True, state._replace(facts={**state.facts, fact: word})
        if state.facts.get(fact) != word:
            yield False, state
    elif "tree" in step:
        yield from _ways(step["tree"], state, kept)
    else:
        goes_on = "sequence" in step  # meaning of a child's success
        yield from _children(step[next(iter(step))], goes_on, state, kept)


def _children(
    steps: list[Step], goes_on: bool, state: State, kept: Kept
) -> Iterator[tuple[bool, State]]:
    if not steps:
        yield goes_on, state
        return
    for succeeded, after in _ways(steps[0], state, kept):
        if succeeded is goes_on:
            yield from _children(steps[1:], goes_on, after, kept)
        else:
            yield succeeded, after


def _give(step: Step, state: State, kept: Kept) -> State:
    gave = kept[step["path"]]
    if "check" in step:
        if any(fact in state.anew for fact in gave):
            raise Missed
        return state
    givers = {**state.givers, **dict.fromkeys(gave, step["path"])}
    return state._replace(givers=givers, replaced=state.replaced - gave.keys())


def _refuse_missed_need(step: Step, state: State, kept: Kept) -> None:
    for fact, allowed in step["needs"].items():
        giver = state.givers.get(fact)
        fits = state.facts.get(fact) in allowed
        if giver is not None and not fits and kept[giver][fact] in allowed:
            raise Missed
    if not step["needs"]:
        for fact, giver in state.givers.items():
            gone = all(_is_gone(*gave, state) for gave in kept[giver].items())
            if gone and fact not in step["effects"] and fact not in state.replaced:
                raise Missed


def _refuse_other_end(end: State, kept: Kept) -> None:
    for fact, giver in end.givers.items():
        if fact in end.anew - end.replaced and end.facts.get(fact) != kept[giver][fact]:
            raise Missed


def _is_gone(fact: str, word: str, state: State) -> bool:
    if fact in state.guessed:
        return False
    if fact in state.facts:
        return state.facts[fact] != word
    return fact in state.anew


def _refuse_stale(wanted: Fact, state: State, kept: Kept) -> None:
    fact, word = wanted
    giver = state.givers.get(fact)
    told = fact in state.facts and fact not in state.guessed
    stale = state.facts[fact] != word if told else fact in state.anew and fact not in state.facts
    if giver is not None and stale and kept[giver][fact] == word:
        raise Missed


class Run:
    """One run of a plan in a fully known world; failures are random.

    Attributes:
        world: Actual facts.
        assumed: Assumed facts: done skills had their declared effects.
        done: Paths of the leaves that succeeded last; the value is True for skipped ones.
        failed: Path of the leaf that failed last.
    """

    def __init__(self, world: dict[str, str], dice: random.Random, luck: float) -> None:
        self.world = world
        self.assumed: dict[str, str] = {}
        self.done: dict[str, bool] = {}
        self.failed = ""
        self._dice = dice
        self._luck = luck

    def run(self, step: Step) -> bool:
        if "skip_if" in step and self._holds(step["skip_if"]):
            if "path" in step:
                self.done[step["path"]] = True
            return True
        if "while" in step and not self._holds(step["while"]):
            self._fails(step)
            return False
        if "do" in step:
            return self._do(step)
        if "check" in step:
            if self._holds(step["check"]):
                self.done[step["path"]] = False
                return True
            self._fails(step)
            return False
        if "tree" in step:
            return self.run(step["tree"])
        if "sequence" in step:
            return all(self.run(child) for child in step["sequence"])
        return any(self.run(child) for child in step["fallback"])

    def _fails(self, step: Step) -> None:
        while "path" not in step:  # a guard of a group: any of its leaves represents the group
            step = step["tree"] if "tree" in step else step[next(iter(step))][0]
        self.failed = step["path"]

    def _holds(self, wanted: Fact) -> bool:
        fact, word = wanted
        if self.world[fact] == word:
            self.assumed[fact] = word
            return True
        return False

    def _do(self, step: Step) -> bool:
        met = all(self.world[fact] in allowed for fact, allowed in step["needs"].items())
        if met and self._dice.random() < self._luck:
            self.world.update({k: v for k, v in step["effects"].items() if v != "?"})
            self.assumed.update(step["effects"])
            self.done[step["path"]] = False
            return True
        if met:  # it may have been done in part
            for fact, word in step["effects"].items():
                self.assumed[fact] = "?"
                if word != "?" and self._dice.random() < 0.5:
                    self.world[fact] = word
        self._fails(step)
        return False
