"""Korean text without its spaces: where words begin, what stands at a place, whole words again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from bt_exec_llm.normalise import lex
from bt_exec_llm.phrases import expand_phrase
from bt_exec_llm.units import Reading, Unit

__all__ = ["Table", "Text", "tidy"]


class Text:
    """A command without its spaces: where words begin and end, and where punctuation stood.

    Attributes:
        source: The command as typed.
        chars: It without spaces and punctuation; all positions are positions in it.
        places: Where each of its characters stands in `source`.
        edges: Where words begin and end.
        stops: Where punctuation stood.
        numbers: Where numbers begin, and where each ends.
        addressed: Where the words for somebody addressed end, as far as they have been read.
        takers: Verbs that take a text, by where they begin, as far as they have been read.
    """

    def __init__(self, text: str) -> None:
        self.source = text
        self.chars = ""
        self.places: list[int] = []
        self.edges = {0}
        self.stops: set[int] = set()
        self.numbers: dict[int, int] = {}
        self.addressed: set[int] = set()
        self.takers: dict[tuple[int, frozenset[str]], list[tuple[int, Reading]]] = {}
        for token in lex(text):
            self.edges.add(len(self.chars))
            if token.kind == "stop":
                self.stops.add(len(self.chars))
                continue
            if token.kind == "number":
                self.numbers[len(self.chars)] = len(self.chars) + len(token.text)
            self.chars += text[token.start : token.end].lower()
            self.places.extend(range(token.start, token.end))
        self.edges.add(len(self.chars))

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return where positions `start`..`end` stand in the command as typed."""
        if start >= len(self.places):
            return len(self.source), len(self.source)
        return self.places[start], self.places[max(start, end - 1)] + 1


@dataclass
class Table:
    """Texts without spaces and the units they are read as, by first character."""

    entries: dict[str, dict[tuple[str, Unit], None]] = field(default_factory=dict)

    def add(self, phrase: str, unit: Unit) -> None:
        """Note that every text of `phrase` is read as `unit`."""
        for text in expand_phrase(phrase):
            plain = text.replace(" ", "").lower()
            self.entries.setdefault(plain[0], {})[plain, unit] = None

    def at(self, chars: str, position: int) -> Iterator[tuple[int, Unit]]:
        """Yield what stands at `position`, each with where it ends."""
        for text, unit in self.entries.get(chars[position], ()):
            if chars.startswith(text, position):
                yield position + len(text), unit


def _same_word(left: Unit, right: Unit, text: Text) -> bool:
    """Whether two units are one unknown word to a person: 창 and 문 in 창문."""
    if left.end != right.start or "unknown" not in (left.kind, right.kind):
        return False
    if left.kind == right.kind:
        return True
    known = right if left.kind == "unknown" else left
    return right.start not in text.edges and (
        known.kind in ("noun", "word", "pronoun")
        or (known is left and known.kind == "filler" and known.name != "object")
    )


def tidy(reading: Reading, text: Text) -> Reading:
    """Return `reading` with unknown text as whole words, placed in the command as typed."""
    units: list[Unit] = []
    for unit in reading:
        last = units[-1] if units else None
        if last is not None and _same_word(last, unit, text):
            units[-1] = Unit("unknown", start=last.start, end=unit.end)
        else:
            units.append(unit)
    placed = []
    for unit in units:
        start, end = text.span(unit.start, unit.end)
        name = text.source[start:end] if unit.kind == "unknown" else unit.name
        placed.append(Unit(unit.kind, name, unit.value, unit.form, start, end))
    return tuple(placed)
