"""What a Korean text is read as, in its order: phrases, verbs, and stops between them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from bt_exec.language.closed import words
from bt_exec_llm.offline.korean_verbs import Verb
from bt_exec_llm.offline.piece import Piece
from bt_exec_llm.offline.vocabulary import Entry

__all__ = ["ADJECTIVES", "Item", "Stop", "VerbWord", "happens", "was_so"]

ADJECTIVES = frozenset(words("ko", "adjectives"))
_LASTING = frozenset(words("ko", "lasting"))


@dataclass
class Stop:
    """A mark between parts: ``stop`` (, .), ``end`` (. ! ?), ``then``, ``or``, ``no`` (아니)."""

    kind: str
    start: int = 0
    end: int = 0


@dataclass
class VerbWord:
    """A verb and what its stem is in the lexicon."""

    verb: Verb
    entries: list[Entry] = field(default_factory=list)
    text: str = ""
    denied: bool = False
    light: str = ""
    """The noun of a verb made of a noun: 순찰 of 순찰하다; the noun may stand apart."""

    @property
    def start(self) -> int:
        """Where it begins."""
        return self.verb.start

    @property
    def end(self) -> int:
        """Where it ends."""
        return self.verb.end


Item: TypeAlias = Piece | VerbWord | Stop


def happens(verb: Verb, states: list[Entry], *, be: bool) -> bool:
    """Return whether a condition is that something happens: 열리면, and not 열려 있으면."""
    if be or not states or verb.state or verb.past or verb.progress or verb.adjective:
        return False
    return verb.stems[-1] not in ADJECTIVES and verb.stems[-1][-1] in "리히지기"


def was_so(verb: Verb, *, be: bool) -> bool:
    """Return whether a question is about how something was: 있었어?, and not 닫혔어?"""
    if verb.stems[-1] in _LASTING:
        return False
    return be or verb.state or verb.adjective or verb.stems[-1] in ADJECTIVES
