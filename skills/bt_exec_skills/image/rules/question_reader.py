"""Parsing of texts with questions about pictures, and resolution of their references.

A question that tools cannot answer completely is refused with the words that they cannot answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from bt_exec.language.reading.chart import Edge
from bt_exec.language.reading.meaning_node import Node, conjunction, conjuncts, normal_form
from bt_exec.language.reading.reader import Reading
from bt_exec.language.reading.reference_resolution import with_named_conditions
from bt_exec_skills.image.rules.elliptical_questions import (
    ANYTHING,
    on_another_side,
    resolve_question,
)
from bt_exec_skills.image.rules.lexicon import reader
from bt_exec_skills.image.rules.meaning_to_questions import questions_from_meaning
from bt_exec_skills.image.rules.question import Asked, Question, UnanswerableQuestion

__all__ = ["read_question", "read_questions", "read_with_words", "resolve_meaning"]

_NONE = Node("quantity", (("bound", "exactly"), ("number", 0)))
_WHAT_IS_THERE = Node("ask", (("what", "which"), ("of", ANYTHING.replace(wh="what"))))
_NO_QUESTIONS = Node("seq", (("of", ()),))
_THERE, _NOT_THERE, _THEM = (
    Node("pronoun", (("name", name),)) for name in ("so_there", "not_there", "them")
)


def read_question(text: str, context: Sequence[str] = (), names: Iterable[str] = ()) -> Question:
    """Return the only question in a text, Korean or English; see `read_questions`.

    Raises:
        UnanswerableQuestion: If tools cannot answer the question, or the text contains several.
    """
    first, *rest = read_questions(text, context, names)
    if rest or not isinstance(first, Question):
        raise UnanswerableQuestion("QUESTION_UNCLEAR", text)
    return first


def read_questions(
    text: str, context: Sequence[str] = (), names: Iterable[str] = ()
) -> tuple[Asked, ...]:
    """Return the questions in a text, Korean or English, in their order.

    Args:
        text: One or more questions.
        context: Earlier texts, to which fragments and pronouns refer.
        names: Names of objects in addition to those of the lexicon.

    Raises:
        UnanswerableQuestion: If tools cannot answer one of the questions.
    """
    return read_with_words(text, context, names)[0]


def read_with_words(
    text: str, context: Sequence[str] = (), names: Iterable[str] = ()
) -> tuple[tuple[Asked, ...], Reading]:
    """Return the questions in a text, and the parsed text; see `read_questions`."""
    meaning, found = resolve_meaning(text, context, names)
    return questions_from_meaning(meaning, found.language, text), found


def resolve_meaning(
    text: str, context: Sequence[str] = (), names: Iterable[str] = ()
) -> tuple[Node, Reading]:
    """Return the resolved meaning of a text with questions, and the parsed text.

    Raises:
        UnanswerableQuestion: If the text is not understood.
    """
    names = tuple(names)
    found = reader().read(text, names)
    if not isinstance(found, Reading):
        unknown = " ".join(found.unknown_words)
        raise UnanswerableQuestion(
            "NEEDS_MODEL" if unknown else "QUESTION_UNCLEAR", unknown or text
        )
    if any(map(_runs_together, found.edge.walk())):
        raise UnanswerableQuestion("QUESTION_UNCLEAR", text)
    if found.unknown_words and any(reader().intended_texts(text, names)):
        raise UnanswerableQuestion("NEEDS_MODEL", " ".join(found.unknown_words))
    kinds = reader().lexicon(found.language).kinds
    earlier = _earlier_meanings(context, names)
    resolved = [
        _resolved_text(one, earlier, kinds, first=not context)
        for one in (found.meaning, *found.rivals)
    ]
    meanings = list(dict.fromkeys(one for one in resolved if one is not None))
    if len(meanings) != 1:
        raise UnanswerableQuestion(
            "NEEDS_MODEL" if found.unknown_words else "QUESTION_UNCLEAR", text
        )
    return meanings[0], found


def _runs_together(edge: Edge) -> bool:
    """Return True for an edge of two questions with no words between, the first without a verb.

    They are probably parts of one question: "사람 어느 쪽에 | 병이 있어?" ("on which side of the
    person | is there a bottle?").
    """
    if edge.category != "several" or len(edge.parts) != 2:
        return False
    first, second = edge.parts
    *_, last = first.leaves()
    # "야" ("hey") may also be the ending of "몇 개야" ("how many are there").
    apart = next(second.leaves()).category == "interjection"
    return first.category == "question.ask" and not (last.category.endswith(".ask") or apart)


def _resolved_text(
    meaning: Node, earlier: Sequence[Node], kinds: Mapping[str, str], *, first: bool
) -> Node | None:
    """Return a text with each question resolved against those before it.

    None is returned if a reference has no antecedent, or a part is not a question. A branch of a
    conditional refers to its condition.
    """
    known, done = list(earlier), list[Node]()
    meaning = with_named_conditions(meaning)
    for part in meaning.parts() if meaning.kind == "seq" else (meaning,):
        if part.kind == "if":
            resolved = _resolved_conditional(part, known, kinds, first=first and not done)
        else:
            resolved = resolve_question(part, known, kinds, first=first and not done)
        if resolved is None or resolved.kind not in ("ask", "if", "seq"):
            return None
        if done:
            resolved = on_another_side(resolved, done[-1])
        for asked in _separate_questions(_in_the_same_order(resolved, part, known)):
            known.append(asked.node("of") if asked.kind == "if" else asked)
            done.append(asked)
    return normal_form(Node("seq", (("of", tuple(done)),)))


def _in_the_same_order(asked: Node, said: Node, known: Sequence[Node]) -> Node:
    """Return "…, and tell me their colours" with the order of the previously requested list."""
    last = known[-1] if known else None
    order = last.get("order") if last is not None else None
    refers = any(node.kind == "pronoun" for node in said.walk())
    if order is None or not refers or _asked_object(asked) != _asked_object(last):
        return asked
    return asked.replace(order=order) if asked.text("what") in ("what", "where") else asked


def _resolved_conditional(
    conditional: Node, known: Sequence[Node], kinds: Mapping[str, str], *, first: bool
) -> Node | None:
    """Return a conditional with its condition and its branches resolved; see `_resolved_text`."""
    condition = _existence_condition(conditional.node("of"), known)
    if condition is None:
        return None
    asked = resolve_question(condition, known, kinds, first=first)
    if asked is None or asked.kind != "ask":
        return None
    of = asked.node("of")
    if of.text("name") == "writing":  # "if it has a label, read it"
        conditional = conditional.substitute(of.replace(of=ANYTHING), of)
    branches: dict[str, Node | None] = {}
    for name in ("then", "other"):
        branch = conditional.get(name)
        if isinstance(branch, Node):
            before = _antecedent_of_branch(asked, branch, absent=name == "then")
            placed = _at_the_same_place(branch, asked)
            if before is None or placed is None:
                return None
            branches[name] = _resolved_text(placed, [*known, before], kinds, first=False)
            if branches[name] is None or branch.kind == "fragment":  # another condition
                return None
    return _without_implied_condition(conditional.replace(of=asked, **branches))


def _antecedent_of_branch(asked: Node, branch: Node, *, absent: bool) -> Node | None:
    """Return a condition as the antecedent of a branch.

    "If none of the cups are blue" is about the cups, "if nothing is on the plate" about the plate.
    None is returned if it is not clear what a pronoun in the branch refers to: "if there is no
    apple on the plate, what is on it?", "if no circle is red, list their colours".

    Args:
        asked: The condition.
        branch: Branch that may refer to the condition.
        absent: Whether the condition holds in the branch.
    """
    of = asked.node("of")
    phrase = of.get("of") if of.kind == "exists" and not of.get("about") else None
    if not isinstance(phrase, Node) or phrase.get("quantity") != _NONE or phrase.kind != "np":
        return asked
    parts = conjuncts(phrase.node("of"))
    things = [part for part in parts if part.kind == "thing"]
    near = [part.node("to") for part in parts if part.kind == "rel"]
    if not things and len(near) == 1:
        return asked.replace(of=of.replace(about=near[0]))
    pronouns = {node.text("name") for node in branch.walk() if node.kind == "pronoun"}
    if not absent or not pronouns:
        return asked
    if not things or (near and "it" in pronouns):
        return None
    return asked.replace(of=of.replace(about=Node("np", (("of", conjunction(*things)),))))


def _at_the_same_place(branch: Node, asked: Node) -> Node | None:
    """Return "…, what is there?" in a branch as a question about the place of its condition.

    None is returned after a condition about an empty object.
    """
    if _WHAT_IS_THERE not in branch.walk():
        return branch
    of = asked.node("of")
    if any(part.text("attribute") == "empty" for part in of.walk()):
        return None
    phrase = of.get("of") if of.kind == "exists" else None
    parts = conjuncts(phrase.node("of")) if isinstance(phrase, Node) and phrase.kind == "np" else ()
    places = [part for part in parts if part.kind in ("rel", "placed")]
    there = Node("np", (("of", conjunction(ANYTHING.node("of"), *places)), ("wh", "what")))
    return branch.substitute(_WHAT_IS_THERE, _WHAT_IS_THERE.replace(of=there))


def _existence_condition(condition: Node, known: Sequence[Node]) -> Node | None:
    """Return "if there are none", after a count, as a condition about the counted objects.

    Any other condition is returned unchanged; None if it refers to a question that was not asked.
    """
    of = condition.node("of")
    about = of.get("of")
    if isinstance(about, Node) and about.get("quantity") and about.get("of") == _THEM:
        return condition if known else None  # "if there are more than five": of what?
    if of.kind != "pronoun":
        return condition
    counted = known[-1].get("of") if known and known[-1].text("what") == "how_many" else None
    if of not in (_THERE, _NOT_THERE) or not isinstance(counted, Node) or counted.kind != "np":
        return None
    phrase = counted if of == _THERE else counted.replace(quantity=_NONE)
    return condition.replace(of=Node("exists", (("of", phrase),)))


def _separate_questions(asked: Node) -> tuple[Node, ...]:
    """Return one question for each of several superlatives: "where are the biggest and …?"."""
    of = asked.get("of")
    phrase = of.get("of") if isinstance(of, Node) and of.kind == "aspect" else of
    listed = phrase.get("of") if isinstance(phrase, Node) and phrase.kind == "np" else None
    if asked.kind == "seq":
        return asked.parts()
    if not isinstance(listed, Node) or listed.kind != "or" or asked.text("what") == "how_many":
        return (asked,)
    tops = any(node.kind == "most" for part in listed.parts() for node in conjuncts(part))
    each = (asked.substitute(listed, part) for part in listed.parts())
    return tuple(each) if tops else (asked,)


def _without_implied_condition(conditional: Node) -> Node:
    """Return only the question of "if there is a cup, where is it?".

    The answer to that question also states if there is no cup. Any other conditional is returned
    unchanged.
    """
    condition, then, other = (conditional.get(name) for name in ("of", "then", "other"))
    of = condition.node("of") if isinstance(condition, Node) else ANYTHING
    if isinstance(then, Node) and then.get("of") == of and not other:  # "if they differ, how?"
        return then
    if of.kind not in ("exists", "aspect"):
        return conditional
    phrase = of.node("of")
    if phrase.get("quantity") == _NONE:  # "if there is no cup, say so; otherwise …"
        phrase, then, other = phrase.replace(quantity=None), other, then
    implied = phrase == _asked_object(then) and other in (None, _NO_QUESTIONS)
    return then if isinstance(then, Node) and implied else conditional


def _asked_object(question: Any) -> Node | None:
    """Return the phrase whose property a question asks for; None for any other question."""
    if not isinstance(question, Node) or question.kind != "ask":
        return None
    of = question.node("of")
    return of.node("of") if of.kind == "aspect" else of if of.kind == "np" else None


def _earlier_meanings(context: Sequence[str], names: tuple[str, ...]) -> list[Node]:
    """Return the meanings of earlier questions, each resolved against those before it.

    References do not reach behind a question that was not understood.
    """
    earlier: list[Node] = []
    for said in context:
        before = reader().read(said, names)
        resolved = None
        if isinstance(before, Reading) and not before.rivals:
            kinds = reader().lexicon(before.language).kinds
            resolved = _resolved_text(before.meaning, earlier, kinds, first=not earlier)
        earlier = [*earlier, *_asked_parts(resolved)] if resolved is not None else []
    return earlier


def _asked_parts(resolved: Node) -> list[Node]:
    """Return the questions of a text; a conditional is represented by its condition."""
    parts = resolved.parts() if resolved.kind == "seq" else (resolved,)
    return [part.node("of") if part.kind == "if" else part for part in parts]
