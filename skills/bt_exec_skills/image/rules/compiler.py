"""Compiler of the site ``image``: turns a question about the picture into a plan without a model.

It is registered as ``questions`` in the entry-point group ``bt_exec.compilers``. A question that
no tool can answer is refused with a remedy, such as an annotation or a vision model.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from bt_exec.failure import Refusal, UnknownName
from bt_exec.language.logical_operators import operators_in
from bt_exec.language.meaning import Act, Condition, Meaning, Role, RoleName, Unclear, WordUse
from bt_exec.language.reading.reader import Reading
from bt_exec.planning.compiler import Plan, Request
from bt_exec.spec.model import MissionSpec
from bt_exec_skills.image.rules.lexicon import object_name, reader
from bt_exec_skills.image.rules.question import (
    Asked,
    Phrase,
    Question,
    UnanswerableQuestion,
)
from bt_exec_skills.image.rules.question_plans import CannotTell, build_plan_of_all
from bt_exec_skills.image.rules.question_reader import read_with_words

__all__ = ["QuestionCompiler", "create"]

_EXAMPLES = ("EXAMPLE_COUNT", "EXAMPLE_PLACE")
"""Message codes of example questions that tools can answer."""

_NAMES = frozenset({"thing", "known"})
"""Arguments of refusal messages that contain names of objects."""


class QuestionCompiler:
    """Compiler of questions, as `bt_exec.planning.compiler.Compiler` and `Reader`."""

    name = "questions"

    def compile(self, request: Request) -> Plan | Refusal:
        """Return the plan that answers a question, or the reason for a refusal."""
        if request.failure is not None:  # retrying on the same picture cannot succeed
            said = request.messages.explain_failure(request.failure, request.language)
            return Refusal(request.failure.code, said)
        facts = request.situation.facts
        if facts.get("picture") != "given":
            return self._build_refusal(request, "NO_PICTURE")
        try:
            asked, _ = _read_in_session(request)
            root = build_plan_of_all(asked, request.language, facts, request.command)
        except UnanswerableQuestion as error:
            if error.code == "QUESTION_UNCLEAR" and (words := _condition_in(request)):
                return self._build_refusal(request, "QUESTION_CONDITIONAL", words=words)
            return self._build_refusal(request, error.code, words=error.words)
        except CannotTell as error:
            return self._build_refusal(request, error.code, **error.facts)
        header = {
            "command": request.command,
            "language": request.language,
            "compiler": self.name,
            "plan_version": request.plan_version,
        }
        return Plan(MissionSpec.model_validate({"mission": header, "root": root}))

    def intended_texts(self, request: Request) -> Iterator[str]:
        """Return questions that a misspelt question may stand for, the nearest first."""
        return reader().intended_texts(request.command, _known_names(request))

    def shortened_texts(self, request: Request) -> Iterator[str]:
        """Return parts of a question that can be parsed, the longest first."""
        return reader().shortened_texts(request.command, _known_names(request))

    def read(self, request: Request) -> Meaning | Unclear:
        """Return each question as an act of its kind, or the reason why it is not understood."""
        try:
            return _to_shared_meaning(*_read_in_session(request))
        except UnanswerableQuestion as error:
            return Unclear(error.code, error.words)

    @staticmethod
    def _build_refusal(request: Request, code: str, **facts: str) -> Refusal:
        for name in _NAMES & facts.keys():
            names = facts[name].split(", ")
            facts[name] = ", ".join(object_name(one, request.language) for one in names)
        said = request.messages.say(code, request.language, **facts)
        near: tuple[str, ...] = ()
        if code in ("NEEDS_MODEL", "QUESTION_UNCLEAR"):
            near = tuple(request.messages.say(one, request.language) for one in _EXAMPLES)
        return Refusal(code, said, near)


def _read_in_session(request: Request) -> tuple[tuple[Asked, ...], Reading]:
    """Return the questions of a request, read after the earlier texts of its session.

    The names of objects in the annotation can be used as nouns.
    """
    context = [turn.command for turn in request.context.turns]
    return read_with_words(request.command, context, _known_names(request))


def _known_names(request: Request) -> tuple[str, ...]:
    """Return the names of objects in the annotation."""
    known = request.situation.facts.get("annotation.names", "")
    return tuple(filter(None, known.split("|")))


def _condition_in(request: Request) -> str:
    """Return the words of a condition in a question; empty if there is none."""
    found = operators_in(request.command, request.language)
    words = (one.text for one in found if one.kind == "condition")
    return ", ".join(dict.fromkeys(map(str.casefold, words)))


def create(settings: Mapping[str, Any]) -> QuestionCompiler:
    """Return the compiler. It has no settings besides its name.

    Raises:
        UnknownName: If a site file contains a setting.
    """
    for key in settings:
        if key != "name":
            raise UnknownName("setting", key, ("name",), owner="compiler questions")
    return QuestionCompiler()


_NOT = {True: "", False: "not "}


def _to_shared_meaning(asked: Sequence[Asked], reading: Reading) -> Meaning:
    """Return the meaning of questions in the terms shared by all compilers."""
    acts = tuple(act for one in asked for act in _acts(one, None))
    said_back = " ".join(one.said_back for one in asked if isinstance(one, Question))
    return Meaning(reading.language, acts, tuple(_word_uses(reading)), said_back)


def _acts(asked: Asked, condition: Condition | None) -> Iterator[Act]:
    """Yield the acts of one question, or of a conditional, each with its condition."""
    if isinstance(asked, Question):
        yield replace(_make_act(asked), condition=condition)
        return
    deciding = replace(_make_act(asked.condition), condition=condition)
    for holds, branch in ((True, asked.then), (False, asked.other)):
        for one in branch:
            yield from _acts(one, Condition(deciding, holds))


def _make_act(question: Question) -> Act:
    roles = tuple(_make_role(*part) for part in _described_objects(question))
    if question.kind == "alike":
        roles += (Role("manner", "value", "Aspect", question.aspect),)
    if question.bound is not None:
        quantity = f"{question.bound} {question.number}"
        roles += (Role("quantity", "value", "Number", quantity),)
    return Act(question.kind, roles, "ask")


def _described_objects(question: Question) -> Iterator[tuple[RoleName, Phrase, str]]:
    yield from _roles_of_phrase("theme", question.target, "")
    if question.other is not None:
        yield from _roles_of_phrase("topic", question.other, "compared with")


def _roles_of_phrase(
    role: RoleName, phrase: Phrase, relation: str
) -> Iterator[tuple[RoleName, Phrase, str]]:
    if phrase.of is not None:
        yield from _roles_of_phrase(role, phrase.of, f"most {phrase.top} of")
    if phrase.of is None or phrase.attributes:
        yield role, phrase, relation
    for options in phrase.either:
        yield role, Phrase(said=" or ".join(options)), "either"
    for out in phrase.left_out:
        yield role, out, "not"
    for place in phrase.places:
        yield from _roles_of_phrase("place", place.to, _NOT[place.holds] + place.relation)
    for degree in phrase.degrees:
        yield from _roles_of_phrase(
            "topic", degree.to, f"{_NOT[degree.holds]}more {degree.attribute} than"
        )


def _make_role(name: RoleName, phrase: Phrase, relation: str) -> Role:
    value = " ".join([*phrase.attributes, phrase.thing]).strip()
    if not value:
        value = phrase.said if relation == "either" else "anything"
    return Role(name, "text", "Thing", value, phrase.said, relation)


def _word_uses(reading: Reading) -> Iterator[WordUse]:
    place = 0
    for leaf in reading.edge.leaves():
        use = "role" if leaf.meaning is not None else "grammar"
        yield WordUse(leaf.text, place, place + len(leaf.text), use, leaf.category)
        place += len(leaf.text) + 1
