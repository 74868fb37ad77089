"""Frames: the sequences of units that the library's utterances stand for.

Every utterance of every tree is read with the same words as a command. What is left when fillers
and values are taken out is its frame; a command means a tree when its frame is one of the tree's.
Words of an utterance that no lexicon knows become words of their own, so a tree works with its
utterances alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TypeAlias

from bt_exec.messages import language_of
from bt_exec.spec.library import Library
from bt_exec.spec.model import TreeSpec
from bt_exec_llm.english import English
from bt_exec_llm.korean import Korean
from bt_exec_llm.lexicon import Lexicon
from bt_exec_llm.normalise import clean
from bt_exec_llm.units import Reading, Unit

__all__ = ["Clause", "Frame", "Index", "Utterance", "clauses", "frame_of", "spoken"]

Frame: TypeAlias = tuple[tuple[str, str], ...]
_THEN = ("then", "")


@dataclass(frozen=True)
class Utterance:
    """What people say to get a tree."""

    tree: str
    text: str
    language: str
    words: frozenset[tuple[str, str]] = frozenset()


@dataclass(frozen=True)
class Clause:
    """A part of a command between connectives or punctuation.

    Attributes:
        units: What it says, fillers and values left out.
        values: The values it gives, in order.
        joined: How it is joined to the part before: ``then``, ``stop`` or ``""`` for the first.
        leads: Whether a value stands before its verb.
    """

    units: tuple[Unit, ...]
    values: tuple[Unit, ...]
    joined: str = ""
    leads: bool = False

    @property
    def span(self) -> tuple[int, int]:
        """Where it stands in the command."""
        placed = (*self.units, *self.values)
        return min(unit.start for unit in placed), max(unit.end for unit in placed)

    def has(self, kind: str) -> bool:
        """Whether it holds a unit of `kind`."""
        return any(unit.kind == kind for unit in self.units)


def clauses(reading: Reading, complements: frozenset[str] = frozenset()) -> list[Clause]:
    """Split a reading into clauses; values of types in `complements` stay among the units.

    A clause without content is dropped; one that only gives values goes with its neighbour.
    """
    found: list[Clause] = []
    units: list[Unit] = []
    values: list[Unit] = []
    joined, leads = "", False

    def close() -> None:
        nonlocal joined, leads
        if units or values:
            found.append(Clause(tuple(units), tuple(values), joined if found else "", leads))
            joined = ""
        units.clear()
        values.clear()
        leads = False

    for unit in reading:
        if unit.kind in ("then", "stop"):
            close()
            if found and joined != "then":
                joined = unit.kind
        elif unit.kind == "value" and unit.name not in complements:
            leads = leads or not units
            values.append(unit)
        elif unit.kind not in ("filler", "lead"):
            units.append(unit)
    close()
    return _with_neighbours(found)


def _with_neighbours(found: list[Clause]) -> list[Clause]:
    merged: list[Clause] = []
    waiting: tuple[Unit, ...] = ()
    for clause in found:
        if clause.units:
            values, leads = (*waiting, *clause.values), clause.leads or bool(waiting)
            joined = clause.joined if merged else ""
            merged.append(Clause(clause.units, values, joined, leads))
            waiting = ()
        elif merged:
            last = merged.pop()
            merged.append(
                Clause(last.units, (*last.values, *clause.values), last.joined, last.leads)
            )
        else:
            waiting = (*waiting, *clause.values)
    return merged


def frame_of(parts: list[Clause]) -> Frame:
    """Return the frame of neighbouring clauses."""
    keys: list[tuple[str, str]] = []
    for index, clause in enumerate(parts):
        if index and clause.joined == "then":
            keys.append(_THEN)
        keys.extend(unit.key for unit in clause.units)
    return tuple(keys)


def spoken(utterance: str) -> str:
    """Return an utterance as a phrase inside a sentence: ``open the door``."""
    text = utterance.strip().rstrip(".!")
    return text[:1].lower() + text[1:] if text[:2] != text[:2].upper() else text


@dataclass
class Index:
    """What a library understands: readers that know its words, and its frames.

    Attributes:
        english: Reads English.
        korean: Reads Korean.
        complements: Types whose values are part of a frame.
        utterances: Every utterance, in the order of the library.
        trees: Trees by frame, for both languages.
    """

    english: English
    korean: Korean
    complements: frozenset[str]
    utterances: list[Utterance] = field(default_factory=list)
    trees: dict[str, dict[Frame, set[str]]] = field(default_factory=dict)

    @classmethod
    def build(cls, lexicon: Lexicon, library: Library) -> Index:
        """Read every utterance of `library`."""
        texts = [(tree, text, language_of(text)) for tree, text in _utterances(library)]
        first = cls(English(lexicon), Korean(lexicon), frozenset(lexicon.complements))
        literal: dict[str, dict[str, None]] = {"en": {}, "ko": {}}
        for _, text, language in texts:
            for reading in first.read(text, language):
                literal[language].update(
                    (word, None)
                    for unit in reading
                    if unit.kind == "unknown"
                    for word in (unit.name.casefold().split() if language == "en" else [unit.name])
                )
        index = first
        if literal["en"] or literal["ko"]:
            index = cls(
                English(lexicon, literal["en"]),
                Korean(lexicon, literal["ko"]),
                first.complements,
            )
        for tree, text, language in texts:
            words: set[tuple[str, str]] = set()
            for frame in index.frames(text, language):
                later = (key for key in frame[1:] if key[0] != "verb" or language == "ko")
                words.update((*frame[:1], *later))
                index.trees.setdefault(language, {}).setdefault(frame, set()).add(tree.tree)
            index.utterances.append(Utterance(tree.tree, text, language, frozenset(words)))
        return index

    def read(self, text: str, language: str) -> tuple[Reading, ...]:
        """Return the best readings of a command or an utterance."""
        plain, _ = clean(text)
        return self.korean.read(plain) if language == "ko" else self.english.read(plain)

    def frames(self, text: str, language: str) -> tuple[Frame, ...]:
        """Return the frames of an utterance; as a command where it can be read as one."""
        found = [
            frame_of(clauses(reading, self.complements)) for reading in self.read(text, language)
        ]
        commands = tuple(frame for frame in found if frame[:1] and frame[0][0] == "verb")
        return commands or tuple(found)

    def find(self, parts: list[Clause], language: str) -> frozenset[str]:
        """Return the trees that `parts` together stand for."""
        return frozenset(self.trees.get(language, {}).get(frame_of(parts), ()))


def _utterances(library: Library) -> Iterator[tuple[TreeSpec, str]]:
    for tree in library:
        for text in tree.utterances:
            yield tree, text
