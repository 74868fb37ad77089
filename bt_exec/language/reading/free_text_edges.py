"""Lattice edges of verbatim texts: messages, questions to persons and objects to carry.

The categories are ``text``, ``text.asked`` for a text that begins with a question word,
``text.said`` for a quoted text, and ``text.item`` for a noun phrase of words outside the lexicon.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any

from bt_exec.language.logical_operators import operators_in
from bt_exec.language.reading.chart import Edge
from bt_exec.language.reading.lexicon import Lexicon
from bt_exec.language.reading.meaning_node import Node
from bt_exec.language.reading.normalized_text import Text

__all__ = ["free_text_edges"]

_WORD = 0.1  # cost per word of a text
_ITEM = 0.5  # cost of an object outside the lexicon
_LATE = 0.4  # cost of a text after a skipped word, which may belong to the text
_MOST = 6
"""Maximum number of words of an item."""
_SENTENCES = re.compile(r"[.!?;]\s")


def free_text_edges(text: Text, lexicon: Lexicon, edges: Iterable[Edge]) -> Iterator[Edge]:
    """Yield the edges of the verbatim texts and items in a command.

    Args:
        text: The command.
        lexicon: The words of its language.
        edges: Edges of the lattice for the words in the text.
    """
    made = _Texts(text, lexicon, edges)
    for first in range(len(text.words)):
        for last in range(first, len(text.words)):
            yield from made.texts_of_words(text.words[first : last + 1])


class _Texts:
    """Search for the verbatim texts within one command."""

    def __init__(self, text: Text, lexicon: Lexicon, edges: Iterable[Edge]) -> None:
        self._text = text
        self._entries = lexicon.entries
        self._rules: Mapping[str, Any] = lexicon.language.data["texts"]
        self._language = lexicon.language.name
        self._unfinished = frozenset(lexicon.language.data["unfinished"])
        numbers = {(one.start, one.end) for one in edges if one.category == "number"}
        acts = (
            one
            for one in edges
            if {one.start, one.end} <= text.gaps
            and self._is_act(one)
            and (one.start, one.end) not in numbers  # "an hour"
            and not self._is_requested(one.end)
        )
        self._acts = [(one.start, one.end) for one in acts]
        """Spans of the verbs of other acts; in English, of the conjunctions before these verbs."""
        silent = {*lexicon.language.data.get("skipped", ()), *self._rules.get("after", ())}
        self._late = {one.end for one in edges if one.category in silent}
        """Ends of words that may belong to a text; a text that begins after them costs more."""
        starts = {start for start, _ in self._acts}
        if lexicon.language.name == "en":
            links = [one for one in edges if one.category in ("link", "comma", "~or")]
            after = {one.end for one in links if one.end in starts}
            self._acts = [(one.start, one.end) for one in links if one.end in after]
        self._subordinate = [*self._words_before_acts(starts)]
        """Spans of words such as "before" that subordinate another act of the robot."""

    def _words_before_acts(self, starts: Collection[int]) -> Iterator[tuple[int, int]]:
        """Yield the spans of subordinating words before verbs that start at `starts`."""
        known, chars = self._rules.get("subordinating", ()), self._text.chars
        words = self._text.words
        for at, (start, _) in enumerate(words):
            for _, end in words[at : at + _MOST]:
                if end in starts and chars[start:end] in known:
                    yield start, end

    def _is_act(self, edge: Edge) -> bool:
        moods = self._rules.get("moods")
        if edge.category.startswith("v.") and (moods is None or _mood_of(edge) in moods):
            return True
        return edge.text in self._rules.get("starts", ())

    def _is_requested(self, end: int) -> bool:
        """Return True if the word after `end` marks a request ("asked them to …")."""
        requests = tuple(self._rules.get("requests", ()))
        after = next((one for one in self._text.words if one[0] >= end), None)
        said = "" if after is None else self._text.chars[after[0] : after[1]]
        return bool(requests) and said.startswith(requests)

    def texts_of_words(self, words: tuple[tuple[int, int], ...]) -> Iterator[Edge]:
        """Yield the edges of texts that consist of `words`, with and without a final particle."""
        start, end = words[0][0], words[-1][1]
        surface = self._text.chars[start:end]
        cut = self._particle(surface, "cut")
        tail = cut or self._particle(surface, "tails")
        whole = self._text.chars[words[-1][0] : end] in self._rules.get("whole", ())
        if not cut and (whole or tail not in self._rules.get("always_cut", ())):
            yield from self._text_edges(start, end, words)
        greetings = self._rules.get("greetings", ())
        greeting = max((one for one in greetings if surface.startswith(one)), key=len, default="")
        if greeting and self._rules.get("moods") and greeting != surface.removesuffix(tail):
            yield from self._text_edges(start, start + len(greeting), words)
        if tail and not (whole and not cut):
            yield from self._text_edges(start, end - len(tail), words)

    def _particle(self, surface: str, kind: str) -> str:
        """Return the longest particle of a kind at the end of `surface`; "" if there is none."""
        ends = (one for one in self._rules.get(kind, ()) if surface.endswith(one))
        return max((one for one in ends if one != surface), key=len, default="")

    def _text_edges(
        self, start: int, end: int, words: tuple[tuple[int, int], ...]
    ) -> Iterator[Edge]:
        rules, chars = self._rules, self._text.chars
        surface = chars[start:end]
        said = self._text.typed_words(start, end)
        if chars[words[-1][0] : words[-1][1]] in self._unfinished:
            return
        if not said or surface.startswith(",") or surface.endswith(",") or _SENTENCES.search(said):
            return
        cost = _WORD * len(words) + (_LATE if start in self._late else 0.0)
        ends = () if self._text.contains_quotation_mark(start, end) else rules.get("quoted", {})
        quoted = next((one for one in ends if surface.endswith(one)), "")
        first = chars[words[0][0] : words[0][1]]
        skipped = first in rules.get("skip", ())
        if first.startswith(tuple(rules.get("requests", ("\0",)))):
            return  # the content of the request is missing
        if len(words) <= _MOST and not (quoted or skipped) and self._is_noun(surface, words):
            yield Edge(start, end, "text.item", _quote(said), cost + _ITEM, text=surface)
        after = rules.get("before")
        greets = surface in rules.get("greetings", ())
        open_end = after is not None and not greets and not self._text.is_quotation(start, end)
        if open_end and chars[end:] and not chars[end:].startswith(tuple(after or ())):
            return
        if (
            skipped
            or self._begins_with_manner_or_time(first)
            or self._may_contain_order(start, end)
        ):
            return
        if self._text.is_quotation(start, end):
            yield Edge(start, end, "text.said", _quote(said), cost, text=surface)
        asked = first in rules.get("asked", ())
        cost = cost / 2 if asked else cost
        yield Edge(start, end, "text", _quote(said), cost, text=surface)
        if quoted or greets:
            spoken = said.removesuffix(quoted) + rules.get("quoted", {}).get(quoted, "")
            for pattern, stated in rules.get("stated", {}).items():
                spoken = re.sub(pattern, stated, spoken)
            spoken = rules.get("spoken", {}).get(surface, spoken)
            yield Edge(start, end, "text.said", _quote(spoken), cost, text=surface)
        if greets:
            yield Edge(start, end, "text.greeting", _quote(spoken), cost, text=surface)
        if asked:
            yield Edge(start, end, "text.asked", _quote(said), cost, text=surface)

    def _begins_with_manner_or_time(self, word: str) -> bool:
        """Return True if a text begins with a statement of its manner, time or recipients."""
        ends = tuple(self._rules.get("aside_ends", ()))
        return word in self._rules.get("aside", ()) or word.endswith(ends)

    def _may_contain_order(self, start: int, end: int) -> bool:
        """Return True if a text may contain an order to the robot."""
        if self._text.cuts_quotation(start, end):
            return True
        if self._text.is_quotation(start, end):
            return False
        persons = tuple(self._rules.get("persons", ()))
        inside = [one for one in self._text.words if start <= one[0] and one[1] <= end]
        words = [self._text.chars[first:last] for first, last in inside]
        linking = tuple(self._rules.get("linking", ()))
        if any(word.endswith(persons) for word in words if persons):
            return True
        paired = tuple(self._rules.get("paired", ("\0",)))
        if words and words[0].endswith(paired) and self._text.chars[:start].endswith(paired):
            return True  # "in the lounge, too, in the break room, too": another recipient
        if any(word.endswith(linking) for word in words[:-1] if linking):
            return True
        surface = self._text.chars[start:end]
        commas = "moods" in self._rules and "," in surface
        barred = (*self._rules.get("guiding", ()), *self._rules.get("limits", ()))
        described = surface.startswith(tuple(self._rules.get("references", ("\0",))))
        limited = described or any(one in surface for one in barred)
        if commas or limited or any(start <= first and last < end for first, last in self._acts):
            return True
        if not words or words[0] in self._rules.get("person_acts", ()):
            return False
        if surface.endswith(tuple(self._rules.get("beside", ("\0",)))):
            return True
        return self._tells_others(words) or any(
            start <= first and last < end for first, last in self._subordinate
        )

    def _tells_others(self, words: Sequence[str]) -> bool:
        """Return True if a text contains another recipient ("… and the visitors that …")."""
        joints, that = self._rules.get("joints", ()), self._rules.get("retold", ())
        joined = [at for at, word in enumerate(words) if word in joints]
        return any(word in that for at in joined for word in words[at + 2 :])

    def _is_directed(self, word: str) -> bool:
        """Return True for a noun of the lexicon with a particle of direction."""
        stems = (word.removesuffix(end) for end in self._rules.get("directed", ()))
        known = (self._entries.get(stem, ()) for stem in stems if stem != word)
        return any(one.category == "noun" for own in known for one in own)

    def _is_noun(self, surface: str, words: tuple[tuple[int, int], ...]) -> bool:
        """Return True if a text may be a noun phrase of words outside the lexicon."""
        rules, chars = self._rules, self._text.chars
        if any(surface.endswith(one) for one in rules.get("bound", ())):
            return False
        if len(words) > 1 and surface.endswith(tuple(rules.get("linked", ()))):
            return False
        if any(one.kind == "condition" for one in operators_in(surface, self._language)):
            return False
        first, (_, last) = words[0], words[-1]
        if any(first[1] <= start and end <= last for start, end in self._acts):
            return False
        if len(words) > 1 and "moods" in rules and first in self._acts:
            return False  # the first word is the verb of the previous act
        bare = chars[words[-1][0] : first[0] + len(surface)]  # the last word without its particle
        breaks = {*rules.get("breaks", ())}
        for place, (start, end) in enumerate(words):
            word = chars[start:end]
            if {word, bare} & breaks or any(map(word.endswith, rules.get("verbal", ()))):
                return False
            if self._is_directed(word):
                return False
            entries = () if word in rules.get("nouns", ()) else self._entries.get(word, ())
            kinds = {entry.category for entry in entries}
            if not all(one.startswith(("~", "v.", *rules["open"])) for one in kinds):
                return False
            inner = place < len(words) - 1
            whole = word in rules.get("whole", ())
            if inner and not whole and word.endswith(tuple(rules.get("parts", ()))):
                return False
            if place and word in rules.get("skip", ()):
                return False
        return True


def _mood_of(edge: Edge) -> str:
    """Return the mood of a verb of a pack, without negation; empty for other edges."""
    kind, _, mood = edge.category.partition(".")
    return mood.rpartition(".")[2].rstrip("!") if kind == "v" else ""


def _quote(said: str) -> Node:
    return Node("quote", (("said", said.strip(" \"'“”,")),))
