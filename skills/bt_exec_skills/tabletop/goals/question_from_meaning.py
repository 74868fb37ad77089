"""Conversion of meanings to questions about the table."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Literal, cast, get_args

from bt_exec.language.reading.meaning_node import Node, conjunction, conjuncts, disjunction
from bt_exec_skills.tabletop.goals.model import Order, Phrase, Trouble
from bt_exec_skills.tabletop.goals.object_phrases import (
    ANY,
    HAND,
    SIDES,
    TABLE,
    Phrases,
    attribute_kind,
    formula_of,
    has_alternative_nouns,
    means_in_hand,
    relation_to,
    relation_to_side,
    target_of,
    with_corresponding_noun,
)
from bt_exec_skills.tabletop.goals.question import Fullness, Place, Question, Sign
from bt_exec_skills.tabletop.name_attributes import CONTAINERS, Attribute

__all__ = ["Questions"]

_EVERYTHING = Phrase(number="all")
_MOVED = Node("np", (("of", Node("thing", (("name", "moved"),))),))
"""Objects that the command before the question moves: "how many did you move?"."""
_SIZES: Mapping[str, tuple[Order, Sign]] = {
    "big": ("biggest", "more"),
    "small": ("smallest", "fewer"),
}


def _common_attribute(options: Node) -> Attribute | None:
    """Return the attribute whose values are the alternatives of "is it red or blue?", or None."""
    if options.kind != "or":
        return None
    kinds = {attribute_kind(one.text("attribute")) for one in options.parts()}
    kind = kinds.pop()
    return cast(Attribute, kind) if not kinds and kind in get_args(Attribute) else None


def _named_object(what: str, of: Node) -> tuple[str, Node]:
    """Return the kind and subject of a question; "what is it called?" asks which object it is."""
    named = of.kind == "aspect" and of.text("name") == "name"
    return ("which", of.node("of")) if named else (what, of)


class Questions:
    """Conversion of one text's meaning to a question.

    Args:
        phrases: Converter of the text's noun phrases.
    """

    def __init__(self, phrases: Phrases) -> None:
        self._phrases = phrases

    def question(self, meaning: Node) -> Question:
        """Return the question that a meaning asks.

        Raises:
            Trouble: If the meaning is not a question, or not one about objects on tables.
        """
        if (
            meaning.kind != "ask"
            or meaning.text("what") in ("share", "how_many_of")
            or any(one.kind == "own" for one in meaning.walk())
        ):
            raise Trouble("NOT_UNDERSTOOD")
        what, of = _named_object(meaning.text("what"), meaning.node("of"))
        if of.kind == "all":
            return self._which_alternative(of) if what == "which" else self._question_about_all(of)
        if of.kind == "exists":
            return self._existence_question(of.node("of"))
        if of.kind in ("more", "alike", "not"):
            return self._comparison_question(what, of)
        if what == "what" and of.kind == "aspect" and of.text("name") in get_args(Attribute):
            things, place = self._subject_and_place(of.node("of"))
            return Question("values", things, place, cast(Attribute, of.text("name")))
        if of.kind not in ("np", "both", "pronoun"):
            raise Trouble("NOT_UNDERSTOOD")
        if any(means_in_hand(one) for one in of.walk()):
            return Question(
                "held", self._subject_and_place(of)[0] if what in ("which", "where") else ()
            )
        if of == _MOVED:
            return self._moved_question(what)
        if what == "where":
            return Question("where", tuple(self._all_phrases(of)))
        if what == "how_many":
            return Question("count", *self._subject_and_place(of), each=_is_about_each_place(of))
        if what != "which":
            raise Trouble("NOT_UNDERSTOOD")
        return self._which_question(of)

    def _moved_question(self, what: str) -> Question:
        if what != "how_many":
            raise Trouble("NOT_UNDERSTOOD")
        return Question("moved")

    def _which_alternative(self, of: Node) -> Question:
        """Return the question "which of several places or attributes does an object have?"."""
        about = of.node("of")
        if has_alternative_nouns(of.node("hold")) and formula_of(about).kind == "rel":
            both = conjunction(formula_of(about), of.node("hold"))  # "is it A or B that is there?"
            return Question("which", *self._subject_and_place(about.replace(of=both)))
        if has_alternative_nouns(of.node("hold")):  # "is it in the bowl or on the plate?"
            return Question("where", tuple(self._all_phrases(of.node("of"))))
        if by := _common_attribute(of.node("hold")):
            return Question("values", *self._subject_and_place(of.node("of")), by)
        return self._question_about_all(of)

    def _comparison_question(self, what: str, of: Node) -> Question:
        if of.kind == "not":
            return replace(self._question_of_equality(of.parts()[0]), kind="unlike")
        if of.kind == "alike":
            return self._question_of_equality(of)
        of = of.replace(to=with_corresponding_noun(of.node("of"), of.node("to")))
        if of.text("sign") in _SIZES:
            return self._which_is_bigger(of)
        return (
            self._which_has_more(of)
            if what in ("which", "where")
            else self._question_of_more(what, of)
        )

    def _which_question(self, of: Node) -> Question:
        if formula_of(of).text("attribute") in get_args(Fullness):
            return self._which_has_most(formula_of(of))
        asked = of.replace(wh="what") if of.kind == "np" else of  # "which things?" names no kind
        things, place = self._subject_and_place(asked)
        if len(things) == 1 and things[0].content == "none":
            return Question("empties", (replace(things[0], content=""),))
        return Question("which", things, place, each=_is_about_each_place(of))

    def _question_of_more(self, what: str, more: Node) -> Question:
        if more.text("sign") not in get_args(Sign):
            raise Trouble("NOT_UNDERSTOOD")
        sides = (self._phrases.phrase(more.node(name)) for name in ("of", "to"))
        things = tuple(replace(one, number="all") for one in sides)
        sign = cast(Sign, more.text("sign"))
        kind = {"how_many": "difference", "which_more": "majority"}.get(what, "more")
        return Question(cast(Literal["more", "difference", "majority"], kind), things, sign=sign)

    def _which_is_bigger(self, more: Node) -> Question:
        """Return the question "which is bigger, A or B?"."""
        order, _ = _SIZES[more.text("sign")]
        listed = tuple(self._phrases.phrase(more.node(name)) for name in ("of", "to"))
        return Question("which", (Phrase(number="all", order=order, listed=listed),))

    def _question_of_equality(self, alike: Node) -> Question:
        """Return the question "do objects share an attribute value, or a place?"."""
        if alike.kind != "alike":
            raise Trouble("NOT_UNDERSTOOD")
        sides = [part for part in (alike.get("of"), alike.get("to")) if isinstance(part, Node)]
        sides = [sides[0], *(with_corresponding_noun(sides[0], one) for one in sides[1:])]
        phrases = (phrase for side in sides for phrase in self._all_phrases(side))
        things, aspect = tuple(replace(one, number="all") for one in phrases), alike.text("aspect")
        if aspect in get_args(Attribute):
            return Question("alike", things, by=cast(Attribute, aspect))
        if aspect not in ("table", *CONTAINERS):
            raise Trouble("NOT_UNDERSTOOD")
        return Question("alike", things, ("in", Phrase(kind=aspect)))

    def _which_has_more(self, more: Node) -> Question:
        """Return the question "which of two places, or of all places, has more objects?"."""
        kind: Fullness = "fullest" if more.text("sign") == "more" else "emptiest"
        sides = [conjuncts(formula_of(more.node(name))) for name in ("of", "to")]
        counted = conjunction(*(part for part in sides[0] if part.kind != "rel"))
        if more.get("to") == Node("np", (("of", ANY),)) and counted == conjunction(*sides[0]):
            holders = (Phrase(kind=kind, number="all") for kind in CONTAINERS)
            about = replace(self._phrases.phrase(more.node("of")), number="all")
            return Question(kind, (about, *holders, Phrase(number="all", table=True)))
        places = [part for side in sides for part in side if part.kind == "rel"]
        if len(places) != 2 or any(SIDES.get(one.text("relation")) != "in" for one in places):
            raise Trouble("NOT_UNDERSTOOD")
        either = disjunction(*(formula_of(target_of(one)) for one in places))
        top = Node("most", (("attribute", kind), ("of", either)))
        return self._which_has_most(top.replace(to=more.node("of").replace(of=counted)))

    def _which_has_most(self, top: Node) -> Question:
        """Return the question "which of some places has the most, or the fewest, objects?"."""
        parts = conjuncts(top.node("of"))
        listed = next((one.parts() for one in parts if one.kind == "or"), (ANY,))
        rest = [one for one in parts if one.kind != "or"]
        nouns = [one for option in listed for one in conjuncts(option) if one.kind == "thing"]
        rest += nouns if len(nouns) == 1 else []  # "the red bowl or the blue one"
        places = (Node("np", (("of", conjunction(*rest, one)),)) for one in listed)
        things = map(self._phrases.phrase, (top.node("to"), *places))
        kind = cast(Fullness, top.text("attribute"))
        return Question(kind, tuple(replace(one, number="all") for one in things))

    def _all_phrases(self, of: Node) -> list[Phrase]:
        if of.kind == "both":
            return [phrase for part in of.parts() for phrase in self._all_phrases(part)]
        return [self._phrases.phrase(of)]

    def _subject_and_place(self, of: Node) -> tuple[tuple[Phrase, ...], Place | None]:
        """Return the subject of a question (empty for "what") and its place (None without one)."""
        place: Place | None = None
        if of.kind == "both":
            return tuple(self._all_phrases(of)), None
        if of.kind == "pronoun":
            return (self._phrases.phrase(of),), None
        formula = [part for part in conjuncts(formula_of(of)) if not means_in_hand(part)]
        if self._phrases.several_tables and TABLE not in formula:
            formula = list(map(relation_to_side, formula))
        places = [
            part for part in formula if part.kind == "rel" and part.text("relation") != "with"
        ]
        if len(places) == 1 and TABLE not in formula:
            (where,) = places
            formula.remove(where)
            place = self._place_of(where)
        empty = all(part.kind in ("any", "many") for part in formula)
        if empty and of.text("wh") == "what":
            return (), place
        alternatives = [part.parts() for part in formula if has_alternative_nouns(part)]
        if len(alternatives) > 1:
            raise Trouble("NOT_UNDERSTOOD")
        options = alternatives[0] if alternatives else (ANY,)
        shared = [part for part in formula if not has_alternative_nouns(part)]
        described = (conjunction(*shared, *conjuncts(one)) for one in options)
        phrases = [self._phrases.phrase(of.replace(of=one, quantity=None)) for one in described]
        text = self._phrases.said(of)
        return tuple(replace(one, text=text or one.text, number="all") for one in phrases), place

    def _place_of(self, where: Node) -> Place:
        other = self._phrases.place(target_of(where))
        return relation_to(where.text("relation"), other), replace(other, number="all")

    def _existence_question(self, of: Node) -> Question:
        if any(map(means_in_hand, of.walk())):
            things, _ = self._subject_and_place(of)
            plain = [one for one in things if _says_something(one)]
            return Question("held", tuple(plain))
        bound = _number_limit(of)
        if of.kind == "both":
            if any(map(_number_limit, of.parts())):
                raise Trouble("NOT_UNDERSTOOD")
            asked = [self._subject_and_place(part) for part in of.parts()]
            things = tuple(phrase for found, _ in asked for phrase in found)
            return Question("is", things, next((place for _, place in asked if place), None))
        things, place = self._subject_and_place(of)
        if bound == ("exactly", 0) or len(things) > 1:
            return Question("count", things or (_EVERYTHING,), place)
        return Question("is", things or (_EVERYTHING,), place, bound=bound)

    def _question_about_all(self, of: Node) -> Question:
        about, hold = of.node("of"), relation_to_side(of.node("hold"))
        if about.kind == "np" and formula_of(about) == HAND:
            if hold != Node("has", (("attribute", "empty"),)):
                raise Trouble("NOT_UNDERSTOOD")
            return Question("empty")
        if hold.kind == "rel" and means_in_hand(hold):
            return Question("held", tuple(self._all_phrases(about)))
        bound = _number_limit(about)
        if bound is not None and about.text("det") == "" and hold.kind == "rel":
            found = about.replace(of=conjunction(formula_of(about), hold))
            return self._existence_question(found)  # "at most two cubes are on the tray"
        if bound is not None and bound[0] != "exactly":
            raise Trouble("NOT_UNDERSTOOD")
        things = tuple(replace(one, number="all") for one in self._all_phrases(about))
        if hold.kind == "than" and hold.text("attribute") in _SIZES:
            other = self._phrases.phrase(with_corresponding_noun(about, hold.node("to")))
            sign = _SIZES[hold.text("attribute")][1]
            return Question("than", (*things, replace(other, number="all")), sign=sign)
        every = "all" in {node.text("det") for node in about.walk()} or _plural(about)
        every = every or (formula_of(about).kind in ("any", "rel") and not self._phrases.korean)
        if hold.kind == "rel":
            anything = not any(map(_says_something, things)) and about.text("det") == ""
            every = every or self._phrases.korean or anything
            return Question("is", things, self._place_of(hold), every=every)
        if hold.kind != "has" and hold.kind != "or":
            raise Trouble("NOT_UNDERSTOOD")
        value = hold.text("attribute")
        if value == "empty":
            return Question("empty", things)
        if value == "sorted":
            things = tuple(one for one in things if _says_something(one) and not one.table)
            by = cast(Attribute, hold.text("by")) or None
            return Question("sorted", things, by=by)
        like = self._phrases.attribute_values(hold)
        if not like:
            raise Trouble("NOT_UNDERSTOOD")
        return Question("is", things, like=like, every=every)


def _number_limit(phrase: Node) -> tuple[str, int] | None:
    """Return the limit on the number of objects of a phrase; None without one."""
    quantity = phrase.get("quantity")
    if not isinstance(quantity, Node):
        return None
    if quantity.text("bound") == "share":
        raise Trouble("NOT_UNDERSTOOD")
    return quantity.text("bound"), int(quantity.text("number"))


def _is_about_each_place(of: Node) -> bool:
    """Return True if a phrase names the places of its objects with "each"."""
    places = (part.get("to") for part in of.walk() if part.kind == "rel")
    return any(isinstance(one, Node) and one.text("det") == "each" for one in places)


def _plural(node: Node) -> bool:
    return any(one.kind == "many" for one in node.walk())


def _says_something(phrase: Phrase) -> bool:
    plain = replace(phrase, text="", number="one", count=0, definite=False)
    return plain != Phrase()
