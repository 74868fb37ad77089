"""Variants of an earlier command with one phrase replaced, as for "and the blue one"."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from bt_exec.language.reading.meaning_node import (
    Node,
    conjunction,
    conjuncts,
    negation,
    normal_form,
)
from bt_exec_skills.tabletop.goals.object_phrases import attribute_kind, relation_to_side
from bt_exec_skills.tabletop.name_attributes import CONTAINERS, attributes_in_name

__all__ = [
    "HOLDERS",
    "formulas_of",
    "last_act",
    "names_holder",
    "with_noun_of",
    "with_phrase_replaced",
]

HOLDERS = (*CONTAINERS, "container", "table")
"""Nouns of objects that hold others."""
_PLACES = ("rel", "placed")
_CLEARING = ("clear", "empty")


def with_phrase_replaced(old: Node, fragment: Node, *, shares_noun: bool = True) -> Iterator[Node]:
    """Yield an earlier meaning with one of its phrases replaced by a fragment.

    Args:
        old: Meaning of an earlier command or question.
        fragment: Meaning of an elliptical command, such as "and the blue one".
        shares_noun: Whether a phrase without a noun takes the noun of the phrase it replaces.
    """
    new = fragment.node("of") if isinstance(fragment.get("of"), Node) else None
    if old.kind == "ask":
        yield from _about_other_phrase(old, new) if new is not None else ()
        return
    act = last_act(old)
    if act is None:
        return
    if new is not None and _names_object_only(new):  # "파란 컵으로" ("the blue cup instead")
        fragment, new = fragment.replace(of=new.node("to")), new.node("to")
    changed = _with_goal(act, new) if new is not None and new.kind == "rel" else None
    if changed is not None:
        yield normal_form(old.substitute(act, changed))
    elif not shares_noun:
        yield normal_form(old.substitute(act, act.replace(of=fragment.parts("of"))))
    elif new is None or new.kind != "rel":
        yield from (
            normal_form(one) for one in _with_phrases_replaced(old, act, fragment.parts("of"))
        )


def _about_other_phrase(question: Node, new: Node) -> Iterator[Node]:
    """Yield a question with `new` as its object or place.

    `new` replaces the phrase of the question that corresponds to it most closely.
    """
    new = relation_to_side(new)
    phrases = [one for one in question.walk() if one.kind == "np"]
    if new.kind == "rel" and phrases:
        yield _at_other_place(question, phrases[0], new)
    if new.kind != "np":
        return
    described = [one for one in phrases if any(p.kind not in _PLACES for p in formulas_of(one))]
    about = max(described, key=lambda one: _correspondence(new, one), default=None)
    if about is None or (about != phrases[0] and not _correspondence(new, about)):
        return
    places = [part for part in formulas_of(about) if part.kind in _PLACES]
    kept = () if any(part.kind in _PLACES for part in formulas_of(new)) else places
    named = with_noun_of(new, about)
    yield normal_form(
        question.substitute(about, named.replace(of=conjunction(*formulas_of(named), *kept)))
    )


def _at_other_place(question: Node, subject: Node, place: Node) -> Node:
    """Return a question with another place; without a noun, it gets the noun of the old place."""
    places = (one for one in question.walk() if one.kind == "rel")
    old = next((one for one in places if isinstance(one.get("to"), Node)), None)
    if old is None:
        wider = subject.replace(of=conjunction(*formulas_of(subject), place))
        return normal_form(question.substitute(subject, wider))
    to = with_noun_of(place.node("to"), old.node("to"))
    return normal_form(question.substitute(old, place.replace(to=to)))


def _correspondence(one: Node, other: Node) -> int:
    """Return how closely two phrases correspond, by noun, by role and by kind of attribute."""
    same_noun = bool(_nouns_of(one) & _nouns_of(other))
    places = names_holder(one) and names_holder(other)
    return 4 * same_noun + 2 * places + bool(_attribute_kinds(one) & _attribute_kinds(other))


def _nouns_of(phrase: Node) -> set[str]:
    return {part.text("name") for part in formulas_of(phrase) if part.kind == "thing"}


def _attribute_kinds(phrase: Node) -> set[str]:
    values = (part.text("attribute") for part in formulas_of(phrase) if part.kind == "has")
    return {attribute_kind(value) for value in values}


def _with_goal(act: Node, goal: Node) -> Node | None:
    """Return an act with `goal` as its target, or None if its verb has no target."""
    old, verb = act.get("to"), act.text("verb")
    if not isinstance(old, Node) and verb not in (*_CLEARING, "bring", "out"):
        return None
    to, target = old.get("to") if isinstance(old, Node) else None, goal.get("to")
    if isinstance(to, Node) and isinstance(target, Node):
        goal = goal.replace(to=with_noun_of(target, to))
    return act.replace(to=goal, verb=verb if verb in _CLEARING else "move", source=None)


def _with_phrases_replaced(old: Node, act: Node, phrases: Sequence[Node]) -> Iterator[Node]:
    """Yield the act with `phrases` as its objects, or as its target if they can be a target."""
    goal, themes, verb = act.get("to"), act.parts("of"), act.text("verb")
    target = goal.get("to") if isinstance(goal, Node) else None
    holders = all(map(names_holder, phrases))
    first = phrases[0]
    # "the blue one" may be a bowl, "the other one" is another object
    place = holders or not (_has_noun(first) or first.get("det") == "rest")
    if isinstance(goal, Node) and isinstance(target, Node) and len(phrases) == 1 and place:
        yield old.substitute(act, act.replace(to=goal.replace(to=with_noun_of(first, target))))
    elif holders and verb in _CLEARING:
        to = Node("rel", (("relation", "at"), ("to", first)))
        yield old.substitute(act, act.replace(to=to))
    if themes and not holders and verb != "go":
        of = tuple(with_noun_of(one, themes[-1], goal) for one in phrases)
        yield act.replace(of=of if len(of) > 1 else of[0])


def with_noun_of(new: Node, old: Node, goal: object = None) -> Node:
    """Return the phrase `new`, which replaces `old`; without a noun, it gets the noun of `old`.

    "The others" are those that `old` does not describe. After some of several objects ("one of the
    blue balls"), they are those that are not at `goal`, the place of the moved ones.
    """
    if new.kind != "np" or old.kind != "np" or not (formulas_of(new) and formulas_of(old)):
        return new
    nouns = [one for one in formulas_of(old) if one.kind == "thing"]
    if new.get("det") == "rest":
        table = any(one.text("name") == "table" for one in formulas_of(new))
        single = table or Node("one") in formulas_of(new)  # "and the other one, too"
        some = old.get("quantity") is not None or old.text("det") in ("any", "some")
        like = nouns if single or (some and not _has_noun(new)) else []
        moved = goal if some and isinstance(goal, Node) else old.node("of")
        left = conjunction(new.node("of"), *like, negation(moved))
        return normal_form(new.replace(of=left, det="the" if single else "all"))
    if _has_noun(new):
        return new
    parts = [one for one in formulas_of(new) if one.kind not in ("one", "any")]
    return normal_form(new.replace(of=conjunction(*nouns, *parts)))


def _names_object_only(place: Node) -> bool:
    """Return True for a place at an object that is no container; the object itself is meant."""
    to = place.get("to") if place.text("relation") == "at" else None
    named = isinstance(to, Node) and to.kind == "np" and _has_noun(to)
    return isinstance(to, Node) and named and not names_holder(to)


def _has_noun(phrase: Node) -> bool:
    return any(part.kind == "thing" for part in formulas_of(phrase))


def formulas_of(phrase: Node) -> tuple[Node, ...]:
    """Return the formulas that describe the objects of a phrase; empty for a bare "what"."""
    of = phrase.get("of")
    return conjuncts(of) if isinstance(of, Node) else ()


def names_holder(phrase: Node) -> bool:
    """Return True if a phrase names a container or a table."""
    named = {part.text("name") for part in formulas_of(phrase)}
    return any(name in HOLDERS or _is_holder(name) for name in named if name)


def _is_holder(name: str) -> bool:
    return attributes_in_name(name).is_container or name.startswith("table_")


def last_act(meaning: Node) -> Node | None:
    """Return the last act in a meaning, or None."""
    return next((one for one in reversed(list(meaning.walk())) if one.kind == "act"), None)
