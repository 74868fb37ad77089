"""Phrases that are not commands of the library: thanks, "again", "go on", questions about the past.

Phrases are compared by content words: English lemmas, Korean morphemes without particles, endings
and auxiliaries, so that politeness and tense do not matter. A command is such a phrase if it
contains one of the required phrases and **every** other word is allowed beside it. With any other
word it is an ordinary command.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache

from bt_exec_llm.offline.english_words import lemmatize, make_tokenizer
from bt_exec_llm.offline.kept_texts import keep_analyses
from bt_exec_llm.offline.kiwi import analyse_morphemes
from bt_exec_llm.offline.lexicon import Words
from bt_exec_llm.offline.phrases import expand_phrase
from bt_exec_llm.offline.vocabulary import Vocabulary

__all__ = ["Talk", "korean_content_morphemes"]

_CONTENT = frozenset(
    ["NNG", "NNP", "NNB", "NP", "NR", "VV", "VA", "VCN", "MAG", "MAJ", "MM", "IC", "XR", "SL", "SN"]
)


@lru_cache(maxsize=1024)
def korean_content_morphemes(text: str) -> tuple[str, ...]:
    """Return the content morphemes of a Korean text, without particles, endings and auxiliaries."""
    found: list[str] = []
    before = ""
    for one in analyse_morphemes(text):
        verbal = one.tag == "XSV" and before == "MAG"  # e.g. 잘하다, 또 하다
        if one.tag in _CONTENT or verbal or one.form == "처럼":
            found.append(one.form.casefold())
        before = one.tag
    if len(found) > 1 and found[-1] == "다":  # the ending of a dictionary form
        found.pop()
    return tuple(found) or ((text,) if text.isalpha() else ())


class Talk:
    """Index of the phrases of one lexicon that are not commands.

    Args:
        vocabulary: Its words.
    """

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._sections = vocabulary.lexicon.talk
        self._small = (
            vocabulary.lexicon.filler,
            vocabulary.lexicon.courtesy,
            vocabulary.lexicon.vocative,
            vocabulary.lexicon.determiners,
            vocabulary.lexicon.me,
        )
        self._lexicon = vocabulary.lexicon
        self._leads = [one for lead in vocabulary.lexicon.leads.base for one in expand_phrase(lead)]
        self._english = make_tokenizer(vocabulary)
        self._made: dict[tuple[str, str], tuple[_Phrases, _Phrases]] = {}
        self._said_anywhere: dict[str, list[tuple[str, ...]]] = {}

    def find_code(self, text: str, language: str, codes: Iterable[str]) -> str:
        """Return the first of `codes` that a cleaned command matches; "" if there is none."""
        words = self.content_words(text, language)
        for code in codes:
            if words and code in self._sections:
                needs, beside = self._required_and_allowed_phrases(code, language)
                if needs.occur_in(words) and beside.cover(words):
                    return code
        return ""

    def contains_only(self, text: str, language: str, code: str) -> bool:
        """Return True if all words of a text are allowed beside that phrase, present or not."""
        return self._required_and_allowed_phrases(code, language)[1].cover(
            self.content_words(text, language)
        )

    def end_of_leading_phrase(self, text: str, language: str, code: str) -> int:
        """Return the end of the phrase at the beginning of a text; 0 without one."""
        section = self._sections.get(code)
        longest = 0
        folded = text.casefold()
        for phrase in _expand_language_phrases(section.needs, language) if section else ():
            end = len(phrase)
            if folded.startswith(phrase) and not folded[end : end + 1].isalnum():
                longest = max(longest, end)
        while longest and longest < len(text) and not text[longest].isalnum():
            longest += 1
        return longest

    def content_words(self, text: str, language: str) -> tuple[str, ...]:
        """Return the content words of a text."""
        if language == "ko":
            return korean_content_morphemes(text)
        return tuple(lemmatize(token.text) for token in self._english.read(text) if token.is_word)

    def _required_and_allowed_phrases(self, code: str, language: str) -> tuple[_Phrases, _Phrases]:
        """Return the required phrases and the allowed ones."""
        key = (code, language)
        if key not in self._made:
            section = self._sections[code]
            with keep_analyses():
                needs = self._content_words_of(section.needs, language)
                beside = self._content_words_of(section.beside, language)
                if section.known:
                    beside += self._site_phrases(language)
                everywhere = self._always_allowed_phrases(language)
            self._made[key] = _Phrases(needs), _Phrases([*needs, *beside, *everywhere])
        return self._made[key]

    def _content_words_of(self, words: Words, language: str) -> list[tuple[str, ...]]:
        """Return the content words of each phrase."""
        return [
            self.content_words(text, language) for text in _expand_language_phrases(words, language)
        ]

    def _always_allowed_phrases(self, language: str) -> list[tuple[str, ...]]:
        """Return the phrases that are always allowed: fillers, politeness, articles, openings."""
        if language not in self._said_anywhere:
            texts = [
                text for words in self._small for text in _expand_language_phrases(words, language)
            ]
            texts += [] if language == "ko" else self._leads
            self._said_anywhere[language] = [self.content_words(text, language) for text in texts]
        return self._said_anywhere[language]

    def _site_phrases(self, language: str) -> list[tuple[str, ...]]:
        """Return the names of objects and actions, except the actions of speaking."""
        lexicon = self._lexicon
        speaking = {verb for slot in lexicon.texts.values() for verb in slot.verbs}
        speaking |= {name for name, verb in lexicon.verbs.items() if verb.finds}
        words = [
            *lexicon.nouns.values(),
            *(verb for name, verb in lexicon.verbs.items() if name not in speaking),
        ]
        return [found for one in words for found in self._content_words_of(one, language)]


class _Phrases:
    """Phrases as sequences of content words, by their first word."""

    def __init__(self, phrases: Iterable[tuple[str, ...]]) -> None:
        self._by_first: dict[str, list[tuple[str, ...]]] = {}
        for phrase in phrases:
            if phrase:
                self._by_first.setdefault(phrase[0], []).append(phrase)

    def occur_in(self, words: tuple[str, ...]) -> bool:
        """Return True if `words` contains one of the phrases."""
        return any(self._match_lengths_at(words, at) for at in range(len(words)))

    def cover(self, words: tuple[str, ...]) -> bool:
        """Return True if `words` consists of such phrases only."""
        reached = {0}
        for at in range(len(words)):
            if at in reached:
                reached |= {at + size for size in self._match_lengths_at(words, at)}
        return len(words) in reached

    def _match_lengths_at(self, words: tuple[str, ...], at: int) -> list[int]:
        found = self._by_first.get(words[at], [])
        return [len(phrase) for phrase in found if words[at : at + len(phrase)] == phrase]


def _expand_language_phrases(words: Words, language: str) -> Iterable[str]:
    phrases: Mapping[str, list[str]] = {"en": words.en, "ko": words.ko}
    for phrase in phrases["ko" if language == "ko" else "en"]:
        yield from expand_phrase(phrase.casefold())
