"""Templates of meanings: nodes, constants and operations over the named items of a rule."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from operator import itemgetter
from typing import Any, TypeAlias

from bt_exec.language.reading.meaning_node import (
    KINDS,
    Node,
    Value,
    conjunction,
    conjuncts,
    disjunction,
    in_picture,
    negation,
    without_number,
)

__all__ = ["UNSAID", "Build", "GrammarError", "Template"]

_ONE = Node("one")
_WHOLE = ("all", "all_but", "rest", "another")
"""Determiners of phrases that leave no choice among their objects."""

Build: TypeAlias = Callable[[Sequence[Any]], Any]
"""Function that builds a meaning from the meanings of all constituents of a rule, in order."""

_ORDERS = ("seq", "if", "ordered")
"""Kinds of nodes that consist of orders."""
_EVERYTHING = Node("np", (("of", Node("any")), ("det", "all")))
_IT = Node("pronoun", (("name", "it"),))
_HEIGHTS = {"big": "tall", "small": "short"}
_LISTED_ASPECTS = ("colour", "shape")
_SIDES = ("left_of", "right_of", "above", "below")
_TOKEN = re.compile(r"\s*([$\w]+|[(),])")


UNSAID = negation(Node("any"))
"""Meaning of an invalid combination: edges with this meaning are discarded."""


class GrammarError(ValueError):
    """Raised for a line of a grammar file that is not a valid rule.

    Args:
        line: The line.
        problem: Description of the mistake.
    """

    def __init__(self, line: str, problem: str) -> None:
        super().__init__(f"{problem}: {line!r}")
        self.line = line


class Template:
    """Template of the meaning that a rule builds.

    Args:
        text: Text after the arrow of the rule.
        line: The rule, for messages.

    Attributes:
        names: Names of the items in the template, repeated if used more than once.
    """

    def __init__(self, text: str, line: str) -> None:
        self._line = line
        self._tokens = _TOKEN.findall(text)
        self.names: list[str] = []
        self._tree = self._parse()
        if self._tokens:
            raise GrammarError(line, f"unexpected {self._tokens[0]!r} in the meaning")

    def _parse(self) -> Any:
        if not self._tokens:
            raise GrammarError(self._line, "the meaning is missing")
        token = self._tokens.pop(0)
        if token.startswith("$"):
            self.names.append(token[1:])
            return token
        if self._tokens[:1] != ["("]:
            return int(token) if token.isdigit() else token
        self._tokens.pop(0)
        args = []
        while self._tokens and self._tokens[0] != ")":
            args.append(self._parse())
            if self._tokens[:1] == [","]:
                self._tokens.pop(0)
        if not self._tokens:
            raise GrammarError(self._line, "a bracket is not closed")
        self._tokens.pop(0)
        self._known(token, len(args))
        return (token, args)

    def _known(self, kind: str, number: int) -> None:
        if kind in _OPERATIONS:
            return
        if kind not in KINDS:
            raise GrammarError(self._line, f"{kind!r} is not a kind of node")
        if number > len(KINDS[kind]):
            raise GrammarError(self._line, f"{kind} takes {len(KINDS[kind])} arguments")

    def bind(self, places: Mapping[str, int]) -> Build:
        """Return the function that builds the meaning from the constituents at `places`.

        Items without a place are absent and left out.
        """
        return _bound(self._tree, places)


def _absent_item(_: Sequence[Any]) -> None:
    """Return None, the meaning of an absent item."""


def _bound(tree: Any, places: Mapping[str, int]) -> Build:
    if isinstance(tree, str) and tree.startswith("$"):
        place = places.get(tree[1:])
        return _absent_item if place is None else itemgetter(place)
    if not isinstance(tree, tuple):
        return lambda _: tree
    kind, args = tree
    makers = [_bound(arg, places) for arg in args]
    if kind in _OPERATIONS:
        operation = _OPERATIONS[kind]
        return lambda parts: _apply_operation(operation, [make(parts) for make in makers])
    names = KINDS[kind]
    make_node = partial(_node, kind, names)
    return lambda parts: _apply_operation(make_node, [make(parts) for make in makers])


def _apply_operation(operation: Callable[..., Any], values: Sequence[Any]) -> Any:
    """Return the result of an operation, or `UNSAID` if one of its arguments is `UNSAID`."""
    return UNSAID if any(value is UNSAID for value in values) else operation(*values)


def _node(kind: str, names: Sequence[str], *values: Value | None) -> Node:
    pairs = zip(names, values, strict=False)
    return Node(kind, tuple((name, value) for name, value in pairs if value not in (None, "_")))


def _present_parts(parts: Iterable[Any]) -> list[Any]:
    return [part for part in parts if part is not None]


def _listed(part: Any) -> tuple[Any, ...]:
    return part if isinstance(part, tuple) else (part,)


def _refine(phrase: Node | None, *formulas: Node | None) -> Node | None:
    """Return a phrase whose object also satisfies `formulas`.

    Without a phrase, the conjunction of the formulas is returned.
    """
    extra = _present_parts(formulas)
    if phrase is None:
        return conjunction(*extra) if extra else None
    if isinstance(phrase, tuple):
        return UNSAID if extra else phrase
    if phrase.kind == "next":
        return phrase.replace(of=_refine(phrase.node("of"), *formulas))
    if phrase.kind != "np":
        return Node("np", (("of", conjunction(phrase, *extra)),)) if extra else phrase
    return phrase.replace(of=conjunction(phrase.node("of"), *extra)) if extra else phrase


def _set_argument(phrase: Node, name: str, value: Value | None) -> Node:
    """Return a node with an argument set if there is a value; `UNSAID` if its kind has none."""
    if value is not None and name not in KINDS[phrase.kind]:
        return UNSAID
    return phrase if value is None else phrase.replace(**{name: value})


def _except_objects(objects: Any, formula: Node | None) -> Any:
    """Return an object phrase, or each of several, restricted by a formula such as an exclusion."""
    if formula is None or objects is None:
        return objects
    if isinstance(objects, tuple):
        return tuple(_refine(one, formula) for one in objects)
    return _refine(objects, formula)


def _correct_objects(new: Any, old: Any) -> Any:
    """Return corrected objects; without a noun, they take the noun of the replaced objects."""
    if not (isinstance(new, Node) and isinstance(old, Node) and new.kind == old.kind == "np"):
        return new
    parts, before = conjuncts(new.node("of")), conjuncts(old.node("of"))
    if any(part.kind == "thing" for part in parts):
        return new
    nouns = [part for part in before if part.kind == "thing"]
    return new.replace(of=conjunction(*(part for part in parts if part != _ONE), *nouns))


def _other_than(chosen: Any, excluded: Any) -> Any:
    """Return the chosen objects or goal without the objects of the phrase `excluded`."""
    if isinstance(chosen, Node) and chosen.kind == "rel":
        return chosen.replace(to=_other_than(chosen.get("to"), excluded))
    place = excluded.get("to") if excluded.kind == "rel" else None
    excluded = place if isinstance(place, Node) else excluded
    formula = excluded.get("of") if excluded.kind == "np" else excluded
    if not isinstance(formula, Node) or formula.kind == "pronoun":
        return chosen
    return _except_objects(chosen, negation(formula))


def _all_of(objects: Any) -> Any:
    """Return object phrases or a goal with the determiner "all"."""
    if isinstance(objects, tuple):
        return tuple(map(_all_of, objects))
    if objects.kind == "rel":
        return objects.map(_all_of)
    if objects.kind in ("ordered", "next"):
        return objects.replace(of=_all_of(objects.node("of")))
    return objects.replace(det="all") if objects.kind == "np" else objects


def _mark_to_do_first(said: Any) -> Any:
    """Return objects or a goal with the first object marked as the one to deal with first."""
    if isinstance(said, tuple):
        return (_mark_to_do_first(said[0]), *said[1:])
    to = said.get("to")
    if said.kind == "rel" and isinstance(to, Node):
        return said.replace(to=_mark_to_do_first(to))
    return Node("ordered", (("of", said), ("sign", "first")))


def _in_turn(*parts: Any) -> tuple[Any, ...]:
    """Return objects of one act that are dealt with one after the other, in their order."""
    objects = [one for part in parts for one in _listed(part)]
    last = objects[-1]
    return (*objects[:-1], last if last.kind == "next" else Node("next", (("of", last),)))


def _ask_about(question: Node, phrase: Node) -> Node:
    """Return a question that lacks an object with `phrase` as its object."""
    inner = question.get("of")
    asked = _ask_about(inner, phrase) if isinstance(inner, Node) else phrase
    return question.replace(of=asked)


def _ask_each_about(phrase: Node, *questions: Node) -> Node:
    """Return a sequence of questions that lack an object, with `phrase` as the object of each."""
    return Node("seq", (("of", tuple(_ask_about(one, phrase) for one in questions)),))


def _exclude_from_question(question: Node, formula: Node) -> Node:
    """Return a question whose phrase excludes the objects of `formula`; `UNSAID` without one."""
    inner = question.get("of")
    if not isinstance(inner, Node):
        return UNSAID
    without = _refine(inner, negation(formula)) if inner.kind == "np" else None
    return question.replace(of=without or _exclude_from_question(inner, formula))


def _without_landmark(phrase: Node) -> Any:
    """Return the phrase of "what else on the table with the bowl?" without the bowl."""
    landmarks = [part.get("to") for part in phrase.walk() if part.text("relation") == "with"]
    formulas = [one.node("of") for one in landmarks if isinstance(one, Node) and one.kind == "np"]
    return _except_objects(phrase, negation(disjunction(*formulas)) if formulas else None)


def _reject_yes_no_question(question: Node) -> Node:
    """Return `question`, or `UNSAID` if it is a yes/no question."""
    return UNSAID if question.text("what") == "whether" else question


def _fill_it(question: Node, phrase: Node) -> Node:
    """Return a question with "it" replaced by `phrase`; `UNSAID` if there is no "it"."""
    filled = question.substitute(_IT, phrase)
    return UNSAID if filled == question else filled


def _state_of(phrase: Node, formula: Node) -> Node:
    """Return the proposition that an object satisfies a formula, with the object for pronouns."""
    return Node("exists", (("of", _refine(phrase, formula) or phrase), ("about", phrase)))


def _outermost(formula: Node) -> Node:
    """Return the distance between the leftmost and the rightmost object of a formula."""
    one, other = (
        Node("np", (("of", Node("most", (("attribute", side), ("of", without_number(formula))))),))
        for side in ("left_of", "right_of")
    )
    return Node("apart", (("of", one), ("to", other)))


def _of_another_rank(question: Node, _: Node) -> Node:
    """Return a question for the second or a later place in an order, which excludes the first.

    The result is `UNSAID` for another question.
    """
    return question if any(node.text("rank") for node in question.walk()) else UNSAID


def _in_order(question: Node, order: str) -> Node:
    """Return a question whose objects are listed in an order; `UNSAID` for one without a list."""
    of = question.get("of")
    lists = isinstance(of, Node) and (of.kind != "aspect" or of.text("name") in _LISTED_ASPECTS)
    lists = lists and question.text("what") in ("which", "what", "where")
    return question.replace(order=order) if lists and not question.get("order") else UNSAID


def _require_yes_no_question(question: Node) -> Node:
    """Return `question`, or `UNSAID` if it is not a yes/no question."""
    return question if question.text("what") == "whether" else UNSAID


def _append_question(before: Node, question: Node) -> Node:
    """Return a sequence of questions with one more, which is not itself a sequence."""
    if question.kind == "seq":
        return UNSAID
    parts = before.parts() if before.kind == "seq" else (before,)
    return Node("seq", (("of", (*parts, question)),))


def _append_in_sentence(before: Node, question: Node) -> Node:
    """Return a sequence with one more question of the same sentence.

    A question after a conditional belongs to its branch, unless it is a conditional, too.
    """
    last = before.parts()[-1] if before.kind == "seq" and before.parts() else before
    outside = last.kind == "if" and question.kind != "if"
    return UNSAID if outside else _append_question(before, question)


def _compare_counts_at_places(phrase: Node, place: Node, other: Node, sign: str) -> Node:
    """Return the comparison of the counts of the same objects at two places."""
    here, there = (_refine(phrase, one) or phrase for one in (place, other))
    return Node("more", (("of", here), ("to", there), ("sign", sign)))


def _compare_counts_of_attributes(noun: Node, one: Node, other: Node) -> Node:
    """Return whether more objects of a noun have one attribute than the other."""
    some, others = (Node("np", (("of", conjunction(part, noun)),)) for part in (one, other))
    return Node("more", (("of", some), ("to", others), ("sign", "more")))


def _fill_superlative(top: Node, formula: Node) -> Node:
    """Return a superlative such as "the largest one", with "one" replaced by a formula."""
    of = top.node("of")
    return top.replace(of=formula if of == _ONE else _fill_superlative(of, formula))


def _restrict_question(question: Node, formula: Node) -> Node:
    """Return a question restricted to the objects of a formula: "of the circles, which …"."""
    if _ONE in question.walk():
        return question.substitute(_ONE, formula)
    inner = question.node("of")
    about = _refine(inner, formula) if inner.kind == "np" else None
    return question.replace(of=about or _restrict_question(inner, formula))


def _require_singular(formula: Node) -> Node:
    """Return a formula in the singular; for a plural, the formula that no object satisfies."""
    return negation(Node("any")) if Node("many") in conjuncts(formula) else formula


def _join_names(one: Node, other: Node) -> Node:
    """Return the object whose name joins the names of two objects: "child ticket"."""
    names = [part.text("name") for part in (one, *conjuncts(other)) if part.kind == "thing"]
    return Node("thing", (("name", " ".join(names)),))


def _numbered_object(number: int) -> Node:
    """Return the object with a number for its name, such as the bar of a year."""
    return Node("thing", (("name", str(number)),))


def _either_relation(one: Value, other: Value, to: Node) -> Node:
    """Return the disjunction of two relations to, or comparisons with, the same objects."""

    def related(how: Value) -> Node:
        if isinstance(how, Node):
            return Node("than", (("attribute", how.text("attribute")), ("to", to)))
        return Node("rel", (("relation", how), ("to", to)))

    return disjunction(related(one), related(other))


def _relation_to_either(relation: str, one: Node, other: Node) -> Node:
    """Return the disjunction of one relation to two objects."""
    return disjunction(*(Node("rel", (("relation", relation), ("to", to))) for to in (one, other)))


def _begin_with(order: Node, objects: Any) -> Node:
    """Return an act on some of its objects, followed by the same act on the rest of them."""
    own, of = _objects_of(order), _some_of(order, objects)
    if own is None or of is None:
        return UNSAID
    acts = (order.replace(of=of), order.replace(of=own.replace(det="rest")))
    return Node("seq", (("of", acts),))


def _end_with(order: Node, objects: Any) -> Node:
    """Return an order whose last act leaves `objects` until all its other objects are done."""
    *before, act = order.parts() if order.kind == "seq" else (order,)
    own, of = _objects_of(act), _some_of(act, objects)
    if own is None or of is None:
        return UNSAID
    acts = (*before, act.replace(of=_other_than(own, objects)), act.replace(of=of))
    return Node("seq", (("of", acts),))


def _objects_of(act: Node) -> Node | None:
    """Return the object phrase of an act, or "everything" if the act has no object.

    None if the act has several object phrases or a quantity of objects.
    """
    own = act.get("of") or _EVERYTHING
    plain = isinstance(own, Node) and own.kind == "np" and own.get("quantity") is None
    return own if act.kind == "act" and isinstance(own, Node) and plain else None


def _some_of(act: Node, objects: Any) -> Node | None:
    """Return `objects` restricted to the objects of an act; None if both have attributes."""
    own = _objects_of(act)
    if own is None or not isinstance(objects, Node):
        return None
    if own.node("of").kind == "any":
        return objects
    both = [[one for one in of.walk() if one.kind == "has"] for of in (own, objects)]
    return None if all(both) else _refine(objects, own.node("of"))


def _next_at(relation: str, to: Node, *sides: str) -> Node:
    """Return a relation to an object with no other object in between.

    ``beside`` is added to the relations in `_SIDES` and `sides`.
    """
    names = (relation, "beside") if relation in (*_SIDES, *sides) else (relation,)
    return conjunction(*(Node("rel", (("relation", one), ("to", to))) for one in names))


def _restrict_to_mentioned(question: Node) -> Node:
    """Return a question about a phrase, restricted to the objects mentioned before."""
    them = Node("pronoun", (("name", "them"),))
    inner = question.node("of")
    if question.kind == "most":
        return question.replace(of=conjunction(inner, them))
    top = inner.get("of")
    if inner.kind != "np" or (isinstance(top, Node) and top.kind == "most"):
        return question.replace(of=_restrict_to_mentioned(inner))
    return question.replace(of=_refine(inner, them))


def _add_arguments(said: Node, more: Any) -> Node:
    """Return orders with further arguments added to each, such as the instrument.

    The result is `UNSAID` if the meaning contains no order.
    """
    changed = _with_arguments(said, more)
    return UNSAID if changed == said else changed


def _with_arguments(said: Node, more: Any) -> Node:
    if said.kind == "act":
        about = said.get("of")
        own = () if about is None else _listed(about)
        return said.replace(of=(*own, *_listed(more)))
    return said.map(lambda part: _with_arguments(part, more)) if said.kind in _ORDERS else said


def _fill_pronouns(objects: Any, said: Node) -> Node:
    """Return orders in which "it" or "them" is replaced by `objects`.

    The result is `UNSAID` if there is no such pronoun.
    """

    def walk(part: Node) -> Node:
        about = part.get("of")
        if part.kind == "act" and isinstance(about, Node) and about.kind == "pronoun":
            return part.replace(of=objects)
        if part.kind == "act" and isinstance(about, tuple) and about[0].kind == "pronoun":
            return part.replace(of=(*_listed(objects), *about[1:]))
        return part.map(walk)

    changed = walk(said)
    return UNSAID if changed == said else changed


def _correct_orders(said: Node, before: Node) -> Node:
    """Return corrections of an earlier order, completed with the objects or goal that they omit."""
    if said.kind == "seq" and said.parts():
        first, *rest = said.parts()
        return said.replace(of=(_correct_orders(first, before), *rest))
    if said.kind == "ordered":
        return said.replace(of=_correct_orders(said.node("of"), before))
    if said.kind != "act" or before.kind != "act":
        return said
    said = _asked_about(said, before)
    bare = all(one.kind == "pronoun" for one in said.parts())
    goal = None if said.text("verb") else before.get("to")
    of = before.get("of") if bare else said.get("of")
    return said.replace(of=of, to=said.get("to") or goal)


def _asked_about(said: Node, before: Node) -> Node:
    """Return an act in whose questions "it" is replaced by the only object of an earlier act."""
    objects = [one for one in before.parts() if one.kind == "np"]
    if len(objects) != 1 or said.get("of") is None:
        return said

    def with_object(part: Node) -> Node:
        if part.kind != "ask":
            return part
        return part.substitute(_IT, objects[0]).substitute(_EVERYTHING, objects[0])

    of = tuple(map(with_object, said.parts()))
    return said.replace(of=of if isinstance(said.get("of"), tuple) else of[0])


def _restrict_ones_to_phrase(phrase: Node, said: Node) -> Node:
    """Return orders in which "the red one" is one of the objects of a phrase."""
    same = phrase.get("of")
    if not isinstance(same, Node):
        return said
    if said.kind == "np" and Node("one") in conjuncts(said.node("of")):
        return said.replace(of=conjunction(said.node("of"), same))
    if said.kind == "act" and not any(one.kind == "thing" for one in conjuncts(same)):
        themes = tuple(_refine(one, same) or one for one in said.parts())
        return said.replace(of=themes if len(themes) != 1 else themes[0])
    return said.map(lambda part: _restrict_ones_to_phrase(phrase, part))


def _add_contrasted_noun(phrase: Node, said: Node) -> Node:
    """Return orders about "the big ones" and "the small ones" with the noun of a phrase.

    Only the orders before the first one with its own noun are changed. The result is `UNSAID` if
    there are none.
    """
    acts = said.parts() if said.kind == "seq" else (said,)
    done = []
    for act in acts:
        themes = act.parts() if act.kind == "act" else ()
        bare = [one for one in themes if one.kind == "np" and _has_no_noun(one)]
        if not themes or len(bare) < len(themes):
            break
        of = tuple(_refine(one, phrase.node("of")) or one for one in themes)
        done.append(act.replace(of=of if len(of) > 1 else of[0]))
    if not done:
        return UNSAID
    return Node("seq", (("of", (*done, *acts[len(done) :])),))


def _require_landmark(phrase: Node) -> Node:
    """Return `phrase` if an object can be beside it; `UNSAID` for several objects."""
    of = phrase.get("of")
    several = isinstance(of, Node) and Node("many") in conjuncts(of)
    det, quantity = phrase.text("det"), phrase.get("quantity")
    if isinstance(quantity, Node) and quantity.text("number") != "1":
        return UNSAID
    return UNSAID if det == "all" or (det == "rest" and several) else phrase


def _narrow(phrase: Node, more: Any) -> Node:
    """Return a phrase narrowed by a second one, as in "the cup, the red one"."""
    if not all(isinstance(one, Node) and one.kind == "np" for one in (phrase, more)):
        return UNSAID
    own, added = conjuncts(phrase.node("of")), conjuncts(more.node("of"))
    named = any(part.kind == "thing" for part in own)
    if not named or any(part.kind not in ("has", "one", "most") for part in added):
        return UNSAID
    kept = (part for part in added if part != _ONE)
    return phrase.replace(of=conjunction(*own, *kept), det=phrase.get("det") or more.get("det"))


def _choose_any(said: Node, role: str) -> Node:
    """Return an act in which any one of the objects in a role will do.

    The result is `UNSAID` if the role names all objects of a kind.
    """
    about = said.get(role) if said.kind == "act" else None
    place = about.get("to") if isinstance(about, Node) and about.kind == "rel" else None
    phrase = place if isinstance(place, Node) else about
    if not isinstance(phrase, Node) or phrase.kind != "np" or phrase.get("det") in _WHOLE:
        return UNSAID
    several = Node("many") in conjuncts(phrase.node("of"))
    if phrase.get("quantity") is None and several:
        return UNSAID
    chosen = phrase.replace(det=None if phrase.get("quantity") else "any")
    return said.substitute(phrase, chosen)


def _has_no_noun(phrase: Node) -> bool:
    """Return True for a phrase with attributes and without a noun: "the big ones", "the rest"."""
    of = phrase.get("of")
    parts = conjuncts(of) if isinstance(of, Node) else ()
    kinds = {part.kind for part in parts} - {"one", "many", "any"}
    return bool(kinds or phrase.get("det") == "rest") and kinds <= {"has", "not", "or", "most"}


def _else_first(question: Node, act: Node, before: Node) -> Node:
    """Return an act that needs another one before it if the answer to a question is no."""
    both = Node("seq", (("of", (before, act)),))
    return Node("if", (("of", question), ("then", act), ("other", both)))


def _try_first(act: Node, tool: Node) -> Node:
    """Return an act that is done if the same act with another instrument fails.

    The result is `UNSAID` if the act has no instrument of its own.
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


def _replace_phrase(said: Any, new: Any) -> Any:
    """Return an earlier meaning with its only phrase of the sort of `new` replaced by `new`."""
    return _change_phrase(said, new, lambda _: new)


def _add_similar_phrase(said: Any, new: Any) -> Any:
    """Return an order with `new` added beside its only phrase of the same sort."""
    return _change_phrase(said, new, lambda old: (old, new))


def _add_phrase(order: Node, phrase: Node) -> Node:
    """Return the only act of an order with one more phrase."""
    if order.kind != "act":
        return UNSAID
    return order.replace(of=(*order.parts(), phrase))


def _size(several: Any) -> int:
    """Return the number of objects in a list, or of orders in a sequence."""
    if isinstance(several, Node) and several.kind == "seq":
        several = several.parts()
    quantity = several.get("quantity") if isinstance(several, Node) else None
    if isinstance(quantity, Node):
        return int(quantity.text("number"))
    return sum(map(_size, several)) if isinstance(several, tuple) else 1


def _change_phrase(said: Any, new: Any, change: Callable[[Any], Any]) -> Any:
    """Return an earlier meaning with its only phrase of the sort of `new` changed."""
    sort = _sort_of(new)
    if _sort_of(said) == sort:
        return change(said)
    places = [one for one in said.walk() if _sort_of(one) == sort] if isinstance(said, Node) else []
    if sort is None or len(places) != 1:
        return UNSAID

    def walk(node: Node) -> Node:
        args = []
        for name, value in node.args:
            parts = value if isinstance(value, tuple) else (value,)
            found: list[Any] = []
            for part in parts:
                one = change(part) if part == places[0] else part
                if isinstance(part, Node) and one is part:
                    one = walk(part)
                found += one if isinstance(one, tuple) else [one]
            args.append((name, tuple(found) if len(found) > 1 else found[0]))
        return Node(node.kind, tuple(args))

    return walk(said)


def _sort_of(phrase: Any) -> tuple[str, str] | None:
    """Return the key that interchangeable phrases share; None for other nodes."""
    if not isinstance(phrase, Node) or phrase.kind not in ("np", "rel"):
        return None
    things = [one.text("name") for one in phrase.walk() if one.kind == "thing"]
    if len(things) != 1:
        return None
    return phrase.text("relation"), things[0].rpartition("/")[0].rpartition("/")[0]


_OPERATIONS: Mapping[str, Callable[..., Any]] = {
    "and": lambda *parts: conjunction(*_present_parts(parts)),
    "or": lambda *parts: disjunction(*_present_parts(parts)),
    "not": negation,
    "refine": _refine,
    "set": _set_argument,
    "acts": _act_on_each_group,
    "try_first": _try_first,
    "else_first": _else_first,
    "around": lambda own, act: Node("seq", (("of", (own, act, own)),)),
    "set_new": lambda node, name, value: (
        UNSAID if node.get(name) else _set_argument(node, name, value)
    ),
    "less": _except_objects,
    "set_all": _all_of,
    "other_than": _other_than,
    "ranked": _mark_to_do_first,
    "in_turn": _in_turn,
    "about": _ask_about,
    "about_each": _ask_each_about,
    "leave_out": _exclude_from_question,
    "other": _without_landmark,
    "of_them": _restrict_to_mentioned,
    "either": _either_relation,
    "asked_what": _reject_yes_no_question,
    "fill_it": _fill_it,
    "in_picture": in_picture,
    "in_order": _in_order,
    "outermost": _outermost,
    "as_height": lambda degree: _HEIGHTS.get(degree.text("attribute"), degree.text("attribute")),
    "another": _of_another_rank,
    "alike_pair": lambda aspect, phrase: Node(
        "alike", (("aspect", aspect), ("of", phrase.replace(wh="distinct")))
    ),
    "is_so": _state_of,
    "bearing": lambda quote: Node("bears", (("text", quote.text("said")),)),
    "yes_no": _require_yes_no_question,
    "then": _append_question,
    "and_then": _append_in_sentence,
    "branch": lambda said: UNSAID if said.kind in ("seq", "if") else said,
    "question": lambda said: said if said.kind == "ask" else UNSAID,
    "decided": lambda said: UNSAID if said.text("what") == "how_many" else said,
    "fill": _fill_superlative,
    "more_at": _compare_counts_at_places,
    "more_of": _compare_counts_of_attributes,
    "within": _restrict_question,
    "labelled": _numbered_object,
    "single": _require_singular,
    "singular": without_number,
    "compound": _join_names,
    "at_either": _relation_to_either,
    "next_at": _next_at,
    "begin_with": _begin_with,
    "end_with": _end_with,
    "topic": _fill_pronouns,
    "extend": _add_arguments,
    "corrected": _correct_orders,
    "restated": _correct_objects,
    "among": _restrict_ones_to_phrase,
    "contrasted": _add_contrasted_noun,
    "landmark": _require_landmark,
    "narrowed": _narrow,
    "whichever": _choose_any,
    "pick": lambda node, name: node.get(name),
    "list": lambda *parts: tuple(one for part in _present_parts(parts) for one in _listed(part)),
    "sum": lambda *parts: sum(_present_parts(parts)),
    "instead": lambda chosen, rejected: chosen if rejected is not None else None,
    "agreed": lambda one, other: one if one == other else UNSAID,
    "amended": _replace_phrase,
    "amended_by": lambda said, old: UNSAID if _replace_phrase(said, old) == UNSAID else said,
    "extended": _add_similar_phrase,
    "with": _add_phrase,
    "numbered": lambda several, number: several if _size(several) == number else UNSAID,
    "first": lambda *parts: next(iter(_present_parts(parts)), None),
}
