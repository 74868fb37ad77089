"""Items of a Korean text in their order: phrases, verbs and separators."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from bt_exec.language.closed import words
from bt_exec_llm.offline.korean_verbs import Verb
from bt_exec_llm.offline.piece import Piece
from bt_exec_llm.offline.vocabulary import Entry

__all__ = ["ADJECTIVES", "Item", "Stop", "VerbWord", "is_event_condition", "is_past_state_question"]

ADJECTIVES = frozenset(words("ko", "adjectives"))
_LASTING = frozenset(words("ko", "lasting"))


@dataclass
class Stop:
    """A separator of parts: ``stop`` (, .), ``end`` (. ! ?), ``then``, ``or``, ``no`` (아니)."""

    kind: str
    start: int = 0
    end: int = 0


@dataclass
class VerbWord:
    """A verb, and the lexicon entries of its stem."""

    verb: Verb
    entries: list[Entry] = field(default_factory=list)
    text: str = ""
    denied: bool = False
    light: str = ""
    """Noun of a verb with 하다 (순찰 of 순찰하다); other words may separate the two."""

    @property
    def start(self) -> int:
        """Start of the verb."""
        return self.verb.start

    @property
    def end(self) -> int:
        """End of the verb."""
        return self.verb.end


Item: TypeAlias = Piece | VerbWord | Stop


def is_event_condition(verb: Verb, states: list[Entry], *, be: bool) -> bool:
    """Return True if a condition is an event (열리면) and not a state (열려 있으면)."""
    if be or not states or verb.state or verb.past or verb.progress or verb.adjective:
        return False
    return verb.stems[-1] not in ADJECTIVES and verb.stems[-1][-1] in "리히지기"


def is_past_state_question(verb: Verb, *, be: bool) -> bool:
    """Return True if a question is about a past state (있었어?, not 닫혔어?)."""
    if verb.stems[-1] in _LASTING:
        return False
    return be or verb.state or verb.adjective or verb.stems[-1] in ADJECTIVES
