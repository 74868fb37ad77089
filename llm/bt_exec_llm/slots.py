"""Text that a verb takes as it stands: what to ask, what to say, what to carry.

A lexicon names such texts, the verbs that take them and who they may be addressed to. In English
the text follows its verb and ends where the next part of the command can begin; in Korean it
stands before its verb, from where a part can begin, or after the person it is for. Where both a
longer and a shorter text would do, the shorter one counts: words that can be read are read. But a
verb that needs a text gets one, whatever its words would mean elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from bt_exec_llm.lexicon import Slot, Words
from bt_exec_llm.phrases import expand_phrase

__all__ = ["TORN", "WITHOUT_TEXT", "Trim", "has_final"]

WITHOUT_TEXT = 1000
"""What it costs to read a verb that needs a text without one: more than any text."""

TORN = 400
"""What it costs to read a verb in a noun that only looks like one: more than any text, less than
leaving out a text that is needed."""

_REPORTING = ("라고", "이라고")
"""What stands after something quoted, and is no text by itself."""
_OBJECT = {"을": True, "를": False}
_OPENING, _CLOSING = "\"'“(", "\"'”),.;:!?… "


def has_final(char: str) -> bool:
    """Whether a Hangul syllable ends in a consonant."""
    return "가" <= char <= "힣" and (ord(char) - 0xAC00) % 28 != 0


class Trim:
    """Cuts a slot's text to what is meant, and says whether it can be its text at all."""

    def __init__(self, slot: Slot, language: str, whole: Words) -> None:
        self._korean = language == "ko"
        self._must = tuple(slot.ends if self._korean else slot.starts)
        self._never = tuple(slot.never) if self._korean else ()
        self._head = _longest_first(_of(slot.head, language))
        self._tail = _longest_first(_of(slot.tail, language))
        self._whole = _longest_first(_of(whole, language))
        self._spoken = sorted(slot.spoken.items(), key=lambda pair: -len(pair[0]))

    def __call__(self, text: str) -> str:
        """Return the text proper, or nothing if this is no text of the slot."""
        plain = " ".join(text.split()).rstrip(_CLOSING).lstrip(_OPENING + " ")
        if (self._must and not self._fits(plain)) or plain.endswith(self._never or ("\0",)):
            return ""
        if plain in _REPORTING:
            return ""
        previous = ""
        while plain != previous:
            previous = plain
            plain = self._without_head(plain)
            plain = self._without_tail(plain)
        return "" if plain.endswith(self._never or ("\0",)) else self._as_spoken(plain)

    def _fits(self, text: str) -> bool:
        return text.endswith(self._must) if self._korean else _starts(text, self._must)

    def _as_spoken(self, text: str) -> str:
        for reported, said in self._spoken if self._korean else ():
            if text.endswith(reported):
                return text.removesuffix(reported) + said
        return text

    def _without_head(self, text: str) -> str:
        for word in self._head:
            if _starts(text, (word,)):
                return text[len(word) :].lstrip(_OPENING + " ")
        return text

    def _without_tail(self, text: str) -> str:
        if text.lower().endswith(self._whole):
            return text
        for word in self._tail:
            if text.lower().endswith(word if self._korean else f" {word}"):
                return text[: -len(word)].rstrip(_CLOSING)
        last = text[-1:]
        if self._korean and last in _OBJECT and len(text) > 1:
            before = text[:-1].rstrip()
            if before and has_final(before[-1]) == _OBJECT[last]:
                return before.rstrip(_CLOSING)
        return text


def _starts(text: str, words: Iterable[str]) -> bool:
    """Whether `text` starts with one of `words`, as a word of its own."""
    return any(f"{text.lower()} ".startswith(f"{word} ") for word in words)


def _of(words: Words, language: str) -> Sequence[str]:
    return words.ko if language == "ko" else words.en


def _longest_first(phrases: Iterable[str]) -> tuple[str, ...]:
    every = {text.lower() for phrase in phrases for text in expand_phrase(phrase)}
    return tuple(sorted(every, key=lambda text: (-len(text), text)))
