"""Readings of a command that contain all of its operator words: not, except, if, before, 말고."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

from bt_exec.language.operators import (
    Operator,
    OperatorKind,
    operators_in,
    unused_operator,
)
from bt_exec_skills.tabletop.goals.model import Ask, Phrase, Trouble
from bt_exec_skills.tabletop.goals.question import Question

__all__ = ["complete"]

Reading = TypeVar("Reading", tuple[Ask, ...], Question)


def complete(readings: Sequence[Reading], text: str, language: str) -> list[Reading]:
    """Return the readings in which each operator word of `text` has its place.

    Raises:
        Trouble: OPERATOR with the word, if there is no such reading.
    """
    operators = operators_in(text, language)
    lost = [_lost(reading, operators, len(text)) for reading in readings]
    kept = [reading for reading, word in zip(readings, lost, strict=True) if not word]
    if not kept:
        raise Trouble("OPERATOR", word=lost[0])
    return kept


def _lost(reading: Reading, operators: Sequence[Operator], end: int) -> str:
    lost = unused_operator(operators, [(end, _uses(reading))])
    return "" if lost is None else lost.text


def _uses(reading: tuple[Ask, ...] | Question) -> Mapping[OperatorKind, int]:
    if isinstance(reading, Question):
        place = [] if reading.place is None else [reading.place[1]]
        return {"negation": _exceptions((*reading.things, *place)), "condition": 0}
    phrases = [one for ask in reading for one in (*ask.themes, *([ask.to] if ask.to else []))]
    left = sum(ask.verb == "leave" for ask in reading)
    return {"negation": left + _exceptions(phrases), "limit": len(reading)}


def _exceptions(phrases: Iterable[Phrase]) -> int:
    """Return how many phrases leave something out, nested ones included."""
    count = 0
    for one in phrases:
        count += bool(one.but)
        inner = [one.relation[1]] if one.relation is not None else []
        count += _exceptions((*one.but, *inner))
    return count
