"""Readers and writers of facts: the last reader and the first writer in a document.

A dry run tracks only facts that are read later (liveness analysis) and changed before. Facts read
within a repeat, a retry or a parallel count as read until its end.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from bt_exec.pack import Catalogue
from bt_exec.spec.abstract_run import Step
from bt_exec.spec.expression import Is, leaves
from bt_exec.spec.model import Parallel
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

    def __init__(self, root: Step, catalogue: Catalogue, calls: Calls) -> None:
        self._catalogue = catalogue
        self._calls = calls
        self._number: dict[Step, int] = {}  # number of each node in document order
        self._last: dict[str, int] = {}  # number of the last reader, by fact
        self._first: dict[str, int] = {}  # number of the first writer, by fact
        self._forms: dict[re.Pattern[str], int] = {}  # likewise for facts with unknown arguments
        self._beside = False  # whether a parallel branch may observe facts
        self._visit(root, None)

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
        read = (fact for leaf in leaves(expression) for fact in established(leaf, self._catalogue))
        return {fact: facts[fact] for fact in read if fact in facts}

    def has_after(self, fact: str, step: Step) -> bool:
        """Return True if a fact is read after a node was entered."""
        return self._last.get(fact, -1) > self._number[step]

    def _visit(self, step: Step, end: int | None) -> None:
        """Assign a node its number and record the facts that it reads.

        Args:
            step: The node.
            end: Number after the outermost node around it that may run again; None without one.
        """
        node, number = step.node, len(self._number)
        self._number[step] = number
        beside = node.guard is not None or isinstance(node, Parallel)
        self._beside = self._beside or beside
        self._record(leaves(node.skip_if), number if end is None else end)
        if end is None and (node.repeat or node.retry or beside):
            end = number + sum(1 for _ in step.walk())
        last = number if end is None else end
        self._record(leaves(node.guard), last)
        self._record(leaves(node.conditions.get("check")), last)
        if (call := self._calls.of(node)) is not None:
            self._last.update(dict.fromkeys((fact for fact, _ in call.needs), last))
            for fact in call.failure.clears:
                self._first.setdefault(fact, number)
            for form in call.failure.forms:
                self._forms.setdefault(form, number)
        for child in step.children:
            self._visit(child, end)

    def _record(self, conditions: Iterable[Is], last: int) -> None:
        for leaf in conditions:
            self._last.update(dict.fromkeys(established(leaf, self._catalogue), last))
