"""Word lattices: every segmentation of a text into words of the lexicon.

Positions count the characters of a text without its spaces, so that spacing only affects the cost.
Words outside the lexicon become edges of the category ``unknown``.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence

from bt_exec.language.reading.chart import Edge
from bt_exec.language.reading.english_inflection import singulars
from bt_exec.language.reading.free_text_edges import free_text_edges
from bt_exec.language.reading.korean_remark_edges import korean_remark_edges
from bt_exec.language.reading.lexicon import PAST, Entry, Lexicon, Stem
from bt_exec.language.reading.meaning_node import Node
from bt_exec.language.reading.normalized_text import PAUSES, Text
from bt_exec.language.reading.remark_edges import asides

__all__ = ["lattice"]

_ATTACHED = ("comma", "obj", "top")  # categories that may follow a word without meaning
UNKNOWN = 2.0  # cost of a word outside the lexicon
AS_TYPED = 0.2  # cost of a word that is read as a name
_ASKABLE = ("order", "bare")  # verb moods that a question mark turns into a question
_BARE = ".bare"
_BARRED = "barred"  # verb mood that forbids an act
_CLEAR = frozenset({"top", "obj", "with", "than"})  # particles that are rarely the end of a name
_CASES = frozenset({"sub", "obj", "top"})  # particles that are not read as verbs within a word
_OPERATORS = frozenset(
    {"minus", "absent", "isnot", "total", "every", "pointing", "among", "most", "reserved"}
)
"""Categories of words that cannot be names."""
_WHOLE, _RARELY, _LENGTH = 0.1, 0.3, 0.1
"""Costs of a name without particle, with a particle not in `_CLEAR`, and per character."""
_RUN_ON = 0.25  # cost of a missing space before a word; doubled for words of one syllable
_SKIPPED = 0.02  # cost of a word without meaning
_PART = 0.1  # extra cost of a word without meaning within a name
_SHORTER = 0.15  # extra cost of a verb stem if a longer, more specific stem also matches
_APART = 0.3  # cost of a space before a particle or within a word


def lattice(text: Text, lexicon: Lexicon, names: Mapping[str, str]) -> list[Edge]:
    """Return the edges of the word lattice of a text.

    Args:
        text: The text.
        lexicon: Words of its language.
        names: Current objects as further nouns: their names by spelling without spaces.
    """
    korean = lexicon.language.name == "ko"
    edges: list[Edge] = []
    longest = max(lexicon.longest_word_length, *map(len, names), 0)
    for start in range(len(text.chars)) if korean else sorted(text.gaps):
        for end in range(start + 1, min(len(text.chars), start + longest) + 1):
            surface = text.chars[start:end]
            for entry in lexicon.entries.get(surface, ()):
                edges += _edge(text, start, end, entry, korean)
            if surface in names and (korean or {start, end} <= text.gaps):
                thing = Node("thing", (("name", names[surface]),))
                edges.append(Edge(start, end, "noun", thing, 0.0, text=surface))
        if korean:
            edges += _verb_groups(text, start, lexicon)
    edges += _marks_and_digits(text)
    edges += _unknown_noun_edges(text, lexicon, edges)
    if korean:
        edges += _name_edges(text, lexicon, edges)
    if lexicon.language.data.get("quotations"):
        edges += _quotation_edges(text)
    if lexicon.takes_texts:
        edges += free_text_edges(text, lexicon, edges)
    if "remarks" in lexicon.language.data:
        edges += korean_remark_edges(text, lexicon, edges)
    if "asides" in lexicon.language.data:
        edges += asides(text, lexicon, edges)
    edges = list(_penalize_name_parts(edges, lexicon))
    return [*edges, *_skipping_edges(edges, lexicon)]


def _penalize_name_parts(edges: list[Edge], lexicon: Lexicon) -> Iterator[Edge]:
    """Yield edges; a noun or a word without meaning that is a part of a name costs more."""
    kinds = tuple(lexicon.language.data.get("skipped", ()))
    names = [(one.start, one.end) for one in edges if one.category == "noun"] if kinds else []
    for edge in edges:
        skipped = edge.category in kinds and any(a < edge.start < b for a, b in names)
        begun = edge.category == "noun" and any(a == edge.start and b > edge.end for a, b in names)
        yield edge._replace(cost=edge.cost + _PART) if skipped or begun else edge


def _skipping_edges(edges: list[Edge], lexicon: Lexicon) -> Iterator[Edge]:
    """Yield edges extended over words without meaning after them, or before the first word.

    Such words may occur anywhere between phrases; the rules of the grammar do not mention them.
    """
    kinds = tuple(lexicon.language.data.get("skipped", ()))
    chains: list[Edge] = []  # sequences of words without meaning, with the commas among them
    marks = [one for one in edges if one.category in (*kinds, *_ATTACHED)]
    for mark in sorted(marks, key=lambda edge: edge.start):
        chains += [_join_edges(kinds[0], one, mark) for one in chains if one.end == mark.start]
        chains += [mark] if mark.category in (*kinds, "comma") else []
    skips = [one for one in chains if one.category in kinds]
    by_start: dict[int, list[Edge]] = {}
    for skip in skips:
        by_start.setdefault(skip.start, []).append(skip)
    for edge in edges:
        if edge.category in kinds or edge.category.startswith("text"):
            continue
        for skip in by_start.get(edge.end, ()):
            yield _join_edges(edge.category, edge, skip)
        if edge.start:
            for skip in by_start.get(0, ()):
                if skip.end == edge.start:
                    yield _join_edges(edge.category, skip, edge)


def _join_edges(category: str, one: Edge, other: Edge) -> Edge:
    meaning = one.meaning if one.category == category else other.meaning
    cost = one.cost + other.cost + _SKIPPED
    return Edge(one.start, other.end, category, meaning, cost, (one, other))


def _edge(text: Text, start: int, end: int, entry: Entry, korean: bool) -> Iterator[Edge]:
    inner = {place - start for place in text.gaps if start < place < end}
    if korean:
        if entry.category.endswith(".noun") and inner - {*entry.spaces}:
            return  # two words that together only look like a verbal noun
        cost = _spacing_cost(text, start, end, entry.suffix) + _APART * len(inner - {*entry.spaces})
    elif inner != {*entry.spaces} or end not in text.gaps:
        return
    else:
        cost = 0.0
    surface = text.chars[start:end]
    yield Edge(start, end, entry.category, entry.meaning, cost + entry.cost, text=surface)


def _spacing_cost(text: Text, start: int, end: int, suffix: bool) -> float:
    apart = start in text.gaps and start > 0
    if suffix:
        return _APART if apart else 0.0
    if apart or start == 0:
        return 0.0
    return 2 * _RUN_ON if end - start == 1 else _RUN_ON


def _marks_and_digits(text: Text) -> Iterator[Edge]:
    """Yield the edges of commas, colons and numbers in digits."""
    for match in re.finditer(r"\d+", text.chars):
        for category in ("number", "digits"):
            yield Edge(match.start(), match.end(), category, int(match[0]), 0.0, text=match[0])
    for start, char in enumerate(text.chars):
        if char in PAUSES:
            mark = text.stops.get(start, "")
            kinds = ("stop", "ask_stop") if mark == "?" else ("stop",) if mark else ("soft",)
            colon = char == ":"  # does not separate the objects of a list
            for category in ("comma", *(() if colon else kinds)):
                yield Edge(start, start + 1, category, None, 0.0, text=char)


def _verb_groups(text: Text, start: int, lexicon: Lexicon) -> Iterator[Edge]:
    """Yield one edge ``kind.mood`` for each Korean verb with its endings and auxiliaries.

    The category of a negated group ends in an exclamation mark.
    """
    found: dict[tuple[str, int], dict[int, list[Edge]]] = {}
    for end in range(start + 1, min(len(text.chars), start + lexicon.longest_word_length) + 1):
        for stem in lexicon.stems.get(text.chars[start:end], ()):
            if stem.auxiliary:
                continue
            inner = {place - start for place in text.gaps if start < place < end}
            cost = _spacing_cost(text, start, end, False) + _APART * len(inner - {*stem.spaces})
            for last, mood, negated, extra, past in _verb_continuations(
                text, end, stem.form, lexicon, 3
            ):
                past = past or stem.form.startswith(PAST)
                mood = _mood_of_ending(stem, mood, text.chars[:last], lexicon, past=past)
                category = f"{stem.kind}.{mood}{'!' if negated else ''}"
                surface = text.chars[start:last]
                if start not in text.gaps and _is_particle(surface, lexicon, _CASES):
                    continue
                edge = Edge(start, last, category, stem.meaning, cost + extra, (), surface, past)
                edges = found.setdefault((category, last), {}).setdefault(end, [])
                if edge not in edges:
                    edges.append(edge)
    longest_stems: dict[tuple[str, int], int] = {}
    for key, by_stem in found.items():
        rivals = _rival_stems(*key)
        longest_stems[rivals] = max(longest_stems.get(rivals, 0), *by_stem)
    for key, by_stem in found.items():
        cheapest = min(edge.cost for edges in by_stem.values() for edge in edges)
        longest = longest_stems[_rival_stems(*key)]
        for end, edges in by_stem.items():
            cost = cheapest + (_SHORTER if end < longest else 0.0)
            kept = [edge for edge in edges if not _is_part_of_compound(edge, found, text)]
            yield from (edge._replace(cost=cost) for edge in kept)


def _rival_stems(category: str, last: int) -> tuple[str, int]:
    """Return a key that competing verbs up to `last` share; the longest stem among them wins.

    All states compete, such as "disappear" and "be absent". An act competes only with acts of its
    category: a text can be a question about the state of holding something and, with the shorter
    stem, the order to hold it.
    """
    return (category if category.startswith("v.") else "", last)


def _is_part_of_compound(edge: Edge, found: Iterable[tuple[str, int]], text: Text) -> bool:
    """Return True for the stem of a compound verb, which takes up the whole word."""
    if edge.end in text.gaps or not edge.category.endswith(_BARE):
        return False
    word_end = min(gap for gap in text.gaps if gap > edge.end)
    return any(end >= word_end for _, end in found)


def _verb_continuations(
    text: Text, start: int, form: str, lexicon: Lexicon, depth: int
) -> Iterator[tuple[int, str, bool, float, bool]]:
    """Yield (end, mood, negated, cost, past) of the endings and auxiliaries after a stem form.

    `negated` is True for a negation, and `past` for an auxiliary in a past form.
    """
    for end in range(start, min(len(text.chars), start + lexicon.longest_ending_length) + 1):
        for ending in lexicon.endings.get(text.chars[start:end], ()):
            if ending.form != form:
                continue
            apart = _APART if start in text.gaps and end > start else 0.0
            if not ending.link:
                last = text.asked and end == len(text.chars)
                asked = last or text.stops.get(end) == "?"
                if asked and ending.mood == _BARRED:
                    continue  # a question with this ending may ask for the act
                asked = asked and form == "open" and ending.mood in _ASKABLE
                yield end, "asking" if asked else ending.mood, False, apart, False
            elif depth:
                yield from _after_link(text, end, ending.mood, lexicon, depth, apart)


def _mood_of_ending(stem: Stem, mood: str, chars: str, lexicon: Lexicon, *, past: bool) -> str:
    """Return the mood of the verb group at the end of `chars`.

    "may not" prohibits an act, but with a verb of request it can be a question ("can't I ask you
    to …?"). A wish with an act or a verb of request is an order. So is a question with a verb of
    request, unless it is an offer or about the past.
    """
    if mood == _BARRED and not stem.asks:
        return "prohibited"
    if mood == "wish" and (stem.asks or stem.kind.startswith("v.")):
        return "order"
    offers = chars.endswith(tuple(lexicon.language.data.get("offers", ("\0",))))
    favour = stem.asks and not offers and not past
    return "order" if favour and mood in ("ask", "please", "asking") else mood


def _after_link(
    text: Text, start: int, link: str, lexicon: Lexicon, depth: int, cost: float
) -> Iterator[tuple[int, str, bool, float, bool]]:
    for end in range(start + 1, min(len(text.chars), start + 4) + 1):
        for stem in lexicon.stems.get(text.chars[start:end], ()):
            if stem.auxiliary != link:
                continue
            for last, mood, negated, extra, past in _verb_continuations(
                text, end, stem.form, lexicon, depth - 1
            ):
                past = past or stem.form.startswith(PAST)
                mood = _mood_of_ending(stem, mood, text.chars[:last], lexicon, past=past)
                yield last, mood, negated != (stem.kind == "negated"), cost + extra, past


def _quotation_edges(text: Text) -> Iterator[Edge]:
    """Yield an edge ``quotation`` for each quoted part of a text."""
    for start, end, said in text.quotations():
        quote = Node("quote", (("said", said),))
        yield Edge(start, end, "quotation", quote, 0.0, text=text.chars[start:end])


def _unknown_noun_edges(text: Text, lexicon: Lexicon, edges: Sequence[Edge]) -> Iterator[Edge]:
    """Yield ``unknown`` nouns for words that the lexicon does not cover."""
    by_start: dict[int, list[int]] = {}
    for edge in edges:
        if not _is_fragment(edge, text, lexicon):
            by_start.setdefault(edge.start, []).append(edge.end)
    covered = _covered_spans(text, edges, by_start)
    for start, end in text.words:
        if (start, end) in covered:
            continue
        word = text.chars[start:end]
        if lexicon.language.name == "en":
            thing = Node("thing", (("name", singulars(word)[0]),))
            yield Edge(start, end, "unknown", thing, UNKNOWN, text=word)
            continue
        for cut in range(start + 1, end + 1):
            suffix = _is_particle(text.chars[cut:end], lexicon)
            if cut == end or suffix or _is_covered(cut, end, by_start):
                whole = 0.2 if cut == end else 0.0
                own = text.chars[start:cut]
                thing = Node("thing", (("name", own),))
                yield Edge(start, cut, "unknown", thing, UNKNOWN + whole, text=own)


def _is_fragment(edge: Edge, text: Text, lexicon: Lexicon) -> bool:
    """Return True for a syllable within a longer word that is not a particle and has no meaning."""
    if edge.end - edge.start > 1 or edge.meaning is not None or edge.text in PAUSES:
        return False
    whole = (edge.start, edge.end) in text.words
    return not whole and not _is_particle(edge.text, lexicon)


def _is_particle(surface: str, lexicon: Lexicon, kinds: Container[str] | None = None) -> bool:
    found = (one for one in lexicon.entries.get(surface, ()) if one.suffix)
    return any(kinds is None or one.category in kinds for one in found)


def _name_edges(text: Text, lexicon: Lexicon, edges: Iterable[Edge]) -> Iterator[Edge]:
    """Yield each word as a name, with and without its particle, whatever its parts mean.

    Korean names may consist of words with another meaning, except operators. English names need
    no such edges, because the grammar joins their words.
    """
    operators = {
        (edge.start, edge.end) for edge in edges if edge.category.split(".")[0] in _OPERATORS
    }
    for start, end in text.words:
        for cut in range(start + 1, end + 1):
            tail = lexicon.entries.get(text.chars[cut:end], ())
            suffixes = {entry.category for entry in tail if entry.suffix}
            if cut < end and not suffixes:
                continue
            cost = _WHOLE if cut == end else 0.0 if suffixes & _CLEAR else _RARELY
            surface = text.chars[start:cut]
            if (start, cut) in operators:
                continue
            thing = Node("thing", (("name", surface),))
            cost += AS_TYPED + _LENGTH * (cut - start)
            yield Edge(start, cut, "as_typed", thing, cost, text=surface)


def _is_covered(start: int, end: int, by_start: Mapping[int, Sequence[int]]) -> bool:
    """Return True if words of the lexicon cover the text between two positions."""
    reached, left = {start}, [start]
    while left:
        for after in by_start.get(left.pop(), ()):
            if after <= end and after not in reached:
                reached.add(after)
                left.append(after)
    return end in reached


def _covered_spans(
    text: Text, edges: Iterable[Edge], by_start: Mapping[int, Sequence[int]]
) -> set[tuple[int, int]]:
    """Return the spans between spaces that words of the lexicon cover."""
    return {
        (start, end)
        for start, end in text.words
        if _is_covered(start, end, by_start)
        or any(
            edge.start <= start and edge.end >= end and edge.end - edge.start > end - start
            for edge in edges
        )
    }
