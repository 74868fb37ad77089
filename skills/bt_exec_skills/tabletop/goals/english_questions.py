"""The English grammar of questions about the table; phrases are those of commands."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import cast

from bt_exec_skills.tabletop.goals.english import EnglishGrammar
from bt_exec_skills.tabletop.goals.model import Phrase
from bt_exec_skills.tabletop.goals.phrases import Draft, Words
from bt_exec_skills.tabletop.goals.question import Place, Question
from bt_exec_skills.tabletop.names import Attribute

__all__ = ["read_english_questions"]

_Found = Iterator[tuple[Question, int]]


def read_english_questions(words: Words) -> list[Question]:
    """Return every question that the words may be; none if they are none."""
    grammar = _Questions(words)
    start = grammar.skip(0)
    found = grammar.question(start)
    return [question for question, end in found if grammar.skip(end, "then", "me") == len(words)]


def _all_of_them(phrase: Phrase) -> bool:
    """Whether "is it so" means all of them: "are the cubes …", and not "is anything …"."""
    return phrase.number == "all" and not phrase.text.startswith("any")


class _Questions:
    """Reads one question; each part yields what may follow it."""

    def __init__(self, words: Words) -> None:
        self.words = words
        self.of = words.of
        self.phrases = EnglishGrammar(words)

    def skip(self, at: int, *kinds: str) -> int:
        return self.phrases.skip(at, "filler", *kinds)

    def question(self, at: int) -> _Found:
        counted = self.phrases.skip(at, "the")
        if self.of(counted, "how_many"):
            yield from self.how_many(counted + 1)
        if self.of(at, "what"):
            yield from self.what(at + 1)
        if self.of(at, "that") and self.words.tokens[at].text.startswith("which"):
            yield from self.what_is(at + 1)  # "which is" is one word of commands
        if self.of(at, "tell"):
            yield from self.question(self.skip(at + 1))
            for things, end in self.phrases.things(at + 1):
                yield Question("which", things), end
        if self.of(at, "side") == "in" and self.of(at + 1, "what"):  # "on which table is the cup"
            for _, after in self.phrases.things(at + 2):
                if self.of(after, "be"):
                    for things, end in self.phrases.things(after + 1):
                        yield Question("where", things), end
        asked = self.skip(at + 1)  # "where exactly is"
        if self.of(at, "where") and (self.of(asked, "be") or self.of(asked, "see")):
            for things, end in self.phrases.things(asked + 1):
                yield Question("where", things), self.skip(end, "there")
        if self.of(at, "where"):  # "tell me where the apple is"
            for things, end in self.phrases.things(at + 1):
                if self.of(end, "be"):
                    yield Question("where", things), end + 1
        if self.of(at, "be"):
            yield from self.is_it(at + 1)
        if self.of(at, "see"):
            yield from self.there(at + 1)
        if self.of(at, "do"):
            yield from self.does_it(at + 1)
        if self.words.text.rstrip().endswith("?"):
            yield from self.there(at)  # "any apples in the bowl?"

    def there(self, at: int) -> _Found:
        """Read things that may be there, and perhaps where."""
        for things, after in self.phrases.things(at):
            if self.of(after, "side") == "in" and (end := self.hand(after + 1)):
                yield Question("held", things), end
            for place, end in self.place(self.skip(after, "there", "that")):
                yield Question("is", things, place), end

    def place(self, at: int) -> Iterator[tuple[Place | None, int]]:
        yield None, at
        yield from self.phrases.places(at)

    def how_many(self, at: int) -> _Found:
        anything = (Phrase(number="all"),)
        for things, after in [(anything, at), *self.phrases.things(at)]:
            if self.of(after, "there") and self.of(after + 1, "be"):  # "tell me how many there are"
                for place, end in self.place(after + 2):
                    yield Question("count", things, place), end
            be = bool(self.of(after, "be") or self.of(after, "see"))
            if things is anything and not be:
                continue
            rest = self.skip(after + be, "there", "that")
            for place, end in self.place(rest):
                yield Question("count", things, place), end
            for values, end in self.adjectives(rest) if be else ():
                alike = tuple(replace(one, values={**one.values, **values}) for one in things)
                yield Question("count", alike), end

    def has(self, kind: str, at: int, end: int) -> bool:
        """Whether one of the words from `at` up to `end` is of a kind."""
        return any(self.of(place, kind) is not None for place in range(at, end))

    def adjective(self, at: int) -> bool:
        return bool(self.of(at, "colour") or self.of(at, "size"))

    def adjectives(self, at: int) -> Iterator[tuple[dict[Attribute, tuple[str, ...]], int]]:
        draft = Draft()
        end = self.phrases.adjectives(draft, at)
        if draft.values:
            yield draft.values, end

    def what(self, at: int) -> _Found:
        by = self.of(at, "attribute")
        if by is not None:
            yield from self.values(cast(Attribute, by), self.skip(at + 1, "of"))
        if self.of(at, "be"):
            yield from self.what_is(at + 1)
        if self.of(at, "see"):
            if self.of(at + 1, "side") == "in" and (end := self.hand(at + 2)):
                yield Question("held"), end
            for place, end in self.place(at + 1):
                yield Question("which", (), place), end
        if self.of(at, "do"):
            if self.of(at + 1, "you") and self.of(at + 2, "holding"):
                yield Question("held"), at + 3
            for (holder, *more), end in self.phrases.things(at + 1):
                if not more and self.of(end, "contain"):
                    yield Question("which", (), ("in", holder)), end + 1
        for things, after in self.phrases.things(at):
            if self.of(after, "see"):
                for place, end in self.place(after + 1):
                    yield Question("which", things, place), end
            elif self.of(after, "be"):
                yield from self.which(things, after + 1)

    def which(self, things: tuple[Phrase, ...], at: int) -> _Found:
        """Read what follows "which cubes are" or "which bowl is"."""
        if self.of(at, "empty"):
            yield Question("empties", things), at + 1
        for place, end in self.place(self.skip(at, "there", "that")):
            yield Question("which", things, place), end
        for values, end in self.adjectives(at):
            alike = tuple(replace(one, values={**one.values, **values}) for one in things)
            yield Question("which", alike), end
        if self.of(at, "you") and self.of(at + 1, "holding"):
            yield Question("held", things), at + 2
        for inside, after in self.phrases.things(at):
            if self.of(after, "side") == "in":  # "which bowl is the apple in"
                yield Question("where", inside), after + 1

    def what_is(self, at: int) -> _Found:
        if self.of(at, "you") and self.of(at + 1, "holding"):
            yield Question("held"), at + 2
        if self.of(at, "side") == "in" and (end := self.hand(at + 1)):
            yield Question("held"), end
        for place, end in self.place(self.skip(at, "there", "that")):
            yield Question("which", (), place), end
        named = self.phrases.skip(at, "the")
        if self.of(named, "how_many"):  # "what is the number of cubes"
            yield from self.how_many(named + 1)
        if (by := self.of(named, "attribute")) is not None and self.of(named + 1, "of"):
            for things, end in self.phrases.things(named + 2):
                yield Question("values", things, by=cast(Attribute, by)), end
        for things, after in self.phrases.things(at):
            if self.of(after, "side") == "in":  # "what is the apple in"
                yield Question("where", things), after + 1
            if any(
                one.order and one.text.startswith("the ") for one in things
            ):  # "the biggest cube"
                yield Question("which", things), after

    def values(self, by: Attribute, at: int) -> _Found:
        """Read what follows "what colour": "is the cup", "bowls are there", "are there"."""
        if self.of(at, "see"):
            for place, end in self.place(at + 1):
                yield Question("values", (), place, by), end
        if self.of(at, "be"):
            if self.of(at + 1, "there"):
                for place, end in self.place(at + 2):
                    yield Question("values", (), place, by), end
            for things, end in self.phrases.things(at + 1):
                yield Question("values", things, by=by), end
        for things, after in self.phrases.things(at):
            if self.of(after, "be"):
                for place, end in self.place(self.skip(after + 1, "there")):
                    yield Question("values", things, place, by), end

    def hand(self, at: int) -> int:
        """Return what follows "your hand"; 0 if that is not said."""
        named = self.phrases.skip(at, "the")
        return named + 1 if self.of(named, "hand") else 0

    def is_it(self, at: int) -> _Found:
        if self.of(at, "there"):
            yield from self.there(at + 1)
        if self.of(at, "you") and self.of(at + 1, "holding"):
            yield Question("held"), at + 2
            for things, end in self.phrases.things(at + 2):
                yield Question("held", things), end
        if (end := self.hand(at)) and self.of(self.skip(end), "empty"):
            yield Question("empty"), self.skip(end) + 1
        for things, after in self.phrases.things(at):
            past = self.skip(after, "all", "there")
            if self.of(past, "sorted"):
                by, end = self.phrases.by(past + 1)
                yield Question("sorted", things, by=by), end
            if self.of(past, "empty"):
                yield Question("empty", things), past + 1
            if self.has("there", after, past):  # "is it there"
                yield Question("is", things), past
            every = self.has("all", after, past) or any(map(_all_of_them, things))
            if self.of(past, "side") == "in" and (end := self.hand(past + 1)):
                yield Question("held", things), end
            for place, end in self.phrases.places(past):
                yield Question("is", things, place, every=every), end
            like, noun = things[0].values, things[0].kind
            if noun and like and len(things) == 1 and self.adjective(after - 1):  # "the cup red"
                plain = (replace(things[0], values={}),)
                yield Question("is", plain, like=like, every=every), after
            for values, end in self.adjectives(past):
                yield Question("is", things, like=values, every=every), end

    def does_it(self, at: int) -> _Found:
        if self.of(at, "you") and self.of(at + 1, "holding"):
            for things, end in self.phrases.things(at + 2):
                yield Question("held", things), end
        for (holder, *more), after in self.phrases.things(at):
            if not more and self.of(after, "contain"):
                for things, end in self.phrases.things(after + 1):
                    yield Question("is", things, ("in", holder)), end
