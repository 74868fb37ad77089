"""The table's own compiler: commands about things on tables become subgoals and a plan, offline.

The tree library of the other packs is asked by what people say; here what a command means depends
on which objects are there. A site chooses it by name: ``compiler: {name: table}``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any, TypeAlias

from bt_exec.failure import Refusal, UsageError
from bt_exec.language.meaning import Act, Meaning, Role, Unclear, WordUse
from bt_exec.language.messages import Messages, language_of
from bt_exec.planning.compiler import Plan, Request
from bt_exec.spec.model import Mission
from bt_exec_skills.tabletop.environment import Environment
from bt_exec_skills.tabletop.goals.answers import answer
from bt_exec_skills.tabletop.goals.asked import cleaned, question_of
from bt_exec_skills.tabletop.goals.asking_back import ASKS_BACK, made_whole, unfinished
from bt_exec_skills.tabletop.goals.decompose import decompose
from bt_exec_skills.tabletop.goals.english import read_english
from bt_exec_skills.tabletop.goals.korean import read_korean
from bt_exec_skills.tabletop.goals.model import Ask, Subgoal, Trouble
from bt_exec_skills.tabletop.goals.operator_uses import complete
from bt_exec_skills.tabletop.goals.phrases import Words
from bt_exec_skills.tabletop.goals.plan import REMARK, answer_plan, plan_of
from bt_exec_skills.tabletop.goals.question import Question
from bt_exec_skills.tabletop.goals.repair import replanned
from bt_exec_skills.tabletop.goals.tokens import Token, tokens_of
from bt_exec_skills.tabletop.perception.known import environment_of
from bt_exec_skills.tabletop.spoken import listed, said

__all__ = ["TableCompiler", "create", "is_question", "readings_of", "subgoals_for", "understand"]

_EXAMPLES: Mapping[str, tuple[str, ...]] = {
    "en": (
        "Sort by colour.",
        "Put the red things in the red bowl.",
        "Bring me the apple.",
        "What is on the table?",
    ),
    "ko": ("색깔별로 정리해.", "빨간 건 빨간 그릇에 담아.", "사과를 갖다줘.", "책상 위에 뭐 있어?"),
}


_REQUESTED = re.compile(r"줘|줄|주|세요|시오|달라|드려")
"""Korean verbs that ask for something to be done, also in a question: 담아 줄래."""

_TYPED = ("word", "name")
"""Facts of a refusal that are words as they were typed."""


@cache
def _sentences() -> Messages:
    return Messages.load([Path(__file__).with_name("refusals.yaml")])


Command: TypeAlias = tuple[str, list[Token], list[tuple[Ask, ...]]]
"""The language of a command, its words, and every way in which it can be meant."""


def readings_of(command: str, now: Environment) -> Command:
    """Return the language of a command, its words, and every way in which it can be meant.

    Raises:
        Trouble: If a word is not known, or the words make no sense together.
    """
    text = cleaned(command)
    language = language_of(text)
    tokens = tokens_of(text, language, now.objects, now.tables)
    grammar = read_korean if language == "ko" else read_english
    readings = grammar(Words(tokens, text))
    if not readings or _asks(text, language, tokens):
        raise Trouble("NOT_UNDERSTOOD")
    return language, tokens, complete(readings, text, language)


def _asks(text: str, language: str, tokens: Sequence[Token]) -> bool:
    """Return True if words ask something: 사과 담아?, and not 사과 담아 줘?"""
    verbs = [token for token in tokens if token.of("verb")]
    if not text.endswith("?"):
        return False
    return not verbs or (language == "ko" and not _REQUESTED.search(verbs[-1].text))


def understand(command: str, now: Environment) -> Question | Command:
    """Return the question that a command is, or else how it may be meant.

    Raises:
        Trouble: If it is neither: a word is not known, or the words make no sense together.
    """
    try:
        return readings_of(command, now)
    except Trouble as trouble:
        if trouble.code not in ("UNKNOWN_WORD", "NOT_UNDERSTOOD"):
            raise
    question, text, _ = question_of(command, now)
    return complete([question], text, language_of(text))[0]


def subgoals_for(command: str, now: Environment) -> tuple[Subgoal, ...]:
    """Return the subgoals of a command in a world.

    Raises:
        Trouble: Why it cannot be followed.
    """
    language, _, readings = readings_of(command, now)
    return decompose(readings, now, language)


def is_question(command: str, now: Environment) -> bool:
    """Whether a command asks something, and nothing to be done."""
    try:
        return isinstance(understand(command, now), Question)
    except Trouble:
        return False


def trouble_of(now: Environment, command: str) -> Trouble | None:
    """Return why a command or question cannot be followed; None if it can."""
    try:
        understood = understand(command, now)
        if not isinstance(understood, Question):
            decompose(understood[2], now, understood[0])
    except Trouble as trouble:
        return trouble
    return None


def _whole(request: Request, now: Environment) -> str:
    """Return the command with what it takes from earlier ones.

    Raises:
        Trouble: NOTHING_UNFINISHED for "go on" where nothing can go on.
    """
    turns, read = request.context.turns, partial(trouble_of, now)
    if _is_go_on(request.command, now):
        return unfinished([turn for turn in turns if not _is_go_on(turn.command, now)], read)
    return made_whole(request.command, turns, read)


def _is_go_on(command: str, now: Environment) -> bool:
    """Return True for "go on", "하던 거 마저 해" and the like."""
    text = cleaned(command)
    try:
        tokens = tokens_of(text, language_of(text), now.objects, now.tables)
    except Trouble:
        return False
    verbs = [token for token in tokens if token.of("verb")]
    others = [token for token in tokens if not token.of("verb") and not token.of("filler")]
    return len(verbs) == 1 and "go_on" in verbs[0].all_of("verb") and not others


class TableCompiler:
    """Implements `bt_exec.planning.compiler.Compiler` and `Reader` for tables."""

    name = "table"
    needs_observation = True

    def compile(self, request: Request) -> Plan | Refusal:
        """Return one subgoal tree for each objective of the command, or why it is refused."""
        now = environment_of(request.situation)
        if request.previous is not None and request.failure is not None:
            spec, lost = replanned(request, now, self.name)
            if spec is None:
                return self._refusal(
                    Trouble("NOTHING_LEFT", why=_why(lost, request)), request.language
                )
            return Plan(spec)
        language = language_of(request.command)
        if not now.objects:
            return self._refusal(Trouble("NOTHING_SEEN"), language)
        header = Mission(
            command=request.command,
            language="ko" if language == "ko" else "en",
            plan_version=request.plan_version,
            compiler=self.name,
        )
        try:
            command = _whole(request, now)
            language = language_of(command)
            understood = understand(command, now)
            if isinstance(understood, Question):
                answer(understood, now, None, language)  # what cannot be told is refused here
                return Plan(answer_plan(header))
            language, tokens, readings = understood
            subgoals = decompose(readings, now, language)
        except Trouble as trouble:
            return self._refusal(trouble, language)
        remarks = (one.remark for one in subgoals if one.remark is not None)
        header = header.model_copy(
            update={
                "subgoals": tuple(one.text for one in subgoals),
                "notes": tuple(f"{REMARK}: {self._say(one, language)}" for one in remarks),
            }
        )
        wanted = {
            move.thing: move.target
            for one in subgoals
            for move in one.moves
            if move.target and move.side == "in" and not move.spot
        }
        whole = command == request.command  # an answer alone has no such words
        meaning = _meaning(language, tokens, readings[0]) if whole else None
        return Plan(plan_of(header, subgoals, wanted), meaning=meaning)

    def read(self, request: Request) -> Meaning | Unclear:
        """Return what a command means, or why it means nothing here."""
        now = environment_of(request.situation)
        try:
            understood = understand(request.command, now)
        except Trouble as trouble:
            return Unclear(trouble.code, str(trouble.facts.get("word", "")))
        if isinstance(understood, Question):
            return _asking(understood, request.command, now)
        language, tokens, readings = understood
        return _meaning(language, tokens, readings[0])

    def _say(self, trouble: Trouble, language: str) -> str:
        facts = {
            key: str(value) if key in _TYPED else _fact(value, language)
            for key, value in trouble.facts.items()
        }
        return _sentences().say(trouble.code, language, **facts)

    def _refusal(self, trouble: Trouble, language: str) -> Refusal:
        message = self._say(trouble, language)
        missing = tuple(str(trouble.facts[key]) for key in _TYPED if key in trouble.facts)
        near = _EXAMPLES[language] if trouble.code in ("NOT_UNDERSTOOD", "UNKNOWN_WORD") else ()
        if near:
            can = ", ".join(example.rstrip(".") for example in near)
            message += " " + _sentences().say("CAN", language, can=can).replace("?.", "?")
        asked = message if trouble.code == ASKS_BACK else ""
        return Refusal(trouble.code, message, near, missing=missing, question=asked)


def _fact(value: str | tuple[str, ...], language: str) -> str:
    """Return what stands in a sentence: the names of things as they are called, words as typed."""
    if isinstance(value, tuple):
        return listed(value, language)
    return said(value, language) if "_" in value else value


def _why(lost: Iterable[str], request: Request) -> str:
    """Return why things were given up: the last sentence about each."""
    found = {
        failure.args.get("object", failure.args.get("target")): failure for failure in request.tried
    }
    said_of = (request.messages.explain(found[name], request.language) for name in lost)
    return " ".join(dict.fromkeys(said_of))


def _meaning(language: str, tokens: list[Token], asks: tuple[Ask, ...]) -> Meaning:
    """Return a reading in the terms that all compilers share."""
    acts = []
    for ask in asks:
        roles = [Role("theme", "text", "Thing", one.text, one.text) for one in ask.themes]
        if ask.to is not None:
            side = ask.side.replace("_", " ")
            roles.append(Role("destination", "text", "Thing", ask.to.text, ask.to.text, side))
        if ask.by is not None:
            roles.append(Role("manner", "value", "Attribute", ask.by, ask.by))
        positive = ask.verb != "leave"
        acts.append(Act(ask.verb, tuple(roles), positive=positive, text=ask.text))
    return Meaning(language, tuple(acts), _words(tokens))


def _asking(question: Question, command: str, now: Environment) -> Meaning:
    """Return a question in the same terms: what is asked, and about what."""
    roles = [Role("theme", "text", "Thing", one.text, one.text) for one in question.things]
    if question.place is not None:
        side, place = question.place
        roles.append(Role("place", "text", "Thing", place.text, place.text, side.replace("_", " ")))
    if question.by is not None:
        roles.append(Role("manner", "value", "Attribute", question.by, question.by))
    text, tokens = question_of(command, now)[1:]
    return Meaning(
        language_of(command), (Act("?", tuple(roles), "ask", text=text),), _words(tokens)
    )


def _words(tokens: Iterable[Token]) -> tuple[WordUse, ...]:
    return tuple(
        WordUse(one.text, one.start, one.end, _use(one), "/".join(sorted({k for k, _ in one.uses})))
        for one in tokens
    )


def _use(token: Token) -> str:
    kinds = {kind for kind, _ in token.uses}
    if "verb" in kinds:
        return "verb"
    if kinds <= {"filler", "then"}:
        return "filler"
    if kinds <= {
        "be",
        "do",
        "there",
        "you",
        "and",
        "particle",
        "the",
        "of",
        "that",
        "by",
        "side",
        "out",
        "with",
        "counter",
    }:
        return "grammar"
    return "role"


def create(settings: Mapping[str, Any]) -> TableCompiler:
    """Return the compiler. It has no settings.

    Raises:
        UsageError: If it is given any.
    """
    if settings:
        raise UsageError(f"the compiler table has no settings (found {', '.join(settings)})")
    return TableCompiler()
