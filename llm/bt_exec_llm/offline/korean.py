"""Korean sentences as clauses: the verb stands last, its ending says how it goes on."""

from __future__ import annotations

from bt_exec_llm.offline.korean_fold import Fold
from bt_exec_llm.offline.korean_items import Item
from bt_exec_llm.offline.korean_texts import with_texts
from bt_exec_llm.offline.korean_words import KoreanWords
from bt_exec_llm.offline.piece import Clause
from bt_exec_llm.offline.vocabulary import Vocabulary

__all__ = ["KoreanReader"]


class KoreanReader:
    """Turns a cleaned Korean command into clauses."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._words = KoreanWords(vocabulary)

    def read(self, text: str) -> tuple[list[Clause], list[Item]]:
        """Return the clauses of `text`, and every item, for those who want to know it all."""
        items = self._words.read(text)
        folded = Fold(self._vocabulary.lexicon, self._verbal, text)
        for item in with_texts(items, self._vocabulary.lexicon, text):
            folded.take(item)
        return folded.finished(), items

    def _verbal(self, noun: str) -> tuple[str, ...]:
        return tuple(e.name for e in self._words.is_verbal(noun) if e.kind == "verb")
