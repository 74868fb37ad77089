"""Resolution of references between conditions and branches, and separation of questions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import takewhile

from bt_exec.language.reading.meaning_node import (
    Node,
    Value,
    conjunction,
    conjuncts,
    negation,
    normal_form,
)
from bt_exec_skills.tabletop.goals.earlier_command_variation import HOLDERS, with_phrase_replaced
from bt_exec_skills.tabletop.goals.model import Trouble
from bt_exec_skills.tabletop.goals.object_phrases import ANY, formula_of, means_in_hand

__all__ = [
    "NOTHING",
    "acts_per_condition",
    "condition_words",
    "lacks_noun",
    "names_object",
    "question_branch_names",
    "refers_back",
    "resolve_condition_object",
    "selected_question",
    "split_first_questions",
    "split_questions",
    "subject_of_condition",
    "takes_some",
    "unmet_reason",
    "with_completed_branch",
    "with_empty_place",
    "with_goal_of_branch",
    "with_noun",
    "with_object_of_branch",
    "with_place_of_branch",
    "with_subject",
    "without_negation",
    "without_quantity",
    "without_remarks",
]

_NEEDS_THEME = ("move", "bring", "pick", "out", "hold_on")

NOTHING = Node("seq", (("of", ()),))
"""Branch that contains no act."""
_IT, _THEM, _THERE = (Node("pronoun", (("name", name),)) for name in ("it", "them", "there"))
_ONE, _NONE = (Node("quantity", (("bound", "exactly"), ("number", number))) for number in (1, 0))
_EMPTY = Node("has", (("attribute", "empty"),))

_WHAT = Node("np", (("wh", "what"),))


def split_questions(node: Node) -> tuple[Node | None, tuple[Node, ...]]:
    """Return a command without the questions at its end, and these questions.

    If a question is accompanied only by prohibitions and remarks, the question is the whole
    command, and "it" refers to their object. If there are only questions, the command is None.

    Raises:
        Trouble: NOT_UNDERSTOOD if it is unclear to which of several objects a question refers.
    """
    parts = node.parts() if node.kind == "seq" else ()
    asked = tuple(part for part in parts if part.kind == "ask")
    others = tuple(part for part in parts if part.kind != "ask")
    if asked and all(part.kind in ("ask", "fragment") for part in parts) and parts[0] == asked[0]:
        return None, parts  # "is the red bowl empty? and the blue one?"
    if len(asked) == 1 and all(part.kind in ("avoid", "remark") for part in others):
        named = [one for part in others if part.kind == "avoid" for one in part.walk()]
        named = [one for one in named if one.kind == "np"]
        named += [one for part in others for one in _remark_objects(part)]
        about = [one for one in named if formula_of(one) != ANY]
        question = with_subject(asked[0], about[0]) if len(about) == 1 else asked[0]
        if about and refers_back(question):
            raise Trouble("NOT_UNDERSTOOD")
        return question, ()
    if not asked or (others and parts != (*others, *asked)):
        return node, ()
    if not others:
        return None, asked
    return others[0] if len(others) == 1 else Node("seq", (("of", others),)), asked


def split_first_questions(node: Node) -> tuple[tuple[Node, ...], Node]:
    """Return the questions at the beginning of a command, and the command without them.

    "It" refers to the object of the question before: "where is the apple? put it on the tray".

    Raises:
        Trouble: NOT_UNDERSTOOD if it is unclear to which object "it" refers.
    """
    parts = node.parts() if node.kind == "seq" else ()
    asked = tuple(takewhile(lambda part: part.kind == "ask", parts))
    others = parts[len(asked) :]
    if not (asked and others) or any(part.kind in ("ask", "fragment", "if") for part in others):
        return (), node
    order = others[0] if len(others) == 1 else Node("seq", (("of", others),))
    named = [one for question in asked for one in question.walk() if one.kind == "np"]
    if not named or with_subject(order, named[0]) == order:
        return asked, order
    if len(asked) > 1 or all(one.kind != "thing" for one in conjuncts(formula_of(named[0]))):
        raise Trouble("NOT_UNDERSTOOD")
    subject = without_quantity(named[0].replace(wh=None), placed=True)
    return asked, with_subject(order, subject) if isinstance(subject, Node) else order


def without_remarks(parts: tuple[Node, ...]) -> tuple[Node, ...]:
    """Return the parts of a command without remarks.

    "It" and "there" then refer to the object of a remark, as in "I need the plate, so clear it". A
    remark without an object is accepted only before orders that name all of their objects.

    Raises:
        Trouble: NOT_UNDERSTOOD for another remark.
    """
    orders = tuple(part for part in parts if part.kind != "remark")
    if orders == parts:
        return parts
    named = tuple(dict.fromkeys(one for part in parts for one in _remark_objects(part)))
    whole = Node("seq", (("of", orders),))
    if len(named) == 1:
        return with_subject(whole.substitute(_THERE, named[0]), named[0]).parts()
    if not all(map(_names_thing, orders)) or any(map(_refers_to_object, whole.walk())):
        raise Trouble("NOT_UNDERSTOOD")
    return orders


def _remark_objects(part: Node) -> Iterator[Node]:
    """Yield the objects that a remark names, or about which it states something."""
    for one in part.parts() if part.kind == "remark" else ():
        stated = one.get("of") if one.kind == "ask" else None
        about = stated.get("of") if isinstance(stated, Node) else one
        found = without_quantity(about, placed=True) if isinstance(about, Node) else None
        if isinstance(found, Node) and found.kind == "np":
            yield found


def _refers_to_object(part: Node) -> bool:
    return part.kind == "pronoun" and part.text("name") != "all"


def _names_thing(order: Node) -> bool:
    """Return True for an order whose object is described with a noun."""
    return names_object(order) and any(one.kind == "thing" for one in order.parts()[0].walk())


def refers_back(question: Node) -> bool:
    """Return True if a question refers to previously named objects."""
    of = question.get("of")
    bare = isinstance(of, Node) and of.kind == "np" and formula_of(of) == ANY
    return bare or any(part.kind == "pronoun" for part in question.walk())


def lacks_noun(question: Node) -> bool:
    """Return True if a question describes its objects without a noun: "red ones"."""
    phrases = (part for part in question.walk() if part.kind == "np")
    described = (part for part in phrases if any(one.kind == "has" for one in part.walk()))
    return any(all(one.kind not in ("thing", "pronoun") for one in np.walk()) for np in described)


def takes_some(order: Node) -> bool:
    """Return True if an order selects some objects of a kind: "two apples", "another cup"."""
    phrases = [part for part in order.walk() if part.kind == "np"]
    some = any(part.text("det") in ("any", "another", "rest") for part in phrases)
    return some or any(part.get("quantity") for part in phrases)


def question_branch_names(node: Node) -> tuple[str, ...]:
    """Return the names of the branches of a condition that are questions."""
    branches = {name: node.get(name) for name in ("then", "other")} if node.kind == "if" else {}
    return tuple(
        name for name, one in branches.items() if isinstance(one, Node) and one.kind == "ask"
    )


def with_completed_branch(node: Node) -> Node:
    """Return a condition whose elliptical "otherwise" branch is completed by the first branch.

    Examples are "otherwise the banana", "otherwise use the banana" and "otherwise on the tray".
    """
    act, other = node.get("then"), node.get("other")
    if not (isinstance(act, Node) and isinstance(other, Node) and other.kind == "fragment"):
        return node
    of = other.get("of")
    relation = of.text("relation") if isinstance(of, Node) else ""
    if isinstance(of, Node) and relation in ("with", "to"):
        other = other.replace(of=of.get("to") if relation == "with" else of.replace(relation="at"))
    if act.kind == "act" and not act.parts() and other.node("of").kind == "np":
        return node.replace(other=act.replace(of=other.node("of")))
    found = list(with_phrase_replaced(act, other)) if act.kind == "act" else []
    return node.replace(other=found[0]) if len(found) == 1 else node


def with_goal_of_branch(node: Node) -> Node:
    """Return a condition in which a branch without a verb ("to the left") becomes an act."""
    then = node.get("then")
    of = then.get("of") if isinstance(then, Node) and then.kind == "fragment" else None
    if not isinstance(of, Node) or of.kind != "rel" or not isinstance(of.get("to"), Node):
        return node
    goal = of.replace(relation="at") if of.text("relation") in ("by", "to") else of
    return node.replace(then=Node("act", (("to", goal),)))


def with_place_of_branch(node: Node) -> Node:
    """Return a condition in which "it" is replaced by the place of a question in a branch.

    An example is "tell me what is on the plate if it is not empty".
    """
    for name in question_branch_names(node):
        place = _named_place(node.node(name))
        if place is not None:
            return node.replace(of=node.node("of").substitute(_IT, place))
    return node


def with_empty_place(node: Node) -> Node:
    """Return a condition in whose branches "in it" refers to the place of the condition.

    Examples are "if there is nothing in the bowl, put the apple in it" and "if there are fewer than
    two cups on the tray, put the apple on it".
    """
    about = node.node("of").node("of")
    found = about.get("of") if about.kind == "exists" else None
    if not isinstance(found, Node) or found.kind != "np" or _is_holder(found):
        return node
    where = [one for one in conjuncts(formula_of(found)) if one.kind == "rel"]
    place = where[0].get("to") if len(where) == 1 and not means_in_hand(where[0]) else None
    if not isinstance(place, Node):
        return node
    empty = found.get("quantity") == _NONE
    for name in ("then", "other"):
        for goal in {one for branch in node.parts(name) for one in branch.walk()}:
            inside = goal.text("relation") in ("in", "at") or (empty and goal.kind == "rel")
            if inside and goal.get("to") in (_IT, _THEM):
                placed = node.node(name).substitute(goal, goal.replace(to=place))
                node = node.replace(**{name: placed})
    return node


def selected_question(node: Node, branch: str) -> Node:
    """Return the question of a branch, with "there" and "it" replaced by the condition's place."""
    question, place = node.node(branch), _named_place(node.node("of"))
    if place is None:
        return question
    if question.text("what") == "which" and question.node("of") in (_IT, _WHAT):
        content = Node("rel", (("relation", "in"), ("to", place)))
        return question.replace(of=Node("np", (("of", content), ("wh", "what"))))
    return question.substitute(_THERE, place).substitute(_IT, place)


def _named_place(question: Node) -> Node | None:
    """Return the place that a question names, or the object that it is about."""
    for one in question.walk():
        to = one.get("to") if one.kind == "rel" and not means_in_hand(one) else None
        if isinstance(to, Node) and to.kind == "np":
            return to
    about = question.node("of").get("of")
    return about if isinstance(about, Node) and about.kind == "np" else None


def without_negation(question: Node) -> tuple[Node, bool]:
    """Return a question without its negation, and the answer that makes the original true."""
    of = question.node("of")
    hold = of.get("hold")
    if isinstance(hold, Node) and hold.kind == "not":
        return question.replace(of=of.replace(hold=hold.parts()[0])), False
    about = of.get("of")
    quantity = about.get("quantity") if isinstance(about, Node) and of.kind == "exists" else None
    if isinstance(quantity, Node) and quantity.text("number") == "0":
        assert isinstance(about, Node)
        return question.replace(of=of.replace(of=about.replace(quantity=None))), False
    return question, True


def with_noun(node: Node, subject: Node, *, counted: bool = False) -> Node:
    """Return a branch in which phrases without a noun ("the red ones") get the noun of `subject`.

    With `counted`, only phrases that consist of a number ("two") get it.
    """
    if node.kind == "rel" and node.text("relation") in ("in", "at") and not _is_holder(subject):
        return node  # "move them to the left one"
    nouns = _nouns_of(subject)
    parts = conjuncts(formula_of(node)) if node.kind == "np" else ()
    one = parts == (Node("one"),) and node.get("quantity") if counted else Node("one") in parts
    if nouns and one and not any(part.kind == "thing" for part in parts):
        det = "any" if parts == (Node("one"),) else node.get("det")  # "put one there"
        return node.replace(of=conjunction(*parts, *nouns), det=det)
    return node.map_children(lambda part: with_noun(part, subject, counted=counted))


def _nouns_of(phrase: Node) -> list[Node]:
    of = phrase.get("of")
    return [part for part in conjuncts(of) if part.kind == "thing"] if isinstance(of, Node) else []


def _is_holder(subject: Node) -> bool:
    """Return True if a subject is a container or a table."""
    parts = conjuncts(formula_of(subject)) if subject.kind == "np" else ()
    return any(part.text("name") in HOLDERS for part in parts)


def acts_per_condition(node: Node) -> list[Node]:
    """Return the acts of both branches, each limited to the objects for which its condition holds.

    An example is "put the cubes in the bowl if they are red". Conditions that are not about each
    of several objects ("them") give an empty list.
    """
    of = node.node("of").node("of")
    hold = of.get("hold")
    if of.get("of") != _THEM or not isinstance(hold, Node):
        return []
    found = []
    for name, formula in (("then", hold), ("other", negation(hold))):
        for act in node.parts(name):
            themes = act.parts() if act.kind == "act" else ()
            if act == NOTHING:
                continue
            if len(themes) != 1 or themes[0].kind != "np":
                return []
            theme = themes[0].replace(of=conjunction(themes[0].node("of"), formula))
            found.append(normal_form(act.replace(of=theme)))
    return found


def resolve_condition_object(node: Node) -> Node:
    """Return the question of a condition with "it" replaced by an object or place of a branch.

    An example is "put the apple in the red bowl if it is empty".
    """
    question = node.node("of")
    branches = [one for name in ("then", "other") for one in node.parts(name)]
    act = next((one for branch in branches for one in branch.walk() if one.kind == "act"), None)
    themes = [one for one in act.parts() if one.kind == "np"] if act is not None else []
    goal = act.get("to") if act is not None else None
    place = goal.get("to") if isinstance(goal, Node) else None
    about = question.node("of")
    present = about.kind == "exists" and about.node("of").kind == "pronoun"
    if isinstance(goal, Node) and themes and present and node.get("then") == NOTHING:
        there = Node("all", (("of", themes[0]), ("hold", goal)))  # "unless it is already there"
        return question.replace(of=there)
    for pronoun in [one for one in question.walk() if one.kind == "pronoun"]:
        contains = _EMPTY in question.walk() or pronoun != question.node("of").get("of")
        if contains and isinstance(place, Node) and place.kind == "np":
            question = question.substitute(pronoun, place)
        elif themes and not contains:
            question = question.substitute(pronoun, themes[0])
    return question


def condition_words(node: Node, said: Callable[[Node], str]) -> str:
    """Return the words of the text for the question of a condition.

    Args:
        node: The condition with its branches, as in the text.
        said: Function that returns the words of a node.
    """
    question, then = node.node("of"), "".join(map(said, node.parts("then")[:1]))
    before = said(node).rpartition(then)[0].strip(" ,") if then else ""
    about = question.node("of").get("of")
    typed = question.substitute(about, _IT) if isinstance(about, Node) else question
    return (
        said(question)
        or said(typed)
        or before
        or next(filter(None, map(said, question.walk())), "-")
    )


def unmet_reason(what: str, skipped: Value | None, said: Callable[[Node], str]) -> Trouble:
    """Return the reason why a condition leaves nothing to do.

    Acts of the skipped branch that do not refer to the subject of the condition may be independent
    of the condition. They are offered to the operator.

    Args:
        what: The words of the condition.
        skipped: The branch that is not done.
        said: Function that returns the words of a node.
    """
    parts = skipped.parts() if isinstance(skipped, Node) and skipped.kind == "seq" else ()
    about = [_refers_back(part) for part in parts]
    first = about.index(False) if False in about else 0
    rest = [said(part) for part in parts[first:]]
    if not first or any(about[first:]) or not all(rest):
        return Trouble("CONDITION_UNMET", what=what)
    text = ", ".join(rest)
    return Trouble("ONLY_THE_REST", (text,), what=what, text=text)


def _refers_back(act: Node) -> bool:
    """Return True for a part that is not an act, or an act that does not name all its objects."""
    return act.kind != "act" or not act.parts() or any(one.kind == "pronoun" for one in act.walk())


def without_quantity(subject: Value | None, *, placed: bool) -> Value | None:
    """Return the subject of a condition as an antecedent, without its quantity.

    Its place is kept only if `placed` is True. "If there is a cup on the tray, take it" is about
    the cup on the tray; "otherwise bring one" is about any cup.
    """
    of = subject.get("of") if isinstance(subject, Node) and subject.kind == "np" else None
    if not isinstance(of, Node) or not isinstance(subject, Node):
        return subject
    several = subject.get("quantity") not in (None, _ONE, _NONE)
    subject = subject.replace(quantity=None, det="all" if several else subject.get("det"))
    kept = [part for part in conjuncts(of) if placed or part.kind not in ("rel", "placed")]
    return subject.replace(of=conjunction(*kept)) if kept else subject


def names_object(node: Node) -> bool:
    """Return True for an act with one object, which is a noun phrase."""
    return node.kind == "act" and [one.kind for one in node.parts()] == ["np"]


def with_object_of_branch(node: Node, theme: Node) -> Node:
    """Return a branch in which acts without a named object get the object of the other branch."""
    if node.kind != "act" or node.text("verb") not in _NEEDS_THEME:
        return node.map_children(lambda part: with_object_of_branch(part, theme))
    named = any(one.kind != "pronoun" for one in node.parts())
    return node if named else node.replace(of=theme)


def subject_of_condition(condition: Node) -> Node | None:
    """Return the object that a condition is about, without its place; None if it names none."""
    about = condition.node("of").node("of").get("of")
    if not isinstance(about, Node) or about.kind != "np":
        return None
    parts = conjuncts(formula_of(about))
    return about.replace(
        of=conjunction(*(part for part in parts if part.kind not in ("rel", "placed")))
    )


def with_subject(node: Node, subject: Node) -> Node:
    """Return a branch in which the first reference to an object ("it") is replaced by `subject`."""
    if node.kind == "pronoun" and node.text("name") not in ("there", "all", "previous"):
        return subject if subject.kind == "np" else node
    if node.kind == "rel" and subject.text("det") == "some":
        subject = subject.replace(det="any")  # "if there are cups, put it next to one"
    parts = conjuncts(formula_of(node)) if node.kind == "np" else ()
    if _THEM in parts and subject.kind == "np":  # "one of them"
        others = (part for part in parts if part != _THEM)
        return normal_form(node.replace(of=conjunction(formula_of(subject), *others)))
    if node.kind == "act" and not node.parts() and node.text("verb") in ("", *_NEEDS_THEME):
        return node.replace(of=subject)
    if node.kind != "seq":
        return node.map_children(lambda part: with_subject(part, subject))
    parts = node.parts()
    for number, part in enumerate(parts):
        found = with_subject(part, subject)
        if found != part:
            return node.replace(of=(*parts[:number], found, *parts[number + 1 :]))
    return node
