"""State of one question: settings, analysis, turns, observations, support, cost, messages.

A step is supported if it names an observation (a tool that ran, or a word or number of its
parameters or results) and no number that was neither observed nor part of the question. The score
is the share of supported steps among all "Step N:" lines of the turns, 0..1; 0 without any line.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field

from bt_exec.failure import Failure, Refusal
from bt_exec.language.messages import messages_of
from bt_exec.planning.compiler import Request
from bt_exec.spec.user_data import UserData
from bt_exec_llm.client import Usage
from bt_exec_llm.turns.tree_growth import calls_of_turn

__all__ = [
    "AS_RECORDED",
    "Conversation",
    "Observation",
    "Past",
    "TurnSettings",
    "say",
    "spent",
    "supported_share",
]


AS_RECORDED = ("first", "form", "turns", "tokens")
"""Settings that a replay needs for the same turns."""


class TurnSettings(UserData):
    """Settings of planning turn by turn.

    Attributes:
        first: Compiler that reads a question first and may answer it without a request; or
            ``model``, to ask the model everything.
        form: ``tools``, the protocol's own form; ``tags``, two tags with a log and JSON; ``auto``,
            tools where the server has them.
        turns: Most turns of one question, the one that answers included.
        tokens: Most tokens that the planning of one question takes; a model that looks for a tool
            has separate limits.
        seconds: Longest time of one question, tools included [s].
        record: File to which every exchange is added.
        replay: Recording that replaces the model: the same questions get the same answers.
    """

    first: str = "questions"
    form: Literal["auto", "tools", "tags"] = "auto"
    turns: Annotated[int, Field(ge=1, le=20)] = 8
    tokens: Annotated[int, Field(ge=1000, le=10_000_000)] = 200_000
    seconds: Annotated[float, Field(gt=0, le=3600)] = 180.0
    record: Path | None = None
    replay: Path | None = None


_LONGEST = 2000
"""Longest result that is shown to the model [characters of JSON]."""


@dataclass(frozen=True)
class Observation:
    """Result of one tool call.

    Attributes:
        tool: Name of the tool.
        parameters: Arguments.
        ok: Whether it succeeded.
        result: Return value.
        error: Reason of the failure, starting with a code; None on success.
    """

    tool: str
    parameters: Mapping[str, Any]
    ok: bool
    result: Mapping[str, Any] | None = None
    error: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        shown: Any = self.result
        if len(json.dumps(shown, ensure_ascii=False, default=str)) > _LONGEST:
            shown = str(shown)[:_LONGEST] + "…"
        return {
            "tool": self.tool,
            "parameters": dict(self.parameters),
            "ok": self.ok,
            "result": shown,
            "error": self.error,
        }


@dataclass
class Past:
    """A turn that ran.

    Attributes:
        number: Number from 1.
        calls: Tools and their parameters.
        log: Lines of the model's log.
        observations: Results of the calls; for an answer, the verdict of the judge.
    """

    number: int
    calls: tuple[tuple[str, Mapping[str, Any]], ...]
    log: tuple[str, ...]
    observations: tuple[Observation, ...] = ()


@dataclass
class Conversation:
    """State of one question so far.

    Attributes:
        question: The user's question.
        language: Language of the question.
        refused: Reason of the compiler that read the question first, if there is one.
        log: The lines of the analysis.
        record: The plan record of the analysis.
        turns: Turns that ran, in order.
        answer: Last answer of the model.
        code_plan: Steps of a program that finds the answer again.
        disputed: Whether a judge objected to it.
        calls: Number of requests to the model.
        usage: Cost of the requests.
        started: Start time [s, monotonic].
    """

    question: str
    language: str
    refused: Refusal | None = None
    log: tuple[str, ...] = ()
    record: Mapping[str, Any] = field(default_factory=dict)
    turns: list[Past] = field(default_factory=list)
    answer: str = ""
    code_plan: Sequence[str] = ()
    disputed: bool = False
    calls: int = 0
    usage: Usage = field(default_factory=Usage)
    started: float = field(default_factory=time.monotonic)

    @property
    def number(self) -> int:
        """The number of the next turn."""
        return len(self.turns) + 1

    @property
    def tokens(self) -> int:
        """Tokens so far, those from a cache included."""
        use = self.usage
        cached = use.cache_read_tokens + use.cache_write_tokens
        return use.input_tokens + use.output_tokens + cached

    @property
    def seconds(self) -> float:
        """Time since it began [s]."""
        return time.monotonic() - self.started

    def observations(self) -> Iterator[Observation]:
        """Yield the observations of all calls so far."""
        for turn in self.turns:
            yield from turn.observations

    def has_evidence(self) -> bool:
        """Return whether there is any observation."""
        return any(one.ok for one in self.observations())

    def asked_before(self, calls: tuple[tuple[str, Mapping[str, Any]], ...]) -> bool:
        """Return whether an earlier turn had the same calls."""
        return any(turn.calls == calls for turn in self.turns)

    def observe(self, request: Request) -> None:
        """Record the result of the last turn."""
        if not self.turns or request.previous is None:
            return
        found = {one.path: one for one in request.done}
        failure, observations = request.failure, []
        for path, node in calls_of_turn(request.previous):
            args = node.args
            if path in found:
                observations.append(Observation(node.do, args, True, found[path].result))
            elif failure is not None and failure.path == path:
                observations.append(Observation(node.do, args, False, None, _failure_text(failure)))
                if request.previous.mission.turn == "last":
                    self.disputed = True
            else:
                why = "NOT_RUN: an earlier call of this turn failed"
                observations.append(Observation(node.do, args, False, None, why))
        self.turns[-1].observations = tuple(observations)


def _failure_text(failure: Failure) -> str:
    return f"{failure.code}: {failure.message}"[:_LONGEST]


_sentences = partial(messages_of, Path(__file__).with_name("sentences.yaml"))


def say(code: str, language: str, **facts: Any) -> str:
    """Return a sentence of this package."""
    return _sentences().say(code, language, **facts)


def spent(talk: Conversation, settings: TurnSettings) -> Refusal | None:
    """Return the budget of a conversation that is spent, or None."""
    budgets = (
        ("TURNS_SPENT", len(talk.turns), settings.turns),
        ("TOKENS_SPENT", talk.tokens, settings.tokens),
        ("SECONDS_SPENT", talk.seconds, settings.seconds),
    )
    for code, used, limit in budgets:
        if used >= limit:
            return Refusal(code, say(code, talk.language, limit=f"{limit:g}"))
    return None


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
