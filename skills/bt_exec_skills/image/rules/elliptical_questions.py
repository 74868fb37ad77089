"""Resolution of single questions about pictures from the questions before them.

Pronouns, fragments and elliptical questions ("and in the other picture?", "the total?", "why?")
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
    negation,
    normal_form,
    without_picture,
)
from bt_exec.language.reading.reference_resolution import (
    are_disjoint,
    nouns_in,
    resolve_references,
    subject_of,
)
from bt_exec_skills.image.perception.graded_attributes import DEGREES
from bt_exec_skills.image.rules.question import BAR

__all__ = ["ANYTHING", "on_another_side", "resolve_question"]

_ANY, _ONE = Node("any"), Node("one")
ANYTHING = Node("np", (("of", _ANY),))
_ALL_THINGS = Node("ask", (("what", "where"), ("of", ANYTHING)))
_BAR = Node("thing", (("name", BAR),))
_THIS_ONE, _IT = Node("np", (("of", Node("one")),)), Node("pronoun", (("name", "it"),))
_OTHER = Node("pronoun", (("name", "other"),))
_THAT = Node("pronoun", (("name", "that"),))  # "that cup"
_REST = Node("pronoun", (("name", "rest"),))  # "and the rest?"
_UNSAID = Node("pronoun", (("name", "unsaid"),))  # "how many are there?"
_WHAT_IS_IT = Node("ask", (("what", "which"), ("of", _IT)))
_HOW_MANY = tuple(
    Node("ask", (("what", "how_many"), ("of", Node("pronoun", (("name", name),)))))
    for name in ("it", "them")
)
_PLACES = ("rel", "placed")
_TOTAL = Node("aspect", (("name", "total"), ("of", ANYTHING)))
_SUM, _BOTH = (Node("pronoun", (("name", name),)) for name in ("sum", "both"))
_IN_IT = tuple(
    Node("rel", (("relation", relation), ("to", _IT))) for relation in ("in", "inside", "on", "at")
)
_CHANGES = _CHANGED, _MISSING = tuple(
    Node("has", (("attribute", name),)) for name in ("changed", "missing")
)
_MISSING_IN_FIRST = {_MISSING, Node("shown", (("picture", "first"),))}  # unsupported combination
_DIFFERENT, _DIFFERENCE, _COUNT_DIFFERENCE = (
    Node("scene", (("what", name),)) for name in ("different", "difference", "count_difference")
)
_SIDES = {
    "left": "left_of", "right": "right_of", "top": "above", "bottom": "below",
}  # fmt: skip
"""Relation to an object for each side of the picture."""
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
    meaning = _as_comparison(
        _with_mentioned_object(meaning, earlier, kinds).substitute(_THIS_ONE, _IT)
    )
    if meaning.text("what") == "why":  # the answer to the last question contains its reasons
        return earlier[-1] if earlier else None
    added = _added_counts(meaning, earlier, kinds)
    if added is not None or meaning.get("of") in (_SUM, _BOTH):
        return added
    if earlier and meaning.kind == "fragment":
        return _of_other_objects(meaning, earlier, kinds)
    meaning = _as_question_for_superlative(meaning)
    if meaning.text("what") == "how_many":  # "how many are on the left, and how many on the right?"
        earlier = [_without_places(one, _places_of_unsaid(meaning)) for one in earlier]
    unsaid = not earlier and _UNSAID in meaning.walk()
    last = earlier[-1] if earlier else None
    completed = _complete_short_question(
        _with_omitted_object(_beside_the_same(meaning, last), earlier), last
    )
    if completed is None:
        return None
    meaning = completed
    if first:
        for within in _IN_IT:
            meaning = meaning.substitute(within, _ANY)
        meaning = meaning.substitute(_WRITTEN_ON_IT, _WRITTEN_ON_IT.replace(of=ANYTHING))
    elif _was_count_question(earlier) and any(
        one in (*_IN_IT, _WRITTEN_ON_IT) for one in meaning.walk()
    ):
        return None
    all_things = unsaid or (first and _refers_to_all_objects(meaning))
    before = earlier or [_ALL_THINGS] * all_things
    if any(node.kind == "shown" for node in meaning.walk()):  # "and what colour is it there?"
        before = [without_picture(one) for one in before]
    asked = _of_same_bar(normal_form(meaning), earlier)
    resolved = resolve_references(asked, before, kinds)
    if resolved is None and before:
        resolved = resolve_references(_among_the_same(asked), before, kinds)
    if resolved is None or {*resolved.walk()} >= _MISSING_IN_FIRST:
        return None
    return normal_form(_with_pictures_outermost(resolved))


def _as_question_for_superlative(meaning: Node) -> Node:
    """Return the fragment "and the biggest one?" as the question of which object it is.

    Anything else, such as "the biggest cup?", is returned unchanged.
    """
    phrase = meaning.get("of") if meaning.kind == "fragment" else None
    top = phrase.get("of") if isinstance(phrase, Node) and meaning.text("sign") == "same" else None
    if not isinstance(top, Node) or top.kind != "most":
        return meaning
    among = conjuncts(top.node("of"))
    named = any(one.kind not in ("one", "many", "not") for one in among)
    return meaning if named else Node("ask", (("what", "which"), ("of", meaning.node("of"))))


def _with_mentioned_object(
    meaning: Node, earlier: Sequence[Node], kinds: Mapping[str, str]
) -> Node:
    """Return a question in which "that cup" is the cup that was mentioned last, or any cup."""

    def with_mentioned_object(node: Node) -> Node:
        about = node.get("about")
        if isinstance(about, Node) and _THAT in about.walk():  # "is that cup red?"
            of, one = node.node("of"), with_mentioned_object(about)
            known_parts = {_THAT, *nouns_in(one.node("of"), kinds)}
            asked = (part for part in conjuncts(of.node("of")) if part not in known_parts)
            return node.replace(of=of.replace(of=conjunction(one.node("of"), *asked)), about=one)
        parts = conjuncts(node.node("of")) if node.kind == "np" else ()
        if _THAT not in parts:
            return node.map_children(with_mentioned_object)
        said = conjunction(*(part for part in parts if part != _THAT))
        others = [part for part in conjuncts(said) if not nouns_in(part, kinds)]
        nouns = {part for part in conjuncts(said) if part not in others}
        same = [
            conjunction(one, *others)
            for one in known
            if nouns <= {*nouns_in(one, kinds)} and not are_disjoint(said, one, kinds)
        ]
        formula = same[-1] if same and nouns <= {*nouns_in(said, kinds)} and nouns else said
        return node.replace(of=formula).map_children(with_mentioned_object)

    mentioned = (node for question in earlier for node in question.walk())
    known = [node.node("of") for node in mentioned if node.kind == "np"]
    return with_mentioned_object(meaning)


def _places_of_unsaid(meaning: Node) -> set[str]:
    """Return the kinds of the places of unnamed objects: "how many are on the right?"."""
    described = (conjuncts(one.node("of")) for one in meaning.walk() if one.kind == "np")
    return {part.kind for own in described if _UNSAID in own for part in own} & {*_PLACES}


def _without_places(node: Node, places: set[str]) -> Node:
    """Return a meaning whose objects are not described by places of some kinds."""
    if not places:
        return node
    if node.kind == "np" and isinstance(node.get("of"), Node):
        kept = [one for one in conjuncts(node.node("of")) if one.kind not in places]
        return node.replace(of=conjunction(*kept))
    return node.map_children(lambda part: _without_places(part, places))


def _beside_the_same(meaning: Node, last: Node | None) -> Node:
    """Return "…, and is it on the right?" with the object and the landmark of the last question."""
    of = meaning.get("of")
    about = of.get("of") if isinstance(of, Node) and of.kind == "exists" else None
    before = last.get("of") if last is not None else None
    known = before.get("of") if isinstance(before, Node) and before.kind == "exists" else None
    if not isinstance(about, Node) or not isinstance(known, Node):
        return meaning
    if {about.kind, known.kind} != {"np"} or _UNSAID not in conjuncts(about.node("of")):
        return meaning
    parts = conjuncts(about.node("of"))
    replaced = (*_PLACES, *(one.kind for one in parts if one.kind == "shown"))
    same = conjunction(*(one for one in conjuncts(known.node("of")) if one.kind not in replaced))
    near = [one for one in conjuncts(known.node("of")) if one.text("relation") in _SIDES.values()]
    changed = [same if one == _UNSAID else _as_relation_to_landmark(one, near) for one in parts]
    return meaning.substitute(about, about.replace(of=conjunction(*changed)))


def on_another_side(meaning: Node, last: Node) -> Node:
    """Return the second of two questions with the landmark of the first.

    An example is "what is left of the cup, and what is on the right?". If the questions differ in
    more than the side, the second is returned unchanged.

    Args:
        meaning: The second question, resolved.
        last: The question before it in the same text.
    """
    asked, known = meaning.get("of"), last.get("of")
    if not isinstance(asked, Node) or not isinstance(known, Node):
        return meaning
    if {asked.kind, known.kind} != {"np"} or meaning != last.replace(of=asked):
        return meaning
    parts, before = conjuncts(asked.node("of")), conjuncts(known.node("of"))
    near = [one for one in before if one.text("relation") in _SIDES.values()]
    placed = [one for one in parts if one.kind == "placed"]
    if len(near) != 1 or len(placed) != 1 or {*parts} - {*placed} != {*before} - {*near}:
        return meaning
    return meaning.substitute(placed[0], _as_relation_to_landmark(placed[0], near))


def _as_relation_to_landmark(place: Node, near: Sequence[Node]) -> Node:
    """Return a side of the picture as a relation to the landmark of another relation."""
    side = _SIDES.get(place.text("column") or place.text("row"), "")
    one_side = place.kind == "placed" and not (place.get("column") and place.get("row"))
    return near[0].replace(relation=side) if near and side and one_side else place


def _was_count_question(earlier: Sequence[Node]) -> bool:
    """Return True if the last question asked for a number of objects."""
    return bool(earlier) and earlier[-1].text("what") == "how_many"


def _with_omitted_object(meaning: Node, earlier: Sequence[Node]) -> Node:
    """Return a question with "it" in place of an object that the text omits."""
    if _was_count_question(earlier):
        meaning = meaning.substitute(_WRITTEN_ON_UNSAID, _WRITTEN_ON_IT.replace(of=ANYTHING))
    return meaning.substitute(_UNSAID, _IT)


def _among_the_same(meaning: Node) -> Node:
    """Return "which is bigger?" about the objects of one phrase as "which of them is biggest?"."""
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
    """Return a question in which only its outermost phrases state a picture.

    In "the circle beside the square in the second picture", the circle is also in the second
    picture. Missing and changed objects are in the first picture, even if the second is mentioned.
    """
    if node.kind != "np":
        return node.map_children(_with_pictures_outermost)
    parts = {*node.walk()}
    shown = {part for part in parts if part.kind == "shown"}
    if len(shown) != 1:
        return node
    return without_picture(node) if {*_CHANGES} & parts else in_picture(node, shown.pop())


def _as_comparison(meaning: Node) -> Node:
    """Return "what has changed?" as the question of how two pictures differ.

    Other questions are returned unchanged.
    """
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
    """Return the question for the sum of the last counts, or of the last two ("both"), or None.

    "The total" means the sum after several counts. The result is None if objects may have been
    counted twice.
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
    """Return the last question, applied to the objects or the picture in a fragment.

    After "how many cups are there?", the fragment "and the plates?" asks for the number of plates.
    A comparison of the same objects in two pictures becomes a comparison of other objects in both.
    """
    of, last = fragment.node("of"), earlier[-1]
    if of.kind == "np" and _REST in conjuncts(of.node("of")):
        return _of_the_rest(last, nouns_in(of.node("of"), kinds), kinds)
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


def _of_the_rest(last: Node, named: Sequence[Node], kinds: Mapping[str, str]) -> Node | None:
    """Return a question about the other objects of the last question's kind, or None.

    The nouns that are `named` must be those of the last question.
    """
    subject = subject_of(last)
    parts = conjuncts(subject.node("of")) if subject is not None else ()
    nouns = [one for one in parts if one in nouns_in(one, kinds)]
    kept = [one for one in parts if one.kind == "shown" or one in nouns]
    asked = [one for one in parts if one not in kept]
    if subject is None or not (nouns and asked) or not {*named} <= {*nouns}:
        return None
    left = conjunction(*kept, negation(conjunction(*asked)))
    return normal_form(last.substitute(subject, subject.replace(of=left)))


def _picture_of(pair: Node, name: str) -> str:
    """Return the picture of one side of a comparison."""
    shown = (part.text("picture") for part in pair.node(name).walk() if part.kind == "shown")
    return next(shown, "first")


def _compares_counts(question: Node | None) -> bool:
    of = question.get("of") if question is not None else None
    return isinstance(of, Node) and of.kind == "more"


def _complete_short_question(meaning: Node, last: Node | None) -> Node | None:
    """Return a short question, completed from the question before it.

    "The difference" means the difference of two counts or of two pictures. "What?" asks for a text,
    or for the differences of two pictures. After a question for the most frequent kind, "how many?"
    asks for the number of each kind.
    """
    if meaning.get("of") == _COUNT_DIFFERENCE and not _compares_counts(last):
        return None
    before = last.get("of") if last is not None else None
    if last is None or not isinstance(before, Node):
        return meaning.replace(of=_DIFFERENT) if meaning.get("of") == _DIFFERENCE else meaning
    if meaning.get("of") in (_DIFFERENCE, _COUNT_DIFFERENCE):
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
    """Return the phrases of two kinds of objects that were counted together, or ()."""
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
