"""Conversion of the meanings of questions about pictures to questions for tools."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast, get_args

from bt_exec.language.reading.meaning_node import (
    Node,
    conjunction,
    conjuncts,
    disjunction,
    negation,
)
from bt_exec_skills.image.perception.attributes import Grouping
from bt_exec_skills.image.perception.barcodes import CodeKind
from bt_exec_skills.image.perception.graded_attributes import DEGREES, DegreeName, GradedName
from bt_exec_skills.image.perception.instance_decisions import Bound
from bt_exec_skills.image.perception.measurements import Extent
from bt_exec_skills.image.perception.picture_comparison import Aspect
from bt_exec_skills.image.perception.written_values import Written
from bt_exec_skills.image.rules.lexicon import generator, reader
from bt_exec_skills.image.rules.phrases_to_descriptions import (
    UPPERMOST,
    PhraseConverter,
    shared_conjuncts,
)
from bt_exec_skills.image.rules.price_questions import (
    PRICED,
    article_name,
    superlative_of_price,
    without_document,
)
from bt_exec_skills.image.rules.question import (
    BAR,
    SEVERAL,
    Asked,
    Conditional,
    Kind,
    Known,
    Outcome,
    Phrase,
    Place,
    Question,
    UnanswerableQuestion,
)

__all__ = ["question_from_meaning", "questions_from_meaning"]

_LISTING = ("name", "colour", "where", "shape")
_DIRECT: dict[str, Kind] = {"how_many": "count", "where": "where"}
_GROUPED: dict[str, Kind] = {"how_many": "groups", "which": "most", "least": "least"}
_ANY = Node("any")
_MOST_ARTICLES = 20
_WRITTEN_ON = ("sign", "receipt", "menu", "ticket")  # "what is on the sign" asks for text


def questions_from_meaning(meaning: Node, language: str, text: str) -> tuple[Asked, ...]:
    """Return the questions that a resolved meaning asks, in order.

    Args:
        meaning: A node of the kind ``ask`` or ``if``, or a sequence of them.
        language: Language of words in answers.
        text: The text as typed, for refusals.

    Raises:
        UnanswerableQuestion: If tools cannot answer one of the questions.
    """
    found: list[Asked] = []
    for part in meaning.parts() if meaning.kind == "seq" else (meaning,):
        if part.kind == "ask":
            found.append(question_from_meaning(part, language, text))
            continue
        condition = part.node("of")
        if condition.text("what") != "whether":
            raise UnanswerableQuestion("QUESTION_UNCLEAR", text)
        branches = (
            questions_from_meaning(branch, language, text) if isinstance(branch, Node) else ()
            for branch in (part.get("then"), part.get("other"))
        )
        question = question_from_meaning(condition, language, text)
        found.append(Conditional(question, _required_outcome(condition), *branches))
    return tuple(found)


def _required_outcome(condition: Node) -> Outcome:
    """Return the answer to a condition's question that makes the condition true."""
    of = condition.node("of")
    if of.kind == "more":
        return cast(Outcome, of.text("sign"))
    return "no" if of == Node("scene", (("what", "different"),)) else "yes"


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


def _exceeding_others(formula: Node) -> Node:
    """Return the formula of "a bottle that is the biggest object" without a superlative.

    The bottle must be bigger than all objects that are not bottles.
    """
    parts = conjuncts(formula)
    nouns = [one for one in parts if one.kind == "thing"]
    tops = [one for one in parts if one.kind == "most" and one.get("of") == _ANY]
    degree = tops[0].text("attribute") if len(nouns) == len(tops) == 1 else ""
    if len(parts) != 2 or degree not in DEGREES or tops[0].get("rank"):
        return formula
    others = Node("np", (("of", negation(nouns[0])),))
    return conjunction(*nouns, Node("than", (("attribute", degree), ("to", others))))


def _as_comparison_of_two(of: Node) -> Node:
    """Return "the leftmost of A and B" as a comparison of A and B if one is a superlative itself.

    Superlatives among different objects have no common description.
    """
    top = of.get("of")
    if not isinstance(top, Node) or top.kind != "most" or top.get("to") or top.get("rank"):
        return of
    pair = top.node("of").parts() if top.node("of").kind == "or" else ()
    if len(pair) != 2 or all(one.kind != "most" for one in pair):
        return of
    one, other = (Node("np", (("of", part),)) for part in pair)
    side = UPPERMOST.get(top.text("attribute"), top.text("attribute"))
    return Node("more", (("of", one), ("to", other), ("sign", side)))


def _any_object_at(place: Phrase, phrase: Phrase) -> Phrase:
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
        asked = replace(self._convert(meaning), said_back=self._generator.sentence(meaning))
        order = meaning.text("order")
        if order and asked.kind not in _LISTING:
            raise self._described.refusal()
        return replace(asked, order=cast(DegreeName, order)) if order else asked

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
        if every.not_top:  # the superlative would be sought among the objects that satisfy `hold`
            raise self._described.refusal()
        formula = self._described.formula_of(of.node("of"))
        return self._described.describe_formula(conjunction(formula, of.node("hold"))), every

    def _convert_proposition(self, of: Node) -> Question:
        """Return the yes/no question of whether a proposition holds."""
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
        if of.kind == "alike" and of.node("of").text("wh") == "distinct":
            return Question("shared", target, aspect=cast(Grouping, of.text("aspect")))
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
            if len(kinds) > 1:  # "how many big and red ones": objects that are both
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
        """Return the question of whether there is text, in the picture or on an object."""
        if of.text("name") != "writing":
            raise self._described.refusal()
        on = self._described.describe_phrase(of.node("of"))
        text = Phrase(thing="writing", said=on.said)
        text = replace(text, picture=on.picture)
        if on == replace(text, attributes=on.attributes, thing=on.thing) and on.thing in (
            "", "sign",
        ):  # fmt: skip
            return Question("exists", replace(text, attributes=on.attributes))
        return Question("exists", replace(text, places=(Place("inside", on),)))

    def _convert_which(self, of: Node) -> Question:
        """Return the question that a "which" or "what" question asks.

        It asks which object has the higher degree or price, what an object is called, what a text
        or code says, or which bar of a chart is meant.
        """
        of = _as_comparison_of_two(of)
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
        if (
            phrase.places
            and inside.thing in _WRITTEN_ON
            and phrase == _any_object_at(inside, phrase)
        ):
            return Question("read", inside)
        if phrase.of is not None and phrase.of.thing == BAR:
            return Question("bar", phrase, bar="label")
        return Question("name", phrase)

    def _convert_alternatives(self, formula: Node, options: Node) -> Question:
        """Return the question of which alternative holds for an object."""
        kinds = {self._kinds.get(one.text("attribute"), "") for one in options.parts()}
        if kinds in ({"colour"}, {"shape"}):
            return Question(
                cast(Kind, kinds.pop()),
                self._described.describe_formula(conjunction(formula, options)),
            )
        classes = {one.kind for one in options.parts()} == {"thing"}
        if classes and any(one.kind == "most" for one in conjuncts(formula)):
            return Question("name", self._described.describe_formula(formula))
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
        if name == "kind" and known is None:
            return self._convert_groups("groups", of)
        kind = {"writing": "read", "colour": "colour", "shape": "shape"}.get(name)
        if kind is None or known is not None:
            raise self._described.refusal()
        return Question(cast(Kind, kind), phrase)

    def _convert_name(self, phrase: Node) -> Question:
        """Return the question of what an object is called; names of persons are refused."""
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
