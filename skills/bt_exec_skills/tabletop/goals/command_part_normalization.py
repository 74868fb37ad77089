"""Normalization of related parts of a command: general orders, shared verbs and swaps."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise

from bt_exec.language.reading.meaning_node import Node, conjunction, conjuncts
from bt_exec_skills.tabletop.goals.earlier_command_variation import names_holder
from bt_exec_skills.tabletop.goals.model import Phrase, Trouble, UnresolvedGoal
from bt_exec_skills.tabletop.goals.object_phrases import (
    ANY,
    attribute_kind,
    formula_of,
    target_of,
)

__all__ = [
    "with_contrasted_kinds",
    "with_excepted_kinds",
    "with_goal_of_rest",
    "with_missing_objects",
    "with_missing_verbs",
    "with_objects_of_prohibitions",
    "with_place_as_goal",
    "with_separate_exceptions",
    "with_shared_source",
    "with_swaps",
    "without_general_order",
]

_LEAVE, _OUT = "leave", "out"


def without_general_order(parts: tuple[Node, ...]) -> tuple[Node, ...]:
    """Return parts without a leading "tidy up" or "sort by colour" that later parts spell out.

    Examples are "tidy the table: cups on the tray" and "sort the cubes by colour, put the red ones
    on the plate, …". The later parts then apply only to the objects of the first part. After
    "sort", a single later part is an exception and the first part is kept: "sort the cubes by
    colour, but put the red ones on the tray".
    """
    if not parts:
        return parts
    tidy, *rest = parts
    general = tidy.text("verb") in ("clear", "sort") and not tidy.get("to")
    if not general or not rest or not all(_spells_out(tidy.text("by"), one) for one in rest):
        return parts
    if not tidy.parts():
        return tuple(rest)
    if len(tidy.parts()) > 1 or tidy.parts()[0].kind != "np":
        return parts
    formula = formula_of(tidy.parts()[0])
    if names_holder(tidy.parts()[0]):
        there = Node("rel", (("relation", "at"), ("to", tidy.parts()[0])))
        return tuple(_with_themes(act, lambda _: there) for act in rest)
    named = [_with_themes(act, lambda one: formula if _is_bare(one) else ANY) for act in rest]
    return tuple(named) if len(named) > 1 or not tidy.get("by") else (tidy, *named)


def _spells_out(attribute: str, act: Node) -> bool:
    """Return True if an act spells out a general "sort by `attribute`".

    The act has no verb, or it names objects only by values of the attribute ("the red ones").
    """
    if act.kind != "act":
        return False
    values = (one.text("attribute") for theme in act.parts() for one in theme.walk())
    alike = any(attribute_kind(value) == attribute for value in values if value)
    return not act.get("verb") or (alike and all(map(_is_bare, act.parts())))


def _is_bare(theme: Node) -> bool:
    """Return True for a phrase that describes objects without a noun."""
    return theme.kind == "np" and all(one.kind != "thing" for one in conjuncts(formula_of(theme)))


def _with_themes(act: Node, more: Callable[[Node], Node]) -> Node:
    """Return an act whose objects also satisfy the formula that `more` returns for each."""
    return act.replace(
        of=tuple(one.replace(of=conjunction(formula_of(one), more(one))) for one in act.parts())
    )


def with_goal_of_rest(parts: Sequence[Node]) -> tuple[Node, ...]:
    """Return parts in which "the rest" is what an earlier part clears from a place.

    An example is "only the apple may stay on the left table, the rest belongs on the tray".
    """
    found = list(parts)
    for at, part in enumerate(parts):
        general = part.text("verb") == "clear" and not part.get("to") and len(part.parts()) == 1
        after = [one for one in found[at + 1 :] if _places_rest(one)] if general else []
        if len(after) == 1:
            found.remove(after[0])
            found[at] = part.replace(to=after[0].get("to"))
    return tuple(found)


def _places_rest(act: Node) -> bool:
    """Return True for an act without another object than "the rest": "the rest on the tray"."""
    rest = [one for one in act.parts() if one.text("det") == "rest" and _is_bare(one)]
    plain = all(formula_of(one).kind in ("any", "many") for one in rest)
    return len(rest) == len(act.parts()) == 1 and plain and act.get("to") is not None


def with_separate_exceptions(parts: Iterable[Node]) -> tuple[Node, ...]:
    """Return parts in which an exception among the objects of an act is a separate part."""
    found: list[Node] = []
    for part in parts:
        out = [one for one in part.parts() if part.kind == "act" and one.kind == "avoid"]
        kept = tuple(one for one in part.parts() if one not in out)
        found.append(part.replace(of=kept if len(kept) > 1 else kept[0]) if out and kept else part)
        leaving = (Node("act", (("verb", "leave"), ("of", one.node("of")))) for one in out)
        found += [Node("avoid", (("of", act),)) for act in leaving if kept]
    return tuple(found)


def with_excepted_kinds(parts: Sequence[Node]) -> list[Node]:
    """Return parts in which a noun without number may be plural if some objects are excepted.

    An example is the Korean for "put the cube on the tray, but not the blue one".
    """
    excepted = (part.node("of") for part in parts if part.kind == "avoid")
    if not any(one.text("verb") == "leave" and all(map(_is_bare, one.parts())) for one in excepted):
        return list(parts)
    return [
        part.replace(of=tuple(map(_as_some, part.parts()))) if part.kind == "act" else part
        for part in parts
    ]


def _as_some(theme: Node) -> Node:
    plain = theme.kind == "np" and not (theme.get("det") or theme.get("quantity"))
    single = plain and Node("many") not in conjuncts(formula_of(theme))
    return theme.replace(det="some") if single and _has_noun(theme) else theme


def with_contrasted_kinds(parts: Sequence[Node]) -> list[Node]:
    """Return parts in which contrasted topics mean all objects of their kinds.

    An example is the Korean for "the cups to me, and the cubes onto the tray", in which nouns do
    not mark number.
    """
    topics = [any(one.text("det") == "some" for one in part.parts()) for part in parts]
    if sum(topics) < 2:
        return list(parts)
    return [
        part.replace(of=tuple(_as_all(one, part) for one in part.parts())) if topic else part
        for part, topic in zip(parts, topics, strict=True)
    ]


def _as_all(theme: Node, act: Node) -> Node:
    named = any(one.kind == "thing" for one in theme.walk())
    if theme.text("det") != "some" or not (named or act.text("verb") == "bring"):
        return theme  # "the blue ones" may be limited to an earlier noun
    return theme.replace(det="all")


def with_place_as_goal(act: Node) -> Node:
    """Return an act without a verb, such as "back table: the cups", with the place as its goal."""
    goal, themes = act.get("to"), act.parts()
    if act.get("verb") or not isinstance(goal, Node) or len(themes) != 1:
        return act
    target = goal.get("to")
    if goal.text("relation") != "at" or not isinstance(target, Node) or target.kind != "np":
        return act
    if not names_holder(themes[0]) or names_holder(target) or not _has_noun(target):
        return act
    return act.replace(of=target, to=goal.replace(to=themes[0]))


def _has_noun(theme: Node) -> bool:
    return any(one.kind == "thing" for one in conjuncts(formula_of(theme)))


def with_swaps(parts: Sequence[Node]) -> list[Node]:
    """Return parts in which two mutual moves are one swap of places."""
    found: list[Node] = []
    for part in parts:
        before = _swapped_objects(found[-1]) if found else None
        if before is not None and _swapped_objects(part) == before[::-1]:
            part = Node("act", (("verb", "swap"), ("of", found.pop().parts() + part.parts())))
        found.append(part)
    return found


def _swapped_objects(act: Node) -> tuple[Node, ...] | None:
    """Return the object of a move, and the object at its target place; None for other acts."""
    goal = act.get("to") if act.kind == "act" else None
    if not isinstance(goal, Node) or goal.text("relation") != "where":
        return None
    return tuple(one.replace(det=None) for one in (*act.parts(), target_of(goal)))


def with_missing_verbs(asks: list[UnresolvedGoal]) -> list[UnresolvedGoal]:
    """Return the parts; those without a verb become moves.

    Raises:
        Trouble: NOT_UNDERSTOOD if the first verb of the command is not about moving objects.
    """
    known = [ask.verb for ask in asks if ask.verb and ask.verb != "leave"]
    verb = known[0] if known else "move"
    found = []
    for ask in asks:
        if not ask.verb:
            if verb not in ("move", "sort", "bring", "pick", "clear", "empty", "out"):
                raise Trouble("NOT_UNDERSTOOD")
            ask = replace(ask, verb="move")
        found.append(ask)
    return found


def with_missing_objects(asks: list[UnresolvedGoal]) -> list[UnresolvedGoal]:
    """Return the parts; "bring" and "put back" without objects get those of the previous part.

    An example is the Korean for "take it out and bring".
    """
    found = asks[:1]
    for ask in asks[1:]:
        if ask.verb in ("bring", "put_back") and not ask.themes:
            ask = replace(ask, themes=(Phrase("", number="all", again=True),))
        found.append(ask)
    return found


def with_shared_source(parts: Iterable[Node]) -> list[Node]:
    """Return parts in which an act that takes objects out shares the source of the part before it.

    An example is the Korean for "leave the apple in the bowl and take the cup out". A source that
    is named stays as it is.
    """
    found: list[Node] = []
    source: Node | None = None
    for part in parts:
        act = part.node("of") if part.kind == "avoid" else part
        out = act.kind == "act" and act.text("verb") in (_LEAVE, _OUT)
        own = act.get("source") if out else None
        if part.kind == "act" and out and act.parts() and own is None and source is not None:
            act = part = act if any(map(_has_place, act.parts())) else act.replace(source=source)
        source = own if isinstance(own, Node) else None
        if source is not None and act.text("verb") == _LEAVE:
            there = Node("rel", (("relation", "at"), ("to", source)))
            part = part.replace(of=_with_themes(act.replace(source=None), partial(_keep, there)))
        found.append(part)
    return found


def _keep(formula: Node, _: Node) -> Node:
    return formula


def _has_place(phrase: Node) -> bool:
    return any(one.kind == "rel" for one in conjuncts(formula_of(phrase)))


def with_objects_of_prohibitions(parts: Sequence[Node]) -> list[Node]:
    """Return parts in which a prohibition without objects concerns those of the act after it.

    An example is the Korean for "not into the blue bowl, put the cube into the red bowl".
    """
    found = list(parts)
    for at, (part, after) in enumerate(pairwise(parts)):
        forbidden = part.node("of") if part.kind == "avoid" else part
        omitted = part.kind == "avoid" and forbidden.kind == "act" and not forbidden.parts()
        if omitted and forbidden.get("to") and after.kind == "act" and after.parts():
            found[at] = part.replace(of=forbidden.replace(of=after.get("of")))
    return found
