"""Readers and writers of facts: the last reader and the first writer in a document.

A dry run tracks only facts that are read later (liveness analysis) and changed before. Facts read
within a repeat, a retry or a parallel count as read until its end.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from bt_exec.pack import Catalogue
from bt_exec.spec.expression import All, Any_, Not
from bt_exec.spec.model import Check, NodeBase, Parallel
from bt_exec.spec.paths import place_of_children
from bt_exec.spec.source import Place
from bt_exec.verify.changes import Calls
from bt_exec.verify.facts import established

__all__ = ["Readers"]


class Readers:
    """The last readers of all facts of a document.

    Args:
        root: The document.
        catalogue: Its skills and conditions.
        calls: Its calls of skills.
    """

    def __init__(self, root: NodeBase, catalogue: Catalogue, calls: Calls) -> None:
        self._catalogue = catalogue
        self._calls = calls
        self._number: dict[Place, int] = {}  # number of each node in document order
        self._last: dict[str, int] = {}  # number of the last reader, by fact
        self._first: dict[str, int] = {}  # number of the first writer, by fact
        self._forms: dict[re.Pattern[str], int] = {}  # likewise for facts with unknown arguments
        self._beside = False  # whether a parallel branch may observe facts
        self._visit(root, ("root",), None)

    def __contains__(self, fact: str) -> bool:
        """Return True if a fact is read anywhere."""
        return fact in self._last

    def is_constant(self, fact: str) -> bool:
        """Return True if a fact never changes while it is read."""
        if self._beside:  # parallel observations must not contradict a constant fact
            return False
        last = self._last.get(fact, -1)
        forms = (number for form, number in self._forms.items() if form.fullmatch(fact))
        return last <= min((self._first.get(fact, last), *forms))

    def read_by(self, expression: Any, facts: Mapping[str, str]) -> dict[str, str]:
        """Return the facts in `facts` that decide a condition."""
        return {fact: facts[fact] for fact in self._facts_of(expression) if fact in facts}

    def has_after(self, fact: str, place: Place) -> bool:
        """Return True if a fact is read after the node at a place was entered."""
        return self._last.get(fact, -1) > self._number[place]

    def _visit(self, node: NodeBase, place: Place, looping: list[str] | None) -> None:
        """Assign a node its number and record the facts that it reads.

        Args:
            node: The node.
            place: Its place.
            looping: Facts read in the outermost node around it that may run again.
        """
        number = self._number[place] = len(self._number)
        entered = list(self._facts_of(node.skip_if))
        within = looping
        if within is None and (
            node.repeat or node.retry or node.guard is not None or isinstance(node, Parallel)
        ):
            within = []
        self._beside = self._beside or node.guard is not None or isinstance(node, Parallel)
        run = [*self._facts_of(node.guard), *self._needs(node)]
        if (call := self._calls.of(node)) is not None:
            for fact in call.failure.clears:
                self._first.setdefault(fact, number)
            for form in call.failure.forms:
                self._forms.setdefault(form, number)
        for facts, outer in ((entered, looping), (run, within)):
            self._last.update(dict.fromkeys(facts, number))
            if outer is not None:
                outer += facts
        for child, where in place_of_children(node, place):
            self._visit(child, where, within)
        if looping is None and within is not None:
            self._last.update(dict.fromkeys(within, len(self._number)))

    def _needs(self, node: NodeBase) -> Iterator[str]:
        if isinstance(node, Check):
            yield from self._facts_of(node.check)
        if (call := self._calls.of(node)) is not None:
            yield from (fact for fact, _ in call.needs)

    def _facts_of(self, expression: Any) -> Iterator[str]:
        """Yield the facts that decide a condition."""
        if isinstance(expression, Not):
            yield from self._facts_of(expression.of)
        elif isinstance(expression, All | Any_):
            for part in expression.of:
                yield from self._facts_of(part)
        elif expression is not None:
            yield from established(expression, self._catalogue)
