"""Utterances with words outside the lexicon, matched literally apart from politeness.

A tree is usable with its utterances alone. Commands match by their content words, without fillers,
articles and Korean endings. Korean texts match only as positive commands.
"""

from __future__ import annotations

from bt_exec_llm.offline.english_words import make_tokenizer
from bt_exec_llm.offline.kiwi import analyse_morphemes
from bt_exec_llm.offline.korean_verbs import is_verb, read_verb
from bt_exec_llm.offline.vocabulary import Vocabulary

__all__ = ["Literal"]

_COMMANDS = ("plain", "command", "request")


class Literal:
    """Utterances by their content words."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._vocabulary = vocabulary
        self._english = make_tokenizer(vocabulary)
        self._trees: dict[tuple[str, ...], set[str]] = {}

    def add(self, text: str, language: str, tree: str) -> None:
        """Add an utterance that the grammar cannot parse."""
        key = self._word_key(text, language)
        if key:
            self._trees.setdefault(key, set()).add(tree)

    def find(self, text: str, language: str) -> frozenset[str]:
        """Return the trees of utterances with the same words."""
        return (
            frozenset(self._trees.get(self._word_key(text, language), ()))
            if self._trees
            else frozenset()
        )

    def _word_key(self, text: str, language: str) -> tuple[str, ...]:
        return self._korean_key(text) if language == "ko" else self._english_key(text)

    def _english_key(self, text: str) -> tuple[str, ...]:
        words = []
        table = self._vocabulary.english
        for token in self._english.read(text):
            kinds = {entry.kind for entry in table.find((token.text,))}
            if token.is_word and not kinds & {"filler", "courtesy", "determiner"}:
                words.append(token.text)
            elif not token.is_word and token.text not in ".!?,":
                return ()
        return tuple(words)

    def _korean_key(self, text: str) -> tuple[str, ...]:
        every = analyse_morphemes(text)
        words: list[str] = []
        at = 0
        while at < len(every):
            one = every[at]
            entries = self._vocabulary.korean.get(one.form, [])
            if is_verb(every, at):
                verb, at = read_verb(every, at, lambda _: False)
                last = not any(m.tag[0] in "VN" for m in every[at:])
                if verb.negative or verb.past or (last and verb.kind not in _COMMANDS):
                    return ()
                words += verb.stems
                continue
            if one.form in ("안", "못", "말고"):
                return ()
            if one.tag[0] not in "JS" and not any(
                e.kind in ("filler", "courtesy", "determiner") for e in entries
            ):
                words.append(one.form)
            at += 1
        return tuple(words)
