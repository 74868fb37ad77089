"""Grammars as data: rules over categories, each with the meaning that it builds.

A rule is one line under the category that it builds: ``items -> meaning @ cost``::

    np:
      - "d=quantifier? n=nominal -> np($n) @ 0.1"
      - "{ n=theme p=place? } exist.finite -> exists(refine($n, $p))"

An item is a category, a category with a name (``n=nominal``), or a literal word (``~than``, several
with ``|``). ``?`` makes an item optional; a number after it is the cost of omitting the item.
Items in braces may come in any order; an order other than the written one costs `UNUSUAL_ORDER`,
or the number after the braces. ``<F>`` stands for each value of the list ``F`` of the file. The
meaning uses each name; only categories without meaning may lack a name. ``instead($a, $b)`` is `a`;
`b` is deliberately unused.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, cached_property
from itertools import product
from typing import Any, NamedTuple

from bt_exec.language.reading.meaning_template import Build, GrammarError, Template

__all__ = ["Grammar", "Rule", "State", "literals"]

PAUSES = ("comma", "soft", "stop", "ask_stop")
"""Categories of pauses: any pause, within a sentence, at its end, and after a question."""
UNUSUAL_ORDER = 0.35
_STRICT = "!"
"""Prefix of a list value that must occur: the item with this value is not optional, and a rule
without the item is not expanded for this value."""

_BRACES = re.compile(r"\{|\}([\d.]*)")
_ITEM = re.compile(r"(?:(\w+)=)?(~?[^\s?]+)(\?([\d.]+)?)?$")


class Item(NamedTuple):
    """One item of a rule: name, categories, whether it is optional, and the cost of its absence."""

    name: str
    categories: tuple[str, ...]
    optional: bool
    absent_cost: float


class Line:
    """A rule as written.

    Args:
        makes: Category that the rule builds.
        text: Items, meaning and cost, as in the module description.

    Attributes:
        makes: Category that the rule builds.
        before: Items before the braces; all items of a rule without braces.
        free: Items in braces.
        behind: Items after the braces.
        turned: Cost of an order of the items in braces other than the written one.
        cost: Cost in addition to the costs of the constituents.
    """

    def __init__(self, makes: str, text: str) -> None:
        self.makes, self._text = makes, text
        left, arrow, right = text.partition("->")
        if not arrow:
            raise GrammarError(text, "a rule needs '->'")
        self._meaning, _, cost = right.partition("@")
        parts = _BRACES.split(left)
        if len(parts) not in (1, 5):
            raise GrammarError(text, "a rule may have only one pair of braces")
        before, _, free, turned, behind = parts if len(parts) == 5 else (left, "", "", "", "")
        self.before, self.free, self.behind = (
            self._parse_items(part) for part in (before, free, behind)
        )
        self.turned, self.cost = float(turned or UNUSUAL_ORDER), float(cost or 0)

    @cached_property
    def template(self) -> Template:
        """Template of the meaning of the rule."""
        return Template(self._meaning.strip(), self._text)

    def check(self, silent: frozenset[str]) -> None:
        """Check the rule. Only literals and items of `silent` categories need no name.

        Raises:
            GrammarError: If the rule is invalid.
        """
        items = (*self.before, *self.free, *self.behind)
        names = sorted(item.name for item in items if item.name)
        if sorted({*self.template.names}) != names:
            raise GrammarError(self._text, "each named item must be used in the meaning")
        if all(item.optional for item in items):
            raise GrammarError(self._text, "a rule needs an item that is always present")
        for item in items:
            for category in item.categories:
                if not item.name and category not in silent and not category.startswith("~"):
                    raise GrammarError(self._text, f"{category} carries meaning but is not used")

    def _parse_items(self, text: str) -> tuple[Item, ...]:
        try:
            return tuple(map(_parse_item, text.split()))
        except ValueError as error:
            raise GrammarError(self._text, f"{error} is not an item") from None


class Rest(NamedTuple):
    """Continuation of a matched prefix of a rule.

    Attributes:
        line: The rule.
        names: Names of the matched items.
        ahead: The next items, in order, up to the braces or the end of the rule.
        free: Indices of the items in braces that are still to come. None after the closing brace.
        absent: Total cost of the optional items left out so far.
        turned: Whether items in braces came in another order than written.
    """

    line: Line
    names: tuple[str, ...]
    ahead: tuple[Item, ...]
    free: tuple[int, ...] | None
    absent: float = 0.0
    turned: bool = False

    def next_items(self) -> Iterator[tuple[Item | None, Rest]]:
        """Yield each item that may be next with the rest after it; None for the end of the rule."""
        line, names, ahead, free, absent, turned = self
        while True:
            for place, item in enumerate(ahead, 1):
                yield item, Rest(line, (*names, item.name), ahead[place:], free, absent, turned)
                if not item.optional:
                    return
                absent += item.absent_cost
            if free is None:
                yield None, Rest(line, names, (), None, absent, turned)
                return
            for place in free:
                item, others = line.free[place], tuple(one for one in free if one != place)
                late = turned or any(one not in free for one in range(place, len(line.free)))
                yield item, Rest(line, (*names, item.name), (), others, absent, late)
            if not all(line.free[place].optional for place in free):
                return
            for place in free:
                absent += line.free[place].absent_cost
            ahead, free = line.behind, None


class Rule:
    """A rule with one choice and order of its optional and free items.

    Args:
        rest: State at the end of the line, with the names of the matched items.

    Attributes:
        makes: Category that the rule builds.
        cost: Cost in addition to the costs of the constituents.
    """

    def __init__(self, rest: Rest) -> None:
        self._line, self._names = rest.line, rest.names
        self.makes = rest.line.makes
        self.cost = rest.line.cost + (rest.line.turned if rest.turned else 0.0) + rest.absent

    @cached_property
    def build(self) -> Build:
        """Function that builds the meaning from the meanings of all constituents, in order."""
        places = {name: place for place, name in enumerate(self._names) if name}
        return self._line.template.bind(places)


class State:
    """Trie node: a prefix shared by one or more rules. Its successors are computed on demand.

    Attributes:
        rests: Continuation of the prefix in each rule.
    """

    def __init__(self) -> None:
        self.rests: list[Rest] = []

    @cached_property
    def next_states(self) -> dict[str, list[State]]:
        """Next states by the category of the next item."""
        states: dict[tuple[str, ...], State] = {}
        for rest in self.rests:
            for item, after in rest.next_items():
                if item is not None:
                    states.setdefault(item.categories, State()).rests.append(after)
        return _by_category(states)

    @cached_property
    def completed_rules(self) -> list[Rule]:
        """Rules that may end after the prefix."""
        steps = (step for rest in self.rests for step in rest.next_items())
        return [Rule(end) for item, end in steps if item is None]


class Grammar:
    """The rules of one language, as a trie of their items.

    Args:
        data: Grammar file: ``rules`` by category, and ``lists`` of the values for ``<F>``.
        silent: Categories without meaning, in addition to literals.
        goal: Category of whole texts; rules that it cannot use are left out. With None, all rules
            are kept and checked.
    """

    def __init__(
        self, data: Mapping[str, Any], silent: Iterable[str], goal: str | None = None
    ) -> None:
        self.lines: list[tuple[str, str]] = []
        self._begun: dict[str, frozenset[str]] = {}
        lists: Mapping[str, Sequence[str]] = data.get("lists", {})
        for made, texts in data["rules"].items():
            for text in texts:
                self.lines += _fill_lists(made, text, lists)
        needed = None if goal is None else _needed_categories(self.lines, goal)
        lines = [Line(*each) for each in self.lines if needed is None or each[0] in needed]
        if goal is None:
            without_meaning = frozenset({*PAUSES, *silent}) | _silent_categories(self.lines)
            for line in lines:
                line.check(without_meaning)
        first: dict[tuple[str, ...], State] = {}
        self._makers: dict[str, set[str]] = {}
        for line in lines:
            places = tuple(range(len(line.free)))
            for item, rest in Rest(line, (), line.before, places).next_items():
                if item is not None:
                    first.setdefault(item.categories, State()).rests.append(rest)
                    for category in item.categories:
                        self._makers.setdefault(category, set()).add(line.makes)
        self.beginning = _by_category(first)

    def categories_beginning_with(self, category: str) -> frozenset[str]:
        """Return the categories whose readings may begin with a category, including itself."""
        if category not in self._begun:
            found, left = {category}, [category]
            while left:
                more = self._makers.get(left.pop(), set()) - found
                found |= more
                left += more
            self._begun[category] = frozenset(found)
        return self._begun[category]


def _by_category(states: Mapping[tuple[str, ...], State]) -> dict[str, list[State]]:
    found: dict[str, list[State]] = {}
    for categories, state in states.items():
        for category in categories:
            found.setdefault(category, []).append(state)
    return found


def literals(data: Mapping[str, Any]) -> set[str]:
    """Return the literal words of all rules of a grammar file."""
    lists = data.get("lists", {})
    rules = [(made, line) for made, lines in data["rules"].items() for line in lines]
    every = (text for made, line in rules for _, text in _fill_lists(made, line, lists))
    lines = (line.partition("->")[0] for line in every)
    items = (match[1] for line in lines for match in re.finditer(r"~([^\s?}]+)", line))
    return {word for item in items for word in item.split("|")}


def _needed_categories(rules: Iterable[tuple[str, str]], goal: str) -> set[str]:
    """Return the categories that readings of the category `goal` may contain."""
    parts: dict[str, set[str]] = {}
    for made, line in rules:
        parts.setdefault(made, set()).update(re.findall(r"[\w.!]+", line.partition("->")[0]))
    found, left = {goal}, [goal]
    while left:
        more = parts.get(left.pop(), set()) - found
        found |= more
        left += more
    return found


def _silent_categories(rules: Iterable[tuple[str, str]]) -> frozenset[str]:
    """Return the categories without meaning: all their rules give the constant ``_``."""
    found = {made: True for made, _ in rules}
    for made, line in rules:
        found[made] = found[made] and re.search(r"->\s*_\s*(@.*)?$", line) is not None
    return frozenset(made for made, silent in found.items() if silent)


def _fill_lists(
    made: str, line: str, lists: Mapping[str, Sequence[str]]
) -> Iterator[tuple[str, str]]:
    used = [name for name in lists if f"<{name}>" in made + line]
    for values in product(*(lists[name] for name in used)):
        category, text = made, line
        for name, value in zip(used, values, strict=True):
            field = f"<{name}>"
            if value.startswith(_STRICT):
                if field not in text.partition("->")[0]:
                    break
                value, text = value.removeprefix(_STRICT), text.replace(f"{field}?", field)
            category, text = category.replace(field, value), text.replace(field, value)
        else:
            yield category, text


@cache
def _parse_item(word: str) -> Item:
    """Parse one item of a rule.

    Raises:
        ValueError: If the text is not an item.
    """
    match = _ITEM.match(word)
    if match is None:
        raise ValueError(repr(word))
    name, category, optional, cost = match.groups()
    literal = category.startswith("~")
    names = category.removeprefix("~").split("|")
    categories = tuple(f"~{one}" if literal else one for one in names)
    return Item(name or "", categories, optional is not None, float(cost or 0))
