"""Parser of Korean sentences into clauses: the verb comes last and its ending joins clauses."""

from __future__ import annotations

from functools import cached_property, lru_cache

from bt_exec_llm.offline.korean_fold import Fold
from bt_exec_llm.offline.korean_items import Item, VerbWord
from bt_exec_llm.offline.korean_sounds import Sounds
from bt_exec_llm.offline.korean_words import KoreanWords
from bt_exec_llm.offline.piece import Clause
from bt_exec_llm.offline.vocabulary import Vocabulary

__all__ = ["KoreanReader"]


class KoreanReader:
    """Parses a cleaned Korean command into clauses."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._words = KoreanWords(vocabulary)
        self._items = lru_cache(maxsize=64)(self._words.read)

    def read(self, text: str) -> tuple[list[Clause], list[Item]]:
        """Return the clauses of `text`, and all of its items."""
        items = self._items(text)
        folded = Fold(self._vocabulary.lexicon, self._verbs_of_noun, text)
        for item in items:
            folded.add_item(item)
        return folded.finish(), items

    def asks(self, text: str) -> bool:
        """Return True if a text is a question or a statement, or ends in a condition (또 했어?)."""
        clauses = self.read(text)[0]
        told = any(code == "NOT_A_COMMAND" for clause in clauses for code, _ in clause.whys)
        return told or any(clause.mood in ("ask", "tell", "if") for clause in clauses)

    def requests(self, text: str) -> bool:
        """Return True if a text contains a verb other than a bare verb of being."""
        verbs = [item for item in self._items(text) if isinstance(item, VerbWord)]
        return any(
            {e.name for e in verb.entries} - {"be", "be_there"} or not verb.entries
            for verb in verbs
        )

    def correct_spelling_by_sound(self, text: str) -> str:
        """Return `text` with words spelled like the lexicon words that they sound like."""
        return self._sounds.correct_text(text)

    @cached_property
    def _sounds(self) -> Sounds:
        return Sounds(self._vocabulary)

    def _verbs_of_noun(self, noun: str) -> tuple[str, ...]:
        return tuple(e.name for e in self._words.find_noun_verbs(noun) if e.kind == "verb")
