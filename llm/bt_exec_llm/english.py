"""English: the readings of a cleaned command, word by word."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from bt_exec_llm.english_words import SHORTEST_TYPO, is_slip, phrases
from bt_exec_llm.lexicon import Lexicon, Slot
from bt_exec_llm.normalise import Token, lex
from bt_exec_llm.phrases import expand_phrase
from bt_exec_llm.slots import WITHOUT_TEXT, Trim
from bt_exec_llm.units import Edge, Reading, Unit, readings

__all__ = ["English"]

_FILLER = Unit("filler")
_INSIDE = "&"  # stands between words of a text, too: the Q&A session


class English:
    """Reads English with the words of a lexicon, and the `literal` words of a library."""

    def __init__(self, lexicon: Lexicon, literal: Iterable[str] = ()) -> None:
        self._phrases: dict[str, dict[tuple[tuple[str, ...], Unit], None]] = {}
        for phrase, unit in phrases(lexicon):
            for text in expand_phrase(phrase):
                self._add(text, unit)
        for word in literal:
            self._add(word, Unit("word", word))
        self._slots = [
            (name, slot, Trim(slot, "en", lexicon.whole), frozenset(slot.verbs))
            for name, slot in lexicon.texts.items()
        ]
        self._needy = {
            verb for slot in lexicon.texts.values() if slot.needed for verb in slot.verbs
        }
        self._words = frozenset(
            word for entries in self._phrases.values() for words, _ in entries for word in words
        )

    def _add(self, text: str, unit: Unit) -> None:
        words = tuple(text.casefold().split())
        self._phrases.setdefault(words[0], {})[words, unit] = None

    def read(self, text: str) -> tuple[Reading, ...]:
        """Return the best readings of `text`; none if there are too many."""
        tokens = [self._corrected(token) for token in lex(text)]
        found = readings(len(tokens), lambda position: self._edges(text, tokens, position))
        return tuple(_joined(_without_names(reading, text), text) for reading in found)

    def _edges(self, text: str, tokens: Sequence[Token], position: int) -> Iterator[Edge]:
        token = tokens[position]
        if token.kind == "stop":
            yield Edge(position + 1, (Unit("stop", start=token.start, end=token.end),))
            return
        if token.kind == "number":
            yield Edge(position + 1, (Unit("limit", "COUNT", start=token.start, end=token.end),))
            return
        for end, unit in self._known(tokens, position):
            placed = unit.at(token.start, tokens[end - 1].end)
            lonely = unit.kind == "verb" and unit.name in self._needy
            yield Edge(end, (placed,), 0, WITHOUT_TEXT if lonely else 0)
            for name, slot, trim, verbs in self._slots:
                if unit.kind == "verb" and unit.name in verbs:
                    yield from self._texts(text, tokens, end, (placed,), (name, slot, trim))
        unknown = Unit("unknown", token.text, start=token.start, end=token.end)
        yield Edge(position + 1, (unknown,), 1)

    def _known(self, tokens: Sequence[Token], position: int) -> Iterator[tuple[int, Unit]]:
        """Yield the phrases that begin at `position`, each with where it ends."""
        for words, unit in self._phrases.get(tokens[position].text, ()):
            end = position + len(words)
            if tuple(other.text for other in tokens[position:end]) == words:
                yield end, unit

    def _texts(
        self,
        source: str,
        tokens: Sequence[Token],
        begin: int,
        said: Reading,
        how: tuple[str, Slot, Trim],
    ) -> Iterator[Edge]:
        """Yield the texts after a verb, or after the one who is addressed, with what was said."""
        if begin == len(tokens):
            return
        name, slot, trim = how
        for end in self._text_ends(tokens, begin, slot):
            text = trim(source[tokens[begin].start : tokens[end - 1].end])
            if text:
                unit = Unit("text", name, text, start=tokens[begin].start, end=tokens[end - 1].end)
                yield Edge(end, (*said, unit), 0, end - begin)
        if len(said) == 1:
            for end, unit in self._known(tokens, begin):
                if unit.kind == "value" and unit.name in slot.to:
                    placed = unit.at(tokens[begin].start, tokens[end - 1].end)
                    yield from self._texts(source, tokens, end, (*said, placed), how)

    def _text_ends(self, tokens: Sequence[Token], begin: int, slot: Slot) -> Iterator[int]:
        """Yield where a text that begins at `begin` may end: before the next part or person."""
        for end in range(begin + 1, len(tokens) + 1):
            if end < len(tokens):
                after = [unit for _, unit in self._known(tokens, end)]
                addressed = slot.passed and any(
                    u.kind == "value" and u.name in slot.to for u in after
                )
                stops = tokens[end].kind == "stop" and tokens[end].text != _INSIDE
                joined = stops or self._next_part(tokens, end)
                inside = any(  # "the next meeting" goes on
                    u.name == "determiner" for _, u in self._known(tokens, end - 1)
                )
                if inside or not (addressed or joined):
                    continue
            last = end
            while last > begin and not slot.keeps:  # what changes nothing is no part of it
                shorter = self._filler_before(tokens, begin, last)
                if shorter == last:
                    break
                last = shorter
            if last > begin:
                yield last

    def _next_part(self, tokens: Sequence[Token], position: int) -> bool:
        """Whether a connective stands here and a part can follow, none with *what* or *if*."""
        for end, unit in self._known(tokens, position):
            if unit.kind == "then":
                after = [u.kind for _, u in self._known(tokens, end)] if end < len(tokens) else []
                if not after or set(after) - {"word", "limit"}:
                    return True
        return False

    def _filler_before(self, tokens: Sequence[Token], begin: int, end: int) -> int:
        """Return where a filler that ends at `end` begins; `end` if there is none."""
        for start in range(begin + 1, end):
            if any(stop == end and u == _FILLER for stop, u in self._known(tokens, start)):
                return start
        return end

    def _corrected(self, token: Token) -> Token:
        """Return `token` with a typing slip mended, where only one word can have been meant."""
        word = token.text
        if token.kind != "word" or word in self._words or len(word) < SHORTEST_TYPO:
            return token
        meant = {other for other in self._words if is_slip(word, other)}
        return token._replace(text=meant.pop()) if len(meant) == 1 else token


def _without_names(reading: Reading, text: str) -> Reading:
    """Return `reading` with words before a noun that would be part of its name as unknown.

    "Robot, open the door" is no "open the robot door", "first" no "the first door".
    """
    units = list(reading)
    for at, unit in enumerate(units[:-1]):
        before = units[at - 1] if at else None
        pointed = before is not None and (before.name == "determiner" or before.kind == "unknown")
        named = unit.name == "aside" and before is not None and before.kind == "verb"
        if unit.kind == "filler" and unit.name != "determiner" and (pointed or named):
            rest = (u for u in units[at + 1 :] if u.kind != "filler" or u.name == "determiner")
            follows = next(rest, unit)
            if follows.kind in ("noun", "unknown"):
                name = text[unit.start : unit.end]
                units[at] = Unit("unknown", name, start=unit.start, end=unit.end)
    return tuple(units)


def _joined(reading: Reading, text: str) -> Reading:
    """Return `reading` with neighbouring unknown words as one unit."""
    joined: list[Unit] = []
    for unit in reading:
        if unit.kind == "unknown" and joined and joined[-1].kind == "unknown":
            start = joined.pop().start
            unit = Unit("unknown", text[start : unit.end], start=start, end=unit.end)
        joined.append(unit)
    return tuple(joined)
