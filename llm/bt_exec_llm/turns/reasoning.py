"""Support score of a model's reasoning: the share of its steps that rest on observations.

A step is supported if it names an observation (a tool that ran, or a word or number of its
parameters or results) and no number that was neither observed nor part of the question. The score
is the share of supported steps among all "Step N:" lines of the turns, 0..1; 0 without any line.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from bt_exec_llm.turns.conversation import Observation

__all__ = ["supported_share"]

_NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?")
_WORD = re.compile(r"[A-Za-z_]{3,}|[가-힣]{2,}")
_HEAD = re.compile(r"Step \d+:")
_EMPTY = frozenset({"none", "null", "true", "false", "the", "and", "tool", "parameters", "result"})


def supported_share(
    lines: Iterable[str],
    observations: Iterable[Observation],
    question: str,
    planned: Iterable[tuple[str, Mapping[str, Any]]] = (),
) -> float:
    """Return the share of lines that observations support.

    Args:
        lines: Lines of the form "Step N: …".
        observations: Observations of tools.
        question: The question; its numbers are allowed.
        planned: Calls that a turn asks for; a step may name their tools.
    """
    told = " ".join(
        json.dumps([one.tool, dict(one.parameters), one.result], ensure_ascii=False, default=str)
        for one in observations
        if one.ok
    )
    told += " ".join(tool for tool, _ in planned)
    words = {word.lower() for word in _WORD.findall(told)} - _EMPTY
    numbers = {float(number) for number in _NUMBER.findall(told)}
    allowed = numbers | {float(number) for number in _NUMBER.findall(question)}
    checked = [_is_supported(line, words, numbers, allowed) for line in lines]
    return round(sum(checked) / len(checked), 3) if checked else 0.0


def _is_supported(line: str, words: set[str], numbers: set[float], allowed: set[float]) -> bool:
    said = _HEAD.sub("", line)
    named = {float(number) for number in _NUMBER.findall(said)}
    mentions = any(word.lower() in words for word in _WORD.findall(said)) or bool(named & numbers)
    return mentions and named <= allowed
