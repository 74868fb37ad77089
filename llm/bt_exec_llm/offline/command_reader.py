"""Parsing of commands with the words of one lexicon."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cached_property
from typing import Any

from bt_exec.language.phrase_alternatives import expand_phrase
from bt_exec.language.reading.chart import Edge
from bt_exec.language.reading.lexicon import language_data
from bt_exec.language.reading.meaning_node import Node
from bt_exec.language.reading.reader import Reader as Engine
from bt_exec.language.reading.reader import Reading, Unread
from bt_exec_llm.offline.lexicon import Lexicon, Words
from bt_exec_llm.offline.meaning_to_steps import (
    condition_of_meaning,
    pieces_of_fragment,
    steps_of_meaning,
)
from bt_exec_llm.offline.reader_lexicon import to_engine_lexicon
from bt_exec_llm.offline.step import QUESTION, Step
from bt_exec_llm.offline.step_conversion_errors import NoStepsError

__all__ = ["Reader"]

_LEFT_OUT = ("manner", "adverb")
"""Categories of words that a reading may skip."""
_PRESENT = ("exist", "absent", "seen", "tell", "dwell", "wonder", "many", "few")
"""Categories of verbs whose past tense is about the past, not about a resulting state."""
_ASKED = (".ask", ".ask!", ".stated", ".stated!")
"""Suffixes of the categories of states in direct questions."""
_SYMBOLS = re.compile(r"[^\w\s.,;:!?'\"’‘“”()~…-]|_")
_JOINING = re.compile(r"[-=]+>|→|&|—")
"""Symbols that join clauses."""
_SOUNDS = re.compile(
    r"(?<=[\s\w.!?~])(?:[ㅋㅎㅠㅜㅡㅇㄷㄱ]*[ㅋㅎㅠㅜㅡ][ㅋㅎㅠㅜㅡ]*|\^\^;*|;;+|:\)|:-\))"
)
"""Laughter, tears and emoticons at the end of a command ("ㅋㅋ", "ㅠㅠ", "^^")."""
_LANGUAGES = ("en", "ko")


class Reader:
    """Reader of commands in the words of one lexicon.

    Args:
        lexicon: The words of a site.
    """

    def __init__(self, lexicon: Lexicon) -> None:
        self.lexicon = lexicon

    @cached_property
    def engine(self) -> Engine:
        """Reading engine with the words of the lexicon."""
        return Engine([self.engine_words])

    @cached_property
    def engine_words(self) -> Mapping[str, Any]:
        """Words of the lexicon in the form that the reading engine takes."""
        return to_engine_lexicon(self.lexicon)

    @cached_property
    def _filler_words(self) -> Mapping[str, frozenset[str]]:
        """Filler phrases by language, in lower case, with spaces and apostrophes removed."""
        idle = (self.lexicon.filler, self.lexicon.courtesy, self.lexicon.vocative)
        return {one: frozenset(_joined_phrases(idle, one)) for one in _LANGUAGES}

    @cached_property
    def _standalone_phrase_codes(self) -> Mapping[str, Mapping[str, str]]:
        """Codes of phrases that are not commands, by language and phrase."""
        alone = self.lexicon.alone.items()
        return {
            language: {
                said: code for code, words in alone for said in _joined_phrases([words], language)
            }
            for language in _LANGUAGES
        }

    def standardize_spelling(self, text: str, language: str) -> str:
        """Return `text` with colloquial spellings replaced by standard ones."""
        text = _SOUNDS.sub(lambda found: " " * len(found[0]), text) or text
        return _replace_all(text, self.lexicon.spellings.get(language, {}))

    def standardize_dialect(self, text: str, language: str) -> str:
        """Return `text` with dialect forms replaced by standard ones."""
        return _replace_all(text, self.lexicon.dialects.get(language, {}))

    def find_phrase_code(self, text: str, language: str) -> str:
        """Return the code of a phrase that is not a command (stop, help, hello), or ""."""
        plain = "".join(char for char in text.casefold() if char.isalnum())
        return self._standalone_phrase_codes[language].get(plain, "")

    def read(self, text: str) -> Reading | Unread:
        """Return the reading of a text with standard spelling."""
        return self.engine.read(text)

    def convert(self, reading: Reading, meaning: Node | None = None) -> list[Step]:
        """Return the steps for the meaning of a reading, or for a part of that meaning.

        Raises:
            NoStepsError: If no step can express a part of the meaning.
        """
        said = meaning or reading.meaning
        return steps_of_meaning(said, self.lexicon, reading.with_meaning(said))

    def convert_condition(self, question: Node, reading: Reading) -> tuple[Step, bool]:
        """Return the step of a yes/no question, and the answer for which the condition holds.

        Raises:
            NoStepsError: If no step can express the question.
        """
        return condition_of_meaning(question, self.lexicon, reading)

    def read_steps(self, text: str) -> list[Step]:
        """Return the steps of a text; an empty list if it has no certain reading."""
        found = self.read(text)
        if not isinstance(found, Reading):
            return []
        meanings = [found.meaning, *found.rivals]
        meanings.sort(key=lambda one: not self.is_certain(found.with_meaning(one)))
        for meaning in meanings:
            with suppress(NoStepsError):
                if meaning.kind == "fragment":
                    verbs = (QUESTION,) if text.rstrip().endswith("?") else ()
                    return [Step(verbs, pieces_of_fragment(meaning, self.lexicon, found))]
                return self.convert(found, meaning)
        return []

    def is_certain(self, found: Reading, others: Iterable[Edge] = ()) -> bool:
        """Return True if a reading is complete and can be executed as it stands.

        A reading is not certain if a word is unknown, or if it skips a word that may change the
        meaning. The same holds if the verb is not in the form of an order (*getting the material*),
        if the text describes the past, or if it limits a prohibition (*not only with the left
        arm*).

        Args:
            found: The reading.
            others: Parse trees of parts of the text that are checked separately.
        """
        return not found.unknown_words and self.word_left_out(found, others) is None

    def word_left_out(self, found: Reading, others: Iterable[Edge] = ()) -> str | None:
        """Return the first word that makes a reading uncertain, or None; see `is_certain`."""
        if symbol := _SYMBOLS.search(_JOINING.sub(" ", found.text)):
            return symbol[0]
        known = self._filler_words[found.language]
        past = self.engine.lexicon(found.language).language.data["words"].get("past", ())
        elsewhere = {leaf.start for edge in others for leaf in edge.leaves()}
        for leaf in found.edge.leaves():
            if leaf.start in elsewhere:
                continue
            kind = leaf.category.partition(".")[0]
            left_out = kind in _LEFT_OUT and leaf.text not in known
            was_so = leaf.past and (
                kind in _PRESENT or _asks_about_past_state(leaf, found.language)
            )
            if left_out or leaf.text in past or was_so:
                return found.typed.typed_words(leaf.start, leaf.end)
        limited = found.denied_limit
        return None if limited is None else found.typed.typed_words(limited.start, limited.end)


def _replace_all(text: str, spellings: Mapping[str, str]) -> str:
    for spoken, written in spellings.items():
        text = text.replace(spoken, written)
    return text


def _joined_phrases(every: Iterable[Words], language: str) -> Iterator[str]:
    """Yield all forms of phrases in lower case, without spaces and apostrophes."""
    for words in every:
        for phrase in getattr(words, language):
            for text in expand_phrase(phrase):
                yield "".join(text.split()).casefold().replace("'", "")


def _asks_about_past_state(leaf: Edge, language: str) -> bool:
    """Return True for the adjective in a question about a past state: "was it dark?"."""
    past = language_data(language)["orders"].get("was", ())
    asked = leaf.category.startswith("adj") and leaf.category.endswith(_ASKED)
    return asked and any(one in leaf.text for one in past)
