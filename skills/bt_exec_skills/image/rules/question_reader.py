"""Parsing of questions about pictures, and conversion of their meanings to a `Question`.

A question that tools cannot answer completely is refused with the words that they cannot answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, cast, get_args

from bt_exec.language.reading.meaning_node import (
    Node,
    conjunction,
    conjuncts,
    disjunction,
    negation,
    normal_form,
)
from bt_exec.language.reading.reader import Reading
from bt_exec.language.reading.reference_resolution import resolve_references, subject_of
from bt_exec_skills.image.perception.attributes import (
    Grouping,
)
from bt_exec_skills.image.perception.barcodes import CodeKind
from bt_exec_skills.image.perception.graded_attributes import DEGREES, GradedName
from bt_exec_skills.image.perception.instance_decisions import Bound
from bt_exec_skills.image.perception.measurements import Extent
from bt_exec_skills.image.perception.picture_comparison import Aspect
from bt_exec_skills.image.perception.written_values import Written
from bt_exec_skills.image.rules.lexicon import generator, reader
from bt_exec_skills.image.rules.phrases_to_descriptions import PhraseConverter, shared_conjuncts
from bt_exec_skills.image.rules.price_questions import (
    PRICED,
    article_name,
    superlative_of_price,
    without_document,
)
from bt_exec_skills.image.rules.question import (
    BAR,
    SEVERAL,
    Kind,
    Known,
    Phrase,
    Place,
    Question,
    UnanswerableQuestion,
)

__all__ = ["question_from_meaning", "read_question", "read_with_words", "resolve_meaning"]

_DIRECT: dict[str, Kind] = {"how_many": "count", "where": "where"}
_GROUPED: dict[str, Kind] = {"how_many": "groups", "which": "most"}
_ANY = Node("any")
_ANYTHING = Node("np", (("of", _ANY),))
_ALL_THINGS = Node("ask", (("what", "where"), ("of", _ANYTHING)))
_MOST_ARTICLES = 20
_WRITTEN_ON = ("sign", "receipt", "menu", "ticket")  # "what is on the sign" asks for text
_BAR = Node("thing", (("name", BAR),))
_THIS_ONE, _IT = Node("np", (("of", Node("one")),)), Node("pronoun", (("name", "it"),))
_IN_IT = tuple(
    Node("rel", (("relation", relation), ("to", _IT))) for relation in ("in", "inside", "on", "at")
)
_CHANGED, _DIFFERENT = (
    Node("has", (("attribute", "changed"),)),
    Node("scene", (("what", "different"),)),
)
_WRITTEN_ON_IT = Node("aspect", (("name", "writing"), ("of", _IT)))


def read_question(text: str, context: Sequence[str] = (), names: Iterable[str] = ()) -> Question:
    """Return the meaning of a question, Korean or English.

    Args:
        text: The question.
        context: Earlier questions, to which fragments and pronouns refer.
        names: Names of objects in addition to those of the lexicon.

    Raises:
        UnanswerableQuestion: If tools cannot answer the question.
    """
    return read_with_words(text, context, names)[0]


def read_with_words(
    text: str, context: Sequence[str] = (), names: Iterable[str] = ()
) -> tuple[Question, Reading]:
    """Return a question and its parsed text; see `read_question`."""
    meaning, found = resolve_meaning(text, context, names)
    return question_from_meaning(meaning, found.language, text), found


def question_from_meaning(meaning: Node, language: str, text: str) -> Question:
    """Return the question that a resolved meaning asks.

    Args:
        meaning: A node of the kind ``ask``.
        language: Language of words in answers.
        text: The question as typed, for refusals.

    Raises:
        UnanswerableQuestion: If tools cannot answer the question.
    """
    nearest = meaning.text("what") in ("what", "which", "where")
    return _Questions(language, text, nearest=nearest).question(meaning)


def resolve_meaning(
    text: str, context: Sequence[str] = (), names: Iterable[str] = ()
) -> tuple[Node, Reading]:
    """Return the resolved meaning of a question, and its parsed text.

    Raises:
        UnanswerableQuestion: If the question is not understood.
    """
    names = tuple(names)
    found = reader().read(text, names)
    if not isinstance(found, Reading):
        unknown = " ".join(found.unknown_words)
        raise UnanswerableQuestion(
            "NEEDS_MODEL" if unknown else "QUESTION_UNCLEAR", unknown or text
        )
    if found.unknown_words and any(reader().intended_texts(text, names)):
        raise UnanswerableQuestion("NEEDS_MODEL", " ".join(found.unknown_words))
    kinds = reader().lexicon(found.language).kinds
    earlier = _earlier_meanings(context, names)
    resolved = [
        _resolved(one, earlier, kinds, first=not context) for one in (found.meaning, *found.rivals)
    ]
    meanings = list(dict.fromkeys(one for one in resolved if one is not None))
    if len(meanings) != 1 or meanings[0].kind != "ask":
        raise UnanswerableQuestion(
            "NEEDS_MODEL" if found.unknown_words else "QUESTION_UNCLEAR", text
        )
    return meanings[0], found


def _of_same_bar(meaning: Node, earlier: Sequence[Node]) -> Node:
    """Return a question in which "that bar" is replaced by the bar of the previous question."""
    before = subject_of(earlier[-1]) if earlier else None
    if before is None or _BAR not in before.walk():
        return meaning
    return meaning.substitute(Node("np", (("of", _BAR),)), before)


def _resolved(
    meaning: Node, earlier: Sequence[Node], kinds: Mapping[str, str], *, first: bool
) -> Node | None:
    """Return a question with its references resolved, or None if one has no antecedent.

    In the first question of a session, "in it" and "in this one" mean the picture. After a
    "how many" question, "in it" has no antecedent.
    """
    meaning = _as_comparison(meaning.substitute(_THIS_ONE, _IT))
    if first:
        for within in _IN_IT:
            meaning = meaning.substitute(within, _ANY)
        meaning = meaning.substitute(_WRITTEN_ON_IT, _WRITTEN_ON_IT.replace(of=_ANYTHING))
    elif (
        earlier
        and earlier[-1].text("what") == "how_many"
        and any(one in _IN_IT for one in meaning.walk())
    ):
        return None
    before = earlier or [_ALL_THINGS] * (first and _refers_to_all_objects(meaning))
    return resolve_references(_of_same_bar(normal_form(meaning), earlier), before, kinds)


def _as_comparison(meaning: Node) -> Node:
    """Return "what has changed?" as the question in what two pictures differ; others unchanged."""
    of = meaning.get("of")
    if meaning.kind != "ask" or not isinstance(of, Node) or meaning.text("what") == "how_many":
        return meaning
    phrase = of.node("of") if of.kind == "exists" else of
    if phrase.kind != "np" or phrase.get("quantity") or phrase.node("of") != _CHANGED:
        return meaning
    return meaning.replace(what="whether" if of.kind == "exists" else "what", of=_DIFFERENT)


def _refers_to_all_objects(meaning: Node) -> bool:
    """Return True if the only pronoun of a question is "them" ("these").

    Without an earlier question, it refers to all objects in the picture.
    """
    named = {one.text("name") for one in meaning.walk() if one.kind == "pronoun"}
    return meaning.kind == "ask" and named == {"them"}


def _earlier_meanings(context: Sequence[str], names: tuple[str, ...]) -> list[Node]:
    """Return the meanings of earlier questions, each resolved against those before it.

    References do not reach behind a question that was not understood.
    """
    earlier: list[Node] = []
    for said in context:
        before = reader().read(said, names)
        resolved = None
        if isinstance(before, Reading) and not before.rivals:
            kinds = reader().lexicon(before.language).kinds
            resolved = resolve_references(before.meaning, earlier, kinds)
        earlier = [*earlier, resolved] if resolved is not None and resolved.kind == "ask" else []
    return earlier


def _exceeding_others(formula: Node) -> Node:
    """Return the formula of "a bottle that is the biggest object" without a superlative.

    Such a bottle is bigger than all other objects; bottles are not compared with each other.
    """
    parts = conjuncts(formula)
    nouns = [one for one in parts if one.kind == "thing"]
    tops = [one for one in parts if one.kind == "most" and one.get("of") == _ANY]
    degree = tops[0].text("attribute") if len(nouns) == len(tops) == 1 else ""
    if len(parts) != 2 or degree not in DEGREES or tops[0].get("rank"):
        return formula
    others = Node("np", (("of", negation(nouns[0])),))
    return conjunction(*nouns, Node("than", (("attribute", degree), ("to", others))))


def _on_it(place: Phrase, phrase: Phrase) -> Phrase:
    """Return the description of any object at `place`, with the relation and words of `phrase`."""
    relation = phrase.places[0].relation
    return Phrase(said=phrase.said, places=(Place(relation, place),))


class _Questions:
    """Conversion of meanings to questions.

    Args:
        language: Language of words in answers.
        text: The question as typed.
        nearest: Whether "beside" selects the nearest object; see `PhraseConverter`.
    """

    def __init__(self, language: str, text: str, *, nearest: bool) -> None:
        self._generator = generator(language)
        self._kinds = reader().lexicon("en").kinds
        self._described = PhraseConverter(language, text, nearest=nearest)

    def question(self, meaning: Node) -> Question:
        """Return the question that a meaning asks.

        Raises:
            UnanswerableQuestion: If tools cannot answer the question.
        """
        return replace(self._convert(meaning), said_back=self._generator.sentence(meaning))

    def _convert(self, meaning: Node) -> Question:
        what, of = meaning.text("what"), meaning.node("of")
        if what in _DIRECT and of.kind not in ("aspect", "more") and meaning.get("given") is None:
            return Question(_DIRECT[what], self._described.describe_phrase(of))
        if of.kind == "written":
            number = int(of.text("number") or 1)
            written = cast(Written, of.text("what"))
            return Question("value", Phrase(), written=written, number=number)
        known = self._parse_known_size(meaning.get("given"))
        if what in ("share", "how_many_of"):
            target, every = self._parts_of_whole(of)
            return Question("share", target, other=every)
        if what == "how_many" and of.kind == "more":
            target, other = (
                self._described.describe_phrase(of.node("of")),
                self._described.describe_phrase(of.node("to")),
            )
            return Question("difference", target, other=other)
        if of.kind == "apart":
            target, to = self._described.describe_phrase(of.node("of")), of.get("to")
            second = self._described.describe_phrase(to) if isinstance(to, Node) else None
            return Question("measure", target, second, extent="distance", known=known)
        if of.kind == "aspect":
            return self._convert_aspect(what, of, known)
        if known is not None:
            raise self._described.refusal()
        if what == "which":
            return self._convert_which(of)
        return self._convert_proposition(of)

    def _compared_sets(self, of: Node) -> tuple[Phrase, Phrase]:
        """Return the descriptions of the two sets that a meaning compares."""
        return self._described.describe_phrase(of.node("of")), self._described.describe_phrase(
            of.node("to")
        )

    def _parts_of_whole(self, of: Node) -> tuple[Phrase, Phrase]:
        """Return the descriptions of the objects with a property, and of all objects."""
        every = self._described.describe_phrase(of.node("of"))
        formula = self._described.formula_of(of.node("of"))
        return self._described.describe_formula(conjunction(formula, of.node("hold"))), every

    def _convert_proposition(self, of: Node) -> Question:
        """Return the yes/no question whether a proposition holds."""
        if of.kind == "scene":
            return Question("same", Phrase())
        if of.kind == "exists":
            return self._convert_exists(of.node("of"))
        if of.kind == "all" and of.node("hold").kind == "than":
            than = of.node("hold")
            if than.text("attribute") in PRICED:
                pair = Node("more", (("of", of.node("of")), ("to", than.node("to"))))
                return self._convert_prices(pair, PRICED[than.text("attribute")][1])
        if of.kind == "all":
            target, every = self._parts_of_whole(of)
            return Question("all", target, other=every)
        target, to = self._described.describe_phrase(of.node("of")), of.get("to")
        other = self._described.describe_phrase(to) if isinstance(to, Node) else None
        if of.kind == "more":
            return Question("compare", target, other=other)
        if of.kind == "alike" and of.text("aspect") in get_args(Aspect):
            return Question("alike", target, other=other, aspect=cast(Aspect, of.text("aspect")))
        raise self._described.refusal()

    def _convert_groups(self, kind: Kind, of: Node) -> Question:
        name, phrase = of.text("name"), of.node("of")
        if name not in ("colour", "shape", "kind"):
            raise self._described.refusal()
        listed = next((node for node in phrase.walk() if node.kind == "or"), None)
        if listed is not None and (shared := shared_conjuncts(listed)):
            own = [[x for x in conjuncts(one) if x not in shared] for one in listed.parts()]
            several, listed = listed, disjunction(*(conjunction(*one) for one in own))
            phrase = phrase.substitute(several, conjunction(*shared, listed))
            if len(self._kinds_of(listed)) > 1:
                raise self._described.refusal()  # groups that may overlap
        if listed is not None and any(one.kind == "and" for one in listed.parts()):
            raise self._described.refusal()  # groups that may overlap
        if name == "kind" and listed is not None:  # "how many red and how many blue ones"
            kinds = self._kinds_of(listed)
            if len(kinds) > 1:  # "how many big and red ones" are both
                both = phrase.substitute(listed, conjunction(*listed.parts()))
                return Question("count", self._described.describe_phrase(both))
            name = kinds.pop()
        if phrase.text("wh") == "distinct":
            kind = "variety"
        if name not in get_args(Grouping):
            raise self._described.refusal()
        return Question(kind, self._described.describe_phrase(phrase), aspect=cast(Grouping, name))

    def _kinds_of(self, listed: Node) -> set[str]:
        """Return the kinds of the attributes in alternatives; ``kind`` stands for classes."""
        return {self._kinds.get(one.text("attribute"), "kind") for one in listed.parts()}

    def _convert_text_existence(self, of: Node) -> Question:
        """Return the question whether there is text, in the picture or on an object."""
        if of.text("name") != "writing":
            raise self._described.refusal()
        on = self._described.describe_phrase(of.node("of"))
        text = Phrase(thing="writing", said=on.said)
        if on == Phrase(on.attributes, on.thing, on.said) and on.thing in ("", "sign"):
            return Question("exists", replace(text, attributes=on.attributes))
        return Question("exists", replace(text, places=(Place("inside", on),)))

    def _convert_which(self, of: Node) -> Question:
        """Return the question that a "which" or "what" question asks.

        It asks which object has the higher degree or price, what an object is called, what a text
        or code says, or which bar of a chart is meant.
        """
        if of.kind == "more" and of.text("sign") in PRICED:
            return self._convert_prices(of, PRICED[of.text("sign")][0])
        if of.kind == "more":
            degree = cast(GradedName, of.text("sign"))
            one, other = (
                self._described.describe_phrase(of.node("of")),
                self._described.describe_phrase(of.node("to")),
            )
            return Question("which", one, other=other, degree=degree)
        if of.kind == "all":
            return self._convert_alternatives(
                self._described.formula_of(of.node("of")), of.node("hold")
            )
        formula = self._described.formula_of(of) if of.kind == "np" else of
        if (written := superlative_of_price(formula)) is not None:
            return Question(
                "value",
                self._described.describe_formula(without_document(formula)),
                written=written,
            )
        if of.kind != "np":
            raise self._described.refusal()
        if formula.kind == "than" and formula.text("attribute") in PRICED:
            written = cast(Written, f"{PRICED[formula.text('attribute')][1]}_than")
            return self._convert_prices(Node("both", (("of", (formula.node("to"),)),)), written)
        phrase = self._described.describe_formula(formula)
        inside = phrase.places[0].to if phrase.places else phrase
        if (inside.of or inside).thing in get_args(CodeKind):
            return Question("read", inside)
        if phrase.places and inside.thing in _WRITTEN_ON and phrase == _on_it(inside, phrase):
            return Question("read", inside)
        if phrase.of is not None and phrase.of.thing == BAR:
            return Question("bar", phrase, bar="label")
        return Question("name", phrase)

    def _convert_alternatives(self, formula: Node, options: Node) -> Question:
        """Return the question which of several alternatives holds for an object."""
        kinds = {self._kinds.get(one.text("attribute"), "") for one in options.parts()}
        if kinds in ({"colour"}, {"shape"}):
            return Question(
                cast(Kind, kinds.pop()),
                self._described.describe_formula(conjunction(formula, options)),
            )
        if len(options.parts()) != 2:
            raise self._described.refusal()
        one, other = (
            self._described.describe_formula(conjunction(formula, part)) for part in options.parts()
        )
        return Question("which", one, other=other)

    def _convert_prices(self, pair: Node, written: Written) -> Question:
        """Return a question about the prices of several articles."""
        both = pair if pair.kind == "both" else None
        parts = both.parts() if both is not None else (pair.node("of"), pair.node("to"))
        articles: list[str] = []
        for part in parts:
            quantity = part.get("quantity")
            number = int(quantity.text("number")) if isinstance(quantity, Node) else 1
            phrase = self._described.describe_phrase(part.replace(quantity=None))
            plain = replace(phrase, attributes=(), thing="", said="") == Phrase()
            if not (plain and phrase.thing and 0 < number <= _MOST_ARTICLES):
                raise self._described.refusal()
            articles += [article_name(phrase)] * number
        said = self._generator.phrase(parts[0].node("of"))
        return Question("value", Phrase(thing=SEVERAL.join(articles), said=said), written=written)

    def _convert_price_relation(self, what: str, several: Node) -> Question:
        """Return the question about the sum, the difference or the order of prices."""
        if several.kind != "more":
            written: Written = "price" if several.kind == "both" else "gap"
            return self._convert_prices(several, written)
        if several.text("sign") not in PRICED:
            raise self._described.refusal()
        if what == "which":
            named = f"{PRICED[several.text('sign')][0]}_by"
            return self._convert_prices(several, cast(Written, named))
        if several.text("sign") != "expensive":
            several = several.replace(of=several.node("to"), to=several.node("of"))
        return self._convert_prices(several, "difference")

    def _convert_aspect(self, what: str, of: Node, known: Known | None) -> Question:
        inner = of.node("of")
        if known is None and what in _GROUPED and inner.kind != "more":
            return self._convert_groups(_GROUPED[what], of)
        if known is None and what == "whether":
            return self._convert_text_existence(of)
        if known is None and of.text("name") == "price" and inner.kind in ("both", "apart", "more"):
            return self._convert_price_relation(what, inner)
        if known is None and of.text("name") == "name":
            return self._convert_name(inner)
        top = self._described.formula_of(inner) if inner.kind == "np" else inner
        if (
            known is None
            and of.text("name") == "price"
            and (written := superlative_of_price(top)) is not None
        ):
            return Question(
                "value", self._described.describe_formula(without_document(top)), written=written
            )
        name, phrase = of.text("name"), self._described.describe_phrase(of.node("of"))
        bar = any(node.text("name") == BAR for node in of.walk() if node.kind == "thing")
        labelled = self._kinds.get(phrase.thing) == "calendar"
        if known is None and (
            name == "value"
            or (name == "price" and labelled)
            or (name in ("price", "height") and bar)
        ):
            return Question("bar", phrase)
        name = "area" if name == "size" else name
        if name in get_args(Extent):
            return Question("measure", phrase, extent=cast(Extent, name), known=known)
        if known is None and name in get_args(Written):
            if phrase.attributes and phrase.thing:  # "green tea"
                phrase = replace(phrase, attributes=(), thing=article_name(phrase))
            return Question("value", phrase, written=cast(Written, name))
        kind = {"writing": "read", "colour": "colour", "shape": "shape"}.get(name)
        if kind is None or known is not None:
            raise self._described.refusal()
        return Question(cast(Kind, kind), phrase)

    def _convert_name(self, phrase: Node) -> Question:
        """Return the question what an object is called; names of persons are refused."""
        found = self._convert_which(phrase)
        about = found.target
        while about.of is not None:
            about = about.of
        if any(self._kinds.get(one) == "person" for one in about.thing.split(SEVERAL)):
            raise UnanswerableQuestion("PERSON_UNKNOWN", found.target.said)
        return found

    def _parse_known_size(self, given: Any) -> Known | None:
        if not isinstance(given, Node):
            return None
        extent, length = cast(Extent, given.text("name")), int(given.text("number"))
        if length < 1:
            raise self._described.refusal()
        return Known(
            self._described.describe_phrase(given.node("of")), extent, length, given.text("unit")
        )

    def _convert_exists(self, phrase: Node) -> Question:
        quantity = phrase.get("quantity")
        than = [one for one in conjuncts(phrase.node("of")) if one.kind == "than"]
        if len(than) == 1 and than[0].text("attribute") in PRICED and quantity is None:
            rest = (one for one in conjuncts(phrase.node("of")) if one != than[0])
            pair = Node(
                "more", (("of", phrase.replace(of=conjunction(*rest))), ("to", than[0].node("to")))
            )
            return self._convert_prices(pair, PRICED[than[0].text("attribute")][1])
        phrase = phrase.replace(of=_exceeding_others(phrase.node("of")), quantity=None)
        target = self._described.describe_phrase(phrase)
        if not isinstance(quantity, Node):
            return Question("exists", target)
        bound = cast(Bound, quantity.text("bound"))
        return Question("exists", target, bound=bound, number=int(quantity.text("number")))
