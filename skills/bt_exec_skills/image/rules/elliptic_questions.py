"""Resolution of single questions about pictures from the questions before them.

Pronouns, fragments and elliptic questions ("and in the other picture?", "the total?", "why?")
become complete questions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

from bt_exec.language.reading.meaning_node import (
    Node,
    conjunction,
    conjuncts,
    disjunction,
    in_picture,
    normal_form,
    without_picture,
)
from bt_exec.language.reading.reference_resolution import (
    are_disjoint,
    resolve_references,
    subject_of,
)
from bt_exec_skills.image.perception.graded_attributes import DEGREES
from bt_exec_skills.image.rules.question import BAR

__all__ = ["ANYTHING", "resolve_question"]

_ANY, _ONE = Node("any"), Node("one")
ANYTHING = Node("np", (("of", _ANY),))
_ALL_THINGS = Node("ask", (("what", "where"), ("of", ANYTHING)))
_BAR = Node("thing", (("name", BAR),))
_THIS_ONE, _IT = Node("np", (("of", Node("one")),)), Node("pronoun", (("name", "it"),))
_OTHER = Node("pronoun", (("name", "other"),))
_UNSAID = Node("pronoun", (("name", "unsaid"),))  # "how many are there?"
_WHAT_IS_IT = Node("ask", (("what", "which"), ("of", _IT)))
_HOW_MANY = tuple(
    Node("ask", (("what", "how_many"), ("of", Node("pronoun", (("name", name),)))))
    for name in ("it", "them")
)
_TOTAL = Node("aspect", (("name", "total"), ("of", ANYTHING)))
_SUM, _BOTH = (Node("pronoun", (("name", name),)) for name in ("sum", "both"))
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


def resolve_question(
    meaning: Node, earlier: Sequence[Node], kinds: Mapping[str, str], *, first: bool
) -> Node | None:
    """Return a question with its references resolved, or None if one has no antecedent.

    In the first question of a session, "in it" and "in this one" mean the picture. After a
    "how many" question, "in it" has no antecedent.

    Args:
        meaning: The question, or a fragment.
        earlier: The resolved questions before it, the latest last.
        kinds: Kinds of attributes.
        first: Whether the question is the first of a session.
    """
    meaning = _as_comparison(meaning.substitute(_THIS_ONE, _IT))
    if meaning.text("what") == "why":  # the answer to the last question contains its reasons
        return earlier[-1] if earlier else None
    added = _added_counts(meaning, earlier, kinds)
    if added is not None or meaning.get("of") in (_SUM, _BOTH):
        return added
    if earlier and meaning.kind == "fragment":
        return _of_other_objects(meaning, earlier, kinds)
    unsaid = not earlier and _UNSAID in meaning.walk()
    meaning = _completed(_with_unsaid(meaning, earlier), earlier[-1] if earlier else None)
    if first:
        for within in _IN_IT:
            meaning = meaning.substitute(within, _ANY)
        meaning = meaning.substitute(_WRITTEN_ON_IT, _WRITTEN_ON_IT.replace(of=ANYTHING))
    elif _counted(earlier) and any(one in (*_IN_IT, _WRITTEN_ON_IT) for one in meaning.walk()):
        return None
    all_things = unsaid or (first and _refers_to_all_objects(meaning))
    before = earlier or [_ALL_THINGS] * all_things
    if any(node.kind == "shown" for node in meaning.walk()):  # "and what colour is it there?"
        before = [without_picture(one) for one in before]
    asked = _of_same_bar(normal_form(meaning), earlier)
    resolved = resolve_references(asked, before, kinds)
    if resolved is None and before:
        resolved = resolve_references(_among_the_same(asked), before, kinds)
    return None if resolved is None else normal_form(_with_pictures_outermost(resolved))


def _counted(earlier: Sequence[Node]) -> bool:
    """Return True if the last question was for a number of objects."""
    return bool(earlier) and earlier[-1].text("what") == "how_many"


def _with_unsaid(meaning: Node, earlier: Sequence[Node]) -> Node:
    """Return a question with "it" as its unsaid object."""
    if _counted(earlier):
        meaning = meaning.substitute(_WRITTEN_ON_UNSAID, _WRITTEN_ON_IT.replace(of=ANYTHING))
    return meaning.substitute(_UNSAID, _IT)


def _among_the_same(meaning: Node) -> Node:
    """Return "which is bigger?" about the objects of one phrase, which is the biggest of them."""
    pair = meaning.node("of") if meaning.kind == "ask" else meaning
    sign = pair.text("sign")
    if pair.kind != "more" or pair.get("of") != _IT or sign not in DEGREES:
        return meaning
    them = Node("pronoun", (("name", "them"),))
    top = Node("most", (("attribute", sign), ("of", them)))
    return meaning.replace(of=Node("np", (("of", top),)))


def _of_same_bar(meaning: Node, earlier: Sequence[Node]) -> Node:
    """Return a question in which "that bar" is replaced by the bar of the previous question."""
    before = subject_of(earlier[-1]) if earlier else None
    if before is None or _BAR not in before.walk():
        return meaning
    return meaning.substitute(Node("np", (("of", _BAR),)), before)


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
    if phrase.kind != "np" or phrase.get("quantity"):
        return meaning
    if conjunction(*(part for part in conjuncts(phrase.node("of")) if part != _ONE)) != _CHANGED:
        return meaning
    return meaning.replace(what="whether" if of.kind == "exists" else "what", of=_DIFFERENT)


def _added_counts(meaning: Node, earlier: Sequence[Node], kinds: Mapping[str, str]) -> Node | None:
    """Return the question for the sum of the last counts, or of the last two; None for another.

    "The total" is a sum after several counts. Objects that were counted twice cannot be added.
    """
    of = meaning.get("of")
    if of not in (_SUM, _BOTH, _TOTAL):
        return None
    counted: list[Node] = []
    for one in reversed(earlier):
        phrase = one.get("of")
        plain = isinstance(phrase, Node) and phrase.kind == "np" and not phrase.get("quantity")
        if one.text("what") != "how_many" or not plain or (of == _BOTH and len(counted) == 2):
            break
        counted.insert(0, one.node("of").node("of"))
    if len(counted) < 2 or not all(are_disjoint(*pair, kinds) for pair in combinations(counted, 2)):
        return None
    several = Node("np", (("of", disjunction(*counted)),))
    return normal_form(Node("ask", (("what", "how_many"), ("of", several))))


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

    "The difference" is one of two counts or of two pictures, "what?" may ask for a text or the
    differences of two pictures, and "how many?" after the most frequent kind for the number of
    each.
    """
    before = last.get("of") if last is not None else None
    if last is None or not isinstance(before, Node):
        return meaning.replace(of=_DIFFERENT) if meaning.get("of") == _DIFFERENCE else meaning
    if meaning.get("of") == _DIFFERENCE:
        if before.kind == "more":
            return meaning.replace(what="how_many", of=before.replace(sign="more"))
        return meaning.replace(of=_DIFFERENT)
    if meaning == _WHAT_IS_IT and (before.text("name") == "writing" or before.kind == "scene"):
        return meaning.replace(what="what", of=_DIFFERENT if before.kind == "scene" else before)
    if meaning.get("of") == before or meaning.kind != "ask":
        return meaning
    listed = _two_kinds(before)
    if listed and meaning.node("of").kind == "more":
        return meaning.substitute(_IT, listed[0]).substitute(_OTHER, listed[1])
    grouped = before.kind == "aspect" and last.text("what") == "which"  # the most frequent kind
    return meaning.replace(of=before) if meaning in _HOW_MANY and grouped else meaning


def _two_kinds(counted: Node) -> tuple[Node, ...]:
    """Return the phrases of two kinds of objects that were counted together; () for others."""
    phrase = counted.get("of") if counted.text("name") == "kind" else None
    listed = phrase.get("of") if isinstance(phrase, Node) and phrase.kind == "np" else None
    if not isinstance(listed, Node) or listed.kind != "or" or len(listed.parts()) != 2:
        return ()
    return tuple(Node("np", (("of", part),)) for part in listed.parts())


def _refers_to_all_objects(meaning: Node) -> bool:
    """Return True if the only pronoun of a question is "them" ("these").

    Without an earlier question, it refers to all objects in the picture.
    """
    named = {one.text("name") for one in meaning.walk() if one.kind == "pronoun"}
    return meaning.kind == "ask" and named == {"them"}
