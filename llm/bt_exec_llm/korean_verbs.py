"""Korean verbs as they are typed: stems with helping verbs and endings."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TypeAlias

from bt_exec_llm.hangul import bases, split_ending
from bt_exec_llm.lexicon import Lexicon, Words
from bt_exec_llm.phrases import expand_phrase
from bt_exec_llm.units import Kind, Reading, Unit

__all__ = ["KoreanVerbs"]

_Endings: TypeAlias = dict[str, dict[str, tuple[Unit, ...]]]
"""What endings mean, by the base of the verb that they follow and their text."""
_LONGEST = 24  # characters of an ending


class KoreanVerbs:
    """Finds the verbs and states of a lexicon in text without spaces."""

    def __init__(self, lexicon: Lexicon) -> None:
        endings = lexicon.endings
        stop, then, negated = (Unit("stop"),), (Unit("then"),), (Unit("not"),)
        limits = [(texts, (Unit("limit", code),)) for code, texts in endings.limits.items()]
        shared = [(endings.then, then), (endings.negated, negated), *limits]
        plain = _endings([(endings.do, stop), *shared])
        asking = _endings([(endings.do, stop), (endings.request, stop), *shared])
        states = _endings([(endings.ask, stop), *shared])
        self._helpers = [
            *((form, plain) for verb in endings.helpers for form in _forms(verb)),
            *((form, asking) for verb in endings.givers for form in _forms(verb)),
        ]
        givers = tuple(giver.replace(" ", "") for giver in endings.givers)
        self._verbs: dict[str, list[tuple[str, str, Unit, _Endings, bool]]] = {}
        sections: tuple[tuple[Mapping[str, Words], Kind, str], ...] = (
            (lexicon.verbs, "verb", ""),
            (lexicon.states, "word", "state "),
        )
        for section, kind, prefix in sections:
            for name, words in section.items():
                meant, way = lexicon.concept(name)
                unit = Unit(kind, prefix + meant, way)
                for phrase in words.ko:
                    for verb in expand_phrase(phrase):
                        gives = verb.replace(" ", "").endswith(givers) and bool(givers)
                        table = states if kind == "word" else asking if gives else plain
                        for base, text in _forms(verb):
                            entry = (base, text, unit, table, kind == "verb")
                            self._verbs.setdefault(text[0], []).append(entry)

    def at(self, chars: str, position: int) -> Iterator[tuple[int, Reading]]:
        """Yield the verbs that begin here, with their helpers and endings.

        Where a verb of its own reads as far as one with a helper, it is meant: 가보다.
        """
        alone = set[int]()
        helped: list[tuple[int, Reading]] = []
        for is_helped, end, units in self._conjugated(chars, position):
            if is_helped:
                helped.append((end, units))
            else:
                alone.add(end)
                yield end, units
        yield from (found for found in helped if found[0] not in alone)

    def _conjugated(self, chars: str, position: int) -> Iterator[tuple[bool, int, Reading]]:
        """Yield the verbs that begin here: whether a helper follows, where they end, the units."""
        for base, text, unit, endings, helped in self._verbs.get(
            chars[position : position + 1], ()
        ):
            if chars.startswith(text, position):
                start = position + len(text)
                for end, after in _ended(chars, start, base, endings):
                    marks = (mark.at(position, end) for mark in after)
                    yield False, end, (unit.at(position, end), *marks)
                if helped and base == "a":
                    for end, after in self._helped(chars, start, 2):
                        marks = (mark.at(position, end) for mark in after)
                        yield True, end, (unit.at(position, end), *marks)

    def _helped(self, chars: str, position: int, more: int) -> Iterator[tuple[int, Reading]]:
        """Yield what helping verbs and endings after an infinitive lead to."""
        for (base, text), endings in self._helpers:
            if chars.startswith(text, position):
                start = position + len(text)
                yield from _ended(chars, start, base, endings)
                if more > 1 and base == "a":
                    yield from self._helped(chars, start, more - 1)


def _forms(verb: str) -> Iterator[tuple[str, str]]:
    for base, forms in bases(verb).items():
        for form in forms:
            yield base, form


def _endings(groups: Iterable[tuple[Iterable[str], Reading]]) -> _Endings:
    """Return endings by base and text; the first group that has an ending keeps it."""
    table: _Endings = {}
    for phrases, units in groups:
        for phrase in phrases:
            for text in expand_phrase(phrase.replace("(으)", "ø")):
                base, rest = split_ending(text.replace("ø", "(으)"))
                table.setdefault(base, {}).setdefault(rest, units)
    return table


def _ended(
    chars: str, position: int, base: str, endings: _Endings
) -> Iterator[tuple[int, Reading]]:
    table = endings.get(base, {})
    for length in range(min(_LONGEST, len(chars) - position) + 1):
        units = table.get(chars[position : position + length])
        if units is not None:
            yield position + length, units
