"""Operations of grammar rules on the meanings of phrases and questions.

An operation returns `UNSAID` for meanings that do not go together.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from bt_exec.language.reading.meaning_node import (
    KINDS,
    UNSAID,
    Node,
    Value,
    conjunction,
    conjuncts,
    disjunction,
    in_picture,
    names_difference,
    negation,
    things_in,
    without_number,
)

__all__ = ["IT", "ONE", "PHRASE_OPERATIONS", "listed", "other_than", "refine"]

ONE = Node("one")
_WHOLE = ("all", "all_but", "rest", "another")
"""Determiners of phrases that leave no choice among their objects."""
IT = Node("pronoun", (("name", "it"),))
_HEIGHTS = {"big": "tall", "small": "short"}
_LISTED_ASPECTS = ("colour", "shape")
_PLACES = ("rel", "placed", "shown")
_SIDES = ("left_of", "right_of", "above", "below")
_WITHOUT_EXTREME = ("inside", "outside", "beside", "in")
"""Relations without a superlative."""
_INVERSES = {
    "left_of": "right_of", "right_of": "left_of", "above": "below", "below": "above",
    "on": "carrying", "beside": "beside",
}  # fmt: skip


def present_parts(parts: Iterable[Any]) -> list[Any]:
    """Return the parts that are not None."""
    return [part for part in parts if part is not None]


def listed(part: Any) -> tuple[Any, ...]:
    """Return a tuple with the part, or the part itself if it is a tuple."""
    return part if isinstance(part, tuple) else (part,)


def refine(phrase: Node | None, *formulas: Node | None) -> Node | None:
    """Return a phrase whose object also satisfies `formulas`.

    Without a phrase, the conjunction of the formulas is returned.
    """
    extra = present_parts(formulas)
    if phrase is None:
        return conjunction(*extra) if extra else None
    if isinstance(phrase, tuple):
        return UNSAID if extra else phrase
    if phrase.kind == "next":
        return phrase.replace(of=refine(phrase.node("of"), *formulas))
    if phrase.kind != "np":
        return Node("np", (("of", conjunction(phrase, *extra)),)) if extra else phrase
    return phrase.replace(of=conjunction(phrase.node("of"), *extra)) if extra else phrase


def _set_argument(phrase: Node, name: str, value: Value | None) -> Node:
    """Return a node with an argument set, unless `value` is None; `UNSAID` if its kind lacks it."""
    if value is not None and name not in KINDS[phrase.kind]:
        return UNSAID
    return phrase if value is None else phrase.replace(**{name: value})


def except_objects(objects: Any, formula: Node | None) -> Any:
    """Return an object phrase, or each of several, restricted by a formula such as an exclusion.

    `UNSAID` is returned if objects at a place are excluded from a single one ("the cup, but on").
    """
    if formula is None or objects is None:
        return objects
    placed = formula.kind == "not" and formula.parts()[0].kind == "rel"
    if placed and isinstance(objects, Node) and _is_definite_singular(objects):
        return UNSAID
    if isinstance(objects, tuple):
        return tuple(refine(one, formula) for one in objects)
    return refine(objects, formula)


def _is_definite_singular(phrase: Node) -> bool:
    """Return True for a phrase such as "the cup"."""
    plural = phrase.get("quantity") is not None or Node("many") in phrase.walk()
    return phrase.kind == "np" and phrase.get("det") == "the" and not plural


def other_than(chosen: Any, excluded: Any) -> Any:
    """Return the chosen objects or goal without the objects of the phrase `excluded`."""
    if isinstance(chosen, Node) and chosen.kind == "rel":
        return chosen.replace(to=other_than(chosen.get("to"), excluded))
    place = excluded.get("to") if excluded.kind == "rel" else None
    excluded = place if isinstance(place, Node) else excluded
    formula = excluded.get("of") if excluded.kind == "np" else excluded
    if not isinstance(formula, Node) or formula.kind == "pronoun":
        return chosen
    return except_objects(chosen, negation(formula))


def _all_of(objects: Any) -> Any:
    """Return object phrases or a goal with the determiner "all"."""
    if isinstance(objects, tuple):
        return tuple(map(_all_of, objects))
    if objects.kind == "rel":
        return objects.map_children(_all_of)
    if objects.kind in ("ordered", "next"):
        return objects.replace(of=_all_of(objects.node("of")))
    return objects.replace(det="all") if objects.kind == "np" else objects


def _ask_about(question: Node, phrase: Node) -> Node:
    """Return a question without an object, completed with `phrase` as its object."""
    inner = question.get("of")
    asked = _ask_about(inner, phrase) if isinstance(inner, Node) else phrase
    return question.replace(of=asked)


def _ask_each_about(phrase: Node, *questions: Node) -> Node:
    """Return a sequence of questions that lack an object, with `phrase` as the object of each."""
    return Node("seq", (("of", tuple(_ask_about(one, phrase) for one in questions)),))


def _exclude_from_question(question: Node, formula: Node) -> Node:
    """Return a question whose phrase excludes the objects of `formula`, or `UNSAID`."""
    inner = question.get("of")
    if not isinstance(inner, Node):
        return UNSAID
    described = inner.kind == "np" and inner.get("of") is not None
    without = _besides(inner, negation(formula)) if described else None
    return question.replace(of=without or _exclude_from_question(inner, formula))


def _besides(phrase: Node, exclusion: Node) -> Node | None:
    """Return a phrase without some objects, which a superlative in it does not compare either."""
    top = phrase.get("of") if phrase.kind == "np" else None
    if not isinstance(top, Node) or top.kind != "most" or not isinstance(top.get("of"), Node):
        return refine(phrase, exclusion)
    return phrase.replace(of=top.replace(of=conjunction(top.node("of"), exclusion)))


def _without_landmark(phrase: Node) -> Any:
    """Return the phrase of "what else on the table with the bowl?" without the bowl."""
    landmarks = [part.get("to") for part in phrase.walk() if part.text("relation") == "with"]
    formulas = [one.node("of") for one in landmarks if isinstance(one, Node) and one.kind == "np"]
    return except_objects(phrase, negation(disjunction(*formulas)) if formulas else None)


def _reject_yes_no_question(question: Node) -> Node:
    """Return `question`, or `UNSAID` if it is a yes/no question."""
    return UNSAID if question.text("what") == "whether" else question


def _fill_it(question: Node, phrase: Node) -> Node:
    """Return a question with "it" replaced by `phrase`; `UNSAID` if there is no "it"."""
    filled = question.substitute(IT, phrase)
    return UNSAID if filled == question else filled


def _lacking(noun: Node, phrase: Node) -> Node:
    """Return the objects of a noun that carry none of the objects of a phrase.

    The result is `UNSAID` without two different nouns: "all without the red ones" means "all except
    the red ones".
    """
    own, other = things_in(noun), things_in(phrase)
    if not own or not other or not set(own).isdisjoint(other):
        return UNSAID
    carrying = Node("rel", (("relation", "carrying"), ("to", phrase)))
    return Node("np", (("of", conjunction(noun, negation(carrying))),))


def _alike_in_both(aspect: str, phrase: Node) -> Node:
    """Return the proposition that objects are alike in the first and the second picture."""
    first, second = (
        in_picture(phrase, Node("shown", (("picture", name),))) for name in ("first", "second")
    )
    return Node("alike", (("aspect", aspect), ("of", first), ("to", second)))


def _state_of(phrase: Node, formula: Node) -> Node:
    """Return the proposition that an object satisfies a formula; pronouns mean the object."""
    return Node("exists", (("of", refine(phrase, formula) or phrase), ("about", phrase)))


def _distance_of_outermost(formula: Node) -> Node:
    """Return the distance between the leftmost and the rightmost object of a formula."""
    one, other = (
        Node("np", (("of", Node("most", (("attribute", side), ("of", without_number(formula))))),))
        for side in ("left_of", "right_of")
    )
    return Node("apart", (("of", one), ("to", other)))


def _of_another_rank(question: Node, _: Node) -> Node:
    """Return a question for the second or a later place in an order.

    Such a question excludes the first place, so the words that exclude it add nothing. The result
    is `UNSAID` for any other question.
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
    """Return the questions with `question` appended; `UNSAID` for a sequence."""
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
    """Return the comparison of the counts of the same objects at two places.

    "The right one" is one of the objects that the first place names.
    """
    things = [one for one in place.walk() if one.kind == "thing"]
    other = other.substitute(ONE, things[0]) if len(things) == 1 else other
    here, there = (refine(phrase, one) or phrase for one in (place, other))
    return Node("more", (("of", here), ("to", there), ("sign", sign)))


def _compare_alternatives(one: Node, other: Node, sign: str) -> Node:
    """Return the comparison of the counts of two alternatives.

    A place that is stated with only one of them belongs to both: "more cups or bottles on it".
    """
    places = [
        [part for part in conjuncts(phrase.node("of")) if part.kind in _PLACES]
        if isinstance(phrase.get("of"), Node)
        else []
        for phrase in (one, other)
    ]
    if all(places) or not any(places):
        places = [[], []]
    here, there = (refine(*own) or own[0] for own in ((one, *places[1]), (other, *places[0])))
    return Node("more", (("of", here), ("to", there), ("sign", sign)))


def _compare_counts_of_attributes(noun: Node, one: Node, other: Node) -> Node:
    """Return the comparison of the counts of a noun's objects with one or the other attribute."""
    some, others = (Node("np", (("of", conjunction(part, noun)),)) for part in (one, other))
    return Node("more", (("of", some), ("to", others), ("sign", "more")))


def _fill_superlative(top: Node, formula: Node) -> Node:
    """Return a superlative such as "the largest one", with "one" replaced by a formula."""
    of = top.node("of")
    return top.replace(of=formula if of == ONE else _fill_superlative(of, formula))


def _restrict_question(question: Node, formula: Node) -> Node:
    """Return a question restricted to the objects of a formula: "of the circles, which …"."""
    if ONE in question.walk():
        return question.substitute(ONE, formula)
    inner = question.node("of")
    about = refine(inner, formula) if inner.kind == "np" else None
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

    def relation_node(how: Value) -> Node:
        if isinstance(how, Node):
            return Node("than", (("attribute", how.text("attribute")), ("to", to)))
        return Node("rel", (("relation", how), ("to", to)))

    return disjunction(relation_node(one), relation_node(other))


def _relation_to_either(relation: str, one: Node, other: Node) -> Node:
    """Return the disjunction of one relation to two objects."""
    return disjunction(*(Node("rel", (("relation", relation), ("to", to))) for to in (one, other)))


def _inverse_relation(relation: str, phrase: Node) -> Node:
    """Return the relation of the landmark to the objects: what the cup is on carries the cup."""
    inverse = _INVERSES.get(relation)
    return UNSAID if inverse is None else Node("rel", (("relation", inverse), ("to", phrase)))


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
    return question.replace(of=refine(inner, them))


def _ask_after_remark(question: Node, remark: Node) -> Node:
    """Return a question in which pronouns stand for the only object that a remark names.

    The result is `UNSAID` for a pronoun without an object, and for anything but a question.
    """
    asked = question.parts() if question.kind == "seq" else (question,)
    objects = [one for one in remark.parts() if one.kind == "np"]
    pronouns = [one for one in question.walk() if one.kind == "pronoun"]
    if any(one.kind != "ask" for one in asked) or (pronouns and len(objects) != 1):
        return UNSAID
    if not pronouns:
        return question if any(one.kind == "thing" for one in question.walk()) else UNSAID

    def fill_pronouns(part: Node) -> Node:
        if part in pronouns:
            return objects[0]
        parts = conjuncts(part.node("of")) if part.kind == "np" and part.get("of") else ()
        if any(one in pronouns for one in parts):
            formulas = (objects[0].node("of") if one in pronouns else one for one in parts)
            return part.replace(of=conjunction(*formulas))
        return part.map_children(fill_pronouns)

    return fill_pronouns(question)


def _restrict_ones_to_phrase(phrase: Node, said: Node) -> Node:
    """Return orders in which "the red one" is one of the objects of a phrase."""
    same = phrase.get("of")
    if not isinstance(same, Node):
        return said
    if said.kind == "np" and Node("one") in conjuncts(said.node("of")):
        return said.replace(of=conjunction(said.node("of"), same))
    if said.kind == "act" and not any(one.kind == "thing" for one in conjuncts(same)):
        themes = tuple(refine(one, same) or one for one in said.parts())
        return said.replace(of=themes if len(themes) != 1 else themes[0])
    return said.map_children(lambda part: _restrict_ones_to_phrase(phrase, part))


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
        of = tuple(refine(one, phrase.node("of")) or one for one in themes)
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
    kept = (part for part in added if part != ONE)
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


PHRASE_OPERATIONS: Mapping[str, Callable[..., Any]] = {
    "and": lambda *parts: conjunction(*present_parts(parts)),
    "or": lambda *parts: disjunction(*present_parts(parts)),
    "not": negation,
    "refine": refine,
    "set": _set_argument,
    "set_new": lambda node, name, value: (
        UNSAID if node.get(name) else _set_argument(node, name, value)
    ),
    "less": except_objects,
    "set_all": _all_of,
    "other_than": other_than,
    "about": _ask_about,
    "about_each": _ask_each_about,
    "leave_out": _exclude_from_question,
    "other": _without_landmark,
    "of_them": _restrict_to_mentioned,
    "either": _either_relation,
    "asked_what": _reject_yes_no_question,
    "fill_it": _fill_it,
    "in_picture": in_picture,
    "lacking": _lacking,
    "inverse": _inverse_relation,
    "side_of": lambda relation: UNSAID if relation in _WITHOUT_EXTREME else relation,
    "as_side": lambda relation: "above" if relation == "on" else relation,
    "named": lambda formula: formula if things_in(formula) else UNSAID,
    "unnamed": lambda formula: UNSAID if things_in(formula) else formula,
    "besides": _besides,
    "differing": lambda question: question if names_difference(question) else UNSAID,
    "in_order": _in_order,
    "outermost": _distance_of_outermost,
    "as_height": lambda degree: _HEIGHTS.get(degree.text("attribute"), degree.text("attribute")),
    "another": _of_another_rank,
    "alike_pair": lambda aspect, phrase: Node(
        "alike", (("aspect", aspect), ("of", phrase.replace(wh="distinct")))
    ),
    "is_so": _state_of,
    "alike_in_both": _alike_in_both,
    "bearing": lambda quote: Node("bears", (("text", quote.text("said")),)),
    "yes_no": _require_yes_no_question,
    "then": _append_question,
    "and_then": _append_in_sentence,
    "branch": lambda said: UNSAID if said.kind in ("seq", "if") else said,
    "question": lambda said: said if said.kind == "ask" else UNSAID,
    "decided": lambda said: UNSAID if said.text("what") == "how_many" else said,
    "fill": _fill_superlative,
    "more_at": _compare_counts_at_places,
    "alternatives": _compare_alternatives,
    "more_of": _compare_counts_of_attributes,
    "within": _restrict_question,
    "labelled": _numbered_object,
    "single": _require_singular,
    "singular": without_number,
    "compound": _join_names,
    "at_either": _relation_to_either,
    "next_at": _next_at,
    "after_remark": _ask_after_remark,
    "among": _restrict_ones_to_phrase,
    "contrasted": _add_contrasted_noun,
    "landmark": _require_landmark,
    "narrowed": _narrow,
    "whichever": _choose_any,
    "pick": lambda node, name: node.get(name),
    "list": lambda *parts: tuple(one for part in present_parts(parts) for one in listed(part)),
    "sum": lambda *parts: sum(present_parts(parts)),
    "instead": lambda chosen, rejected: chosen if rejected is not None else None,
    "agreed": lambda one, other: one if one == other else UNSAID,
    "first": lambda *parts: next(iter(present_parts(parts)), None),
}
"""Operations on phrases and questions, by the names that grammar files use."""
