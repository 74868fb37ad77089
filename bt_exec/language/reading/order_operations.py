"""Operations of grammar rules on the meanings of acts, orders and their corrections.

An operation returns `UNSAID` for meanings that do not go together.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from bt_exec.language.reading.meaning_node import (
    UNSAID,
    Node,
    Value,
    conjunction,
    conjuncts,
    is_related,
    negation,
    things_in,
)
from bt_exec.language.reading.phrase_operations import (
    IT,
    ONE,
    except_objects,
    listed,
    other_than,
)

__all__ = ["EVERYTHING", "ORDER_OPERATIONS", "correct_objects", "replace_phrase"]

_ORDERS = ("seq", "if", "ordered")
"""Kinds of nodes that consist of orders."""
_TOOLS = ("with", "by", "me")
"""Relations of instruments and of the speaker."""
_NUMBERED = ("duration", "times", "quantity")
_THERE, _THEM = (Node("pronoun", (("name", name),)) for name in ("there", "them"))
_TO_THERE = Node("rel", (("relation", "there"),))
EVERYTHING = Node("np", (("of", Node("any")), ("det", "all")))


def correct_objects(new: Any, old: Any) -> Any:
    """Return corrected objects; without a noun, they take the noun of the replaced objects.

    `UNSAID` is returned for "one" if no noun of the replaced objects is known.
    """
    if not (isinstance(new, Node) and isinstance(old, Node) and new.kind == old.kind == "np"):
        return new
    said, nouns = new.node("of"), _nouns_of(old.node("of"))
    if _nouns_of(said):
        return new
    if ONE in said.walk():
        if not nouns and ONE not in old.walk():
            return UNSAID
        return new.replace(of=said.substitute(ONE, conjunction(*nouns)))
    return new.replace(of=conjunction(said, *nouns))


def _nouns_of(formula: Node) -> list[Node]:
    """Return the things that a formula describes, or that its superlatives select from."""
    parts = conjuncts(formula)
    selected = [part.node("of") for part in parts if part.kind == "most" and part.get("of")]
    return [part for part in parts if part.kind == "thing"] + [
        noun for one in selected for noun in _nouns_of(one)
    ]


def _by_outcome(act: Node, then: Node, other: Node) -> Node:
    """Return an act, an order for the case that it fails, and one for the case that it succeeds."""
    failed, done = Node("not", (("of", (act,)),)), Node("done", (("of", act),))
    branches = (
        Node("if", (("of", Node("ask", (("what", "whether"), ("of", about)))), ("then", branch)))
        for about, branch in ((failed, other), (done, then))
    )
    return Node("seq", (("of", (act, *branches)),))


_EMPTY = Node("has", (("attribute", "empty"),))


def _emptied(objects: Node, place: Node, state: Node, source: Node | None = None) -> Node:
    """Return all objects at a place that is to become empty; `UNSAID` for another state.

    With a source ("from the table until it is empty"), the place may be a pronoun for it.
    """
    at = source if place.kind == "pronoun" and source is not None else place
    if state != _EMPTY or objects.kind != "np" or at.kind != "np" or source not in (None, at):
        return UNSAID
    both = conjunction(objects.node("of"), Node("rel", (("relation", "at"), ("to", at))))
    return Node("np", (("of", both), ("det", "all")))


def _add_arguments(said: Node, more: Any) -> Node:
    """Return orders with further arguments added to each, such as the instrument.

    A later order keeps the instrument that it names: "use your left arm to open the door and
    take the cup with the right one". The result is `UNSAID` if the meaning contains no order.
    """
    changed = _with_arguments(said, more)
    return UNSAID if changed == said else changed


def _with_arguments(said: Node, more: Any) -> Node:
    if said.kind == "act":
        about = said.get("of")
        own = () if about is None else listed(about)
        return said.replace(of=(*own, *listed(more)))
    if said.kind not in _ORDERS:
        return said
    first = next((one for one in said.walk() if one.kind == "act"), None)
    tool = any(map(_is_instrument, listed(more)))

    def with_arguments(part: Node) -> Node:
        own = part.kind == "act" and part is not first and any(map(_is_instrument, part.walk()))
        return part if tool and own else _with_arguments(part, more)

    return said.map_children(with_arguments)


def _is_instrument(node: Any) -> bool:
    return isinstance(node, Node) and (node.kind, node.get("relation")) == ("rel", "with")


def _fill_pronouns(objects: Any, said: Node) -> Node:
    """Return orders in which "it", "them" or "there" is replaced by `objects`.

    The result is `UNSAID` if there is no such pronoun.
    """

    def fill_pronoun(part: Node) -> Node:
        if part == _THERE and isinstance(objects, Node):
            return objects
        if part == _TO_THERE and isinstance(objects, Node):
            return part.replace(relation="to", to=objects)
        about = part.get("of")
        if part.kind == "act" and isinstance(about, Node) and about.kind == "pronoun":
            return part.replace(of=objects)
        if part.kind == "act" and isinstance(about, tuple) and about[0].kind == "pronoun":
            return part.replace(of=(*listed(objects), *about[1:]))
        return part.map_children(fill_pronoun)

    changed = fill_pronoun(said)
    return UNSAID if changed == said else changed


def _correct_orders(said: Node, before: Node) -> Node:
    """Return corrections of an earlier order, completed with the objects or goal that they omit."""
    if said.kind == "seq" and said.parts():
        first, *rest = said.parts()
        whole = said.replace(of=(_correct_orders(first, before), *rest))
        if not rest or is_related(first, before):
            return whole
        return Node("ordered", (("of", whole), ("sign", "restated")))
    if said.kind == "ordered":
        return said.replace(of=_correct_orders(said.node("of"), before))
    if said.kind != "act" or before.kind != "act":
        return said
    said = _asked_about(said, before)
    bare = all(one.kind == "pronoun" for one in said.parts())
    goal = before.get("to") if said.text("verb") in ("", before.text("verb")) else None
    of = before.get("of") if bare else _with_unchanged_phrases(said, before)
    return said.replace(of=correct_objects(of, before.get("of")), to=said.get("to") or goal)


def _with_unchanged_phrases(said: Node, before: Node) -> Any:
    """Return the phrases of an act with the place and duration of the same act before it.

    A correction keeps what it does not state again: "wait there for a minute, no, for two".
    """
    if said.text("verb") != before.text("verb"):
        return said.get("of")
    stated = {one.kind for one in said.parts()} | {_sort_of(one) and "rel" for one in said.parts()}
    kept = (
        one
        for one in before.parts()
        if one.kind in ("rel", *_NUMBERED)
        and one.kind not in stated
        and one.text("relation") not in _TOOLS
    )
    of = (*said.parts(), *kept)
    return of if len(of) > 1 else of[0]


def _asked_about(said: Node, before: Node) -> Node:
    """Return an act in whose questions "it" is replaced by the only object of an earlier act."""
    objects = [one for one in before.parts() if one.kind == "np"]
    if len(objects) != 1 or said.get("of") is None:
        return said

    def with_object(part: Node) -> Node:
        if part.kind != "ask":
            return part
        return part.substitute(IT, objects[0]).substitute(EVERYTHING, objects[0])

    of = tuple(map(with_object, said.parts()))
    return said.replace(of=of if isinstance(said.get("of"), tuple) else of[0])


def _else_first(question: Node, act: Node, before: Node) -> Node:
    """Return a conditional: if the answer is not yes, `before` is done before `act`."""
    both = Node("seq", (("of", (before, act)),))
    return Node("if", (("of", question), ("then", act), ("other", both)))


def _unless(act: Node, question: Node, other: Node) -> Node:
    """Return an act that is replaced by another one if a condition holds.

    In the condition, "it" and "there" are the only object or place of the first act. In the other
    act, which comes first in the result, "it" is the only item that the first act carries.
    """
    about = [one for one in act.walk() if one.kind == "np"]
    if len(about) == 1:
        question = question.substitute(IT, about[0]).substitute(_THERE, about[0])
    items = [one for one in act.parts() if one.kind == "quote"] or about
    for pronoun in (IT, _THEM) if len(items) == 1 else ():
        other = other.substitute(pronoun, items[0])
    return Node("if", (("of", question), ("then", other), ("other", act)))


def _try_first(act: Node, tool: Node) -> Node:
    """Return an act that is done if the same act with another instrument fails.

    The result is `UNSAID` if the act names no instrument.
    """
    parts = act.parts() if act.kind == "act" else ()
    own = [part for part in parts if part.text("relation") in ("with", "by")]
    if len(own) != 1:
        return UNSAID
    first = act.replace(of=tuple(tool if part is own[0] else part for part in parts))
    failed = Node("ask", (("what", "whether"), ("of", negation(first))))
    return Node("if", (("of", failed), ("then", act)))


def _act_on_each_group(verb: Value, *objects: Any) -> Node:
    """Return an act of one verb for each of several groups of objects."""
    each = (Node("act", (("verb", verb), ("of", tuple(own)))) for own in objects)
    return Node("seq", (("of", tuple(each)),))


def replace_phrase(said: Any, new: Any) -> Any:
    """Return an earlier meaning with its only phrase of the sort of `new` replaced by `new`."""
    return _change_phrase(said, new)


def _add_similar_phrase(said: Any, new: Any) -> Any:
    """Return an order with `new` added beside its only phrase of the same sort."""
    return _change_phrase(said, new, added=True)


def _except_from_act(order: Node, formula: Node) -> Node:
    """Return an act that has a goal, except for the objects of `formula`; `UNSAID` for others."""
    objects = order.get("of") if order.kind == "act" and order.get("to") is not None else None
    plain = objects is not None and all(one.kind == "np" for one in listed(objects))
    return order.replace(of=except_objects(objects, formula)) if plain else UNSAID


def _only_at(phrase: Node, relation: str, place: Node) -> Node:
    """Return the orders that leave nothing but the objects of a phrase at a place.

    If the phrase names one object, it is also moved to the place. For objects of a kind ("only
    cubes"), only the other objects are removed.
    """
    where = Node("rel", (("relation", relation), ("to", place)))
    others = other_than(Node("np", (("of", where), ("det", "all"))), phrase)
    clear = Node("act", (("verb", "clear"), ("of", others)))
    if phrase.get("det") is None and Node("many") in phrase.walk():
        return clear
    return Node(
        "seq", (("of", (clear, Node("act", (("verb", "move"), ("of", phrase), ("to", where))))),)
    )


def _add_phrase(order: Node, phrase: Any) -> Node:
    """Return the only act of an order with one more phrase, or several."""
    if order.kind != "act":
        return UNSAID
    return order.replace(of=(*order.parts(), *listed(phrase)))


def _alternatives(one: Node, other: Node) -> Node:
    """Return a choice between two acts of the same verb: "will you go to A, will you go to B?"."""
    same = one.get("verb") == other.get("verb")
    return Node("choice", (("of", (one, other)),)) if same else UNSAID


def _size(several: Any) -> int:
    """Return the number of objects in a list, or of orders in a sequence."""
    if isinstance(several, Node) and several.kind == "seq":
        several = several.parts()
    quantity = several.get("quantity") if isinstance(several, Node) else None
    if isinstance(quantity, Node):
        return int(quantity.text("number"))
    return sum(map(_size, several)) if isinstance(several, tuple) else 1


def _change_phrase(said: Any, new: Any, *, added: bool = False) -> Any:
    """Return an earlier meaning with its only phrase of the sort of `new` replaced by `new`.

    If there are several, the only one with the noun of `new` is changed.

    Args:
        said: The earlier meaning.
        new: The new phrase.
        added: Whether `new` is added beside the phrase instead.
    """
    if isinstance(new, int) or (isinstance(new, Node) and new.kind in _NUMBERED):
        return UNSAID if added else _change_number(said, new)
    sort = _sort_of(new)
    if sort is None:
        return _change_described_object(said, new, added) if isinstance(said, Node) else UNSAID

    def change(old: Any) -> Any:
        return (old, new) if added else new

    if _sort_of(said) == sort:
        return change(said)
    places = [one for one in said.walk() if _sort_of(one) == sort] if isinstance(said, Node) else []
    same = [one for one in places if things_in(one) == things_in(new)]
    places = same if len(same) == 1 else places
    if len(places) != 1:
        return UNSAID
    return _with_phrase_changed(said, places[0], change)


def _change_described_object(said: Node, new: Any, added: bool) -> Any:
    """Return an act whose only object is replaced by one of the same kind: "no, the red one".

    If `added` is true, the act is about both objects: "the red one, too".
    """
    objects = [one for one in said.parts() if one.kind == "np" and len(things_in(one)) == 1]
    described = isinstance(new, Node) and new.kind == "np" and not things_in(new)
    if said.kind != "act" or len(objects) != 1 or not described:
        return UNSAID
    one = correct_objects(new, objects[0])
    changed = (objects[0], one) if added else one
    return _with_phrase_changed(said, objects[0], lambda _: changed)


def _change_number(said: Any, new: int | Node) -> Any:
    """Return an earlier meaning with its only number, or duration, replaced."""
    kinds = _NUMBERED if isinstance(new, int) else (new.kind,)
    nodes = said.walk() if isinstance(said, Node) else ()
    numbered = [one for one in nodes if one.kind in kinds]
    if len(numbered) != 1:
        return UNSAID
    changed = numbered[0].replace(number=new) if isinstance(new, int) else new
    return said.substitute(numbered[0], changed)


def _with_phrase_changed(node: Node, place: Node, change: Callable[[Any], Any]) -> Node:
    args = []
    for name, value in node.args:
        parts = value if isinstance(value, tuple) else (value,)
        found: list[Any] = []
        for part in parts:
            one = change(part) if part == place else part
            if isinstance(part, Node) and one is part:
                one = _with_phrase_changed(part, place, change)
            found += one if isinstance(one, tuple) else [one]
        args.append((name, tuple(found) if len(found) > 1 else found[0]))
    return Node(node.kind, tuple(args))


def _sort_of(phrase: Any) -> tuple[str, str] | None:
    """Return the key that interchangeable phrases share; None for other nodes."""
    if not isinstance(phrase, Node) or phrase.kind not in ("np", "rel"):
        return None
    things = things_in(phrase)
    if len(things) != 1:
        return None
    return phrase.text("relation"), things[0].rpartition("/")[0].rpartition("/")[0]


def _restart_orders(before: Node, orders: Node) -> Node:
    """Return the orders after a sentence that broke off ("open the … no, close the door").

    Several new orders replace all of the sentence; a single one replaces only its unfinished end.
    """
    if orders.kind == "seq" and len(orders.parts()) > 1:
        return orders
    return Node("seq", (("of", (before, orders)),))


ORDER_OPERATIONS: Mapping[str, Callable[..., Any]] = {
    "in_case": _unless,
    "acts": _act_on_each_group,
    "try_first": _try_first,
    "else_first": _else_first,
    "emptied": _emptied,
    "by_outcome": _by_outcome,
    "around": lambda own, act: Node("seq", (("of", (own, act, own)),)),
    "topic": _fill_pronouns,
    "extend": _add_arguments,
    "corrected": _correct_orders,
    "restated": correct_objects,
    "amended": replace_phrase,
    "restarted": _restart_orders,
    "amended_by": lambda said, old: UNSAID if replace_phrase(said, old) == UNSAID else said,
    "extended": _add_similar_phrase,
    "with": _add_phrase,
    "offered": _alternatives,
    "spare": _except_from_act,
    "only_at": _only_at,
    "numbered": lambda several, number: several if _size(several) == number else UNSAID,
}
"""Operations on acts and orders, by the names that grammar files use."""
