"""Conversion of a parsed meaning to a `Question`.

A question that tools cannot answer completely is refused with the words in question.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any, Literal, cast, get_args

from bt_exec.language.reading.node import Node, conjunction, conjuncts, negation
from bt_exec.language.reading.reader import Reading
from bt_exec.language.reading.session import resolve
from bt_exec_skills.image.perception.attributes import (
    ATTRIBUTES,
    AttributeName,
    Grouping,
)
from bt_exec_skills.image.perception.codes import CodeKind
from bt_exec_skills.image.perception.compare import Aspect
from bt_exec_skills.image.perception.decide import Bound
from bt_exec_skills.image.perception.extents import Extent
from bt_exec_skills.image.perception.graded_attributes import (
    DEGREES,
    DegreeName,
    GradedName,
)
from bt_exec_skills.image.perception.relations import SIDES, RelationName
from bt_exec_skills.image.perception.written_values import Written
from bt_exec_skills.image.rules.question import (
    BAR,
    SEVERAL,
    Degree,
    Kind,
    Known,
    Phrase,
    Place,
    Question,
    Unread,
)
from bt_exec_skills.image.rules.words import generator, reader

__all__ = ["question_from_meaning", "read_question", "read_with_words", "resolve_meaning"]

_DIRECT: dict[str, Kind] = {"how_many": "count", "where": "where"}
_SAID_AS = {"at": "on", "in": "inside"}  # relations that only the grammar names
_GROUPED: dict[str, Kind] = {"how_many": "groups", "which": "most"}
_UPPERMOST = {"on": "above"}
_OF_BARS: dict[str, GradedName] = {"above": "tall", "below": "short"}  # "the highest bar"


def read_question(text: str, context: Sequence[str] = (), names: Iterable[str] = ()) -> Question:
    """Return the meaning of a question, Korean or English.

    Args:
        text: The question.
        context: Earlier questions, to which fragments and pronouns refer.
        names: Names of objects in addition to those of the lexicon.

    Raises:
        Unread: If tools cannot answer it.
    """
    return read_with_words(text, context, names)[0]


def read_with_words(
    text: str, context: Sequence[str] = (), names: Iterable[str] = ()
) -> tuple[Question, Reading]:
    """Return the meaning of a question and of its words; see `read_question`."""
    meaning, found = resolve_meaning(text, context, names)
    return question_from_meaning(meaning, found.language, text), found


def question_from_meaning(meaning: Node, language: str, text: str) -> Question:
    """Return the question of a resolved meaning.

    Args:
        meaning: A node of the kind ``ask``.
        language: Language of words in answers.
        text: The question as typed, for refusals.

    Raises:
        Unread: If tools cannot answer it.
    """
    return _Questions(language, text).question(meaning)


def resolve_meaning(
    text: str, context: Sequence[str] = (), names: Iterable[str] = ()
) -> tuple[Node, Reading]:
    """Return the resolved meaning of a question, and the interpretation of its words.

    Raises:
        Unread: If it is not understood.
    """
    names = tuple(names)
    found = reader().read(text, names)
    if not isinstance(found, Reading):
        unknown = " ".join(found.unknown)
        raise Unread("NEEDS_MODEL" if unknown else "QUESTION_UNCLEAR", unknown or text)
    if found.respelt:
        raise Unread("QUESTION_RESPELT", text, found.respelt)
    kinds = reader().lexicon(found.language).kinds
    earlier = _earlier_meanings(context, names)
    resolved = [resolve(one, earlier, kinds) for one in (found.meaning, *found.rivals)]
    meanings = list(dict.fromkeys(one for one in resolved if one is not None))
    if len(meanings) != 1 or meanings[0].kind != "ask":
        raise Unread("NEEDS_MODEL" if found.unknown else "QUESTION_UNCLEAR", text)
    return meanings[0], found


def _earlier_meanings(context: Sequence[str], names: tuple[str, ...]) -> list[Node]:
    """Return the meanings of earlier questions, each resolved against those before it."""
    earlier: list[Node] = []
    for said in context:
        before = reader().read(said, names)
        if isinstance(before, Reading) and not before.respelt and not before.rivals:
            kinds = reader().lexicon(before.language).kinds
            resolved = resolve(before.meaning, earlier, kinds)
            earlier += [resolved] if resolved is not None and resolved.kind == "ask" else []
    return earlier


class _Questions:
    """Conversion of meanings to questions.

    Args:
        language: Language of words in answers.
        text: The question as typed.
    """

    def __init__(self, language: str, text: str) -> None:
        self._generator = generator(language)
        self._korean = language == "ko"
        self._kinds = reader().lexicon("en").kinds
        self._text = text

    def question(self, meaning: Node) -> Question:
        """Return the question of a meaning.

        Raises:
            Unread: If tools cannot answer it.
        """
        beside = any(node.text("relation") == "beside" for node in meaning.walk())
        if beside and meaning.text("what") not in ("what", "which", "where"):
            raise self._make_refusal()  # the nearest one is named, but need not be beside it
        found = self._convert(meaning)
        return replace(found, said_back=self._generator.sentence(meaning))

    def _convert(self, meaning: Node) -> Question:
        what, of = meaning.text("what"), meaning.node("of")
        if what in _DIRECT and of.kind != "aspect" and meaning.get("given") is None:
            return Question(_DIRECT[what], self._convert_phrase(of))
        known = self._parse_known_size(meaning.get("given"))
        if of.kind == "apart":
            target, other = self._convert_phrase(of.node("of")), self._convert_phrase(of.node("to"))
            return Question("measure", target, other, extent="distance", known=known)
        if of.kind == "aspect":
            return self._convert_aspect(what, of, known)
        if known is not None:
            raise self._make_refusal()
        if what == "which":
            return self._convert_which(of)
        return self._convert_proposition(of)

    def _convert_proposition(self, of: Node) -> Question:
        """Return the question whether a proposition holds."""
        if of.kind == "scene":
            return Question("same", Phrase())
        if of.kind == "exists":
            return self._convert_exists(of.node("of"))
        if of.kind == "all":
            every = self._convert_phrase(of.node("of"))
            formula = self._formula_of(of.node("of"))
            target = self._convert_formula(conjunction(formula, of.node("hold")))
            return Question("all", target, other=every)
        other = self._convert_phrase(of.node("to"))
        if of.kind == "more":
            return Question("compare", self._convert_phrase(of.node("of")), other=other)
        if of.kind == "alike" and of.text("aspect") in get_args(Aspect):
            aspect = cast(Aspect, of.text("aspect"))
            return Question(
                "alike", self._convert_phrase(of.node("of")), other=other, aspect=aspect
            )
        raise self._make_refusal()

    def _convert_groups(self, kind: Kind, of: Node) -> Question:
        name, phrase = of.text("name"), of.node("of")
        if name not in ("colour", "shape", "kind"):
            raise self._make_refusal()
        listed = next((node for node in phrase.walk() if node.kind == "or"), None)
        if name == "kind" and listed is not None:  # "how many red and how many blue ones"
            kinds = {self._kinds.get(one.text("attribute"), "kind") for one in listed.parts()}
            name = kinds.pop() if len(kinds) == 1 else ""
        if phrase.text("wh") == "distinct":
            kind = "variety"
        if name not in get_args(Grouping):
            raise self._make_refusal()
        return Question(kind, self._convert_phrase(phrase), aspect=cast(Grouping, name))

    def _convert_text_existence(self, of: Node) -> Question:
        """Return the question whether there is text, anywhere in the picture."""
        if (
            of.text("name") != "writing"
            or conjuncts(self._formula_of(of.node("of")))[0].kind != "any"
        ):
            raise self._make_refusal()
        return Question("exists", Phrase(thing="writing"))

    def _convert_which(self, of: Node) -> Question:
        """Return the question which of two sets is meant, or what an object is."""
        if of.kind == "more":
            degree = cast(GradedName, of.text("sign"))
            one, other = self._convert_phrase(of.node("of")), self._convert_phrase(of.node("to"))
            return Question("which", one, other=other, degree=degree)
        if of.kind == "all":
            return self._chosen(self._formula_of(of.node("of")), of.node("hold"))
        formula = self._formula_of(of) if of.kind == "np" else of
        if formula.kind == "most" and formula.text("attribute") in get_args(Written):
            article = formula.node("of")
            if article.kind != "any" and article.text("name") != "menu":
                raise self._make_refusal()
            return Question("value", Phrase(), written=cast(Written, formula.text("attribute")))
        if of.kind != "np":
            raise self._make_refusal()
        phrase = self._convert_formula(formula)
        if phrase.places and phrase.places[0].to.thing in get_args(CodeKind):
            return Question("read", phrase.places[0].to)
        if phrase.of is not None and phrase.of.thing == BAR:
            return Question("bar", phrase, bar="label")
        return Question("name", phrase)

    def _chosen(self, formula: Node, options: Node) -> Question:
        """Return the question which of several alternatives holds for an object."""
        kinds = {self._kinds.get(one.text("attribute"), "") for one in options.parts()}
        if kinds in ({"colour"}, {"shape"}):
            return Question(
                cast(Kind, kinds.pop()), self._convert_formula(conjunction(formula, options))
            )
        if len(options.parts()) != 2:
            raise self._make_refusal()
        one, other = (self._convert_formula(conjunction(formula, part)) for part in options.parts())
        return Question("which", one, other=other)

    def _convert_aspect(self, what: str, of: Node, known: Known | None) -> Question:
        if known is None and what in _GROUPED:
            return self._convert_groups(_GROUPED[what], of)
        if known is None and what == "whether":
            return self._convert_text_existence(of)
        name, phrase = of.text("name"), self._convert_phrase(of.node("of"))
        bar = any(node.text("name") == BAR for node in of.walk() if node.kind == "thing")
        if known is None and (name == "value" or (name in ("price", "height") and bar)):
            return Question("bar", phrase)
        if name in get_args(Extent):
            return Question("measure", phrase, extent=cast(Extent, name), known=known)
        if known is None and name in get_args(Written):
            return Question("value", phrase, written=cast(Written, name))
        kind = {"writing": "read", "colour": "colour", "shape": "shape"}.get(name)
        if kind is None or known is not None:
            raise self._make_refusal()
        return Question(cast(Kind, kind), phrase)

    def _parse_known_size(self, given: Any) -> Known | None:
        if not isinstance(given, Node):
            return None
        extent, length = cast(Extent, given.text("name")), int(given.text("number"))
        if length < 1:
            raise self._make_refusal()
        return Known(self._convert_phrase(given.node("of")), extent, length, given.text("unit"))

    def _convert_exists(self, phrase: Node) -> Question:
        quantity = phrase.get("quantity")
        target = self._convert_phrase(phrase.replace(quantity=None))
        if not isinstance(quantity, Node):
            return Question("exists", target)
        bound = cast(Bound, quantity.text("bound"))
        return Question("exists", target, bound=bound, number=int(quantity.text("number")))

    def _formula_of(self, phrase: Node) -> Node:
        if phrase.kind != "np" or phrase.get("quantity") is not None:
            raise self._make_refusal()
        return phrase.node("of")

    def _convert_phrase(self, phrase: Node) -> Phrase:
        return self._convert_formula(self._formula_of(phrase))

    def _convert_formula(self, formula: Node) -> Phrase:
        """Return the description of objects given by a formula."""
        parts = [inner for part in conjuncts(formula) for inner in conjuncts(part)]
        found = Phrase(said=self._generator.phrase(formula))
        beside = next((one for one in parts if one.text("relation") == "beside"), None)
        if beside is not None:
            rest = conjunction(*(one for one in parts if one is not beside))
            to = self._convert_phrase(beside.node("to"))
            return replace(found, top="nearest", of=self._convert_formula(rest), near=to)
        for part in parts:
            found = self._add_part(found, part)
        if self._is_contradictory(found):
            raise self._make_refusal()
        return replace(found, attributes=tuple(sorted(found.attributes, key=ATTRIBUTES.index)))

    def _add_part(self, phrase: Phrase, part: Node) -> Phrase:
        if part.kind == "any":
            return phrase
        if part.kind == "thing":
            if phrase.thing and BAR not in (phrase.thing, part.text("name")):
                raise self._make_refusal(part.text("name"))
            name = phrase.thing if part.text("name") == BAR else ""
            return replace(phrase, thing=name or part.text("name"))
        if part.kind == "has":
            return replace(phrase, attributes=(*phrase.attributes, self._parse_attribute(part)))
        kinds = {one.kind for one in part.parts()} if part.kind == "or" else set()
        if kinds == {"thing"} and not phrase.thing:
            names = [one.text("name") for one in part.parts()]
            codes = {*names} <= {*get_args(CodeKind)}
            return replace(phrase, thing="code" if codes else SEVERAL.join(names))
        if kinds == {"not"}:
            out = self._convert_formula(conjunction(*map(negation, part.parts())))
            return replace(phrase, left_out=(*phrase.left_out, out))
        if part.kind == "or":
            return replace(
                phrase, either=(*phrase.either, tuple(map(self._parse_attribute, part.parts())))
            )
        if part.kind == "most" and phrase.top is None and part.get("of") is not None:
            return self._add_superlative(phrase, part)
        holds = part.kind != "not"
        inner = part if holds else part.parts()[0]
        if inner.kind == "rel":
            to = inner.node("to")
            first, *rest = map(self._convert_phrase, to.parts() if to.kind == "both" else (to,))
            place = Place(self._parse_relation(inner, first), first, holds, *rest)
            return replace(phrase, places=(*phrase.places, place))
        if inner.kind == "than":
            degree = Degree(
                self._parse_degree(inner), self._convert_phrase(inner.node("to")), holds
            )
            return replace(phrase, degrees=(*phrase.degrees, degree))
        if holds or inner.kind not in ("has", "thing"):
            raise self._make_refusal()
        return replace(phrase, left_out=(*phrase.left_out, self._convert_formula(inner)))

    def _parse_attribute(self, part: Node) -> AttributeName:
        if part.kind != "has":
            raise self._make_refusal()
        return cast(AttributeName, part.text("attribute"))

    def _add_superlative(self, phrase: Phrase, part: Node) -> Phrase:
        of, to = self._convert_formula(part.node("of")), part.get("to")
        if isinstance(to, Node):
            near = self._convert_phrase(to)
            top = cast(Literal["nearest", "farthest"], part.text("attribute"))
            return replace(phrase, top=top, of=of, near=near)
        side = _UPPERMOST.get(part.text("attribute"), part.text("attribute"))
        if of.thing == BAR and side in _OF_BARS:
            return replace(phrase, top=_OF_BARS[side], of=of)
        if side in SIDES:
            return replace(phrase, top=cast(DegreeName, side), of=of)
        return replace(phrase, top=self._parse_degree(part), of=of)

    def _parse_degree(self, part: Node) -> GradedName:
        attribute = part.text("attribute")
        if attribute not in DEGREES:
            raise self._make_refusal()
        return attribute

    def _parse_relation(self, part: Node, to: Phrase) -> RelationName:
        name = part.text("relation")
        if self._korean and not to.thing:  # 위 is "on" or "above"; a drawn shape carries nothing
            name = _UPPERMOST.get(name, name)
        return cast(RelationName, _SAID_AS.get(name, name))

    def _is_contradictory(self, phrase: Phrase) -> bool:
        """Return True if no object can satisfy it: red and blue, or red and not red."""
        kinds = [self._kinds.get(name, name) for name in dict.fromkeys(phrase.attributes)]
        excluded = {name for out in phrase.left_out for name in out.attributes}
        things = {out.thing for out in phrase.left_out if out.thing}
        return (
            len(set(kinds)) < len(kinds)
            or bool(excluded & set(phrase.attributes))
            or phrase.thing in things - {""}
        )

    def _make_refusal(self, words: str = "") -> Unread:
        return Unread("QUESTION_UNCLEAR", words or self._text)
