"""Conversion of formulas and phrases to descriptions of objects that tools can find."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain, product
from typing import Literal, cast, get_args

from bt_exec.language.reading.meaning_node import (
    Node,
    conjunction,
    conjuncts,
    disjunction,
    negation,
    normal_form,
)
from bt_exec_skills.image.perception.attributes import ATTRIBUTES, AttributeName
from bt_exec_skills.image.perception.barcodes import CodeKind
from bt_exec_skills.image.perception.graded_attributes import DEGREES, DegreeName, GradedName
from bt_exec_skills.image.perception.instances import PictureName
from bt_exec_skills.image.perception.relations import SIDES, Column, RelationName, Row
from bt_exec_skills.image.rules.lexicon import generator, reader
from bt_exec_skills.image.rules.question import (
    BAR,
    DIFFERENCE,
    SEVERAL,
    SHAPE,
    SIGN,
    Degree,
    Part,
    Phrase,
    Place,
    UnanswerableQuestion,
)

__all__ = ["UPPERMOST", "PhraseConverter", "shared_conjuncts"]

_SAID_AS = {"at": "on", "in": "inside"}  # relations of the grammar, with the equivalents of tools
_OPPOSITES: dict[str, RelationName] = {"outside": "overlapping"}
UPPERMOST = {"on": "above"}
_SIDES_OF_ROWS: dict[str, DegreeName] = {
    "left": "left_of", "right": "right_of", "upper": "above", "lower": "below", "middle": "middle",
}  # fmt: skip
_OF_BARS: dict[str, GradedName] = {
    "above": "tall", "below": "short", "big": "tall", "small": "short", "long": "tall",
    "brief": "short",
}  # fmt: skip
"""Degrees of bars: for example, the highest or biggest bar is the tallest one."""


_DIFFERENCES = Node("np", (("of", Node("thing", (("name", DIFFERENCE),))),))
_CHANGES = ("changed", "missing")
"""Attributes of objects that differ in a second picture."""
_NEW = Node("has", (("attribute", "new"),))
_MISSING, _CHANGED = (Node("has", (("attribute", name),)) for name in ("missing", "changed"))
_SECOND = Node("shown", (("picture", "second"),))
_ANY = Node("any")


class PhraseConverter:
    """Conversion of phrases to descriptions.

    Args:
        language: Language of words in answers.
        text: The question as typed, for refusals.
        nearest: Whether "beside" selects the nearest object, as in a "which" question.
    """

    def __init__(self, language: str, text: str, *, nearest: bool = True) -> None:
        self._nearest = nearest
        self._generator = generator(language)
        self._korean = language == "ko"
        self._kinds = reader().lexicon("en").kinds
        self._text = text
        self._picture: PictureName = "first"

    def formula_of(self, phrase: Node) -> Node:
        """Return the formula of a phrase without a quantity.

        Raises:
            UnanswerableQuestion: If the phrase has a quantity or is not a noun phrase.
        """
        if phrase.kind != "np" or phrase.get("quantity") is not None:
            raise self.refusal()
        return phrase.node("of")

    def describe_phrase(self, phrase: Node) -> Phrase:
        """Return the description of the objects of a phrase.

        Raises:
            UnanswerableQuestion: If tools cannot find the objects.
        """
        return self.describe_formula(self.formula_of(phrase))

    def describe_formula(self, formula: Node) -> Phrase:
        """Return the description of objects given by a formula; see `describe_phrase`."""
        within, picture = self._in_one_picture(formula)
        if within != formula:
            outer, self._picture = self._picture, picture
            try:
                return replace(self.describe_formula(within), said=self._generator.phrase(formula))
            finally:
                self._picture = outer
        stated = self._with_relations(formula)
        parts = _limit_superlatives_to_bars(
            [inner for part in conjuncts(stated) for inner in conjuncts(part)]
        )
        found = Phrase(said=self._generator.phrase(formula), picture=self._picture)
        beside = next((one for one in parts if one.text("relation") == "beside"), None)
        if beside is not None and self._nearest:
            rest = conjunction(*(one for one in parts if one is not beside))
            to = self.describe_phrase(beside.node("to"))
            return replace(found, top="nearest", of=self.describe_formula(rest), near=to)
        sides = [one for one in parts if one.text("attribute") in _SIDES_OF_ROWS]
        if len(sides) == 1 and sides[0].kind == "has":
            rest = conjunction(*(one for one in parts if one is not sides[0]))
            top = _SIDES_OF_ROWS[sides[0].text("attribute")]
            return replace(found, top=top, of=self.describe_formula(rest))
        for part in parts:
            if (out := _excluded_top(part, parts)) is not None:
                side = UPPERMOST.get(out.text("attribute"), out.text("attribute"))
                degree = cast(DegreeName, side) if side in SIDES else self._parse_degree(out)
                found = replace(found, not_top=(*found.not_top, degree))
            else:
                found = self._add_part(found, part)
        if self._is_contradictory(found) or self._needs_fill_of_object(found):
            raise self.refusal()
        return replace(found, attributes=tuple(sorted(found.attributes, key=ATTRIBUTES.index)))

    def _in_one_picture(self, formula: Node) -> tuple[Node, PictureName]:
        """Return a formula without the picture in which its objects are, and the picture.

        New objects are those of the second picture that are missing in the first one.
        """
        nodes = {*formula.walk()}
        shown = {node for node in nodes if node.kind == "shown"}
        if len(shown | ({_SECOND} & nodes if _NEW in nodes else set())) > 1:
            raise self.refusal()
        second = shown == {_SECOND} and not {_MISSING, _CHANGED} & nodes
        for node in shown:
            formula = formula.substitute(node, _ANY)
        picture: PictureName = "second" if second or _NEW in nodes else self._picture
        if shown and not second and _NEW not in nodes:
            picture = "first"
        return normal_form(formula.substitute(_NEW, _MISSING)), picture

    def _with_relations(self, formula: Node) -> Node:
        """Return a formula with "changed", "missing" and "empty" in terms of other formulas.

        Changed and missing objects are related to the differences of two pictures. An empty object
        of the kind ``support`` carries no other object; any other empty object is hollow.
        """
        relations = {
            _has(name): Node("rel", (("relation", name), ("to", _DIFFERENCES))) for name in _CHANGES
        }
        relations[_has("empty")] = _has("hollow")
        for part in conjuncts(formula):
            if self._kinds.get(part.text("name")) == "support":
                others = Node("np", (("of", negation(part)),))
                carrying = Node("rel", (("relation", "carrying"), ("to", others)))
                relations[_has("empty")] = negation(carrying)

        def related(part: Node) -> Node:
            if part.kind == "not":
                return negation(related(part.parts()[0]))
            joint = part.kind in ("and", "or")
            return part.map_children(related) if joint else relations.get(part, part)

        return related(formula)

    def _add_part(self, phrase: Phrase, part: Node) -> Phrase:
        if part.kind == "any":
            return phrase
        if part.kind == "bears" and not phrase.text:
            return replace(phrase, text=part.text("text"))
        if part.kind == "thing":
            if phrase.thing and BAR not in (phrase.thing, part.text("name")):
                raise self.refusal(part.text("name"))
            name = phrase.thing if part.text("name") == BAR else ""
            return replace(phrase, thing=name or part.text("name"))
        if part.kind == "has":
            return replace(phrase, attributes=(*phrase.attributes, self._parse_attribute(part)))
        if part.kind == "or":
            return self._add_alternatives(phrase, part)
        if part.kind == "most" and phrase.top is None and part.get("of") is not None:
            return self._add_superlative(phrase, part)
        if part.kind == "not":
            return self._with_condition(phrase, part.parts()[0], holds=False)
        return self._with_condition(phrase, part, holds=True)

    def _add_alternatives(self, phrase: Phrase, part: Node) -> Phrase:
        """Return a description of objects that satisfy one of several formulas."""
        kinds = {one.kind for one in part.parts()}
        if kinds == {"thing"} and not phrase.thing:
            names = [one.text("name") for one in part.parts()]
            codes = {*names} <= {*get_args(CodeKind)}
            return replace(phrase, thing="code" if codes else SEVERAL.join(names))
        if kinds == {"not"}:
            out = self.describe_formula(conjunction(*map(negation, part.parts())))
            return replace(phrase, left_out=(*phrase.left_out, out))
        shared = shared_conjuncts(part)
        for one in shared:
            phrase = self._add_part(phrase, one)
        rest = [_without_parts(of, shared) for of in part.parts()]
        if shared and all(one.kind == "thing" for one in rest):  # "red cups and red plates"
            return self._add_part(phrase, disjunction(*rest))
        own = ([self._parse_attribute(one) for one in conjuncts(of)] for of in rest)
        either = (*phrase.either, *product(*own))  # "a red circle or a blue square"
        return replace(phrase, either=either)

    def _with_condition(self, phrase: Phrase, inner: Node, *, holds: bool) -> Phrase:
        """Return a description with one more condition, negated unless `holds`."""
        if inner.kind == "rel":
            to = inner.node("to")
            first, *rest = map(self.describe_phrase, _landmarks(inner, to))
            if inner.text("relation") == "between" and not rest:
                rest = [first]
            relation = self._parse_relation(inner, first)
            if BAR in (phrase.thing, first.thing) and relation in _OF_BARS:  # "a higher bar"
                degree = Degree(_OF_BARS[relation], first, holds)
                return replace(phrase, degrees=(*phrase.degrees, degree))
            if relation == "carrying" and first.thing == SIGN:
                raise self.refusal()  # a label on a bottle is not a separate object
            if any(_is_vacuous(out, one) for one in (first, *rest) for out in one.left_out):
                raise self.refusal()
            if relation in _OPPOSITES:
                relation, holds = _OPPOSITES[relation], not holds
            place = Place(relation, first, holds, *rest)
            return replace(phrase, places=(*phrase.places, place))
        if inner.kind == "placed":
            where = Part(cast(Row, inner.text("row")), cast(Column, inner.text("column")), holds)
            return replace(phrase, parts=(*phrase.parts, where))
        if inner.kind == "than":
            degree = Degree(
                self._parse_degree(inner), self.describe_phrase(inner.node("to")), holds
            )
            return replace(phrase, degrees=(*phrase.degrees, degree))
        if holds or inner.kind not in ("has", "thing"):
            raise self.refusal()
        return replace(phrase, left_out=(*phrase.left_out, self.describe_formula(inner)))

    def _parse_attribute(self, part: Node) -> AttributeName:
        if part.kind != "has" or part.text("attribute") not in ATTRIBUTES:
            raise self.refusal()
        return cast(AttributeName, part.text("attribute"))

    def _add_superlative(self, phrase: Phrase, part: Node) -> Phrase:
        of, to = self.describe_formula(part.node("of")), part.get("to")
        phrase = replace(phrase, rank=int(part.text("rank") or 1))
        if isinstance(to, Node):
            if phrase.rank > 1:
                raise self.refusal()
            near = self.describe_phrase(to)
            top = cast(Literal["nearest", "farthest"], part.text("attribute"))
            return replace(phrase, top=top, of=of, near=near)
        side = UPPERMOST.get(part.text("attribute"), part.text("attribute"))
        if BAR in of.thing.split(SEVERAL) and side in _OF_BARS:
            return replace(phrase, top=_OF_BARS[side], of=of)
        if side in SIDES:
            return replace(phrase, top=cast(DegreeName, side), of=of)
        return replace(phrase, top=self._parse_degree(part), of=of)

    def _parse_degree(self, part: Node) -> GradedName:
        attribute = part.text("attribute")
        if attribute not in DEGREES:
            raise self.refusal()
        return attribute

    def _parse_relation(self, part: Node, to: Phrase) -> RelationName:
        name = part.text("relation")
        while to.of is not None:
            to = to.of
        if self._korean and not to.thing:
            # "위" means "on" or "above", but nothing can stand on a drawn shape
            name = UPPERMOST.get(name, name)
        name = _SAID_AS.get(name, name)
        if name not in (*get_args(RelationName), *_OPPOSITES):
            raise self.refusal()  # "without a plate"
        return cast(RelationName, name)

    def _is_contradictory(self, phrase: Phrase) -> bool:
        """Return True if no object can satisfy the description, or one of its alternatives."""
        kinds = [self._kinds.get(name, name) for name in dict.fromkeys(phrase.attributes)]
        excluded = {name for out in phrase.left_out for name in out.attributes}
        things = {out.thing for out in phrase.left_out if out.thing}
        options = {self._kinds.get(name, name) for name in chain(*phrase.either)}
        return (
            len(set(kinds)) < len(kinds)
            or bool(options & set(kinds))  # "a red square or blue triangle", misread
            or bool(excluded & set(phrase.attributes))
            or phrase.thing in things - {""}
        )

    def _needs_fill_of_object(self, phrase: Phrase) -> bool:
        """Return True if "empty" or "filled" describes an object that is not a drawn shape."""
        drawn = phrase.thing in ("", SHAPE, BAR) or self._kinds.get(phrase.thing) == "shape"
        return not drawn and any(self._kinds.get(one) == "fill" for one in phrase.attributes)

    def refusal(self, words: str = "") -> UnanswerableQuestion:
        """Return the exception that refuses some words, or the whole question."""
        return UnanswerableQuestion("QUESTION_UNCLEAR", words or self._text)


def _excluded_top(part: Node, parts: Sequence[Node]) -> Node | None:
    """Return the superlative of "all cups but the leftmost one"; None for another part.

    The superlative must select among the described objects.
    """
    top = part.parts()[0] if part.kind == "not" else part
    if part.kind != "not" or top.kind != "most" or top.get("to") or top.get("rank"):
        return None
    among = [one for one in conjuncts(top.node("of")) if one.kind != "any"]
    described = [one for one in parts if one.kind != "not"]
    return top if not among or set(among) == set(described) else None


def _is_vacuous(out: Phrase, described: Phrase) -> bool:
    """Return True if another class is excluded, as in "on the plate that is not an apple"."""
    classes = (out.thing, described.thing)
    return all(classes) and set(out.thing.split(SEVERAL)).isdisjoint(described.thing.split(SEVERAL))


def _landmarks(relation: Node, to: Node) -> Sequence[Node]:
    """Return the phrases to which objects are related: two for "between a cup and a bottle"."""
    if to.kind == "both":
        return to.parts()
    of = to.get("of")
    if relation.text("relation") == "between" and isinstance(of, Node) and of.kind == "or":
        return [to.replace(of=part) for part in of.parts()]
    return (to,)


def _without_parts(formula: Node, parts: Sequence[Node]) -> Node:
    """Return a conjunction without some of its parts."""
    return conjunction(*(one for one in conjuncts(formula) if one not in parts))


def _has(attribute: str) -> Node:
    return Node("has", (("attribute", attribute),))


def shared_conjuncts(listed: Node) -> list[Node]:
    """Return the formulas that all alternatives share: "shape" in "red shapes and blue shapes"."""
    first, *others = ([*conjuncts(one)] for one in listed.parts())
    return [one for one in first if all(one in other for other in others)]


def _limit_superlatives_to_bars(parts: list[Node]) -> list[Node]:
    """Return the parts of a formula about bars, with superlatives limited to bars."""
    bar, others = Node("thing", (("name", BAR),)), Node("any")
    if bar not in parts or not any(one.kind == "most" for one in parts):
        return parts
    return [
        one.replace(of=bar) if one.kind == "most" and one.get("of") == others else one
        for one in parts
        if one != bar
    ]
