"""Operations of grammar rules on several questions of one text.

An operation returns `UNSAID` for meanings that do not go together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from bt_exec.language.reading.meaning_node import (
    UNSAID,
    Node,
    Value,
    conjunction,
    conjuncts,
    disjunction,
    in_picture,
    things_in,
    without_number,
)
from bt_exec.language.reading.order_operations import correct_objects
from bt_exec.language.reading.phrase_operations import IT, refine
from bt_exec.language.reading.reference_resolution import subject_of, with_antecedent

__all__ = ["QUESTION_OPERATIONS", "with_asked_fragments", "with_other_phrase"]

_HOLDS, _FAILS = "/holds", "/fails"
"""Suffixes of the names of aspects that are present or absent."""
_IT_EXISTS = Node("exists", (("of", IT),))
_IN_EACH_PICTURE = (
    ("whether", "exists"), ("whether", "all"), ("what", "aspect"), ("where", "np"),
)  # fmt: skip
"""Kinds of questions that can be asked about one picture after the other."""


def _is_omitted(subject: Node) -> bool:
    """Return True for a subject that stands for the subject of the question before."""
    of = subject.get("of")
    return subject == IT or (isinstance(of, Node) and of.kind == "any")


def _either_question(one: Node, other: Node) -> Node:
    """Return the question that two questions joined by "or" ask together.

    If both ask for a property of one subject, it is a question with alternatives; otherwise both
    are answered.
    """
    if "seq" in (one.kind, other.kind):
        return UNSAID
    if _is_complement(other, one):
        return one  # "is it gone, or is it still there?"
    first, second = _property_in(one), _property_in(other)
    if first and second and (_is_omitted(second[0]) or second[0] == first[0]):
        hold = disjunction(first[1], second[1])
        every = Node("all", (("of", first[0]), ("hold", hold)))
        return Node("ask", (("what", "which"), ("of", every)))
    subject = first[0] if first else subject_of(one)
    other = _with_omitted_noun(other, subject)
    if subject is not None and subject.get("of") is not None and IT in other.walk():
        other = with_antecedent(other, subject.replace(quantity=None, wh=None))
    return Node("seq", (("of", (one, other)),))


def _is_complement(other: Node, one: Node) -> bool:
    """Return True if `other` also asks whether the object in `one` is there, or whether it is not.

    Examples are "is it still there?" and "is it empty?"; "it" is the place or object of `one`.
    """
    of = other.node("of")
    if of == _IT_EXISTS:
        return one.node("of").kind in ("exists", "all")
    if of.kind == "exists" and any(part.text("number") == "0" for part in of.walk()):
        return set(things_in(of)) <= set(things_in(one))
    about, own = _property_in(other), _property_in(one)
    placed = one.node("of").kind == "exists" or (own is not None and own[1].kind == "rel")
    if not placed or about is None or not _is_omitted(about[0]):
        return False
    name = about[1].text("attribute")
    present = f"{name.removesuffix(_FAILS)}{_HOLDS}"
    return name.rstrip("/").endswith("empty") or (
        name.endswith(_FAILS) and present in things_in(one)
    )


def _with_omitted_noun(question: Node, subject: Node | None) -> Node:
    """Return a question whether there are "green ones, too" with the noun of a subject."""
    of = question.get("of")
    phrase = of.get("of") if isinstance(of, Node) and of.kind == "exists" else None
    if subject is None or not isinstance(phrase, Node) or not isinstance(phrase.get("of"), Node):
        return question
    if any(part.kind != "has" for part in conjuncts(phrase.node("of"))):
        return question
    things = [part for part in conjuncts(subject.node("of")) if part.kind == "thing"]
    if len(things) != 1:
        return question
    return question.substitute(phrase, phrase.replace(of=conjunction(phrase.node("of"), *things)))


def _property_in(question: Node) -> tuple[Node, Node] | None:
    """Return the subject of a yes/no question and the property that it asks for, or None."""
    of = question.get("of")
    if not isinstance(of, Node) or question.text("what") != "whether":
        return None
    if of.kind == "all":
        return of.node("of"), of.node("hold")
    inner, about = of.node("of").get("of"), of.get("about")
    if of.kind != "exists" or not isinstance(inner, Node):
        return None
    parts = conjuncts(inner)
    known: tuple[Node, ...] = (IT,)
    if about is None and IT in parts:
        about = IT
    elif isinstance(about, Node) and isinstance(about.get("of"), Node):
        known = conjuncts(about.node("of"))
    else:
        return None
    return about, conjunction(*(part for part in parts if part not in known))


def with_asked_fragments(parts: Sequence[Node]) -> tuple[Node, ...]:
    """Return the parts of a text; "…? And the blue one?" repeats the question before it.

    The phrase of such a fragment replaces the subject of the question, and takes the noun of the
    subject if it has none; a place replaces a place. A fragment is kept if it is unclear what it
    replaces.
    """
    found: list[Node] = []
    for part in parts:
        before = found[-1] if found else None
        if part.kind == "fragment" and before is not None and before.kind == "ask":
            part = with_other_phrase(before, part.node("of")) or part
        found.append(part)
    return tuple(found)


def with_other_phrase(question: Node, phrase: Node) -> Node | None:
    """Return a question or an act with a phrase in place of the only one of the same sort, or None.

    A phrase outside relations is preferred, unless the new one is a place.
    """
    placed = phrase.kind == "rel"
    new = phrase.get("to") if placed else phrase
    if not isinstance(new, Node):  # "there", without a name
        return None
    outside, inside = _phrases_of(question)
    found = [] if placed else [old for old in outside if _are_alike(old, new)]
    found = found or [old for old in inside if _are_alike(old, new)]
    if new.kind != "np" or len(found) != 1:
        return None
    return question.substitute(found[0], correct_objects(new, found[0]))


def _phrases_of(question: Node) -> tuple[list[Node], list[Node]]:
    """Return the phrases of a question outside relations, and those after a relation."""
    inside = [
        one
        for rel in question.walk()
        if rel.kind == "rel"
        for one in rel.walk()
        if one.kind == "np"
    ]
    every = dict.fromkeys(one for one in question.walk() if one.kind == "np")
    return [one for one in every if one not in inside], list(dict.fromkeys(inside))


def _are_alike(old: Node, new: Node) -> bool:
    """Return True if `new` may take the place of `old`.

    `old` must have one noun. If `new` has one, too, both must be of the same sort.
    """
    mine, theirs = _sort_of_noun(new), _sort_of_noun(old)
    return theirs is not None and (mine is None or mine == theirs)


def _sort_of_noun(phrase: Node) -> str | None:
    """Return the sort of the noun of a phrase; None unless it has exactly one noun."""
    of = phrase.get("of")
    parts = conjuncts(of) if isinstance(of, Node) else ()
    names = [one.text("name") for one in parts if one.kind == "thing"]
    return names[0].rpartition("/")[0].rpartition("/")[0] if len(names) == 1 else None


def _preferred(act: Node, *choices: Node) -> Node:
    """Return an act on the first of two objects if it is there, otherwise on the second.

    If only one choice is given, it is the second object, and the object of `act` is the first.
    """
    acts = [act] if len(choices) == 1 else []
    for choice in choices:
        other = with_other_phrase(act, choice) if act.kind == "act" else None
        acts += [] if other is None else [other]
    objects = [one for one in acts[0].parts() if one.kind == "np"] if len(acts) == 2 else []
    if len(objects) != 1:
        return UNSAID
    present = Node("exists", (("of", objects[0].replace(det=None)),))
    asked = Node("ask", (("what", "whether"), ("of", present)))
    return Node("if", (("of", asked), ("then", acts[0]), ("other", acts[1])))


def _go_to_and_fro(one: Node, other: Node, times: int | None = None) -> Node:
    """Return visits of two places in turn, `times` times each, and the return to the first."""
    stops = tuple(Node("act", (("verb", "stop_at"), ("of", place))) for place in (one, other))
    trip = Node("seq", (("of", stops),))
    if times is not None and times > 1:
        trip = Node("turns", (("of", trip), ("times", Node("times", (("number", times),)))))
    return Node("seq", (("of", (trip, stops[0])),))


def _with_shared_verb(stops: Node, verb: Value | None) -> Node:
    """Return the stops of a route, with the verb that is stated once for all of them."""
    if verb is not None and stops.text("verb") == "stop_at":
        return stops.replace(verb=verb)
    return stops.map_children(lambda part: _with_shared_verb(part, verb))


def _ask_in_turn(question: Node, phrase: Node, place: int = 0) -> Node:
    """Return a question for the number of each of several kinds of objects, in a stated order.

    Args:
        question: A question for the number of each of several kinds of objects.
        phrase: One of the kinds.
        place: 0 to ask for the number of `phrase` first, -1 to ask for it last.
    """
    kinds = question.node("of").get("of") if question.text("what") == "how_many" else None
    listed = kinds.get("of") if isinstance(kinds, Node) and kinds.kind == "np" else None
    every = listed.parts() if isinstance(listed, Node) and listed.kind == "or" else ()
    one = phrase.get("of") if phrase.kind == "np" else None
    if one not in every:
        return UNSAID
    others = tuple(kind for kind in every if kind != one)
    ordered = (one, *others) if place == 0 else (*others, one)
    counts = (question.replace(of=Node("np", (("of", kind),))) for kind in ordered)
    return Node("seq", (("of", tuple(counts)),))


def _ask_before(sooner: Node, later: Node) -> Node:
    """Return two questions in the order of their answers; the text asks `later` first.

    Pronouns in `sooner` stand for the subject of `later`: "its colour, but first where it is".
    """
    subject = subject_of(later)
    pronouns = [one for one in sooner.walk() if one.kind in ("pronoun", "one")]
    if "seq" in (sooner.kind, later.kind) or (pronouns and subject is None):
        return UNSAID
    if subject is not None:
        plain = subject.replace(quantity=None, wh=None)
        sooner = with_antecedent(sooner.substitute(Node("np", (("of", Node("one")),)), IT), plain)
    return Node("seq", (("of", (sooner, later)),))


def _ask_in_each_picture(question: Node) -> Node:
    """Return a question about each of two pictures; `UNSAID` for a count or a comparison."""
    asked = question.text("what"), question.node("of").kind
    if asked not in _IN_EACH_PICTURE:
        return UNSAID
    both = (Node("shown", (("picture", name),)) for name in ("first", "second"))
    return Node("seq", (("of", tuple(in_picture(question, one) for one in both)),))


def _ask_each(what: str, asked: Iterable[Node]) -> Node:
    """Return one question of the same kind about each of several nodes."""
    return Node("seq", (("of", tuple(Node("ask", (("what", what), ("of", of))) for of in asked)),))


def _ask_count_each(phrase: Node, *formulas: Node) -> Node:
    """Return, for each of several properties, a question for the number of a phrase's objects."""
    return _ask_each("how_many", (refine(phrase, one) or phrase for one in formulas))


def _ask_existence_each(noun: Node, *formulas: Node) -> Node:
    """Return, for each of several properties, a question whether objects of a noun have it."""
    phrases = (Node("np", (("of", conjunction(one, noun)),)) for one in formulas)
    return _ask_each("whether", (Node("exists", (("of", phrase),)) for phrase in phrases))


def _ask_all_each(formula: Node, *phrases: Node) -> Node:
    """Return, for each of several phrases, a question whether all its objects have a property."""
    every = (Node("all", (("of", phrase), ("hold", formula))) for phrase in phrases)
    return _ask_each("whether", every)


def _condition_after(then: Node, asked: Node, other: Node | None = None) -> Node:
    """Return a conditional from its branch and the condition after it.

    Pronouns of the condition stand for the object that the branch names: "tell me the colour of
    the cup if there is exactly one", "count the apples if they are all red".
    """
    pronouns = {one.text("name") for one in asked.walk() if one.kind == "pronoun"}
    counts = any(one.kind == "np" and one.get("quantity") for one in asked.walk())
    named = [one for one in then.walk() if one.kind == "np" and one.get("of") is not None]
    if pronouns and pronouns <= {"it", "them"}:
        if counts and not named:
            return UNSAID
        if named:
            subject = without_number(named[0]).replace(quantity=None, wh=None)
            asked = with_antecedent(asked, subject)
    return Node("if", (("of", asked), ("then", then), *((("other", other),) if other else ())))


def _compare_sides(phrase: Node, sides: Node, sign: str) -> Node:
    """Return the comparison of the counts of the same objects on two sides of the picture."""
    here, there = (refine(phrase, side) or phrase for side in sides.parts())
    return Node("more", (("of", here), ("to", there), ("sign", sign)))


QUESTION_OPERATIONS: Mapping[str, Callable[..., Any]] = {
    "ask_before": _ask_before,
    "asked_first": _ask_in_turn,
    "asked_last": lambda question, phrase: _ask_in_turn(question, phrase, -1),
    "count_each": _ask_count_each,
    "all_each": _ask_all_each,
    "exists_each": _ask_existence_each,
    "either_question": _either_question,
    "if_after": _condition_after,
    "in_each_picture": _ask_in_each_picture,
    "more_on_side": _compare_sides,
    "or_opposite": lambda one, other: one if _is_complement(other, one) else UNSAID,
    "preferred": _preferred,
    "to_and_fro": _go_to_and_fro,
    "shared_verb": _with_shared_verb,
}
"""Operations on several questions, by the names that grammar files use."""
