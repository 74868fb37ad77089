"""Meaning of a question for ``bt-exec understand``: an act with roles, and its words."""

from __future__ import annotations

from collections.abc import Iterator

from bt_exec.language.meaning import Act, Meaning, Role, RoleName, WordUse
from bt_exec.language.reading.reader import Reading
from bt_exec_skills.image.rules.question import Phrase, Question

__all__ = ["meaning_of"]

_NOT = {True: "", False: "not "}


def meaning_of(question: Question, reading: Reading) -> Meaning:
    """Return the meaning of a question: its kind, its subject, and unused words."""
    roles = tuple(_role(*part) for part in _parts(question))
    if question.kind == "alike":
        roles += (Role("manner", "value", "Aspect", question.aspect),)
    if question.bound is not None:
        quantity = f"{question.bound} {question.number}"
        roles += (Role("quantity", "value", "Number", quantity),)
    act = Act(question.kind, roles, "ask")
    return Meaning(reading.language, (act,), tuple(_uses(reading)), question.said_back)


def _parts(question: Question) -> Iterator[tuple[RoleName, Phrase, str]]:
    yield from _described("theme", question.target, "")
    if question.other is not None:
        yield from _described("topic", question.other, "compared with")


def _described(
    role: RoleName, phrase: Phrase, relation: str
) -> Iterator[tuple[RoleName, Phrase, str]]:
    if phrase.of is not None:
        yield from _described(role, phrase.of, f"most {phrase.top} of")
    if phrase.of is None or phrase.attributes:
        yield role, phrase, relation
    for options in phrase.either:
        yield role, Phrase(said=" or ".join(options)), "either"
    for out in phrase.left_out:
        yield role, out, "not"
    for place in phrase.places:
        yield from _described("place", place.to, _NOT[place.holds] + place.relation)
    for degree in phrase.degrees:
        yield from _described(
            "topic", degree.to, f"{_NOT[degree.holds]}more {degree.attribute} than"
        )


def _role(name: RoleName, phrase: Phrase, relation: str) -> Role:
    value = " ".join([*phrase.attributes, phrase.thing]).strip()
    if not value:
        value = phrase.said if relation == "either" else "anything"
    return Role(name, "text", "Thing", value, phrase.said, relation)


def _uses(reading: Reading) -> Iterator[WordUse]:
    place = 0
    for leaf in reading.edge.leaves():
        use = "role" if leaf.meaning is not None else "grammar"
        yield WordUse(leaf.text, place, place + len(leaf.text), use, leaf.category)
        place += len(leaf.text) + 1
