"""State of one question: its analysis, turns, observations and cost."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from bt_exec.failure import Failure, Refusal
from bt_exec.planning.compiler import Request
from bt_exec_llm.client import Usage
from bt_exec_llm.turns.tree_growth import calls_of_turn

__all__ = ["Conversation", "Observation", "Past"]

_LONGEST = 2000
"""Longest result that is shown to the model [characters of JSON]."""


@dataclass(frozen=True)
class Observation:
    """Result of one tool call.

    Attributes:
        tool: Name of the tool.
        parameters: Its arguments.
        ok: Whether it succeeded.
        result: Its return value.
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
        language: Of the question.
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
