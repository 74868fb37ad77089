"""Normalized texts without spaces and punctuation, with a mapping back to the typed text."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

__all__ = ["PAUSES", "Text"]

PAUSES = (",", ":")
"""Punctuation marks that are kept between clauses."""

_ARROW = re.compile(r"[-=]+>|→")
_WORD = re.compile(rf"(?:[^\W_]|['%])+|[,&+—]|{_ARROW.pattern}")
_ENDS = re.compile(r"(?:[.!?;:…]|(?<=\d)\))+$")  # "1)" numbers a part of a list
_HANGUL = r"[\uac00-\ud7a3]"  # syllables
_QUOTE = re.compile(rf"[\"“”]|(?<={_HANGUL}|[.?!])'|'(?={_HANGUL})")
_DASHES = re.compile(r"[-–—]+$")
_LIST_NUMBER = re.compile(r"\(?(\d+)[.)]+")  # "1." and "(1)" number the items of a list
_POSSESSIVE = re.compile(r"'s$")


@dataclass(frozen=True)
class Text:
    """A lower-case text without spaces and final punctuation.

    Attributes:
        chars: Characters, with the commas and colons between clauses.
        gaps: Positions before which there was a space, including the first and the last.
        asked: Whether the text ends with a question mark.
        stops: The marks that end sentences, by the position of the comma that replaces them.
        source: The text as typed, with plain apostrophes.
        origins: Position in `chars`, and start and end in `source`, of each typed word.
    """

    chars: str
    gaps: frozenset[int]
    asked: bool
    stops: Mapping[int, str] = field(default_factory=dict)
    source: str = ""
    origins: tuple[tuple[int, int, int], ...] = ()

    @classmethod
    def of(cls, text: str, contractions: Mapping[str, str]) -> Text:
        """Return a typed text, with contractions expanded."""
        source = unicodedata.normalize("NFC", text).replace("’", "'").replace("‘", "'")
        gaps, chars, origins, stops = {0}, "", [], dict[int, str]()
        for start, end in _words_and_marks(source):
            surface = source[start:end].lower()
            if _ARROW.fullmatch(surface):
                surface = "→"
            elif surface in "&+":
                surface = "&"
            elif surface[0] not in "'%" and not surface[0].isalnum():
                mark = surface[0].replace(")", ".")
                if mark in ".!?;":
                    stops[len(chars) - (bool(chars) and chars[-1] in PAUSES)] = mark
                surface = ":" if surface == ":" else ","
            if surface in PAUSES and (not chars or chars[-1] in PAUSES):
                continue
            spelt = contractions.get(surface, _POSSESSIVE.sub(" 's", surface))
            words = [word.replace("'", "") for word in spelt.split() if word.strip("'")]
            if words:
                origins.append((len(chars), start, end))
            elif surface != "'" and chars.endswith(","):  # a hesitation is dropped with its comma
                gaps.discard(len(chars))
                chars = chars[:-1]
            for word in words:
                chars += word
                gaps.add(len(chars))
        if chars.endswith(PAUSES):
            gaps.discard(len(chars))
            chars = chars[:-1]
        asked = source.rstrip().endswith(("?", "？"))
        return cls(chars, frozenset(gaps), asked, stops, source, tuple(origins))

    def typed_words(self, start: int, end: int) -> str:
        """Return the words between two positions as typed."""
        inside = [one for one in self.origins if start <= one[0] < end]
        if not inside:
            return ""
        last, first, stop = inside[-1]
        return self.source[inside[0][1] : stop if end in self.gaps else first + end - last]

    def text_around(self, start: int, end: int) -> tuple[str, str]:
        """Return the typed text before the first and after the second position."""
        return self.source[: self._source_position(start, False)], self.source[
            self._source_position(end, True) :
        ]

    def _source_position(self, position: int, is_end: bool) -> int:
        """Return the position in the typed text for one in the normalized text."""
        before = [one for one in self.origins if one[0] < position + (not is_end)]
        at, start, stop = before[-1] if before else (0, 0, 0)
        return stop if is_end and position in self.gaps else min(start + position - at, stop)

    @cached_property
    def words(self) -> tuple[tuple[int, int], ...]:
        """Spans of the words, which are separated by spaces."""
        gaps = sorted(self.gaps)
        return tuple(pairwise(gaps))

    def quotations(self) -> Iterator[tuple[int, int, str]]:
        """Yield the quotations with their positions in `chars`, and as typed without the marks."""
        marks = [match.start() for match in _QUOTE.finditer(self.source)]
        starts = [*(one[0] for one in self.origins), len(self.chars)]
        for first, last in zip(marks[::2], marks[1::2], strict=False):
            inside = [
                place for place, one in enumerate(self.origins) if first < one[1] and one[2] <= last
            ]
            if inside:
                start, end = starts[inside[0]], starts[inside[-1] + 1]
                kept = self.chars[start:end].rstrip("".join(PAUSES))
                yield start, start + len(kept), self.source[first + 1 : last].strip(" .,!?")

    def is_quotation(self, start: int, end: int) -> bool:
        """Return True if the words between two positions are a whole quotation."""
        inside = [one for one in self.origins if start <= one[0] < end]
        marked = _QUOTE.match(self.source, max(inside[0][1] - 1, 0)) is not None
        return marked and not self.cuts_quotation(start, end)

    def contains_quotation_mark(self, start: int, end: int) -> bool:
        """Return True if there is a quotation mark within the words between two positions."""
        inside = [one for one in self.origins if start <= one[0] < end]
        return _QUOTE.search(self.source, inside[0][1], inside[-1][2]) is not None

    def cuts_quotation(self, start: int, end: int) -> bool:
        """Return True if one of two positions is inside a quotation and the other is outside it."""
        inside = [one for one in self.origins if start <= one[0] < end]
        first, last = inside[0][1], inside[-1][2]
        marks = [match.start() for match in _QUOTE.finditer(self.source)]
        before = sum(mark < first for mark in marks)
        within = sum(first <= mark < last for mark in marks)
        after = len(self.source) - len(self.source[last:].lstrip(".,!?"))
        return bool(within % 2) if before % 2 == 0 else within > 0 or after not in marks


def _words_and_marks(source: str) -> Iterator[tuple[int, int]]:
    """Yield the spans of words, and of marks that separate clauses."""
    tokens = list(re.finditer(r"\S+", source))
    numbers = _list_numbers(tokens)
    for place, token in enumerate(tokens):
        if token in numbers:
            yield token.end() - 1, token.end()
            continue
        inner = 0 < place < len(tokens) - 1
        if inner and _DASHES.match(token[0]):
            yield token.span()
            continue
        for word in _WORD.finditer(token[0]):
            quoted = len(word[0]) - len(word[0].lstrip("'"))
            if word[0] != "'" * quoted:
                yield token.start() + word.start() + quoted, token.start() + word.end()
        ends = _ENDS.search(token[0]) if place < len(tokens) - 1 else None
        if ends is not None:
            yield token.start() + ends.start(), token.end()


def _list_numbers(tokens: list[re.Match[str]]) -> list[re.Match[str]]:
    """Return the tokens that number the items of a list, if they count up from 1."""
    found = [(one, _LIST_NUMBER.fullmatch(one[0])) for one in tokens]
    numbered = [(one, int(match[1])) for one, match in found if match is not None]
    counts_up = [number for _, number in numbered] == [*range(1, len(numbered) + 1)]
    first = tokens[0] if tokens else None
    is_list = counts_up and (len(numbered) > 1 or [one for one, _ in numbered] == [first])
    return [one for one, _ in numbered] if is_list else []
