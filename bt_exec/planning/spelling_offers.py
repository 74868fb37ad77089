"""Offers of corrected commands in place of refused ones.

A compiler refuses commands with misspelt words. If a corrected text would be accepted, the refusal
asks whether it is meant; a correction never runs without the operator's answer.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Protocol, runtime_checkable

from bt_exec.failure import Refusal
from bt_exec.language.meaning import Meaning, Unclear
from bt_exec.planning.compiler import Compiler, Plan, Reader, Reply, Request, WrappingOne

__all__ = ["Respelling", "SpellingOffers"]


@runtime_checkable
class Respelling(Reader, Compiler, Protocol):
    """A compiler that can correct the spelling of commands."""

    def intended_texts(self, request: Request) -> Iterable[str]:
        """Return corrections of a misspelt command, nearest first."""


@dataclass(frozen=True)
class SpellingOffers(WrappingOne):
    """A compiler that offers corrections of the commands that another one refuses."""

    inner: Respelling

    def read(self, request: Request) -> Meaning | Unclear | Reply:
        """Return the meaning of a command without spelling correction, or why it has none."""
        return self.inner.read(request)

    def compile(self, request: Request) -> Plan | Refusal | Reply:
        """Return the answer of the inner compiler, or the offer of a corrected command."""
        answer = self.inner.compile(request)
        if not isinstance(answer, Refusal) or answer.did_you_mean or request.failure is not None:
            return answer
        for text in self.inner.intended_texts(request):
            if _accepts_or_asks(self.inner.compile(replace(request, command=text))):
                asked = request.messages.say("RESPELT", request.language, text=text)
                return replace(answer, message=asked, did_you_mean=(text,), question=asked)
        return answer


def _accepts_or_asks(answer: Plan | Refusal | Reply) -> bool:
    """Return True for an answer that accepts the command or asks the operator a question."""
    return not isinstance(answer, Refusal) or bool(answer.question)
