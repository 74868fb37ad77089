"""The Korean grammar of questions about the table: parts in any order, what is asked at the end."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import cast

from bt_exec_skills.tabletop.goals.korean import KoreanGrammar
from bt_exec_skills.tabletop.goals.model import Phrase
from bt_exec_skills.tabletop.goals.phrases import Words
from bt_exec_skills.tabletop.goals.question import Place, Question
from bt_exec_skills.tabletop.names import Attribute
from bt_exec_skills.tabletop.robot import Side

__all__ = ["read_korean_questions"]

_TAILS = ("exists", "be", "see", "lie", "holding", "empty", "sorted", "where_is")
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
    if not tails and not (asked and (things or word or heard.by)):
        return None
    if "holding" in tails or heard.hand:
        if heard.hand and "empty" in tails:
            return Question("empty")
        plain = word in ("", "what") and place is None and heard.by is None
        return Question("held", things) if plain and (things or word) else None
    if "sorted" in tails:
        return Question("sorted", by=heard.sorted_by) if not (word or place) else None
    if "empty" in tails:
        alone = things and not (word or place or heard.by)
        return Question("empty", things) if alone else None
    if heard.by is not None:
        asking = word in ("what", "which")
        return Question("values", things, place, heard.by) if asking else None
    if word == "how_many":
        return Question("count", things, place)
    if word == "where" or "where_is" in tails:
        return Question("where", things) if things and place is None else None
    if word == "which" and place is not None and things and place[0] == "in":
        return Question("where", things)  # "어느 그릇에 사과가 있어?"
    if word in ("what", "which"):
        return Question("which", things, place)
    if things and tails <= {"exists", "see", "lie"}:
        return Question("is", things, place, every=heard.every)
    return None


class _Questions:
    """Reads a question part by part; each part yields what may be heard with it."""

    def __init__(self, words: Words) -> None:
        self.words = words
        self.of = words.of
        self.phrases = KoreanGrammar(words)

    def rest(self, at: int, heard: _Heard) -> Iterator[_Heard]:
        at = self.phrases.skip(at, "filler", "then")
        if at == len(self.words):
            yield heard
            return
        for more, end in self.part(at, heard):
            yield from self.rest(end, more)

    def part(self, at: int, heard: _Heard) -> Iterator[tuple[_Heard, int]]:
        past = self.phrases.skip(at + 1, "counter", "of", "particle")
        tails = frozenset(tail for tail in _TAILS if self.of(at, tail))
        if tails:
            yield replace(heard, tails=heard.tails | tails), at + 1
        if heard.tails:
            return  # nothing but other endings follows an ending
        for word in ("what", "how_many", "where"):
            if self.of(at, word) and not heard.word:
                yield replace(heard, word=word), past
        if self.of(at, "which") and not heard.word:
            yield replace(heard, word="which"), at + 1
        if (by := self.of(at, "attribute")) and heard.by is None:
            yield replace(heard, by=cast(Attribute, by)), self.phrases.skip(past, "of", "particle")
        if self.of(at, "hand") and not heard.hand:
            inside = self.phrases.skip(at + 1, "side", "of")
            yield replace(heard, hand=True), self.phrases.skip(inside, "particle")
        if self.of(at, "all"):
            yield replace(heard, every=True), at + 1
        if heard.sorted_by is None:
            sorted_by, end = self.phrases.by(at)
            if sorted_by is not None:
                yield replace(heard, sorted_by=sorted_by), end
        yield from self.noun(at, heard)

    def noun(self, at: int, heard: _Heard) -> Iterator[tuple[_Heard, int]]:
        """Read a phrase: a place with its particle or without, else what the question is about."""
        for phrase, side, role, after in self.phrases.noun(at):
            end = self.phrases.skip(after, "particle")  # "책상 위에는"
            if role == "to" and heard.place is None:
                yield replace(heard, place=(side, phrase)), end
            elif role == "theme":
                of = self.phrases.skip(end, "of")  # "그릇의 색", "큐브의 개수"
                yield replace(heard, things=(*heard.things, phrase)), of
        for draft, after, _ in self.phrases.phrase(at):
            text = self.words.said(at, after)
            beside = self.phrases.skip(after, "of")
            for side in sorted(self.words.all_of(beside, "side")):
                if heard.place is None:  # "책상 위 뭐 있어"
                    place = cast(Side, side), draft.phrase(text)
                    yield replace(heard, place=place), self.phrases.skip(beside + 1, "particle")
