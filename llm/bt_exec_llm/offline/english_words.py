"""English tokens with corrected spelling, and lemmas from simplemma.

An unknown word at one edit (insertion, deletion, substitution or transposition) from exactly one
word of the lexicon is read as that word.
"""

from __future__ import annotations

import re
from functools import cache, lru_cache
from importlib.metadata import version
from typing import NamedTuple

from bt_exec.language.closed import closed_classes, mapping, phrases, words
from bt_exec_llm.offline.kept_texts import KeptTexts
from bt_exec_llm.offline.vocabulary import Vocabulary

__all__ = [
    "EnglishWords",
    "Token",
    "lemmatize",
    "load_lemmas",
    "make_tokenizer",
    "possible_base_forms",
]

_TOKEN = re.compile(
    r"[^\W\d_]+(?:['-][^\W\d_]+)*|\d+(?:[.:,]\d+)*(?:pm|am|st|nd|rd|th)?|->|=>|&&|\|\||\S"
)
_SHORT = mapping("en", "short_forms")
_SHORT_ENDS = tuple(_SHORT)
_CLITICS = tuple(short for short in _SHORT if short[0] == "'")
_WHOLE = closed_classes("en")["contractions"]
_CLITIC_S = frozenset(words("en", "before_s"))
_MERGED: dict[str, list[tuple[tuple[str, ...], str]]] = {}
for _phrase, _word in sorted(mapping("en", "merged").items(), key=lambda item: -len(item[0])):
    _MERGED.setdefault(_phrase.split()[0], []).append((tuple(_phrase.split()), _word))
_ALL = words("en", "all_of_it")
_EACH = words("en", "each_of_them")
_TAGS = phrases("en", "tags")


class Token(NamedTuple):
    """A lower-case word or a punctuation mark, with its position in the cleaned command."""

    text: str
    start: int
    end: int

    @property
    def is_word(self) -> bool:
        """Whether it is a word or a number."""
        return self.text[:1].isalnum()


class _Entry(NamedTuple):
    """Dictionary form of a word, and whether the dictionary contains the word."""

    lemma: str
    is_known: bool


@cache
def _lemma_cache() -> KeptTexts:
    return KeptTexts("english", version("simplemma"))


@lru_cache(maxsize=4096)
def _look_up_lemma(word: str) -> _Entry:
    match _lemma_cache().get(word):
        case [str(lemma), bool(is_known)]:
            return _Entry(lemma, is_known)
    import simplemma

    found = _Entry(simplemma.lemmatize(word, "en"), simplemma.is_known(word, "en"))
    _lemma_cache().add(word, found)
    return found


def lemmatize(word: str) -> str:
    """Return the dictionary form of an English word, "open" for "opening"."""
    return _look_up_lemma(word).lemma


def possible_base_forms(word: str) -> tuple[str, ...]:
    """Return possible base forms of an inflected verb, the likeliest first."""
    found = [lemmatize(word)]
    for ending in ("ing", "ed", "es", "s"):
        if word.endswith(ending) and len(word) > len(ending) + 2:
            stem = word[: -len(ending)]
            found += [stem, stem + "e", *([stem[:-1]] if stem[-1] == stem[-2] else [])]
    return tuple(dict.fromkeys(found))


def load_lemmas() -> None:
    """Load the lemma dictionary."""
    import simplemma

    simplemma.is_known("word", "en")


class EnglishWords:
    """Splits English into tokens and corrects typos with the words of one lexicon."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._table = vocabulary.english
        names = {word for phrase in vocabulary.english.entries for word in phrase}
        self._known = names | _GRAMMAR
        self._slips: dict[str, set[str]] = {}
        for word in self._known:
            if (len(word) >= 4 and word.isalpha()) or word in ("door",):
                for cut in _variants_without_one_letter(word):
                    self._slips.setdefault(cut, set()).add(word)

    def read(self, text: str) -> list[Token]:
        """Return the tokens of a cleaned command."""
        found: list[Token] = []
        for match in _TOKEN.finditer(text):
            found.extend(self._split_contraction(match[0].casefold(), *match.span()))
        return _without_question_tag(_replace_ambiguous_words(_merge_conjunctions(found)))

    def _split_contraction(self, word: str, start: int, end: int) -> list[Token]:
        if word.endswith("'s") and word[:-2] in _CLITIC_S:
            return [Token(word[:-2], start, end - 2), Token("is", end - 2, end)]
        if word in _WHOLE and not word.endswith(_CLITICS):
            return [Token(part, start, end) for part in _WHOLE[word].split()]
        if word.endswith(_SHORT_ENDS):
            for short, full in _SHORT.items():
                if word.endswith(short) and len(word) > len(short):
                    return [
                        *self._split_contraction(word[: -len(short)], start, end - len(short)),
                        Token(full, end - len(short), end),
                    ]
        if word.endswith("'s") and word not in self._known and word[:-2] in self._known:
            return [Token(word[:-2], start, end - 2), Token("is", end - 2, end)]
        if word in self._known or not word.isalpha() or not word.isascii():
            return [Token(word, start, end)]
        if not _look_up_lemma(word).is_known:
            if (mended := self._correct_spelling(word)) is not None:
                return [Token(mended, start, end)]
            if len(word) >= 7 and (parts := self._split_joined_words(word)) is not None:
                return [Token(part, start + a, start + b) for part, a, b in parts]
        return [Token(word, start, end)]

    def _correct_spelling(self, word: str) -> str | None:
        """Return the one lexicon word at one edit from `word`."""
        if len(word) < 3:
            return None
        near: set[str] = set()
        for cut in {word, *_variants_without_one_letter(word)}:
            near |= self._slips.get(cut, set())
        near = {one for one in near if one[0] == word[0] and _differ_by_one_typo(word, one)}
        means = {tuple(self._table.find((one,))) for one in near}
        return min(near) if len(means) == 1 and (len(near) == 1 or () not in means) else None

    def _split_joined_words(self, word: str) -> list[tuple[str, int, int]] | None:
        """Return the words of a token that was typed without spaces."""
        best: list[list[tuple[str, int, int]] | None] = [None] * (len(word) + 1)
        best[0] = []
        for end in range(1, len(word) + 1):
            for begin in range(max(0, end - 14), end):
                before = best[begin]
                piece = word[begin:end]
                if before is None or len(piece) < 2 or piece not in self._known:
                    continue
                option = [*before, (piece, begin, end)]
                here = best[end]
                if here is None or len(option) < len(here):
                    best[end] = option
        found = best[len(word)]
        return found if found is not None and len(found) > 1 else None


@lru_cache(maxsize=16)
def make_tokenizer(vocabulary: Vocabulary) -> EnglishWords:
    """Return the cached English tokenizer of a vocabulary."""
    return EnglishWords(vocabulary)


def _merge_conjunctions(tokens: list[Token]) -> list[Token]:
    """Return tokens with multi-word conjunctions merged ("prior to" becomes "before")."""
    found: list[Token] = []
    at = 0
    while at < len(tokens):
        word, size = tokens[at].text, 1
        for phrase, short in _MERGED.get(word, ()):
            if tuple(t.text for t in tokens[at : at + len(phrase)]) == phrase:
                word, size = short, len(phrase)
                break
        end = tokens[at + size - 1].end
        found += [Token(part, tokens[at].start, end) for part in word.split() or [word]]
        at += size
    return found


def _replace_ambiguous_words(tokens: list[Token]) -> list[Token]:
    """Return tokens with "after", "instead" and "everywhere but" replaced by their meaning."""
    found: list[Token] = []
    for at, one in enumerate(tokens):
        last = at + 1 == len(tokens) or not tokens[at + 1].is_word
        if one.text == "after" and last:
            one = one._replace(text="afterwards")
        elif one.text == "instead" and last:
            one = one._replace(text="rather")
        elif one.text == "but" and not last and _is_exception_but(found):
            one = one._replace(text="except")
        found.append(one)
    return found


def _is_exception_but(before: list[Token]) -> bool:
    """Return True if "but" introduces an exception here ("everywhere but")."""
    words = [token.text for token in before[-2:]]
    return bool(words) and (words[-1] in _ALL or words[0] in _EACH)


def _without_question_tag(tokens: list[Token]) -> list[Token]:
    """Return tokens without a question tag ("the door is closed, right?")."""
    if not tokens or tokens[-1].text != "?":
        return tokens
    for tag in _TAGS:
        first = len(tokens) - 1 - len(tag)
        if first > 1 and tuple(t.text for t in tokens[first - 1 : -1]) == (",", *tag):
            return [*tokens[: first - 1], tokens[-1]]
    return tokens


def _variants_without_one_letter(word: str) -> set[str]:
    return {word, *(word[:at] + word[at + 1 :] for at in range(len(word)))}


def _differ_by_one_typo(left: str, right: str) -> bool:
    """Return True if two words differ by one letter or by two exchanged letters."""
    if abs(len(left) - len(right)) > 1:
        return False
    if len(left) == len(right):
        wrong = [at for at in range(len(left)) if left[at] != right[at]]
        if len(wrong) == 2 and wrong[1] == wrong[0] + 1:
            a, b = wrong
            return left[a] == right[b] and left[b] == right[a]
        return len(wrong) == 1
    short, long = sorted((left, right), key=len)
    return any(long[:at] + long[at + 1 :] == short for at in range(len(long)))


_GRAMMAR = frozenset(words("en", "function_words"))
