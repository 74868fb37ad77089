"""Completion of the branches of conditionals that omit their verb or repeat the other branch."""

from __future__ import annotations

from collections.abc import Iterable

from bt_exec.language.reading.meaning_node import Node, things_in
from bt_exec.language.reading.question_operations import with_other_phrase

__all__ = ["with_completed_branches", "with_decided_presence"]

_USING = ("with",)
"""Relations of objects to which "try" and "use" refer."""
_TOWARDS = ("to", "by")
_ANSWERS = {"so": True, "said_yes": True, "not_so": False, "said_no": False}
"""Pronouns for the answer to the question before."""
_AGAIN = Node("again")
_THERE = Node("rel", (("relation", "there"),))
_IT = Node("pronoun", (("name", "it"),))
_NONE = Node("quantity", (("bound", "exactly"), ("number", 0)))
_ABSENT = (
    Node("pronoun", (("name", "not_there"),)),
    *(
        Node("exists", (("of", Node("np", (("of", of), ("quantity", _NONE)))),))
        for of in (_IT, Node("one"))
    ),
)
"""Propositions that the object of the previous act is absent."""


def with_completed_branches(meaning: Node) -> Node:
    """Return a meaning whose elliptical branches are completed by other acts of the meaning.

    A branch without a verb gets the verb of the act before the condition, or of the other branch:
    "look at A, and if it is empty, the break room", "to A if it is free, otherwise drive to B".
    "Do the same" repeats the first branch. Branches that remain unclear are kept.
    """
    meaning = meaning.map_children(with_completed_branches)
    if meaning.kind == "if":
        return _complete_conditional(meaning, None, meaning.get("other"))
    if meaning.kind != "seq":
        return meaning
    parts = _with_joined_answers(meaning.parts())
    found: list[Node] = []
    for at, part in enumerate(parts):
        before = found[-1] if found and found[-1].kind == "act" else None
        after = parts[at + 1] if parts[at + 1 :] and parts[at + 1].kind == "if" else None
        follows = after.get("then") if after is not None else None
        found.append(_complete_conditional(part, before, follows) if part.kind == "if" else part)
    return meaning.replace(of=tuple(found))


def _with_joined_answers(parts: Iterable[Node]) -> list[Node]:
    """Return parts in which the conditionals for "yes" and for "no" to one question are joined."""
    found: list[Node] = []
    for part in parts:
        last = found[-1] if found else part
        if part.kind == last.kind == "if" and not (last.get("other") or part.get("other")):
            answers = {_answer_to(last), _answer_to(part)}
            if answers == {True, False}:
                found[-1] = last.replace(other=part.node("then"))
                continue
        found.append(part)
    return found


def _answer_to(conditional: Node) -> bool | None:
    """Return the answer that a conditional such as "if so" requires; None for others."""
    of = conditional.node("of").get("of")
    return _ANSWERS.get(of.text("name")) if isinstance(of, Node) and of.kind == "pronoun" else None


def _complete_conditional(node: Node, before: Node | None, after: object) -> Node:
    """Return a conditional completed by the act before it, or by an act after its branch."""
    then, other = node.node("then"), node.get("other")
    act = after if isinstance(after, Node) and after.kind == "act" else before
    question = node.node("of")
    if then.kind == "fragment" and act is not None:
        then = _act_on_fragment(act, then, question)
        things = [one for one in act.walk() if one.kind == "thing"][:1]
        question = question.substitute(Node("one"), *things) if things else question
    if isinstance(other, Node) and then.kind == "act" and other.kind == "seq":
        same = (then if part == _AGAIN else part for part in other.parts())
        other = other.replace(of=tuple(same))
    return node.replace(of=question, then=then, other=other)


def _act_on_fragment(act: Node, fragment: Node, question: Node) -> Node:
    """Return `act` with the phrase of a fragment as its object or goal, or the unclear fragment."""
    phrase = fragment.node("of")
    if phrase == _THERE:
        places = [one for one in question.walk() if one.kind == "np" and things_in(one)]
        phrase = places[-1] if places else phrase
    elif phrase.text("relation") in _USING:
        phrase = phrase.node("to")
    return with_other_phrase(act, phrase) or _with_other_goal(act, phrase) or fragment


def _with_other_goal(act: Node, goal: Node) -> Node | None:
    """Return an act with another goal, such as a place instead of a person, or None."""
    goals = [part for part in act.parts() if part.text("relation") in _TOWARDS]
    if len(goals) != 1 or goal.kind != "rel" or not isinstance(goal.get("to"), Node):
        return None
    return act.substitute(goals[0], goals[0].replace(to=goal.node("to")))


def with_decided_presence(meaning: Node) -> Node:
    """Return a meaning in which "…, and if it is not there, …" chooses between two acts.

    An act on an object, followed by one for the case that the object is absent, is a conditional
    on the presence of the object.
    """
    parts = meaning.parts() if meaning.kind == "seq" else ()
    found: list[Node] = []
    for part in parts:
        before = found[-1] if found and found[-1].kind == "act" else None
        absent = part.kind == "if" and part.node("of").get("of") in _ABSENT
        objects = [one for one in before.parts() if one.kind == "np"] if before is not None else []
        if before is not None and absent and not part.get("other") and len(objects) == 1:
            present = Node("exists", (("of", objects[0].replace(det=None)),))
            asked = Node("ask", (("what", "whether"), ("of", present)))
            found[-1] = Node("if", (("of", asked), ("then", before), ("other", part.node("then"))))
            continue
        found.append(part)
    return found[0] if len(found) == 1 else meaning.replace(of=tuple(found)) if found else meaning
