"""Parsing of texts with questions about pictures, and resolution of their references.

A question that tools cannot answer completely is refused with the words that they cannot answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from bt_exec.language.reading.meaning_node import (
    Node,
    in_picture,
    normal_form,
    without_picture,
)
from bt_exec.language.reading.reader import Reading
from bt_exec.language.reading.reference_resolution import (
    resolve_references,
    subject_of,
    with_named_conditions,
)
from bt_exec_skills.image.rules.lexicon import reader
from bt_exec_skills.image.rules.meaning_to_questions import questions_from_meaning
from bt_exec_skills.image.rules.question import BAR, Asked, Question, UnanswerableQuestion

__all__ = ["read_question", "read_questions", "read_with_words", "resolve_meaning"]

_ANY = Node("any")
_ANYTHING = Node("np", (("of", _ANY),))
_ALL_THINGS = Node("ask", (("what", "where"), ("of", _ANYTHING)))
_NONE = Node("quantity", (("bound", "exactly"), ("number", 0)))
_NO_QUESTIONS = Node("seq", (("of", ()),))
_BAR = Node("thing", (("name", BAR),))
_THIS_ONE, _IT = Node("np", (("of", Node("one")),)), Node("pronoun", (("name", "it"),))
_UNSAID = Node("pronoun", (("name", "unsaid"),))  # "how many are there?"
_WHAT_IS_IT = Node("ask", (("what", "which"), ("of", _IT)))
_HOW_MANY = tuple(
    Node("ask", (("what", "how_many"), ("of", Node("pronoun", (("name", name),)))))
    for name in ("it", "them")
)
_IN_IT = tuple(
    Node("rel", (("relation", relation), ("to", _IT))) for relation in ("in", "inside", "on", "at")
)
_CHANGES = _CHANGED, _ = tuple(
    Node("has", (("attribute", name),)) for name in ("changed", "missing")
)
_DIFFERENT, _DIFFERENCE = (Node("scene", (("what", name),)) for name in ("different", "difference"))
_WRITTEN_ON_IT, _WRITTEN_ON_UNSAID = (
    Node("aspect", (("name", "writing"), ("of", of))) for of in (_IT, _UNSAID)
)


def read_question(text: str, context: Sequence[str] = (), names: Iterable[str] = ()) -> Question:
    """Return the only question in a text, Korean or English; see `read_questions`.

    Raises:
        UnanswerableQuestion: If tools cannot answer the question, or the text contains several.
    """
    first, *rest = read_questions(text, context, names)
    if rest or not isinstance(first, Question):
        raise UnanswerableQuestion("QUESTION_UNCLEAR", text)
    return first


def read_questions(
    text: str, context: Sequence[str] = (), names: Iterable[str] = ()
) -> tuple[Asked, ...]:
    """Return the questions in a text, Korean or English, in their order.

    Args:
        text: The text.
        context: Earlier texts, to which fragments and pronouns refer.
        names: Names of objects in addition to those of the lexicon.

    Raises:
        UnanswerableQuestion: If tools cannot answer one of the questions.
    """
    return read_with_words(text, context, names)[0]


def read_with_words(
    text: str, context: Sequence[str] = (), names: Iterable[str] = ()
) -> tuple[tuple[Asked, ...], Reading]:
    """Return the questions in a text, and the parsed text; see `read_questions`."""
    meaning, found = resolve_meaning(text, context, names)
    return questions_from_meaning(meaning, found.language, text), found


def resolve_meaning(
    text: str, context: Sequence[str] = (), names: Iterable[str] = ()
) -> tuple[Node, Reading]:
    """Return the resolved meaning of a text with questions, and the parsed text.

    Raises:
        UnanswerableQuestion: If the text is not understood.
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
        _resolved_text(one, earlier, kinds, first=not context)
        for one in (found.meaning, *found.rivals)
    ]
    meanings = list(dict.fromkeys(one for one in resolved if one is not None))
    if len(meanings) != 1:
        raise UnanswerableQuestion(
            "NEEDS_MODEL" if found.unknown_words else "QUESTION_UNCLEAR", text
        )
    return meanings[0], found


def _resolved_text(
    meaning: Node, earlier: Sequence[Node], kinds: Mapping[str, str], *, first: bool
) -> Node | None:
    """Return a text with each question resolved against those before it.

    None is returned if a reference has no antecedent, or a part is not a question. A branch of a
    conditional refers to its condition.
    """
    known, done = list(earlier), list[Node]()
    meaning = with_named_conditions(meaning)
    for part in meaning.parts() if meaning.kind == "seq" else (meaning,):
        condition = part.node("of") if part.kind == "if" else part
        named = part.kind == "if" and condition.node("of").kind == "pronoun"  # "if so"
        asked = None if named else _resolved(condition, known, kinds, first=first and not done)
        if asked is None or asked.kind != "ask":
            return None
        known.append(asked)
        if part.kind == "if":
            of = asked.node("of")
            if of.text("name") == "writing":  # "if it has a label, read it"
                part = part.substitute(of.replace(of=_ANYTHING), of)
            branches = {name: part.node(name) for name in ("then", "other") if part.get(name)}
            resolved = {
                name: _resolved_text(branch, known, kinds, first=False)
                for name, branch in branches.items()
                if branch.kind != "fragment"  # which would be another condition
            }
            if len(resolved) < len(branches) or None in resolved.values():
                return None
            asked = _without_implied_condition(part.replace(of=asked, **resolved))
        done.append(asked)
    return normal_form(Node("seq", (("of", tuple(done)),)))


def _without_implied_condition(conditional: Node) -> Node:
    """Return only the question of "if there is a cup, where is it?".

    Its answer states, too, if there is none.
    """
    condition, then, other = (conditional.get(name) for name in ("of", "then", "other"))
    of = condition.node("of") if isinstance(condition, Node) else _ANY
    if of.kind not in ("exists", "aspect"):
        return conditional
    phrase = of.node("of")
    if phrase.get("quantity") == _NONE:  # "if there is no cup, say so; otherwise …"
        phrase, then, other = phrase.replace(quantity=None), other, then
    implied = phrase == _asked_object(then) and other in (None, _NO_QUESTIONS)
    return then if isinstance(then, Node) and implied else conditional


def _asked_object(question: Any) -> Node | None:
    """Return the phrase about which a single question asks for a property; None for others."""
    if not isinstance(question, Node) or question.kind != "ask":
        return None
    of = question.node("of")
    return of.node("of") if of.kind == "aspect" else of if of.kind == "np" else None


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
    if earlier and meaning.kind == "fragment":
        return _of_other_objects(meaning, earlier, kinds)
    if earlier and earlier[-1].text("what") == "how_many":
        meaning = meaning.substitute(_WRITTEN_ON_UNSAID, _WRITTEN_ON_IT.replace(of=_ANYTHING))
    meaning = meaning.substitute(_UNSAID, _IT if earlier else _ANYTHING)
    meaning = _completed(meaning, earlier[-1] if earlier else None)
    if first:
        for within in _IN_IT:
            meaning = meaning.substitute(within, _ANY)
        meaning = meaning.substitute(_WRITTEN_ON_IT, _WRITTEN_ON_IT.replace(of=_ANYTHING))
    elif (
        earlier
        and earlier[-1].text("what") == "how_many"
        and any(one in (*_IN_IT, _WRITTEN_ON_IT) for one in meaning.walk())
    ):
        return None
    before = earlier or [_ALL_THINGS] * (first and _refers_to_all_objects(meaning))
    resolved = resolve_references(_of_same_bar(normal_form(meaning), earlier), before, kinds)
    return None if resolved is None else normal_form(_with_pictures_outermost(resolved))


def _with_pictures_outermost(node: Node) -> Node:
    """Return a question in which a picture is a property of outermost phrases.

    A phrase that is described by objects of one picture is about that picture. Missing and changed
    objects are those of the first picture, whatever is said about the second.
    """
    if node.kind != "np":
        return node.map(_with_pictures_outermost)
    parts = {*node.walk()}
    shown = {part for part in parts if part.kind == "shown"}
    if len(shown) != 1:
        return node
    return without_picture(node) if {*_CHANGES} & parts else in_picture(node, shown.pop())


def _as_comparison(meaning: Node) -> Node:
    """Return "what has changed?" as the question in what two pictures differ; others unchanged."""
    of = meaning.get("of")
    if meaning.kind != "ask" or not isinstance(of, Node) or meaning.text("what") == "how_many":
        return meaning
    phrase = of.node("of") if of.kind == "exists" else of
    if phrase.kind != "np" or phrase.get("quantity") or phrase.node("of") != _CHANGED:
        return meaning
    return meaning.replace(what="whether" if of.kind == "exists" else "what", of=_DIFFERENT)


def _of_other_objects(
    fragment: Node, earlier: Sequence[Node], kinds: Mapping[str, str]
) -> Node | None:
    """Return the last question about the objects, or the picture, of a fragment.

    A comparison of the same objects in both pictures is one of other objects in both.
    """
    of, last = fragment.node("of"), earlier[-1]
    if of.kind == "np" and of.node("of").kind == "shown":
        return normal_form(in_picture(last, of.node("of")))
    pair = last.node("of")
    if pair.kind != "more" or without_picture(pair.node("of")) != without_picture(pair.node("to")):
        asked = resolve_references(fragment, earlier, kinds)
        shown = {part for part in last.walk() if part.kind == "shown"}
        keeps = asked is not None and len(shown) == 1 and shown.isdisjoint(asked.walk())
        return in_picture(asked, *shown) if asked is not None and keeps else asked
    counted = Node("ask", (("what", "how_many"), ("of", without_picture(pair.node("of")))))
    other = resolve_references(fragment, [counted], kinds)
    if other is None or other.kind != "ask":
        return None
    both = {
        name: in_picture(other.node("of"), Node("shown", (("picture", _picture_of(pair, name)),)))
        for name in ("of", "to")
    }
    return normal_form(last.replace(of=pair.replace(**both)))


def _picture_of(pair: Node, name: str) -> str:
    """Return the picture of one side of a comparison."""
    shown = (part.text("picture") for part in pair.node(name).walk() if part.kind == "shown")
    return next(shown, "first")


def _completed(meaning: Node, last: Node | None) -> Node:
    """Return a question with a meaning that depends on the question before it.

    "The difference" is one of two counts or of two pictures, "what?" may ask for a text, and "how
    many?" after the most frequent kind for the number of each.
    """
    before = last.get("of") if last is not None else None
    kind = before.kind if isinstance(before, Node) else ""
    if meaning.get("of") == _DIFFERENCE:
        if isinstance(before, Node) and kind == "more":
            return meaning.replace(what="how_many", of=before.replace(sign="more"))
        return meaning.replace(of=_DIFFERENT)
    if not isinstance(before, Node) or last is None or kind != "aspect":
        return meaning
    if meaning == _WHAT_IS_IT and before.text("name") == "writing":
        return meaning.replace(what="what", of=before)
    if meaning in _HOW_MANY and last.text("what") == "which":  # of the most frequent kind
        return meaning.replace(of=before)
    return meaning


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
            resolved = _resolved_text(before.meaning, earlier, kinds, first=not earlier)
        earlier = [*earlier, *_asked_parts(resolved)] if resolved is not None else []
    return earlier


def _asked_parts(resolved: Node) -> list[Node]:
    """Return the questions of a text; of a conditional, its condition."""
    parts = resolved.parts() if resolved.kind == "seq" else (resolved,)
    return [part.node("of") if part.kind == "if" else part for part in parts]
