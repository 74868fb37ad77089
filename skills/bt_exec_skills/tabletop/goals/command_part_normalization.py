"""Related parts of a command: shared verbs, and swaps expressed as two moves."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from bt_exec.language.reading.meaning_node import Node, conjunction, conjuncts
from bt_exec_skills.tabletop.goals.model import Ask, Trouble
from bt_exec_skills.tabletop.goals.object_phrases import TABLE, formula_of, target_of

__all__ = ["with_missing_verbs", "with_swaps", "without_general_order"]


def without_general_order(parts: tuple[Node, ...]) -> tuple[Node, ...]:
    """Return parts without a leading "tidy the table" that verbless parts after it explain.

    The verbless parts are about the objects on that table: "tidy the table: cups on the tray".
    """
    if not parts:
        return parts
    tidy, *rest = parts
    general = tidy.text("verb") in ("clear", "sort") and not (tidy.get("to") or tidy.get("by"))
    if not general or not rest or any(one.kind != "act" or one.get("verb") for one in rest):
        return parts
    if not tidy.parts():
        return tuple(rest)
    if len(tidy.parts()) > 1 or TABLE not in conjuncts(formula_of(tidy.parts()[0])):
        return parts
    there = Node("rel", (("relation", "at"), ("to", tidy.parts()[0])))
    return tuple(
        act.replace(
            of=tuple(one.replace(of=conjunction(formula_of(one), there)) for one in act.parts())
        )
        for act in rest
    )


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


def with_missing_verbs(asks: list[Ask]) -> list[Ask]:
    """Return the parts, with missing verbs copied from their neighbours."""
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
