"""State of one question that a model answers turn by turn, and settings of this planning.

The lines "Step N:" of the model's log are compared with the observations. A line is supported if it
contains the name of a tool that ran, or a word or number from a tool's parameters or results. In
addition, all its numbers must have been observed or be in the question. The score is the fraction
of supported lines, 0..1; it is 0 without lines.
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
from bt_exec.language.messages import load_messages
from bt_exec.planning.compiler import Request
from bt_exec.spec.user_data_validation import UserData
from bt_exec_llm.client import Usage
from bt_exec_llm.turns.tree_growth import skills_of_last_turn

__all__ = [
    "AS_RECORDED",
    "Conversation",
    "FinishedTurn",
    "Observation",
    "TurnSettings",
    "budget_refusal",
    "say",
    "supported_share",
]


AS_RECORDED = ("first", "form", "turns", "tokens")
"""Settings that a replay must have in common with the recording to make the same turns."""


class TurnSettings(UserData):
    """Settings of planning turn by turn.

    Attributes:
        first: Name of a compiler that may answer a question without the model; ``model`` to ask
            the model every question.
        form: Format of answers: ``tools`` for native tool calls, ``tags`` for a text with the tags
            ``<analysis_log>`` and ``<plan_json>``, or ``auto`` for ``tools`` if the server supports
            tools and ``tags`` otherwise.
        turns: Maximum number of turns for one question, including the turn with the answer.
        tokens: Maximum number of tokens for planning one question. Tools that use a model
            themselves have separate limits.
        seconds: Time limit of one question, including the tools [s].
        record: File to which every exchange with the model is appended.
        replay: Recording whose answers are used in place of a model.
    """

    first: str = "questions"
    form: Literal["auto", "tools", "tags"] = "auto"
    turns: Annotated[int, Field(ge=1, le=20)] = 8
    tokens: Annotated[int, Field(ge=1000, le=10_000_000)] = 200_000
    seconds: Annotated[float, Field(gt=0, le=3600)] = 180.0
    record: Path | None = None
    replay: Path | None = None


_LONGEST = 2000
"""Maximum length of a tool's result that is sent to the model [characters of JSON]."""


@dataclass(frozen=True)
class Observation:
    """Result of one tool call.

    Attributes:
        tool: Name of the tool.
        parameters: Arguments of the call.
        ok: Whether the call succeeded.
        result: Return value; None without one.
        error: Reason for the failure, starting with the failure code; None on success.
    """

    tool: str
    parameters: Mapping[str, Any]
    ok: bool
    result: Mapping[str, Any] | None = None
    error: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the observation as plain data, with long results truncated."""
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
class FinishedTurn:
    """Turn whose calls or answer have been executed.

    Attributes:
        number: Number of the turn, counted from 1.
        calls: Names of the called tools, with their parameters.
        log: Lines of the model's log.
        observations: Results of the calls; for a turn with an answer, the verdict of the judge.
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
        refused: Refusal of the compiler that was asked before the model; None without one.
        log: Lines of the log in the model's analysis.
        record: Plan record of the model's analysis; empty before the analysis.
        turns: Turns so far, in order.
        answer: Last answer of the model; empty without one.
        code_plan: Steps of a program that would compute the answer independently.
        disputed: Whether a judge objected to the answer.
        calls: Number of requests to the model.
        usage: Cost of the requests.
        started: Start time [s, monotonic].
    """

    question: str
    language: str
    refused: Refusal | None = None
    log: tuple[str, ...] = ()
    record: Mapping[str, Any] = field(default_factory=dict)
    turns: list[FinishedTurn] = field(default_factory=list)
    answer: str = ""
    code_plan: Sequence[str] = ()
    disputed: bool = False
    calls: int = 0
    usage: Usage = field(default_factory=Usage)
    started: float = field(default_factory=time.monotonic)

    @property
    def number(self) -> int:
        """Number of the next turn."""
        return len(self.turns) + 1

    @property
    def tokens(self) -> int:
        """Number of tokens so far, including cached ones."""
        use = self.usage
        cached = use.cache_read_tokens + use.cache_write_tokens
        return use.input_tokens + use.output_tokens + cached

    @property
    def seconds(self) -> float:
        """Time since the question was asked [s]."""
        return time.monotonic() - self.started

    def observations(self) -> Iterator[Observation]:
        """Yield the observations of all calls so far."""
        for turn in self.turns:
            yield from turn.observations

    def has_evidence(self) -> bool:
        """Return True if any call succeeded."""
        return any(one.ok for one in self.observations())

    def was_called_before(self, calls: tuple[tuple[str, Mapping[str, Any]], ...]) -> bool:
        """Return True if an earlier turn had the same calls."""
        return any(turn.calls == calls for turn in self.turns)

    def add_results(self, request: Request) -> None:
        """Store the results of the last turn's calls, taken from `request`, in that turn."""
        if not self.turns or request.previous is None:
            return
        found = {one.path: one for one in request.done}
        failure, observations = request.failure, []
        for path, node in skills_of_last_turn(request.previous):
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


_sentences = partial(load_messages, Path(__file__).with_name("sentences.yaml"))


def say(code: str, language: str, **facts: Any) -> str:
    """Return the sentence of a code in a language, with its placeholders filled in."""
    return _sentences().say(code, language, **facts)


def budget_refusal(talk: Conversation, settings: TurnSettings) -> Refusal | None:
    """Return a refusal if a budget of the conversation is used up, or None."""
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
    """Return the fraction of log lines that observations support; see the module docstring.

    Args:
        lines: Lines of the form "Step N: …".
        observations: Results of tools; failed calls are ignored.
        question: The question; lines may contain its numbers.
        planned: Calls that the turn requests; lines may contain the names of their tools.
    """
    evidence = " ".join(
        json.dumps([one.tool, dict(one.parameters), one.result], ensure_ascii=False, default=str)
        for one in observations
        if one.ok
    )
    evidence += " ".join(tool for tool, _ in planned)
    words = {word.lower() for word in _WORD.findall(evidence)} - _EMPTY
    numbers = {float(number) for number in _NUMBER.findall(evidence)}
    allowed = numbers | {float(number) for number in _NUMBER.findall(question)}
    checked = [_is_supported(line, words, numbers, allowed) for line in lines]
    return round(sum(checked) / len(checked), 3) if checked else 0.0


def _is_supported(line: str, words: set[str], numbers: set[float], allowed: set[float]) -> bool:
    said = _HEAD.sub("", line)
    named = {float(number) for number in _NUMBER.findall(said)}
    mentions = any(word.lower() in words for word in _WORD.findall(said)) or bool(named & numbers)
    return mentions and named <= allowed
