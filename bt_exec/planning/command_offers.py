"""Offers of similar commands in place of refused ones.

If a command is refused, but a similar text would be accepted, the refusal asks whether the operator
means that text: the command with its spelling corrected, or without a few words that were not
understood. An offered command never runs without the operator's answer.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import islice
from typing import Protocol, runtime_checkable

from bt_exec.failure import Refusal
from bt_exec.language.meaning import Meaning, Unclear
from bt_exec.planning.compiler import Compiler, Plan, Reader, Reply, Request, WrappingOne

__all__ = ["CommandOffers", "FindsSimilarTexts"]

_MOST = 3
"""Maximum number of shortened commands that are compiled."""


@runtime_checkable
class FindsSimilarTexts(Reader, Compiler, Protocol):
    """A compiler that can find texts similar to a command that it refused."""

    def intended_texts(self, request: Request) -> Iterable[str]:
        """Return corrections of a misspelt command, nearest first."""

    def shortened_texts(self, request: Request) -> Iterable[str]:
        """Return the command with some words left out, the longest first."""


@dataclass(frozen=True)
class CommandOffers(WrappingOne):
    """A compiler that offers commands similar to those that another one refuses."""

    inner: FindsSimilarTexts

    def read(self, request: Request) -> Meaning | Unclear | Reply:
        """Return the meaning of a command as typed, or why it has none."""
        return self.inner.read(request)

    def compile(self, request: Request) -> Plan | Refusal | Reply:
        """Return the answer of the inner compiler, or the offer of a similar command."""
        answer = self.inner.compile(request)
        if not isinstance(answer, Refusal) or answer.did_you_mean or request.failure is not None:
            return answer
        say, language = request.messages.say, request.language
        for text in self.inner.intended_texts(request):
            if not _is_refused(self.inner.compile(replace(request, command=text))):
                asked = say("RESPELT", language, text=text)
                return replace(answer, message=asked, did_you_mean=(text,), question=asked)
        if answer.question:
            return answer
        for text in islice(self.inner.shortened_texts(request), _MOST):
            if isinstance(self.inner.compile(replace(request, command=text)), Plan):
                asked = say("SHORTENED", language, text=text)
                return replace(answer, message=asked, did_you_mean=(text,), question=asked)
        return answer


def _is_refused(answer: Plan | Refusal | Reply) -> bool:
    """Return True if a command is refused without a question to the operator."""
    return isinstance(answer, Refusal) and not answer.question
