"""Grammars as data: rules over categories, each with the meaning that it builds.

A rule is one line under the category that it makes: ``items -> meaning @ cost``::

    np:
      - "d=quantifier? n=nominal -> np($n) @ 0.1"
      - "{ n=theme p=place? } exist.finite -> exists(refine($n, $p))"

An item is a category, a category with a name (``n=nominal``), or a literal word (``~than``, several
with ``|``). ``?`` makes it optional, at a cost if a number follows. Items in braces stand in any
order; another order than the written one costs `UNUSUAL_ORDER`, or the number behind the braces.
``<F>`` stands for each value of the list ``F`` of the file. The meaning uses each name exactly
once; a category without a name must be one that carries no meaning.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import permutations, product
from operator import itemgetter
from typing import Any, NamedTuple

from bt_exec.language.reading.node import (
    KINDS,
    Node,
    Value,
    conjunction,
    disjunction,
    negation,
)

__all__ = ["Grammar", "GrammarError", "Rule", "State", "literals"]

UNUSUAL_ORDER = 0.35
Build = Callable[[Sequence[Any]], Any]

_ITEM = re.compile(r"(?:(\w+)=)?(~?[^\s?]+)(\?([\d.]+)?)?$")
_TOKEN = re.compile(r"\s*([$\w]+|[(),])")


class GrammarError(ValueError):
    """A line of a grammar file that is not a rule.

    Args:
        line: The line.
        problem: What is wrong with it.
    """

    def __init__(self, line: str, problem: str) -> None:
        super().__init__(f"{problem}: {line!r}")
        self.line = line


class Item(NamedTuple):
    """One item of a rule: its name, its categories, whether and at what cost it may be absent."""

    name: str
    categories: tuple[str, ...]
    optional: bool
    absent_cost: float


@dataclass(slots=True)
class Rule:
    """A complete rule: what it makes, at what cost, and how it builds the meaning.

    Attributes:
        makes: The category.
        cost: Added to the costs of the parts.
        build: Takes the meanings of all parts in their order.
    """

    makes: str
    cost: float
    build: Build


@dataclass(slots=True)
class State:
    """A prefix of one or more rules: which categories may follow, and which rules end here."""

    following: dict[str, State] = field(default_factory=dict)
    complete: list[Rule] = field(default_factory=list)


class Grammar:
    """The rules of one language, as a trie of their items.

    Args:
        data: ``rules`` by category; ``lists`` for ``<F>``.
        silent: Categories that carry no meaning; literals never do.
        goal: Category that texts are read as; rules that it does not need are left out. None
            keeps all.
    """

    def __init__(
        self, data: Mapping[str, Any], silent: Iterable[str], goal: str | None = None
    ) -> None:
        self.start = State()
        self.literals: set[str] = set()
        self.lines: list[tuple[str, str]] = []
        self._corners: dict[str, set[str]] = {}
        self._begins: dict[str, frozenset[str]] = {}
        lists: Mapping[str, Sequence[str]] = data.get("lists", {})
        for made, lines in data["rules"].items():
            for line in lines:
                self.lines += _expanded(made, line, lists)
        self._silent = frozenset({"comma", *silent}) | _silent(self.lines)
        needed = None if goal is None else _needed(self.lines, goal)
        for made, line in self.lines:
            if needed is None or made in needed:
                self._add(made, line)

    def _add(self, made: str, line: str) -> None:
        if "->" not in line:
            raise GrammarError(line, "a rule needs '->'")
        left, _, right = line.partition("->")
        meaning, _, cost = right.partition("@")
        arrangements = list(_arranged(left, line))
        template = _Template(meaning.strip(), line)
        names = [item.name for items, _ in arrangements[:1] for item in items if item.name]
        if sorted(template.names) != sorted(names):
            raise GrammarError(line, "each named item is used exactly once in the meaning")
        for items, extra in arrangements:
            for chosen, absent in _present(items):
                total = float(cost or 0) + extra + absent
                self._insert(made, line, chosen, total, template)

    def _insert(
        self, made: str, line: str, items: Sequence[Item], cost: float, template: _Template
    ) -> None:
        if not items:
            raise GrammarError(line, "a rule needs an item that is always present")
        places = {item.name: place for place, item in enumerate(items) if item.name}
        build = template.bind(places)
        self._corners.setdefault(made, set()).update(items[0].categories)
        states = [self.start]
        for item in items:
            following = []
            for category in item.categories:
                self._check(category, item, line)
                following += [one.following.setdefault(category, State()) for one in states]
            states = following
        for state in states:
            state.complete.append(Rule(made, cost, build))

    def beginnings(self, category: str) -> frozenset[str]:
        """Return the categories that readings of a category may begin with, itself among them."""
        if category not in self._begins:
            found, left = {category}, [category]
            while left:
                more = self._corners.get(left.pop(), set()) - found
                found |= more
                left += more
            self._begins[category] = frozenset(found)
        return self._begins[category]

    def _check(self, category: str, item: Item, line: str) -> None:
        if category.startswith("~"):
            self.literals.add(category[1:])
        elif not item.name and category not in self._silent:
            raise GrammarError(line, f"{category} carries meaning and is not used")


def literals(data: Mapping[str, Any]) -> set[str]:
    """Return the literal words of all rules of a grammar file."""
    lines = (line.partition("->")[0] for rules in data["rules"].values() for line in rules)
    items = (match[1] for line in lines for match in re.finditer(r"~([^\s?}]+)", line))
    return {word for item in items for word in item.split("|")}


def _needed(rules: Iterable[tuple[str, str]], goal: str) -> set[str]:
    """Return the categories that readings of a category may contain."""
    parts: dict[str, set[str]] = {}
    for made, line in rules:
        parts.setdefault(made, set()).update(re.findall(r"[\w.!]+", line.partition("->")[0]))
    found, left = {goal}, [goal]
    while left:
        more = parts.get(left.pop(), set()) - found
        found |= more
        left += more
    return found


def _silent(rules: Iterable[tuple[str, str]]) -> frozenset[str]:
    """Return the categories that carry no meaning: all their rules give the constant ``_``."""
    found = {made: True for made, _ in rules}
    for made, line in rules:
        found[made] = found[made] and re.search(r"->\s*_\s*(@.*)?$", line) is not None
    return frozenset(made for made, silent in found.items() if silent)


def _expanded(
    made: str, line: str, lists: Mapping[str, Sequence[str]]
) -> Iterator[tuple[str, str]]:
    used = [name for name in lists if f"<{name}>" in made + line]
    for values in product(*(lists[name] for name in used)):
        category, text = made, line
        for name, value in zip(used, values, strict=True):
            category, text = category.replace(f"<{name}>", value), text.replace(f"<{name}>", value)
        yield category, text


def _arranged(left: str, line: str) -> Iterator[tuple[list[Item], float]]:
    """Yield the items in every order that braces allow, with the cost of the order."""
    parts = re.split(r"\{|\}([\d.]*)", left)
    if len(parts) == 1:
        yield _items(left, line), 0.0
        return
    if len(parts) != 5:
        raise GrammarError(line, "a rule has at most one pair of braces")
    before, free, after = (_items(parts[place], line) for place in (0, 2, 4))
    another = float(parts[3] or UNUSUAL_ORDER)
    for order in permutations(range(len(free))):
        unusual = another if list(order) != sorted(order) else 0.0
        yield [*before, *(free[place] for place in order), *after], unusual


def _items(text: str, line: str) -> list[Item]:
    found = []
    for word in text.split():
        match = _ITEM.match(word)
        if match is None:
            raise GrammarError(line, f"{word!r} is not an item")
        name, category, optional, cost = match.groups()
        literal = category.startswith("~")
        names = category.removeprefix("~").split("|") if literal else category.split("|")
        categories = tuple(f"~{one}" if literal else one for one in names)
        found.append(Item(name or "", categories, optional is not None, float(cost or 0)))
    return found


def _present(items: Sequence[Item]) -> Iterator[tuple[list[Item], float]]:
    choices = [(True, False) if item.optional else (True,) for item in items]
    for present in product(*choices):
        pairs = list(zip(items, present, strict=True))
        kept = [item for item, here in pairs if here]
        yield kept, sum(item.absent_cost for item, here in pairs if not here)


class _Template:
    """The meaning of a rule: nodes, constants, and the names of items."""

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
        self._known(token, len(args))
        return (token, args)

    def _known(self, kind: str, number: int) -> None:
        if kind in _OPERATIONS:
            return
        if kind not in KINDS:
            raise GrammarError(self._line, f"{kind!r} is not a kind of node")
        if number > len(KINDS[kind]):
            raise GrammarError(self._line, f"{kind} takes {len(KINDS[kind])} arguments")

    def bind(self, places: Mapping[str, int]) -> Build:
        """Return the function that builds the meaning; absent items are left out."""
        return _bound(self._tree, places)


def _nothing(_: Sequence[Any]) -> None:
    """Build the meaning of an item that is absent."""


def _bound(tree: Any, places: Mapping[str, int]) -> Build:
    if isinstance(tree, str) and tree.startswith("$"):
        place = places.get(tree[1:])
        return _nothing if place is None else itemgetter(place)
    if not isinstance(tree, tuple):
        return lambda _: tree
    kind, args = tree
    makers = [_bound(arg, places) for arg in args]
    if kind in _OPERATIONS:
        operation = _OPERATIONS[kind]
        return lambda parts: operation(*(make(parts) for make in makers))
    names = KINDS[kind]
    return lambda parts: _node(kind, names, [make(parts) for make in makers])


def _node(kind: str, names: Sequence[str], values: Sequence[Value | None]) -> Node:
    pairs = zip(names, values, strict=False)
    return Node(kind, tuple((name, value) for name, value in pairs if value not in (None, "_")))


def _given(parts: Iterable[Any]) -> list[Any]:
    return [part for part in parts if part is not None]


def _refine(phrase: Node | None, *formulas: Node | None) -> Node | None:
    """Return a phrase whose object also satisfies `formulas`; without phrase: their conjunction."""
    extra = _given(formulas)
    if phrase is None:
        return conjunction(*extra) if extra else None
    if phrase.kind != "np":
        return Node("np", (("of", conjunction(phrase, *extra)),)) if extra else phrase
    return phrase.replace(of=conjunction(phrase.node("of"), *extra)) if extra else phrase


def _set(phrase: Node, name: str, value: Value | None) -> Node:
    """Return a node with one argument set, if there is a value for it."""
    return phrase if value is None else phrase.replace(**{name: value})


def _less(objects: Any, formula: Node | None) -> Any:
    """Return an object, or each of several, without those of a formula."""
    if formula is None or objects is None:
        return objects
    if isinstance(objects, tuple):
        return tuple(_refine(one, formula) for one in objects)
    return _refine(objects, formula)


def _other_than(objects: Any, excluded: Any) -> Any:
    """Return an object, or each of several, without those that another phrase means."""
    formula = excluded.get("of") if excluded.kind == "np" else excluded
    return objects if not isinstance(formula, Node) else _less(objects, negation(formula))


def _all_of(objects: Any) -> Any:
    """Return an object, or each of several, with "all" for its article."""
    if isinstance(objects, tuple):
        return tuple(map(_all_of, objects))
    if objects.kind == "ordered":
        return objects.replace(of=_all_of(objects.node("of")))
    return objects.replace(det="all") if objects.kind == "np" else objects


def _ranked(said: Any) -> Any:
    """Return objects or a goal with the mark of what is to be done first."""
    if isinstance(said, tuple):
        return (_ranked(said[0]), *said[1:])
    to = said.get("to")
    if said.kind == "rel" and isinstance(to, Node):
        return said.replace(to=_ranked(to))
    return Node("ordered", (("of", said), ("sign", "first")))


def _about(question: Node, phrase: Node) -> Node:
    """Return a question without object, asked about a phrase."""
    inner = question.get("of")
    asked = _about(inner, phrase) if isinstance(inner, Node) else phrase
    return question.replace(of=asked)


def _leave_out(question: Node, formula: Node) -> Node:
    """Return a question about a phrase, without the objects of a formula."""
    inner = question.node("of")
    without = _refine(inner, negation(formula)) if inner.kind == "np" else None
    return question.replace(of=without or _leave_out(inner, formula))


def _of_them(question: Node) -> Node:
    """Return a question about a phrase, asked about those that were spoken of before."""
    inner = question.node("of")
    if inner.kind != "np":
        return question.replace(of=_of_them(inner))
    return question.replace(of=_refine(inner, Node("pronoun", (("name", "them"),))))


_OPERATIONS: Mapping[str, Callable[..., Any]] = {
    "and": lambda *parts: conjunction(*_given(parts)),
    "or": lambda *parts: disjunction(*_given(parts)),
    "not": negation,
    "refine": _refine,
    "set": _set,
    "less": _less,
    "set_all": _all_of,
    "other_than": _other_than,
    "ranked": _ranked,
    "about": _about,
    "leave_out": _leave_out,
    "of_them": _of_them,
    "pick": lambda node, name: node.get(name),
    "list": lambda *parts: tuple(
        one for part in _given(parts) for one in (part if isinstance(part, tuple) else (part,))
    ),
    "sum": lambda *parts: sum(_given(parts)),
    "instead": lambda chosen, rejected: chosen if rejected is not None else None,
    "agreed": lambda one, other: one if one == other else None,
    "first": lambda *parts: next(iter(_given(parts)), None),
}
