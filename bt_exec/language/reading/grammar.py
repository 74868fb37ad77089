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
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import permutations, product
from typing import Any, NamedTuple

from bt_exec.language.reading.template import Build, GrammarError, Template

__all__ = ["Grammar", "Rule", "State", "literals"]

PAUSES = ("comma", "soft", "stop", "ask_stop")
"""Categories of pauses: any, within a sentence, at its end, after a question."""
UNUSUAL_ORDER = 0.35

_ITEM = re.compile(r"(?:(\w+)=)?(~?[^\s?]+)(\?([\d.]+)?)?$")


class Item(NamedTuple):
    """One item of a rule: name, categories, whether it is optional, and the cost of its absence."""

    name: str
    categories: tuple[str, ...]
    optional: bool
    absent_cost: float


@dataclass(slots=True)
class Rule:
    """A complete rule.

    Attributes:
        makes: Category.
        cost: Cost in addition to that of its parts.
        template: Meaning.
        places: Places of its named parts.
    """

    makes: str
    cost: float
    template: Template
    places: Mapping[str, int]
    _build: Build | None = None

    def build(self, meanings: Sequence[Any]) -> Any:
        """Return the meaning of the rule from the meanings of all parts, in order."""
        if self._build is None:  # most rules are never needed
            self._build = self.template.bind(self.places)
        return self._build(meanings)


@dataclass(slots=True)
class State:
    """A prefix of one or more rules, with the possible next items and the rules that end here.

    Attributes:
        following: States after each category.
        complete: Rules that end here.
    """

    following: dict[str, list[State]] = field(default_factory=dict)
    complete: list[Rule] = field(default_factory=list)
    _after: dict[tuple[str, ...], State] = field(default_factory=dict)

    def after(self, categories: tuple[str, ...]) -> State:
        """Return the state after an item of any of these categories."""
        state = self._after.get(categories)
        if state is None:
            state = self._after[categories] = State()
            for category in categories:
                self.following.setdefault(category, []).append(state)
        return state


class Grammar:
    """The rules of one language, as a trie of their items.

    Args:
        data: ``rules`` by category; ``lists`` for ``<F>``.
        silent: Categories without meaning; literals have none either.
        goal: Category of texts; rules that it does not use are left out. None keeps all.
    """

    def __init__(
        self, data: Mapping[str, Any], silent: Iterable[str], goal: str | None = None
    ) -> None:
        self.start = State()
        self.literals: set[str] = set()
        self.lines: list[tuple[str, str]] = []
        self._makers: dict[str, set[str]] = {}
        self._begun: dict[str, frozenset[str]] = {}
        lists: Mapping[str, Sequence[str]] = data.get("lists", {})
        for made, lines in data["rules"].items():
            for line in lines:
                self.lines += _expanded(made, line, lists)
        self._silent = frozenset({*PAUSES, *silent}) | _silent(self.lines)
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
        template = Template(meaning.strip(), line)
        names = [item.name for items, _ in arrangements[:1] for item in items if item.name]
        if sorted(template.names) != sorted(names):
            raise GrammarError(line, "each named item is used exactly once in the meaning")
        for items, extra in arrangements:
            for chosen, absent in _present(items):
                total = float(cost or 0) + extra + absent
                self._insert(made, line, chosen, total, template)

    def _insert(
        self, made: str, line: str, items: Sequence[Item], cost: float, template: Template
    ) -> None:
        if not items:
            raise GrammarError(line, "a rule needs an item that is always present")
        places = {item.name: place for place, item in enumerate(items) if item.name}
        for category in items[0].categories:
            self._makers.setdefault(category, set()).add(made)
        state = self.start
        for item in items:
            for category in item.categories:
                self._check(category, item, line)
            state = state.after(item.categories)
        state.complete.append(Rule(made, cost, template, places))

    def begun_by(self, category: str) -> frozenset[str]:
        """Return the categories whose readings may begin with a category, including itself."""
        if category not in self._begun:
            found, left = {category}, [category]
            while left:
                more = self._makers.get(left.pop(), set()) - found
                found |= more
                left += more
            self._begun[category] = frozenset(found)
        return self._begun[category]

    def _check(self, category: str, item: Item, line: str) -> None:
        if category.startswith("~"):
            self.literals.add(category[1:])
        elif not item.name and category not in self._silent:
            raise GrammarError(line, f"{category} carries meaning and is not used")


def literals(data: Mapping[str, Any]) -> set[str]:
    """Return the literal words of all rules of a grammar file."""
    lists = data.get("lists", {})
    rules = [(made, line) for made, lines in data["rules"].items() for line in lines]
    every = (text for made, line in rules for _, text in _expanded(made, line, lists))
    lines = (line.partition("->")[0] for line in every)
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
    """Return the categories without meaning: all their rules give the constant ``_``."""
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
