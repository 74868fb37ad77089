"""The Korean grammar of questions about the table: parts in any order, what is asked at the end."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Literal, cast

from bt_exec_skills.tabletop.goals.korean import KoreanGrammar
from bt_exec_skills.tabletop.goals.model import Phrase
from bt_exec_skills.tabletop.goals.phrases import Words
from bt_exec_skills.tabletop.goals.question import Place, Question
from bt_exec_skills.tabletop.names import Attribute
from bt_exec_skills.tabletop.robot import Side

__all__ = ["read_korean_questions"]

_MOST_STEPS = 5000
_TAILS = ("exists", "be", "see", "lie", "holding", "empty", "sorted", "where_is", "tell", "lacks")
"""Words that end a question, or the part of a question before its end."""


def read_korean_questions(words: Words) -> list[Question]:
    """Return every question that the words may be; none if they are none."""
    asked = words.text.rstrip().endswith("?")
    found = []
    for heard in _Questions(words).rest(0, _Heard()):
        question = _meant(heard, asked=asked)
        if question is not None and question not in found:
            found.append(question)
    return found


@dataclass(frozen=True)
class _Heard:
    """What was heard of a question so far."""

    things: tuple[Phrase, ...] = ()
    place: Place | None = None
    word: str = ""
    by: Attribute | None = None
    sorted_by: Attribute | None = None
    hand: bool = False
    every: bool = False
    tails: frozenset[str] = frozenset()


def _meant(heard: _Heard, *, asked: bool) -> Question | None:
    """Return the question that the parts ask together; None if they ask nothing."""
    tails, word, things, place = heard.tails, heard.word, heard.things, heard.place
    if not tails and not (asked and (things or place or heard.by)):
        return None
    if heard.hand or ("holding" in tails and not ("lie" in tails and place is not None)):
        if heard.hand and "empty" in tails:
            return Question("empty")
        plain = word in ("", "what") and place is None and heard.by is None
        told = word or "lacks" in tails
        return Question("held", () if told else things) if plain and (things or word) else None
    if "lacks" in tails:  # neither yes nor no: people differ in what "없어?" is answered with
        return Question("count", things, place) if not word else None
    if "sorted" in tails:
        return Question("sorted", by=heard.sorted_by) if not (word or place) else None
    if "empty" in tails:
        kind: Literal["empty", "empties"] = "empties" if word == "what" else "empty"
        if place is not None and place[0] == "in" and not things:
            things, place = (place[1],), None  # "테이블 위 비었어?"
        alone = things and word in ("", "what") and not (place or heard.by)
        return Question(kind, things) if alone else None
    if heard.by is not None:
        return Question("values", things, place, heard.by) if word == "what" else None
    if word == "how_many":
        return Question("count", things, place)
    if word == "where" or "where_is" in tails:
        return Question("where", things) if things and place is None else None
    if word == "what":
        return Question("which", things, place)
    if len(things) > 1 and tails == {"be"} and _only_alike(things[-1]):  # "공은 파란색이야?"
        return Question("is", things[:-1], like=things[-1].values)
    if things and tails == {"tell"}:
        return Question("which", things, place)
    if things and tails <= {"exists", "see", "lie", "tell"}:
        return Question("is", things, place, every=heard.every)
    return None


def _only_alike(phrase: Phrase) -> bool:
    """Whether a phrase says what something is like, and not what it is: "파란색"."""
    named = phrase.kind or phrase.name or phrase.order or phrase.relation or phrase.count
    return bool(phrase.values) and not (named or phrase.table)


def _bare(phrase: Phrase) -> bool:
    """Whether a phrase says nothing but how many: "세 개", "거"."""
    told = phrase.kind or phrase.name or phrase.order or phrase.relation or phrase.values
    return not (told or phrase.table or phrase.again or phrase.rest or phrase.index is not None)


class _Questions:
    """Reads a question part by part; each part yields what may be heard with it."""

    def __init__(self, words: Words) -> None:
        self.words = words
        self.of = words.of
        self.phrases = KoreanGrammar(words)
        self.steps = 0

    def rest(self, at: int, heard: _Heard) -> Iterator[_Heard]:
        """Read on to the end of the words; not for ever, where they can be cut in many ways."""
        self.steps += 1
        if self.steps > _MOST_STEPS:
            return
        at = self.phrases.skip(at, "filler", "then")
        if at == len(self.words):
            yield heard
            return
        for more, end in self.part(at, heard):
            yield from self.rest(end, more)

    def part(self, at: int, heard: _Heard) -> Iterator[tuple[_Heard, int]]:
        past = self.phrases.skip(at + 1, "counter", "of", "particle")
        if self.of(at, "holding") and self.of(at + 1, "that") and self.of(at + 2, "thing"):
            held = self.phrases.skip(at + 3, "particle")  # "들고 있는 거"
            yield replace(heard, hand=True), held
        tails = frozenset(tail for tail in _TAILS if self.of(at, tail))
        if tails:
            yield replace(heard, tails=heard.tails | tails), at + 1
        if heard.tails:
            return  # nothing but other endings follows an ending
        for word in ("what", "how_many", "where"):
            if self.of(at, word) and not heard.word:
                yield replace(heard, word=word), past
        if self.of(at, "which") and not heard.word:
            yield from self.which(at + 1, heard)
        if (by := self.of(at, "attribute")) and heard.by is None:
            yield replace(heard, by=cast(Attribute, by)), self.phrases.skip(past, "of", "particle")
        if self.of(at, "hand") and not heard.hand:
            inside = self.phrases.skip(at + 1, "side", "of")
            yield replace(heard, hand=True), self.phrases.skip(inside, "particle", "that")
        if self.of(at, "all"):
            yield replace(heard, every=True), at + 1
        if heard.sorted_by is None:
            sorted_by, end = self.phrases.by(at)
            if sorted_by is not None:
                yield replace(heard, sorted_by=sorted_by), end
        yield from self.noun(at, heard)

    def which(self, at: int, heard: _Heard) -> Iterator[tuple[_Heard, int]]:
        """Read what "어떤" belongs to: things, a place that is asked for, or an attribute."""
        for more, end in self.noun(at, heard):
            if more.place is not heard.place:  # "어느 그릇에 사과가 있어?"
                yield replace(heard, word="where"), end
            else:
                yield replace(more, word="what"), end
        if self.of(at, "attribute"):
            yield replace(heard, word="what"), at

    def has(self, kind: str, at: int, end: int) -> bool:
        """Whether one of the words from `at` up to `end` is of a kind."""
        return any(self.of(place, kind) is not None for place in range(at, end))

    def noun(self, at: int, heard: _Heard) -> Iterator[tuple[_Heard, int]]:
        """Read a phrase: a place with its particle or without, else what the question is about."""
        for phrase, side, role, after in self.phrases.noun(at):
            end = self.phrases.skip(after, "particle")  # "책상 위에는"
            if role == "to" and heard.place is None:
                yield replace(heard, place=(side, phrase)), end
            elif role == "theme" and not (phrase.table and self.has("side", at, end)):
                more = replace(heard, things=(*heard.things, phrase))
                if heard.things and _bare(phrase):  # "큐브가 세 개"
                    last = replace(heard.things[-1], count=phrase.count or heard.things[-1].count)
                    more = replace(heard, things=(*heard.things[:-1], last))
                if self.has("place", at, end):  # "사과의 위치는?"
                    more = replace(more, word="where")
                yield more, self.phrases.skip(end, "of")  # "그릇의 색"
        for draft, after, _ in self.phrases.phrase(at):
            text = self.words.said(at, after)
            beside = self.phrases.skip(after, "of")
            for way in sorted(self.words.all_of(beside, "side")):
                if heard.place is None:  # "책상 위 뭐 있어"
                    place = cast(Side, way), draft.phrase(text)
                    yield replace(heard, place=place), self.phrases.skip(beside + 1, "particle")
