"""Parsing of commands in either language into steps."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress

from bt_exec.language.reading.chart import Edge
from bt_exec.language.reading.lexicon import GERUND
from bt_exec.language.reading.reader import Reading
from bt_exec_llm.offline.engine_steps import NoStepsError, steps_of_meaning
from bt_exec_llm.offline.english import EnglishReader
from bt_exec_llm.offline.korean import KoreanReader
from bt_exec_llm.offline.korean_sounds import correct_past
from bt_exec_llm.offline.lexicon import Lexicon
from bt_exec_llm.offline.piece import Clause
from bt_exec_llm.offline.shapes import find_noun_attributes
from bt_exec_llm.offline.step import Step
from bt_exec_llm.offline.steps import convert_clauses
from bt_exec_llm.offline.trouble import Trouble
from bt_exec_llm.offline.vocabulary import cached_vocabulary

__all__ = ["Reader"]

_LEFT_OUT = ("manner", "adverb")
"""Categories of words that a reading may leave out."""
_PRESENT = ("exist", "absent", "seen")
"""Verbs whose past asks what was so; the past of others is a state that lasts."""
_SYMBOLS = re.compile(r"[^\w\s.,;:!?'\"’‘“”()~…-]|_")
_SOUNDS = re.compile(
    r"(?<=[\s\w.!?~])(?:[ㅋㅎㅠㅜㅡㅇㄷㄱ]*[ㅋㅎㅠㅜㅡ][ㅋㅎㅠㅜㅡ]*|\^\^;*|;;+|:\)|:-\))"
)
"""Laughter, tears and emoticons at the end of a command (ㅋㅋ, ㅠㅠ, ^^)."""


class Reader:
    """Parses commands with the words of one lexicon."""

    def __init__(self, lexicon: Lexicon) -> None:
        self.lexicon = lexicon
        self.vocabulary = cached_vocabulary(lexicon)
        self._english = EnglishReader(self.vocabulary)
        self._korean = KoreanReader(self.vocabulary)
        self._described: set[tuple[str, str]] = set()
        self.numbers: frozenset[str] = frozenset()
        """Kinds of numbers that trees accept; other numbers refuse the command."""

    def standardize_spelling(self, text: str, language: str) -> str:
        """Return `text` with colloquial spellings replaced by standard ones."""
        text = _SOUNDS.sub(lambda found: " " * len(found[0]), text) or text
        text = correct_past(text)
        for spoken, written in self.lexicon.spellings.get(language, {}).items():
            text = text.replace(spoken, written)
        return text

    def correct_spelling(self, text: str, language: str, *, sounds: bool = True) -> str:
        """Return `text` without dialect words and, if `sounds`, misspellings by sound."""
        for spoken, written in self.lexicon.dialects.get(language, {}).items():
            text = text.replace(spoken, written)
        return self._korean.correct_spelling_by_sound(text) if sounds and language == "ko" else text

    def find_phrase_code(self, text: str, language: str) -> str:
        """Return the code of an utterance that is not a command (stop, help, hello)."""
        plain = "".join(char for char in text.casefold() if char.isalnum() or char == "'")
        return self.vocabulary.alone[language].get(plain, "")

    def parse_clauses(self, text: str, language: str) -> list[Clause]:
        """Return the clauses of a cleaned command."""
        reader = self._korean if language == "ko" else self._english
        return reader.read(text)[0]

    def asks(self, text: str, language: str) -> bool:
        """Return True if a text is a question or a statement and orders nothing."""
        reader = self._korean if language == "ko" else self._english
        return reader.asks(text)

    def requests(self, text: str, language: str) -> bool:
        """Return True if a text contains a verb or a polite phrase that needs one ("could you")."""
        reader = self._korean if language == "ko" else self._english
        return reader.requests(text)

    def read(self, text: str, language: str) -> list[Step] | Trouble:
        """Return the steps of a cleaned command, or the reason why it has none."""
        return self.convert_clauses(self.parse_clauses(text, language), text, language)

    def read_with_engine(self, text: str) -> Reading | None:
        """Return a text as the reading engine reads it; None if it is not certain."""
        found = self.vocabulary.engine.read(text, corrected=False)
        return found if isinstance(found, Reading) and self.is_certain(found) else None

    def steps_from_engine(self, text: str) -> list[Step] | None:
        """Return the steps of a text as the reading engine reads it; None if it is not certain."""
        found = self.read_with_engine(text)
        with suppress(NoStepsError):
            return None if found is None else steps_of_meaning(found.meaning, self.lexicon, found)
        return None

    def is_certain(self, found: Reading, others: Iterable[Edge] = ()) -> bool:
        """Return whether a reading leaves nothing out; `others` are parts read elsewhere.

        It does if a word is unknown, or left out though the lexicon does not say that it changes
        nothing; if an order has no form of one (*getting the material*); if it tells of the past;
        or if it limits what is forbidden (*not only with the left arm*).
        """
        if found.unknown or _SYMBOLS.search(found.text):
            return False
        known = self.vocabulary.idle[found.language]
        past = self.vocabulary.engine.lexicon(found.language).language.data["words"].get("past", ())
        elsewhere = {leaf.start for edge in others for leaf in edge.leaves()}
        for leaf in found.edge.leaves():
            if leaf.start in elsewhere:
                continue
            kind = leaf.category.partition(".")[0]
            left_out = kind in _LEFT_OUT and leaf.text not in known
            gerund = leaf.start == 0 and kind == "v" and leaf.cost >= GERUND
            if left_out or gerund or leaf.text in past or (leaf.past and kind in _PRESENT):
                return False
        return not any(map(_contains_only, _edges_of_category(found.edge, "denied")))

    def convert_clauses(
        self, clauses: list[Clause], text: str, language: str
    ) -> list[Step] | Trouble:
        """Return the steps of clauses, or the reason why there are none."""
        return convert_clauses(clauses, self.lexicon, text, language, self._described, self.numbers)

    def record_noun_values(self, clauses: list[Clause]) -> None:
        """Record values that describe a noun in an utterance ("pour a double coffee")."""
        for clause in clauses:
            self._described |= {
                (one.name, noun.name) for one, noun in find_noun_attributes(clause.pieces)
            }


def _edges_of_category(edge: Edge, category: str) -> Iterator[Edge]:
    """Yield the edges of a category at and below an edge."""
    if edge.category.partition(".")[0] == category:
        yield edge
    for part in edge.parts:
        yield from _edges_of_category(part, category)


def _contains_only(edge: Edge) -> bool:
    return any(leaf.category == "only" for leaf in edge.leaves())
