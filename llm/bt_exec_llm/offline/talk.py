"""Words that are not a command of the library: thanks, *again*, *go on*, questions about the past.

What counts are content words: English by lemma, Korean by morphemes without particles, endings and
auxiliaries, so that every form of politeness and tense is the same. A command is such talk if it
holds one of the phrases that make it so, and **every** other word is one that may stand beside it;
a word too many and it is a command like any other.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache

from bt_exec_llm.offline.english_words import english_words, lemma_of
from bt_exec_llm.offline.kiwi import morphs
from bt_exec_llm.offline.lexicon import Words
from bt_exec_llm.offline.phrases import expand_phrase
from bt_exec_llm.offline.vocabulary import Vocabulary

__all__ = ["Talk", "korean_contents"]

_CONTENT = frozenset(
    ["NNG", "NNP", "NNB", "NP", "NR", "VV", "VA", "VCN", "MAG", "MAJ", "MM", "IC", "XR", "SL", "SN"]
)


@lru_cache(maxsize=1024)
def korean_contents(text: str) -> tuple[str, ...]:
    """Return what is left of a Korean text without particles, endings and auxiliaries."""
    found: list[str] = []
    before = ""
    for one in morphs(text):
        verbal = one.tag == "XSV" and before == "MAG"  # 잘하다, 또 하다
        if one.tag in _CONTENT or verbal or one.form == "처럼":
            found.append(one.form.casefold())
        before = one.tag
    if len(found) > 1 and found[-1] == "다":  # of a verb as it stands in a dictionary
        found.pop()
    return tuple(found) or ((text,) if text.isalpha() else ())


class Talk:
    """The talk of one lexicon.

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
        self._english = english_words(vocabulary)
        self._made: dict[tuple[str, str], tuple[_Phrases, _Phrases]] = {}
        self._said_anywhere: dict[str, list[tuple[str, ...]]] = {}

    def prepare(self, language: str) -> None:
        """Read the phrases of all talk in a language."""
        for code in self._sections:
            self._phrases(code, language)

    def code(self, text: str, language: str, codes: Iterable[str]) -> str:
        """Return which of `codes` a cleaned command is, the first that fits; nothing if none."""
        words = self.contents(text, language)
        for code in codes:
            if words and code in self._sections:
                needs, beside = self._phrases(code, language)
                if needs.within(words) and beside.cover(words):
                    return code
        return ""

    def only(self, text: str, language: str, code: str) -> bool:
        """Whether every word of a text may stand beside that talk; also where there is none."""
        return self._phrases(code, language)[1].cover(self.contents(text, language))

    def after(self, text: str, language: str, code: str) -> int:
        """Return where a text goes on after the talk it begins with; 0 if it begins with none."""
        section = self._sections.get(code)
        longest = 0
        folded = text.casefold()
        for phrase in _every(section.needs, language) if section else ():
            end = len(phrase)
            if folded.startswith(phrase) and not folded[end : end + 1].isalnum():
                longest = max(longest, end)
        while longest and longest < len(text) and not text[longest].isalnum():
            longest += 1
        return longest

    def contents(self, text: str, language: str) -> tuple[str, ...]:
        """Return the content words of a text."""
        if language == "ko":
            return korean_contents(text)
        return tuple(lemma_of(token.text) for token in self._english.read(text) if token.is_word)

    def _phrases(self, code: str, language: str) -> tuple[_Phrases, _Phrases]:
        """Return what makes a text such talk, and what may stand in it."""
        key = (code, language)
        if key not in self._made:
            section = self._sections[code]
            needs = [self.contents(text, language) for text in _every(section.needs, language)]
            beside = [self.contents(text, language) for text in _every(section.beside, language)]
            if section.known:
                beside += self._site(language)
            everywhere = self._everywhere(language)
            self._made[key] = _Phrases(needs), _Phrases([*needs, *beside, *everywhere])
        return self._made[key]

    def _everywhere(self, language: str) -> list[tuple[str, ...]]:
        """Return what may stand in any talk: fillers, courtesy, articles, the ways to begin."""
        if language not in self._said_anywhere:
            texts = [text for words in self._small for text in _every(words, language)]
            texts += [] if language == "ko" else self._leads
            self._said_anywhere[language] = [self.contents(text, language) for text in texts]
        return self._said_anywhere[language]

    def _site(self, language: str) -> list[tuple[str, ...]]:
        """Return the names of things and of actions, but for those of speaking to somebody."""
        lexicon = self._lexicon
        speaking = {verb for slot in lexicon.texts.values() for verb in slot.verbs}
        speaking |= {name for name, verb in lexicon.verbs.items() if verb.finds}
        words = [
            *lexicon.nouns.values(),
            *(verb for name, verb in lexicon.verbs.items() if name not in speaking),
        ]
        return [self.contents(text, language) for one in words for text in _every(one, language)]


class _Phrases:
    """Phrases as sequences of content words, by their first word."""

    def __init__(self, phrases: Iterable[tuple[str, ...]]) -> None:
        self._by_first: dict[str, list[tuple[str, ...]]] = {}
        for phrase in phrases:
            if phrase:
                self._by_first.setdefault(phrase[0], []).append(phrase)

    def within(self, words: tuple[str, ...]) -> bool:
        """Return whether one of them stands somewhere in `words`."""
        return any(self._at(words, at) for at in range(len(words)))

    def cover(self, words: tuple[str, ...]) -> bool:
        """Return whether `words` is made of nothing else."""
        reached = {0}
        for at in range(len(words)):
            if at in reached:
                reached |= {at + size for size in self._at(words, at)}
        return len(words) in reached

    def _at(self, words: tuple[str, ...], at: int) -> list[int]:
        found = self._by_first.get(words[at], [])
        return [len(phrase) for phrase in found if words[at : at + len(phrase)] == phrase]


def _every(words: Words, language: str) -> Iterable[str]:
    phrases: Mapping[str, list[str]] = {"en": words.en, "ko": words.ko}
    for phrase in phrases["ko" if language == "ko" else "en"]:
        yield from expand_phrase(phrase.casefold())
