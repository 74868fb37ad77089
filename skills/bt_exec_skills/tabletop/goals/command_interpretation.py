"""Selection of the cheapest meaning of a command that can be resolved in the present world."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from bt_exec.language.meaning import Turn
from bt_exec.language.messages import language_of
from bt_exec.language.reading.chart import Edge
from bt_exec.language.reading.meaning_node import Node
from bt_exec.language.reading.reader import MARGIN, Reading
from bt_exec_skills.tabletop.environment_state import Environment
from bt_exec_skills.tabletop.goals.answers import answer
from bt_exec_skills.tabletop.goals.branch_references import (
    lacks_noun,
    refers_back,
    split_first_questions,
    split_questions,
    takes_some,
)
from bt_exec_skills.tabletop.goals.command_from_meaning import Converter
from bt_exec_skills.tabletop.goals.command_reader import PossibleMeanings, parse_meanings
from bt_exec_skills.tabletop.goals.decompose import (
    most_helpful_reason,
    moves_of,
    subgoals_with_free_hand,
)
from bt_exec_skills.tabletop.goals.model import Subgoal, Trouble, UnresolvedGoal
from bt_exec_skills.tabletop.goals.object_phrases import Phrases
from bt_exec_skills.tabletop.goals.question import Question
from bt_exec_skills.tabletop.goals.session_completion import ASKS_BACK, CommandHistory, Meanings

__all__ = [
    "Understood",
    "answer_question",
    "is_question",
    "subgoals_for",
    "understand",
    "understand_parts",
]

_NOTHING = (
    *("NOTHING_TO_DO", "EMPTY_ALREADY", "CONDITION_UNMET", "ONLY_THE_REST", "ALL_LEFT_OUT"),
    "CANNOT_DO",
)
"""Codes of meanings that leave nothing to do; no other meaning is tried after them."""


class Understood(NamedTuple):
    """Goals of a text in one state of the world.

    Attributes:
        language: ``en`` or ``ko``.
        meaning: Selected meaning.
        question: The question, if the text is a question.
        asks: Parts of the command, if the text is a command.
        subgoals: Subgoals of the command.
        words: Words of the text.
        replies: Questions that are answered after the command, in the words of the text.
        first: Questions that are answered before the command, in the words of the text.
    """

    language: str
    meaning: Node
    question: Question | None = None
    asks: tuple[UnresolvedGoal, ...] = ()
    subgoals: tuple[Subgoal, ...] = ()
    words: tuple[Edge, ...] = ()
    replies: tuple[str, ...] = ()
    first: tuple[str, ...] = ()


class _CommandInterpreter:
    """Interpreter of texts in one state of the world."""

    def __init__(self, now: Environment, language: str) -> None:
        self.now, self.language = now, language
        self.session = CommandHistory(now, self._converter, self._trouble_of)

    def _converter(self) -> Converter:
        there = (*self.now.objects, *self.now.tables)
        return Converter(
            Phrases(
                self.session.words_of,
                self.session.position_of,
                self.session.group_of,
                self.language,
                there,
                self.now.tables,
            ),
            self._is_condition_true,
            self.session.place,
            self.session.subject,
        )

    def _is_condition_true(self, question: Question) -> bool:
        """Return the answer to the question of a condition.

        Raises:
            Trouble: NO_CONTAINER if the question does not apply to its objects.
        """
        found = answer(question, self.now, self.now.held, self.language)
        if not found.decided:
            raise Trouble("NO_CONTAINER", self.now.containers(), what=found.names)
        return found.holds

    def understand(self, command: str | PossibleMeanings, turns: Sequence[Turn] = ()) -> Understood:
        """Return the goals of a command, from its cheapest meaning that can be resolved."""
        meanings = self.session.possible_meanings(command, turns)
        words = tuple(self.session.readings[-1].edge.leaves())
        return self._understand_meanings(meanings)._replace(words=words)

    def is_true(self, reading: Reading, question: Node) -> bool:
        """Return the answer to a question in a text.

        Raises:
            Trouble: If the answer cannot be decided.
        """
        self.session.readings.append(reading)
        return self._converter().is_true(question)

    def _understand_meanings(self, meanings: Meanings) -> Understood:
        found: list[tuple[Understood, float]] = []
        troubles: list[Trouble] = []
        asking = math.inf
        for node, cost in meanings:
            if cost > MARGIN + min(asking, found[0][1] if found else math.inf):
                break
            try:
                one = self._understand_meaning(node)
            except Trouble as trouble:
                if trouble.code == "CANNOT_DO" and not trouble.facts["what"]:  # "… and wash it"
                    trouble.facts["what"] = self.session.readings[-1].impossible[0]
                if not found and trouble.code in _NOTHING:
                    asked = [one for one in troubles if one.code in ASKS_BACK]
                    raise (asked[0] if asked else trouble) from None
                absent = not troubles or troubles[0].code in ("NOTHING_LIKE_THAT", "NOTHING_BEFORE")
                there = trouble.code == "WHICH_ONE"  # objects of the kind are present
                nearer = trouble.code == "CANNOT_LIFT" or (absent and (there or trouble.absent))
                asking = min(asking, cost) if trouble.code in ASKS_BACK else asking
                asking = min(asking, cost + MARGIN) if trouble.code == "NOT_AMONG" else asking
                if not troubles or nearer or cost <= meanings[0][1] + MARGIN:
                    troubles.append(trouble)
                continue
            if all(_differ(one, other) for other, _ in found):
                found.append((one, cost))
        if not found:
            raise most_helpful_reason(troubles)
        orders = [one for one in found if one[0].question is None]
        if orders and not self.session.readings[-1].typed.asked:
            # "컵 들고 있어" without a question mark is a command ("hold the cup")
            found = orders
        if len(found) > 1:
            ways = tuple("; ".join(goal.text for goal in one.subgoals) for one, _ in found)
            raise Trouble("WHICH_WAY", ways, options=" / ".join(filter(None, ways[:3])))
        return found[0][0]

    def _understand_meaning(self, node: Node) -> Understood:
        first, node = split_first_questions(node)
        if first:
            asked_first = tuple(map(self._question_words, first))
            return self._understand_meaning(node)._replace(first=asked_first)
        converter = self._converter()
        order, last = split_questions(node)
        if last:
            if order is not None and takes_some(order) and any(map(refers_back, last)):
                raise Trouble("NOT_UNDERSTOOD")
            questions = [one for one in last if one.kind == "ask"]
            if any(map(lacks_noun, questions[order is None :])):
                raise Trouble("NOT_UNDERSTOOD")  # "how many cubes, and how many are red?"
            done = (
                Understood(self.language, node)
                if order is None
                else self._understand_meaning(order)
            )
            return done._replace(replies=tuple(map(self._question_words, last)))
        node = order or node
        asked = (
            converter.question(node)
            if node.kind == "ask"
            else converter.question_of_selected_branch(node)
        )
        if asked is not None:
            return Understood(self.language, node, question=asked)
        asks = converter.command_parts(node)
        *others, last_goal = subgoals_with_free_hand(asks, self.now, self.language)
        remarks = (*last_goal.remarks, *converter.decided)
        subgoals = (*others, replace(last_goal, remarks=remarks))
        return Understood(self.language, node, asks=asks, subgoals=subgoals)

    def _question_words(self, question: Node) -> str:
        """Return the words of the question at the end of a command.

        Raises:
            Trouble: If the words have another meaning without the command.
        """
        fragment = question.kind == "fragment"  # it is parsed together with the question before it
        said_alone = self.session.readings[-1].words_of(question, whole=not fragment)
        if fragment and said_alone:
            return f"{said_alone}?"
        if not said_alone or parse_meanings(said_alone, self.now).meanings[0][0] != question:
            raise Trouble("NOT_UNDERSTOOD")
        return said_alone

    def _trouble_of(self, meanings: Meanings) -> Trouble | None:
        try:
            self._understand_meanings(meanings)
        except Trouble as trouble:
            return trouble
        return None


def _differ(one: Understood, other: Understood) -> bool:
    if one.question is not None or other.question is not None:
        return one.question is None or other.question is None
    return moves_of(one.subgoals) != moves_of(other.subgoals)


def understand(command: str, now: Environment, turns: Sequence[Turn] = ()) -> Understood:
    """Return the goals of a command or question in a world, after earlier turns of the session.

    Raises:
        Trouble: If the command cannot be followed.
    """
    return _CommandInterpreter(now, language_of(command)).understand(command, turns)


def understand_parts(
    reading: Reading, parts: tuple[Node, ...], now: Environment, turns: Sequence[Turn]
) -> Understood:
    """Return the goals of some parts of a text.

    Raises:
        Trouble: If the parts cannot be followed.
    """
    meaning = parts[0] if len(parts) == 1 else Node("seq", (("of", parts),))
    world = _CommandInterpreter(now, reading.language)
    found = world.understand(PossibleMeanings(reading, ((meaning, reading.cost),)), turns)
    if found.replies or found.first:
        raise Trouble("NOT_UNDERSTOOD")
    return found


def subgoals_for(command: str, now: Environment) -> tuple[Subgoal, ...]:
    """Return the subgoals of a command in a world.

    Raises:
        Trouble: If the command cannot be followed.
    """
    understood = understand(command, now)
    if understood.question is not None:
        raise Trouble("NOT_UNDERSTOOD")
    return understood.subgoals


def is_question(command: str, now: Environment) -> bool:
    """Return True if a command only asks a question."""
    try:
        return understand(command, now).question is not None
    except Trouble:
        return False


def answer_question(reading: Reading, question: Node, now: Environment) -> bool:
    """Return the answer to a question in a text.

    Raises:
        Trouble: If the answer cannot be decided.
    """
    return _CommandInterpreter(now, reading.language).is_true(reading, question)
