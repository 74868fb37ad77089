"""Templates of meanings: nodes, constants and operations over the named items of a rule."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from operator import itemgetter
from typing import Any, TypeAlias

from bt_exec.language.reading.meaning_node import KINDS, UNSAID, Node, Value
from bt_exec.language.reading.order_operations import ORDER_OPERATIONS
from bt_exec.language.reading.phrase_operations import PHRASE_OPERATIONS
from bt_exec.language.reading.question_operations import QUESTION_OPERATIONS
from bt_exec.language.reading.sequence_operations import SEQUENCE_OPERATIONS

__all__ = ["Build", "GrammarError", "Template"]

Build: TypeAlias = Callable[[Sequence[Any]], Any]
"""Function that builds a meaning from the meanings of all constituents of a rule, in order."""
_TOKEN = re.compile(r"\s*([$\w]+|[(),])")

_OPERATIONS: Mapping[str, Callable[..., Any]] = {
    **PHRASE_OPERATIONS,
    **ORDER_OPERATIONS,
    **QUESTION_OPERATIONS,
    **SEQUENCE_OPERATIONS,
}


class GrammarError(ValueError):
    """Raised for a line of a grammar file that is not a valid rule.

    Args:
        line: The line.
        problem: Description of the mistake.
    """

    def __init__(self, line: str, problem: str) -> None:
        super().__init__(f"{problem}: {line!r}")
        self.line = line


class Template:
    """Template of the meaning that a rule builds.

    Args:
        text: Text after the arrow of the rule.
        line: The rule, for messages.

    Attributes:
        names: Names of the items in the template, repeated if used more than once.
    """

    def __init__(self, text: str, line: str) -> None:
        self._line = line
        self._tokens = _TOKEN.findall(text)
        self.names: list[str] = []
        self._tree = self._parse()
        if self._tokens:
            raise GrammarError(line, f"unexpected {self._tokens[0]!r} in the meaning")

    def _parse(self) -> Any:
        if not self._tokens:
            raise GrammarError(self._line, "the meaning is missing")
        token = self._tokens.pop(0)
        if token.startswith("$"):
            self.names.append(token[1:])
            return token
        if self._tokens[:1] != ["("]:
            return int(token) if token.isdigit() else token
        self._tokens.pop(0)
        args = []
        while self._tokens and self._tokens[0] != ")":
            args.append(self._parse())
            if self._tokens[:1] == [","]:
                self._tokens.pop(0)
        if not self._tokens:
            raise GrammarError(self._line, "a bracket is not closed")
        self._tokens.pop(0)
        self._check_kind(token, len(args))
        return (token, args)

    def _check_kind(self, kind: str, number: int) -> None:
        if kind in _OPERATIONS:
            return
        if kind not in KINDS:
            raise GrammarError(self._line, f"{kind!r} is not a kind of node")
        if number > len(KINDS[kind]):
            raise GrammarError(self._line, f"{kind} takes {len(KINDS[kind])} arguments")

    def bind(self, places: Mapping[str, int]) -> Build:
        """Return the function that builds the meaning from the constituents at `places`.

        Items without a place are absent and left out.
        """
        return _compile(self._tree, places)


def _absent_item(_: Sequence[Any]) -> None:
    """Return None, the meaning of an absent item."""


def _compile(tree: Any, places: Mapping[str, int]) -> Build:
    if isinstance(tree, str) and tree.startswith("$"):
        place = places.get(tree[1:])
        return _absent_item if place is None else itemgetter(place)
    if not isinstance(tree, tuple):
        return lambda _: tree
    kind, args = tree
    makers = [_compile(arg, places) for arg in args]
    if kind in _OPERATIONS:
        operation = _OPERATIONS[kind]
        return lambda parts: _apply_operation(operation, [make(parts) for make in makers])
    names = KINDS[kind]
    make_node = partial(_node, kind, names)
    return lambda parts: _apply_operation(make_node, [make(parts) for make in makers])


def _apply_operation(operation: Callable[..., Any], values: Sequence[Any]) -> Any:
    """Return the result of an operation, or `UNSAID` if one of its arguments is `UNSAID`."""
    return UNSAID if any(value is UNSAID for value in values) else operation(*values)


def _node(kind: str, names: Sequence[str], *values: Value | None) -> Node:
    pairs = zip(names, values, strict=False)
    return Node(kind, tuple((name, value) for name, value in pairs if value not in (None, "_")))
