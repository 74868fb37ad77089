"""Korean: the readings of a cleaned command, with or without spaces.

Spaces are only hints in typed Korean (문열어, 문 을 열어 줘), so a command is read without them.
What they are needed for is to keep short words apart from parts of longer ones: fillers,
connectives and the words of limits stand between spaces or they are not read.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from bt_exec_llm.korean_text import Table, Text, tidy
from bt_exec_llm.korean_verbs import KoreanVerbs
from bt_exec_llm.lexicon import Lexicon, Words
from bt_exec_llm.slots import TORN, WITHOUT_TEXT, Trim
from bt_exec_llm.units import Edge, Kind, Reading, Unit, readings

__all__ = ["Korean"]

_OBJECT = ("을", "를")
_Slot: TypeAlias = tuple[str, frozenset[str], frozenset[str], Trim]
_GO = "가"  # a particle where it hangs on a word, a verb where it stands alone


class Korean:
    """Reads Korean with the words of a lexicon, and the `literal` words of a library."""

    def __init__(self, lexicon: Lexicon, literal: Iterable[str] = ()) -> None:
        self._nouns, self._free, self._bound, self._whole = Table(), Table(), Table(), Table()
        self._particles = tuple(lexicon.endings.particles)
        self._before_verb = tuple(lexicon.negation_before_verb.ko)
        self._slots: list[_Slot] = [
            (name, frozenset(slot.verbs), frozenset(slot.to), Trim(slot, "ko", lexicon.whole))
            for name, slot in lexicon.texts.items()
        ]
        self._needy = {
            verb for slot in lexicon.texts.values() if slot.needed for verb in slot.verbs
        }
        self._addressed = frozenset(kind for slot in lexicon.texts.values() for kind in slot.to)
        self._read_words(lexicon, literal)
        self._verbs = KoreanVerbs(lexicon)

    def _read_words(self, lexicon: Lexicon, literal: Iterable[str]) -> None:
        named: tuple[tuple[Table, Mapping[str, Words], Kind], ...] = (
            (self._nouns, lexicon.nouns, "noun"),
            (self._free, lexicon.words, "word"),
            (self._bound, lexicon.limits, "limit"),
        )
        for table, section, kind in named:
            for name, words in section.items():
                meant, way = lexicon.concept(name)
                for phrase in words.ko:
                    table.add(phrase, Unit(kind, meant, way))
        for type_name, values in lexicon.values.items():
            for value, words in values.items():
                for phrase in words.ko:
                    self._free.add(phrase, Unit("value", type_name, value=value))
                for phrase in words.proxies.ko:
                    self._free.add(phrase, Unit("value", type_name, value=value, form="proxy"))
        for table, phrases, unit in (
            (self._nouns, lexicon.pronouns.ko, Unit("pronoun")),
            (self._free, lexicon.loose.ko, Unit("filler")),
            (self._bound, lexicon.determiners.ko, Unit("filler", "determiner")),
            (self._bound, (*lexicon.filler.ko, *lexicon.asides.ko), Unit("filler")),
            (self._bound, lexicon.then.ko, Unit("then")),
            (self._bound, lexicon.negation.ko, Unit("not")),
        ):
            for phrase in phrases:
                table.add(phrase, unit)
        for phrase in lexicon.function.ko:
            self._bound.add(phrase, Unit("word", phrase))
        for phrase in lexicon.whole.ko:
            self._whole.add(phrase, Unit("noun", phrase))
        for text in literal:
            self._nouns.add(text, Unit("word", text))

    def read(self, text: str, *, texts: bool = True) -> tuple[Reading, ...]:
        """Return the best readings of `text`; none if there are too many.

        Args:
            text: A cleaned command.
            texts: Whether verbs may take words as they stand.
        """
        plain = Text(text)
        slots = self._slots if texts else []
        found = readings(len(plain.chars), lambda position: self._edges(plain, slots, position))
        return tuple(tidy(reading, plain) for reading in found)

    def _edges(self, text: Text, slots: Sequence[_Slot], position: int) -> Iterator[Edge]:
        before = (Unit("stop", start=position, end=position),) if position in text.stops else ()
        whole = {end for end, _ in self._whole.at(text.chars, position)}
        for end, units in self._pieces(text, position):
            every = (*before, *units)
            lonely = units[0].kind == "verb" and units[0].name in self._needy
            torn = units[0].kind == "verb" and end in whole
            cost = WITHOUT_TEXT * lonely + TORN * torn
            opens = self._opens(every)
            if opens is None and position in text.addressed:
                opens = False  # what stands right after a person is part of what they are told
            elif opens and every[-1].kind == "value":
                text.addressed.add(end)
            yield Edge(end, every, 0, cost, opens)
        if position in text.numbers:
            end = text.numbers[position]
            yield Edge(end, (*before, Unit("limit", "COUNT", start=position, end=end)))
        if text.chars[position] in _OBJECT:
            marker = Unit("filler", "object", start=position, end=position + 1)
            yield Edge(position + 1, (*before, marker), 1)
        if position in text.edges:
            for end, size, units in self._texts(text, slots, position):
                every = (*before, *units)
                opens = self._opens(every)
                yield Edge(end, every, 0, size, opens, wants_open=not before)
        unknown = Unit("unknown", start=position, end=position + 1)
        yield Edge(position + 1, (*before, unknown), 2)

    def _opens(self, units: Reading) -> bool | None:
        """Whether text may begin after `units`; None if that is as it was before them."""
        last = units[-1]
        if last.kind == "filler":
            return None if len(units) == 1 else self._opens(units[:-1])
        return last.kind in ("then", "stop") or (
            last.kind == "value" and last.name in self._addressed
        )

    def _texts(
        self, text: Text, slots: Sequence[_Slot], position: int
    ) -> Iterator[tuple[int, int, Reading]]:
        """Yield the texts that begin here with the verb that takes them: end, size of text, units.

        Somebody addressed may stand between them.
        """
        for name, verbs, to, trim in slots:
            for end in range(position + 1, len(text.chars)):
                taken = tuple(self._takers(text, end, verbs, to))
                words = trim(text.source[slice(*text.span(position, end))]) if taken else ""
                if words:
                    unit = Unit("text", name, words, start=position, end=end)
                    for stop, units in taken:
                        yield stop, end - position, (unit, *units)

    def _takers(
        self, text: Text, position: int, verbs: frozenset[str], to: frozenset[str]
    ) -> Iterator[tuple[int, Reading]]:
        """Yield the verbs of `verbs` that begin here, or after somebody addressed who does.

        A filler may stand between them: 교수님께 지금 전해.
        """
        found = text.takers.get((position, verbs))
        if found is None:
            found = [
                (end, units)
                for end, units in self._verbs.at(text.chars, position)
                if units[0].kind == "verb" and units[0].name in verbs
            ]
            for end, unit in self._free.at(text.chars, position):
                addressed = unit.kind == "value" and unit.name in to
                hurried = unit.kind == "filler" and position in text.addressed
                if (addressed or hurried) and end < len(text.chars):
                    if addressed:
                        text.addressed.add(end)
                    placed = unit.at(position, end)
                    rest = self._takers(text, end, verbs, to)
                    found += [(stop, (placed, *units)) for stop, units in rest]
            text.takers[position, verbs] = found
        yield from found

    def _pieces(self, text: Text, position: int) -> Iterator[tuple[int, Reading]]:
        chars = text.chars
        for end, unit in self._nouns.at(chars, position):
            placed = (unit.at(position, end),)
            yield end, placed
            for particle in self._particles:
                if chars.startswith(particle, end):
                    yield end + len(particle), placed
        for end, unit in self._free.at(chars, position):
            apart = end - 1 in text.edges and end - 1 > position
            if not (apart and chars[end - 1] == _GO):
                yield end, (unit.at(position, end),)
        if position in text.edges:
            for end, unit in self._bound.at(chars, position):
                if end in text.edges:
                    yield end, (unit.at(position, end),)
        yield from self._verbs.at(chars, position)
        for word in self._before_verb:
            if chars.startswith(word, position):
                begin = position + len(word)
                negation = Unit("not", start=position, end=begin)
                for end, units in self._verbs.at(chars, begin):
                    yield end, (negation, *units)
