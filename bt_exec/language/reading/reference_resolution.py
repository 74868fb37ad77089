"""Resolution of pronouns and fragments from the earlier commands of a session."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bt_exec.language.reading.meaning_node import (
    Node,
    Value,
    conjunction,
    conjuncts,
    disjunction,
    negation,
    normal_form,
)

_NOUNS = ("thing", "shape")
_ONE, _ANY = Node("one"), Node("any")
_EMPTY = Node("has", (("attribute", "empty"),))
_OTHER = Node("pronoun", (("name", "other"),))  # "which is bigger?", after a question about two
_PAIRS = ("more", "alike", "apart")
_FORMULAS = ("and", "or", "not", "np", "most")  # kinds of nodes whose parts are formulas

_IT, _SO, _NOT_SO, _THERE, _NOT_THERE = (
    Node("pronoun", (("name", name),)) for name in ("it", "so", "not_so", "so_there", "not_there")
)

__all__ = [
    "are_disjoint",
    "nouns_in",
    "resolve_references",
    "subject_of",
    "with_antecedent",
    "with_named_conditions",
]


def resolve_references(
    meaning: Node, earlier: Sequence[Node], kinds: Mapping[str, str]
) -> Node | None:
    """Return a meaning with all references to earlier meanings resolved.

    Args:
        meaning: The new meaning.
        earlier: The resolved meanings before it, the latest last.
        kinds: Kinds of attributes; a new colour replaces the old one.

    Returns:
        The meaning, or None if a reference has no antecedent.
    """
    last = earlier[-1] if earlier else None
    subject = subject_of(last) if last is not None else None
    meaning = normal_form(_with_noun(meaning, subject, kinds))
    refers = any(node.kind == "pronoun" for node in meaning.walk())
    if refers:
        if last is None or subject is None:
            return None
        other = _compared_subject(earlier)
        if other is not None:
            meaning = meaning.substitute(_OTHER, other)
        if _OTHER in meaning.walk():
            return None
        if _IT in meaning.walk() and _asks_which_of_two(last):
            return None  # it is not known which of the two was the answer
        about = _antecedent(last, subject)
        about = about.replace(quantity=None) if meaning.kind == "ask" else about
        meaning = normal_form(with_antecedent(meaning, about))
    if meaning.kind != "fragment":
        return meaning
    phrase = meaning.node("of")
    if last is None or subject is None or phrase.kind != "np":
        return None
    described = not nouns_in(phrase.node("of"), kinds)
    if meaning.text("sign") == "same" and described and _asks_which_of_two(last):
        return None  # "and the small one?" may be one of the two, or ask for the smaller one
    old = subject.node("of")
    if refers:  # "the one next to it" is another object of the same kind
        old = conjunction(*nouns_in(_compared_objects(old), kinds))
    formula = _merge_fragment(old, phrase.node("of"), meaning.text("sign"), kinds)
    asked = phrase.replace(of=formula)
    asked_about = last.node("of").get("about") if last.kind == "ask" else None
    if isinstance(asked_about, Node) and asked_about.kind == "np":  # "is it red? and the bottle?"
        return normal_form(_about_another(last, asked_about, asked, kinds))
    if last.kind == "ask" and asked.get("quantity") is None:
        asked = asked.replace(quantity=subject.get("quantity"))
    return normal_form(last.substitute(subject, asked))


def _about_another(question: Node, old: Node, new: Node, kinds: Mapping[str, str]) -> Node:
    """Return a question about a property of an object, with another object in its place.

    An attribute of the kind that the question asks for replaces the property: "and blue?".
    """
    exists = question.node("of")
    known, said = conjuncts(old.node("of")), conjuncts(new.node("of"))
    hold = [part for part in conjuncts(exists.node("of").node("of")) if part not in known]
    asked_for = {_attribute_kind(part, kinds) for part in hold}
    added = [part for part in said if part not in known]
    if any(_attribute_kind(part, kinds) in asked_for for part in added):
        return question.replace(of=exists.replace(of=exists.node("of").replace(of=new.node("of"))))
    both = conjunction(new.node("of"), *hold)
    return question.replace(of=exists.replace(of=exists.node("of").replace(of=both), about=new))


def _compared_subject(earlier: Sequence[Node]) -> Node | None:
    """Return the antecedent of "the other", which is not the last subject, or None.

    It is the second phrase of a comparison in the last meaning, or the subject of the meaning
    before the last if both ask for the same.
    """
    pair = next((node for node in earlier[-1].walk() if node.kind in _PAIRS), None)
    if pair is not None:
        return pair.node("to")
    same = len(earlier) > 1 and earlier[-1].text("what") == earlier[-2].text("what")
    return subject_of(earlier[-2]) if same else None


def _asks_which_of_two(meaning: Node) -> bool:
    """Return True for a question about two objects such as "which is bigger, A or B?"."""
    return meaning.text("what") == "which" and any(one.kind == "more" for one in meaning.walk())


def _with_noun(meaning: Node, before: Node | None, kinds: Mapping[str, str]) -> Node:
    """Return a meaning in which "one" is replaced by the noun of an earlier phrase.

    Args:
        meaning: The meaning.
        before: Subject of the previous command, or None.
        kinds: Kinds of attributes.
    """
    subject = subject_of(meaning)
    own, earlier = _nouns_of(subject, kinds), _nouns_of(before, kinds)
    if not earlier and before is not None:  # "what is on the left plate, and on the right one?"
        inner = (nouns_in(node.node("of"), kinds) for node in before.walk() if node.kind == "np")
        earlier = next(filter(None, inner), [])
    if meaning.kind == "fragment":  # the noun is added with the rest of the previous command
        earlier = []

    def with_noun(node: Node, inner: bool) -> Node:
        if node == _ONE:
            return conjunction(*(own if inner and own else earlier))
        if node.kind == "or":
            nouns = next(filter(None, (nouns_in(part, kinds) for part in node.parts())), [])
            noun = conjunction(*nouns) if nouns else _ONE
            node = disjunction(*(part.substitute(_ONE, noun) for part in node.parts()))
        args: list[tuple[str, Value]] = []
        for name, value in node.args:
            below = inner or name == "to"
            if isinstance(value, tuple):
                args.append((name, tuple(with_noun(part, below) for part in value)))
            else:
                args.append((name, with_noun(value, below) if isinstance(value, Node) else value))
        return Node(node.kind, tuple(args))

    return with_noun(meaning, False)


def _nouns_of(phrase: Node | None, kinds: Mapping[str, str]) -> list[Node]:
    return nouns_in(phrase.node("of"), kinds) if phrase is not None else []


def nouns_in(formula: Node, kinds: Mapping[str, str]) -> list[Node]:
    """Return the nouns of a formula, also those of a superlative: "the leftmost tomato"."""
    found: list[Node] = []
    for part in conjuncts(formula):
        if part.kind == "most":
            found += nouns_in(part.node("of"), kinds)
        elif part.kind != "not" and _attribute_kind(part, kinds) in _NOUNS:
            found.append(part)
    return found


def are_disjoint(one: Node, other: Node, kinds: Mapping[str, str]) -> bool:
    """Return True if no object satisfies two formulas, because of their nouns or attributes."""
    nouns = [{*nouns_in(formula, kinds)} for formula in (one, other)]
    if all(nouns) and nouns[0].isdisjoint(nouns[1]):
        return True
    mine, theirs = (
        {
            kinds.get(part.text("attribute")): part
            for part in conjuncts(formula)
            if part.kind == "has"
        }
        for formula in (one, other)
    )
    return any(theirs.get(kind, part) != part for kind, part in mine.items() if kind)


def subject_of(meaning: Node) -> Node | None:
    """Return the phrase that a meaning is about, which is its first noun phrase."""
    return next((node for node in meaning.walk() if node.kind == "np"), None)


def _antecedent(meaning: Node, subject: Node) -> Node:
    """Return the phrase to which pronouns refer: the subject without what was asked about it."""
    exists = meaning.get("of")
    about = exists.get("about") if isinstance(exists, Node) and exists.kind == "exists" else None
    return about if isinstance(about, Node) else subject


def with_antecedent(node: Node, subject: Node) -> Node:
    """Return a node with its pronouns replaced by the subject, or by its formula in formulas."""

    def resolve_value(name: str, value: Value) -> Value:
        if isinstance(value, tuple):
            return tuple(resolve_node(name, part) for part in value)
        return resolve_node(name, value) if isinstance(value, Node) else value

    def resolve_node(name: str, part: Node) -> Node:
        if part.kind != "pronoun":
            return with_antecedent(part, subject)
        in_formula = node.kind in _FORMULAS and name != "to"
        return subject.node("of") if in_formula else subject

    return Node(node.kind, tuple((name, resolve_value(name, value)) for name, value in node.args))


def _merge_fragment(old: Node, new: Node, sign: str, kinds: Mapping[str, str]) -> Node:
    """Return the formula of a fragment ("and the blue ones?") with the noun of its antecedent."""
    if new.kind == "most" and new.node("of") == _ANY:
        return new.replace(of=_compared_objects(old))
    if sign == "only":
        return conjunction(old, new)
    said = {_attribute_kind(part, kinds) for part in conjuncts(new)}
    if said & {*_NOUNS} or not said:
        return new
    kept = [part for part in conjuncts(old) if _attribute_kind(part, kinds) not in said]
    return conjunction(*kept, new)


def _compared_objects(formula: Node) -> Node:
    """Return the formula of the objects that a superlative compares; other formulas unchanged."""
    return _compared_objects(formula.node("of")) if formula.kind == "most" else formula


def _attribute_kind(part: Node, kinds: Mapping[str, str]) -> str:
    """Return the attribute kind of a formula; for "not" and "or", the kind of the first part."""
    if part.kind in ("not", "or"):
        return _attribute_kind(part.parts()[0], kinds)
    return kinds.get(part.text("attribute"), part.kind)


def with_named_conditions(meaning: Node) -> Node:
    """Return a meaning in which the question before "if so" or "if not" becomes the condition.

    In "if it is open", only "it" is replaced by the subject of the question. A question that is
    used as a condition is not asked separately. Conditions after negative questions are kept,
    because "isn't it open? if not, …" is ambiguous.
    """
    found: list[Node] = []
    for part in meaning.parts() if meaning.kind == "seq" else (meaning,):
        last = found[-1] if found else None
        merged = _merge_exclusive_conditionals(last, part) if last is not None else None
        question = _question_of(last) if last is not None else None
        named = part if question is None else _with_question_as_condition(part, question)
        answers = (question, _negated_question(question)) if question is not None else ()
        if merged is not None or (named is not part and named.get("of") in answers):
            found.pop()
        found.append(merged or named)
    return found[0] if len(found) == 1 else Node("seq", (("of", tuple(found)),))


def _merge_exclusive_conditionals(first: Node, part: Node) -> Node | None:
    """Return `first` with the second conditional as its other branch, if they exclude each other.

    An example is "if it is empty, put it there; if not, leave it". None for other parts.
    """
    if first.kind != "if" or part.kind != "if" or first.get("other") or part.get("other"):
        return None
    question = first.node("of")
    asked = _with_question_as_condition(part, question)
    negated = asked.get("other") is not None and asked.get("of") == question
    if (
        negated
        or _negated_question(asked.node("of")) == question
        or asked.node("of") == _negated_question(question)
    ):
        return first.replace(other=asked.get("other") if negated else part.get("then"))
    return None


def _negated_question(question: Node) -> Node:
    """Return a yes/no question about all objects with its predicate negated."""
    of = question.node("of") if isinstance(question.get("of"), Node) else question
    hold = of.get("hold") if of.kind == "all" else None
    return (
        question.replace(of=of.replace(hold=negation(hold))) if isinstance(hold, Node) else question
    )


def _question_of(part: Node) -> Node | None:
    """Return the affirmative yes/no question in a part, as in "check whether it is open"."""
    asked = part.get("of") if part.kind == "act" else part
    if not isinstance(asked, Node) or asked.text("what") != "whether":
        return None
    return None if any(node.kind == "not" for node in asked.walk()) else asked


def _with_question_as_condition(part: Node, question: Node) -> Node:
    if part.kind != "if":
        return part
    condition = part.node("of")
    asked = condition.get("of")
    none = _EMPTY in question.walk() or any(  # "is there none? if there is, …"
        one.text("number") == "0" for one in question.walk()
    )
    if asked in (_SO, _NOT_THERE if none else _THERE):
        return part.replace(of=question)
    if asked in (_NOT_SO, _THERE if none else _NOT_THERE):
        then, other = part.get("then"), part.get("other")
        return part.replace(of=question, then=other or Node("seq", (("of", ()),)), other=then)
    subject = next((node for node in question.walk() if node.kind == "np"), None)
    if subject is not None:
        return part.replace(of=condition.substitute(_IT, subject))
    return part
