"""What a Korean text is read as, in its order: phrases, verbs, and stops between them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from bt_exec_llm.offline.korean_verbs import Verb
from bt_exec_llm.offline.piece import Piece
from bt_exec_llm.offline.vocabulary import Entry

__all__ = ["Item", "Stop", "VerbWord"]


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
