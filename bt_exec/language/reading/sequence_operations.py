"""Operations of grammar rules on the order of acts: before, after, first, last.

An operation returns `UNSAID` for meanings that do not go together.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from bt_exec.language.reading.meaning_node import UNSAID, Node, Value, conjuncts
from bt_exec.language.reading.order_operations import EVERYTHING, correct_objects, replace_phrase
from bt_exec.language.reading.phrase_operations import ONE, listed, other_than, refine

__all__ = ["SEQUENCE_OPERATIONS"]


def _mark_rank(said: Any, sign: str = "first") -> Any:
    """Return objects or a goal marked as those to deal with first, or last."""
    if isinstance(said, tuple):
        return (_mark_rank(said[0], sign), *said[1:])
    to = said.get("to")
    if said.kind == "rel" and isinstance(to, Node):
        return said.replace(to=_mark_rank(to, sign))
    return Node("ordered", (("of", said), ("sign", sign)))


def _in_turn(*parts: Any) -> tuple[Any, ...]:
    """Return objects of one act that are dealt with one after the other, in their order."""
    objects = [one for part in parts for one in listed(part)]
    last = objects[-1]
    return (*objects[:-1], last if last.kind == "next" else Node("next", (("of", last),)))


def _begin_with(order: Node, objects: Any) -> Node:
    """Return an act on some of its objects, followed by the same act on the rest of them."""
    if (listed_apart := _listed_object(order, objects)) is not None:
        one, others = listed_apart
        return Node("seq", (("of", (order.replace(of=one), order.replace(of=others))),))
    own, of = _objects_of(order), _some_of(order, objects)
    if own is None or of is None:
        return UNSAID
    rest = _less_one(own, objects) if own.get("quantity") else own.replace(det="rest")
    acts = (order.replace(of=of), order.replace(of=rest))
    return Node("seq", (("of", acts),))


def _end_with(order: Node, objects: Any) -> Node:
    """Return an order whose last act leaves `objects` until all its other objects are done."""
    *before, act = order.parts() if order.kind == "seq" else (order,)
    if (listed_apart := _listed_object(act, objects)) is not None:
        one, others = listed_apart
        return Node("seq", (("of", (*before, act.replace(of=others), act.replace(of=one))),))
    own, of = _objects_of(act), _some_of(act, objects)
    if own is None or of is None:
        return UNSAID
    acts = (*before, act.replace(of=_less_one(own, objects)), act.replace(of=of))
    return Node("seq", (("of", acts),))


def _less_one(own: Node, objects: Any) -> Any:
    """Return the objects of an act without `objects`; a number of objects is reduced by one.

    An example is "both cups, the blue one first".
    """
    number, others = own.get("quantity"), other_than(own, objects)
    if not isinstance(number, Node):
        return others
    return others.replace(quantity=number.replace(number=int(number.text("number")) - 1))


def _listed_object(act: Node, objects: Any) -> tuple[Node, Value] | None:
    """Return the object of a list that `objects` names, and the other objects; None if unclear.

    In "the cup and the apple, the apple first", the object is the apple.
    """
    own = act.get("of")
    of = objects.get("of") if isinstance(objects, Node) and objects.kind == "np" else None
    if act.kind != "act" or not isinstance(own, tuple) or not isinstance(of, Node):
        return None
    if any(one.kind != "np" for one in own):
        return None
    named = {part for part in conjuncts(of) if part != ONE}
    found = [one for one in own if named <= {*conjuncts(one.node("of"))}]
    others = tuple(one for one in own if one not in found)
    if len(found) != 1 or not others:
        return None
    return found[0], others if len(others) > 1 else others[0]


def _handed_over(act: Node, item: Node | None = None) -> Node:
    """Return an act that ends when a person has taken an item or answered a question.

    The result is `UNSAID` for other acts, and if `item` is not an argument of the act.
    """
    frame = act.text("verb").split("/")[1:2]
    ends = act.kind == "act" and frame in (["carry"], ["ask"])
    return act if ends and (item is None or item in act.parts()) else UNSAID


def _repeated(act: Node, pause: Node, period: Node) -> Node:
    """Return an act that is repeated with a pause from the beginning of a period to its end.

    The result is `UNSAID` if the period is not a multiple of the pause.
    """
    each, whole = (int(one.text("number")) * int(one.text("unit")) for one in (pause, period))
    if not each or whole % each:
        return UNSAID
    times = Node("times", (("number", whole // each + 1),))
    return Node("turns", (("of", Node("turns", (("of", act), ("times", times)))), ("pause", pause)))


def _require_rankable(act: Node) -> Node:
    """Return an act whose places or objects may be ranked here; `UNSAID` for all others.

    These are acts of packs without frames, and acts that name several objects. In "go on a round,
    the lounge first", the round names none: the pack that knows its places ranks them.
    """
    ranked = "/" in act.text("verb") and not isinstance(act.get("of"), tuple)
    return UNSAID if act.kind != "act" or ranked else act


def _then_on(act: Node, other: Node) -> Node:
    """Return an act, followed by the same act on another object or at another place."""
    own = act.get("of")
    if act.kind != "act":
        return UNSAID
    if isinstance(own, Node) and own.kind == "np":
        later = act.replace(of=correct_objects(other, own))
    else:
        later = replace_phrase(act, other)
    return UNSAID if UNSAID in (later, act) else Node("seq", (("of", (act, later)),))


def _reversed(orders: Node) -> Node:
    """Return a sequence of orders in the opposite order."""
    return UNSAID if orders == UNSAID else orders.replace(of=orders.parts()[::-1])


def _on_others_first(act: Node, objects: Any) -> Node:
    """Return an act on `objects`, followed by the act on its own objects."""
    if act.kind != "act":
        return UNSAID
    return Node("seq", (("of", (act.replace(of=objects), act)),))


def _objects_of(act: Node) -> Node | None:
    """Return the object phrase of an act, or "everything" if the act has no object.

    None if the act has several object phrases, or an inexact number of objects.
    """
    own = act.get("of") or EVERYTHING
    if act.kind != "act" or not isinstance(own, Node) or own.kind != "np":
        return None
    number = own.get("quantity")
    exact = isinstance(number, Node) and number.text("bound") == "exactly"
    return own if number is None or exact else None


def _some_of(act: Node, objects: Any) -> Node | None:
    """Return `objects` restricted to the objects of an act; None if both have attributes."""
    own = _objects_of(act)
    if own is None or not isinstance(objects, Node):
        return None
    if own.node("of").kind == "any":
        return objects
    both = [[one for one in of.walk() if one.kind == "has"] for of in (own, objects)]
    return None if all(both) else refine(objects, own.node("of"))


def _preceded(first: Node, act: Node) -> Node:
    """Return orders followed by an act; once, if they end with the same act ("…, then close it").

    Args:
        first: The orders that come first.
        act: The act before which they are done.
    """
    *before, last = first.parts() if first.kind == "seq" else (first,)
    own = last.get("of")
    bare = own in (None, act.get("of")) or (isinstance(own, Node) and own.kind == "pronoun")
    same = last.kind == act.kind == "act" and bool(_verbs(last) & _verbs(act))
    if before and same and act.get("of") is None and act.get("to") is None:
        return first  # "before you go, wait a minute, then go to the lounge"
    parts = (*before, act) if before and same and bare and not last.get("to") else (first, act)
    return Node("seq", (("of", parts),))


def _verbs(act: Node) -> set[str]:
    """Return the verbs that an act may have."""
    return {*act.text("verb").partition("/")[0].split()}


SEQUENCE_OPERATIONS: Mapping[str, Callable[..., Any]] = {
    "ranked": _mark_rank,
    "ranked_last": lambda said: _mark_rank(said, "last"),
    "in_turn": _in_turn,
    "begin_with": _begin_with,
    "end_with": _end_with,
    "others_first": _on_others_first,
    "then_on": _then_on,
    "moving": _require_rankable,
    "handed_over": _handed_over,
    "repeated": _repeated,
    "first_on": lambda act, other: _reversed(_then_on(act, other)),
    "preceded": _preceded,
    "same_act": lambda act, verb: act if act.text("verb") == verb else UNSAID,
}
"""Operations on the order of acts, by the names that grammar files use."""
