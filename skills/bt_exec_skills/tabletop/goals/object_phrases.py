"""Conversion of noun phrases of a meaning to descriptions of objects on tables."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import cast, get_args

from bt_exec.language.reading.meaning_node import Node, conjunction, conjuncts, negation
from bt_exec_skills.tabletop.goals.model import Order, Phrase, Relation, Trouble
from bt_exec_skills.tabletop.lexicon import lexicon
from bt_exec_skills.tabletop.name_attributes import Attribute
from bt_exec_skills.tabletop.robot import Side

__all__ = [
    "ANY",
    "EACH_OTHER",
    "EMPTY",
    "HAND",
    "SIDES",
    "TABLE",
    "Phrases",
    "attribute_kind",
    "content_of_container",
    "content_of_table_with_exceptions",
    "excludes_objects",
    "formula_of",
    "has_alternative_nouns",
    "has_alternative_objects",
    "is_collective",
    "means_in_hand",
    "relation_to",
    "relation_to_side",
    "target_of",
    "with_corresponding_noun",
]

_ORDERS: Mapping[str, Order] = {
    "big": "biggest",
    "small": "smallest",
    "near": "nearest",
    "far": "farthest",
    "nearest": "nearest",
    "farthest": "farthest",
    "left": "left",
    "right": "right",
    "middle": "middle",
    "front": "front",
    "back": "back",
    "left_of": "left",
    "right_of": "right",
    "left_part": "left",
    "right_part": "right",
    "fullest": "fullest",
    "emptiest": "emptiest",
}
SIDES: Mapping[str, Side] = {
    "at": "in",
    "in": "in",
    "left_part": "left_of",
    "right_part": "right_of",
    "next_to": "next_to",
    "where": "next_to",
    "left_of": "left_of",
    "right_of": "right_of",
    "in_front_of": "in_front_of",
    "behind": "behind",
}
"""Sides by the relations of the lexicon."""
RELATIONS: Mapping[str, Relation] = {**SIDES, "between": "between"}
"""Positions relative to other objects, by the relations of the lexicon."""
_TABLE_SIDES = ("left", "right", "front", "back")
_BOUNDS = ("exactly", "at_least", "at_most", "share", "in_all", "total")
TABLE, HAND = (Node("thing", (("name", name),)) for name in ("table", "hand"))
ANY = Node("any")
EMPTY = Node("has", (("attribute", "empty"),))
EACH_OTHER = "each_other"
"""Kind of a phrase such as "next to each other", in which the target is one of the objects."""


def target_of(relation: Node) -> Node:
    """Return the target of a relation.

    Raises:
        Trouble: If the relation has no target object, as in "to me" and "in your hand".
    """
    target = relation.get("to")
    if not isinstance(target, Node):
        raise Trouble("NOT_UNDERSTOOD")
    return target


def formula_of(phrase: Node) -> Node:
    """Return the formula that describes the objects of a phrase."""
    found = phrase.get("of")
    return found if isinstance(found, Node) else ANY


def has_alternative_nouns(part: Node) -> bool:
    """Return True for a disjunction with nouns, as in "an apple or a lemon"."""
    return part.kind == "or" and any(one.kind == "thing" for one in part.walk())


def has_alternative_objects(part: Node) -> bool:
    """Return True for a disjunction with nouns or "one", as in "the red one or the blue one"."""
    return part.kind == "or" and any(one.kind in ("thing", "one") for one in part.walk())


def _lists_alternatives(part: Node) -> bool:
    return has_alternative_objects(part) and any(one.kind != "not" for one in part.parts())


def _kinds_of_parts(phrase: Node) -> set[str]:
    return {part.kind for part in conjuncts(formula_of(phrase))}


def is_collective(kind: str) -> bool:
    """Return True for a noun that stands for objects of several kinds: "fruit"."""
    return bool(lexicon()["things"].get(kind, {}).get("members"))


def means_in_hand(node: Node) -> bool:
    """Return True if a formula means "in the hand"."""
    if node.kind != "rel":
        return False
    to = node.get("to")
    return node.text("relation") == "held" or (isinstance(to, Node) and formula_of(to) == HAND)


def relation_to(name: str, other: Phrase) -> Relation:
    """Return the position that a relation of the lexicon means.

    Raises:
        Trouble: If there is none, or if the relation is "between" and `other` is a single object.
    """
    single = not (other.listed or other.count or other.number == "all")
    if name not in RELATIONS or (name == "between" and single):
        raise Trouble("NOT_UNDERSTOOD")
    return RELATIONS[name]


def relation_to_side(place: Node) -> Node:
    """Return a place that is only a side, such as "left", as a relation to the object there."""
    side = place.text("column") if place.kind == "placed" and not place.get("row") else ""
    if side not in ("left", "right"):
        return place
    there = Node("np", (("of", Node("has", (("attribute", side),))),))
    return Node("rel", (("relation", "at"), ("to", there)))


def content_of_container(theme: Phrase, holder: Phrase) -> Phrase:
    """Return `theme` limited to the content of a container, unless it is already specific."""
    if theme.again or theme.name or theme.relation is not None:
        return theme
    return replace(theme, relation=("in", holder))


def excludes_objects(place: Phrase) -> bool:
    """Return True for a table with an exception for objects: "the table except the plate"."""
    return place.table and any(but.kind or but.values or but.name for but in place.but)


def content_of_table_with_exceptions(phrase: Phrase) -> Phrase:
    """Return "the table except the plate" as all objects on the table except the plate."""
    if not excludes_objects(phrase):
        return phrase
    table = replace(phrase, but=())
    return Phrase(phrase.text, number="all", relation=("in", table), but=phrase.but)


def with_corresponding_noun(first: Node, second: Node) -> Node:
    """Return a phrase in which "the red one" has the noun of the corresponding earlier phrase.

    The nouns of places correspond, too: "on the left table … on the right one".
    """
    if first.kind != "np" or second.kind != "np":
        return second
    before, parts = conjuncts(formula_of(first)), []
    tops = [one for part in before if part.kind == "most" for one in part.parts()]
    nouns = [part for one in (*before, *tops) for part in conjuncts(one) if part.kind == "thing"]
    places = [part.node("to") for part in before if isinstance(part.get("to"), Node)]
    for part in conjuncts(formula_of(second)):
        to = part.get("to") if part.kind == "rel" else None
        if isinstance(to, Node) and places:
            part = part.replace(to=with_corresponding_noun(places[0], to))
        inner = part.get("of") if part.kind == "most" else None
        if isinstance(inner, Node) and inner.kind != "or":
            part = part.replace(
                of=formula_of(with_corresponding_noun(first, Node("np", (("of", inner),))))
            )
        parts.append(part)
    bare = Node("one") in parts and all(part.kind != "thing" for part in parts)
    return second.replace(of=conjunction(*parts, *(nouns if bare else ())))


class Phrases:
    """Conversion of the noun phrases of one text.

    Args:
        said: Function that returns the words of a node.
        start: Function that returns the position of a node in the text.
        group: Function that returns the objects from which a node selects some, or None.
        language: Language of the text.
        names: Names of objects and tables.
        tables: Names of tables.

    Attributes:
        said: Function that returns the words of a node.
        start: Function that returns the position of a node in the text.
        korean: Whether the text is Korean.
        several_tables: Whether there are several tables.
    """

    def __init__(
        self,
        said: Callable[[Node], str],
        start: Callable[[Node], int],
        group: Callable[[Node], Node | None],
        language: str,
        names: Iterable[str],
        tables: Iterable[str],
    ) -> None:
        self.said, self.start, self._group = said, start, group
        self.korean = language == "ko"
        self._names, self._tables = frozenset(names), frozenset(tables)
        self.several_tables = len(self._tables) > 1

    def phrase(self, node: Node) -> Phrase:
        """Return the description of the objects that a noun phrase or pronoun refers to.

        Raises:
            Trouble: If the phrase uses an attribute that object names do not contain, or another
                construction that has no description.
        """
        text = self.said(node)
        if node.kind == "pronoun":
            name = node.text("name")
            if name == "yonder":  # a place that the speaker points to
                raise Trouble("NOTHING_BEFORE", what=text or "-")
            if name == EACH_OTHER:
                return Phrase(text, kind=EACH_OTHER)
            return Phrase(text, number="one" if name == "it" else "all", again=name != "all")
        if node.kind == "both":
            listed = tuple(map(self.phrase, node.parts()))
            return Phrase(text, number="all", listed=listed)
        if node.kind != "np":
            raise Trouble("NOT_UNDERSTOOD")
        group = self._group(node)
        selected_from = self.phrase(Node("np", (("of", group),))) if group is not None else None
        found = Phrase(text, group=selected_from)
        plural = False
        parts = conjuncts(formula_of(node))
        alternatives = [part for part in parts if _lists_alternatives(part)]
        if len(alternatives) == 1 and all(part.kind != "thing" for part in parts):
            found = self._any_of(found, alternatives[0])
            parts = tuple(part for part in parts if part != alternatives[0])
        if TABLE not in parts and any(part.text("relation") == "with" for part in parts):
            raise Trouble("NOT_UNDERSTOOD")
        for part in parts:
            if part.kind == "many":
                plural = True
            else:
                found = self._add_part(found, part)
        inside = any(part.text("relation") in ("in", "at") for part in parts)
        if found.table and inside:
            raise Trouble("NOT_UNDERSTOOD")  # a table is neither in nor on an object
        found = replace(found, kind=found.kind or _noun_of_exception(found))
        out = (replace(but, kind=but.kind or found.kind) for but in found.but)  # "not the red cups"
        return self._numbered(replace(found, but=tuple(out)), node, plural)

    def place(self, node: Node) -> Phrase:
        """Return the description of a place; a bare side ("on the left") means the table there."""
        found = self.phrase(node)
        side = node.kind == "np" and formula_of(node).text("attribute") in _TABLE_SIDES
        return replace(found, table=True) if side and self.several_tables else found

    def attribute_values(self, predicate: Node) -> Mapping[Attribute, tuple[str, ...]]:
        """Return the allowed values, by attribute, of a predicate such as "red" or "red or blue".

        Raises:
            Trouble: If object names do not contain such values.
        """
        return (self._add_alternatives if predicate.kind == "or" else self._add_attribute)(
            Phrase(), predicate
        ).values

    def _numbered(self, phrase: Phrase, node: Node, plural: bool) -> Phrase:
        det = node.text("det")
        quantity = node.get("quantity")
        count = 0
        if isinstance(quantity, Node):
            bound = quantity.text("bound")
            if bound not in _BOUNDS or quantity.text("number") == "0":
                raise Trouble("NOT_UNDERSTOOD")
            count = int(quantity.text("number"))
            if bound == "share":
                return replace(phrase, share=count, number="any")
            in_all, total = bound in ("in_all", "total"), bound == "total"
            phrase = replace(phrase, up_to=bound == "at_most", in_all=in_all, total=total)
        number = phrase.number
        collective = is_collective(phrase.kind)
        nameless = not (phrase.kind or phrase.name or phrase.table or phrase.listed)
        several = self.korean and (nameless or collective)
        if det in ("rest", "another"):
            phrase = replace(phrase, rest=True)
            one = phrase.table or Node("one") in conjuncts(formula_of(node))
            single = not plural and one
            number = "any" if det == "another" else "one" if single else "all"
        elif det in ("any", "each"):
            number = "any"
        elif det == "all_but":  # "all but two"
            left = replace(phrase, number="any", count=count)
            phrase, number, count = replace(phrase, but=(*phrase.but, left)), "all", 0
        elif det == "all" or plural:
            number = "all"
        elif (det == "some" or several) and not phrase.order:
            number = "some"
        if phrase.table and not det and not phrase.order and not phrase.name:
            number = "any" if count == 1 else "some"
        return replace(phrase, number=number, count=count, definite=det == "the")

    def _add_part(self, phrase: Phrase, part: Node) -> Phrase:
        handlers: dict[str, Callable[[Phrase, Node], Phrase]] = {
            "any": lambda phrase, _: phrase,
            "one": lambda phrase, _: phrase,
            "pronoun": lambda phrase, _: replace(phrase, again=True),
            "thing": self._add_noun,
            "has": self._add_attribute,
            "or": self._add_alternatives,
            "most": self._add_superlative,
            "placed": self._add_side,
            "rel": self._add_relation,
            "not": self._add_exception,
            "nth": lambda phrase, part: replace(phrase, index=int(part.text("number"))),
            "own": lambda phrase, part: replace(
                phrase, own=cast(Attribute, part.text("aspect") or "colour")
            ),
        }
        if part.kind not in handlers:
            raise Trouble("NOT_UNDERSTOOD")
        return handlers[part.kind](phrase, part)

    def _add_noun(self, phrase: Phrase, part: Node) -> Phrase:
        name = part.text("name")
        if phrase.kind:
            return replace(
                phrase, kind=_more_specific(phrase.kind, name)
            )  # "of the fruit, the banana"
        if phrase.table:
            raise Trouble("NOT_UNDERSTOOD")
        if name in self._names:
            return replace(phrase, name=name, table=name in self._tables)
        if name == "table":
            return replace(phrase, table=True)
        if name == "hand":
            raise Trouble("NOT_UNDERSTOOD")
        return replace(phrase, kind=name)

    def _add_attribute(self, phrase: Phrase, part: Node) -> Phrase:
        value = part.text("attribute")
        kind = attribute_kind(value)
        if kind in get_args(Attribute):
            attribute = cast(Attribute, kind)
            values = phrase.values.get(attribute, ())
            return replace(phrase, values={**phrase.values, attribute: (*values, value)})
        if value == "empty":
            return replace(phrase, content="none")
        if value not in _ORDERS or phrase.order:
            raise Trouble("NOT_UNDERSTOOD")
        return replace(phrase, order=_ORDERS[value])

    def _add_alternatives(self, phrase: Phrase, part: Node) -> Phrase:
        if all(one.kind == "not" for one in part.parts()):
            return self._add_exception(phrase, negation(conjunction(*map(negation, part.parts()))))
        kinds = {attribute_kind(one.text("attribute")) for one in part.parts()}
        if len(kinds) != 1 or kinds & {"", "side", "distance", "state", "order"}:
            raise Trouble("NOT_UNDERSTOOD")
        for one in part.parts():
            phrase = self._add_attribute(phrase, one)
        return phrase

    def _add_superlative(self, phrase: Phrase, part: Node) -> Phrase:
        value = part.text("attribute")
        if value not in _ORDERS or phrase.order:
            raise Trouble("NOT_UNDERSTOOD")
        anchor = part.get("to")
        near = self.phrase(anchor) if isinstance(anchor, Node) else None
        rank = int(part.text("rank") or 1)
        phrase = replace(phrase, order=_ORDERS[value], near=near, rank=rank)
        inner = part.get("of")
        for one in conjuncts(inner) if isinstance(inner, Node) else ():
            if has_alternative_objects(one):
                phrase = self._any_of(phrase, one)
            else:
                several = one.kind == "many"
                phrase = replace(phrase, number="all") if several else self._add_part(phrase, one)
        return phrase

    def _any_of(self, phrase: Phrase, alternatives: Node) -> Phrase:
        """Return a phrase about the objects that match any of the alternatives."""
        first, *rest = (Node("np", (("of", one),)) for one in alternatives.parts())
        named = next((one for one in (first, *rest) if "thing" in _kinds_of_parts(one)), first)
        either = (self.phrase(with_corresponding_noun(named, one)) for one in (first, *rest))
        return replace(phrase, listed=tuple(replace(one, number="all") for one in either))

    def _add_side(self, phrase: Phrase, part: Node) -> Phrase:
        side = part.text("column")
        if part.get("row") is not None or side not in ("left", "right") or phrase.order:
            raise Trouble("NOT_UNDERSTOOD")
        if not self.several_tables or phrase.table or phrase.relation is not None:
            return replace(phrase, order=_ORDERS[side])
        there = self.place(target_of(relation_to_side(part)))
        return replace(phrase, order=_ORDERS[side], relation=("in", there))

    def _add_relation(self, phrase: Phrase, part: Node) -> Phrase:
        relation = part.text("relation")
        if means_in_hand(part):
            return replace(phrase, held=True)
        if phrase.relation is not None:
            raise Trouble("NOT_UNDERSTOOD")
        other = self.place(target_of(part))
        if other.own:
            raise Trouble("NOT_UNDERSTOOD")
        side = "in" if relation == "with" else relation_to(relation, other)
        return replace(phrase, relation=(side, other))

    def _add_exception(self, phrase: Phrase, part: Node) -> Phrase:
        inner = part.parts()[0]
        if inner == EMPTY:
            return replace(phrase, content="some")
        options = inner.parts() if inner.kind == "or" else (inner,)
        out = []
        for option in options:
            but = self.phrase(Node("np", (("of", option),)))
            if but.table:
                raise Trouble("NOT_UNDERSTOOD")
            text = self.said(option) or but.text
            named = but.kind or but.name
            out.append(replace(but, text=text, number="all" if named else "some"))
        return replace(phrase, but=(*phrase.but, *out))


def _noun_of_exception(phrase: Phrase) -> str:
    """Return the noun that a phrase without one shares with its contrasted exception.

    In "not the small cube but the big one", both are cubes. Empty without such an exception.
    """
    if phrase.name or phrase.table or phrase.again:
        return ""
    for but in phrase.but:
        for attribute in phrase.values.keys() & but.values.keys():
            if set(phrase.values[attribute]).isdisjoint(but.values[attribute]):
                return but.kind
    return ""


def _more_specific(one: str, other: str) -> str:
    """Return the more specific of two kinds.

    Raises:
        Trouble: If neither kind includes the other.
    """
    things = lexicon()["things"]
    for kind, member in ((one, other), (other, one)):
        if member in things.get(kind, {}).get("members", ()):
            return member
    raise Trouble("NOT_UNDERSTOOD")


def attribute_kind(value: str) -> str:
    """Return the kind of an attribute, or an empty string."""
    entry = lexicon()["attributes"].get(value)
    return "" if entry is None else str(entry["kind"])
