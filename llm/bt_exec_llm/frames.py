"""Frames: the sequences of units that the library's utterances stand for.

Every utterance of every tree is read with the same words as a command. What is left when fillers
and values are taken out is its frame; a command means a tree when its frame is one of the tree's.
Complements (values and texts that belong to what is said) stand in a frame by their type, once and
before all else, so their order is free. Words of an utterance that no lexicon knows become words
of their own, so a tree works with its utterances alone.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from bt_exec.language.messages import language_of
from bt_exec.spec.library import Library
from bt_exec.spec.model import TreeSpec
from bt_exec_llm.clauses import Clause, clauses
from bt_exec_llm.english import English
from bt_exec_llm.korean import Korean
from bt_exec_llm.lexicon import Lexicon
from bt_exec_llm.normalise import clean, plain_words
from bt_exec_llm.phrases import expand_phrase
from bt_exec_llm.units import Reading, Unit

__all__ = ["Frame", "Index", "Utterance", "frame_of", "spoken"]

Frame: TypeAlias = tuple[tuple[str, str], ...]
_THEN = ("then", "")
_STOP = Unit("stop")
_COMPLEMENTS = ("value", "text")


@dataclass(frozen=True)
class Utterance:
    """What people say to get a tree."""

    tree: str
    text: str
    language: str
    words: frozenset[tuple[str, str]] = frozenset()


def frame_of(parts: list[Clause]) -> Frame:
    """Return the frame of neighbouring clauses."""
    keys: list[tuple[str, str]] = []
    for index, clause in enumerate(parts):
        if index and clause.joined == "then":
            keys.append(_THEN)
        keys.extend(sorted({unit.key for unit in clause.units if unit.kind in _COMPLEMENTS}))
        keys.extend(unit.key for unit in clause.units if unit.kind not in _COMPLEMENTS)
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
        lexicon: The words.
        complements: Types whose values are part of a frame.
        closing: Trees that end a mission, by the units that say so.
        utterances: Every utterance, in the order of the library.
        trees: Trees by frame, for both languages.
    """

    english: English
    korean: Korean
    lexicon: Lexicon
    complements: frozenset[str] = field(init=False)
    closing: Mapping[tuple[str, str], str] = field(init=False)
    utterances: list[Utterance] = field(default_factory=list)
    trees: dict[str, dict[Frame, set[str]]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        slots = self.lexicon.texts.values()
        self._needy = {verb for slot in slots if slot.needed for verb in slot.verbs}
        self._alone = {
            (language, plain_words(text)): code
            for code, words in self.lexicon.alone.items()
            for language, phrases in (("en", words.en), ("ko", words.ko))
            for phrase in phrases
            for text in expand_phrase(phrase)
        }
        self.complements = frozenset((*self.lexicon.complements, *self.lexicon.lists))
        self.closing = {
            (kind, name): tree
            for tree, closing in self.lexicon.closing.items()
            for name in closing.said
            for kind in ("verb", "word")
        }

    @classmethod
    def build(cls, lexicon: Lexicon, library: Library) -> Index:
        """Read every utterance of `library`."""
        texts = [(tree, text, language_of(text)) for tree, text in _utterances(library)]
        first = cls(English(lexicon), Korean(lexicon), lexicon)
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
            english, korean = English(lexicon, literal["en"]), Korean(lexicon, literal["ko"])
            index = cls(english, korean, lexicon)
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
        found = self.korean.read(plain) if language == "ko" else self.english.read(plain)
        return tuple(reading for reading in found if self._whole(reading)) or found

    def without_texts(self, text: str) -> tuple[Reading, ...]:
        """Return the readings of a Korean command in which no verb takes words as they stand."""
        return self.korean.read(clean(text)[0], texts=False)

    def alone(self, text: str, language: str) -> str:
        """Return what a text is if it is said instead of a command: its code, or ``""``."""
        return self._alone.get((language, plain_words(text)), "")

    def _whole(self, reading: Reading) -> bool:
        """Whether verbs that mean nothing without their text have it, and texts their verb."""
        texts, verbs = set[str](), set[str]()
        for unit in (*reading, _STOP):
            if unit.kind in ("then", "stop"):
                slots = self.lexicon.texts
                taken = {verb for name in texts for verb in slots[name].verbs}
                if verbs & self._needy - taken or not all(verbs & {*slots[n].verbs} for n in texts):
                    return False
                texts, verbs = set(), set()
            elif unit.kind == "text":
                texts.add(unit.name)
            elif unit.kind == "verb":
                verbs.add(unit.name)
        return True

    def clauses(self, reading: Reading) -> list[Clause]:
        """Split a reading into clauses; one that only adds to a joined list goes with another."""
        joined = {name for name, how in self.lexicon.lists.items() if how == "joined"}
        found: list[Clause] = []
        for clause in clauses(reading, self.complements, self.closing):
            adds = all(unit.kind == "value" and unit.name in joined for unit in clause.units)
            work = next((at for at in reversed(range(len(found))) if not found[at].closing), None)
            if adds and not clause.closing and work is not None:
                found[work] = replace(found[work], units=(*found[work].units, *clause.units))
            else:
                found.append(clause)
        return found

    def frames(self, text: str, language: str) -> tuple[Frame, ...]:
        """Return the frames of an utterance; as a command where it can be read as one."""
        found = []
        for reading in self.read(text, language):
            parts = self.clauses(reading)
            found.append(frame_of([part for part in parts if not part.closing] or parts))
        commands = tuple(frame for frame in found if _commands(frame))
        return commands or tuple(found)

    def find(self, parts: list[Clause], language: str) -> frozenset[str]:
        """Return the trees that `parts` together stand for."""
        return frozenset(self.trees.get(language, {}).get(frame_of(parts), ()))


def _commands(frame: Frame) -> bool:
    """Whether a frame begins with a verb, complements apart."""
    said = (kind for kind, _ in frame if kind not in _COMPLEMENTS)
    return next(said, "") == "verb"


def _utterances(library: Library) -> Iterator[tuple[TreeSpec, str]]:
    for tree in library:
        for text in tree.utterances:
            yield tree, text
