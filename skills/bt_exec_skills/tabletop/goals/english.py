"""The English grammar of the table: words into asks, every way they can be meant.

A clause is a verb with its phrases; a clause without a verb goes on with the one before: "put the
red ones in the red bowl and the blue ones in the blue bowl". "The cup on the plate" may say which
cup or where to put it: both readings are given, the objects that are there decide.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import cast

from bt_exec_skills.tabletop.goals.model import Ask, Order, Phrase, Verb
from bt_exec_skills.tabletop.goals.phrases import Draft, Words, taken_from
from bt_exec_skills.tabletop.names import Attribute
from bt_exec_skills.tabletop.robot import Side

__all__ = ["EnglishGrammar", "read_english"]

_MOST = 24


def read_english(words: Words) -> list[tuple[Ask, ...]]:
    """Return every way in which the words can be meant; none if there is none."""
    found: list[tuple[Ask, ...]] = []
    for asks, end in EnglishGrammar(words).sentence(0, ()):
        if end == len(words) and asks and asks not in found:
            found.append(asks)
            if len(found) >= _MOST:
                break
    return found


class EnglishGrammar:
    """Reads clauses and phrases, from a place on; each yields where it may end."""

    def __init__(self, words: Words) -> None:
        self.words = words

    def sentence(self, at: int, asks: tuple[Ask, ...]) -> Iterator[tuple[tuple[Ask, ...], int]]:
        """Read clauses to the end of the words."""
        at = self.skip(at, "filler", "then")
        if at == len(self.words):
            yield asks, at
            return
        for ask, end in self.clause(at):
            after = self.skip(end, "filler")
            if after == len(self.words):
                yield (*asks, ask), after
            elif self.words.of(after, "and") or self.words.of(after, "then"):
                yield from self.sentence(self.skip(after, "and", "then", "filler"), (*asks, ask))

    def skip(self, at: int, *kinds: str) -> int:
        """Return what follows words of some kinds."""
        while any(self.words.of(at, kind) is not None for kind in kinds):
            at += 1
        return at

    # -- clauses

    def clause(self, start: int) -> Iterator[tuple[Ask, int]]:
        """Read one clause."""
        words, at = self.words, start
        if words.of(at, "not"):
            if words.of(at + 1, "verb"):
                for themes, end in self.things(at + 2):
                    yield Ask("leave", words.said(start, end), themes), end
                    for to, far in self.to(end):
                        yield Ask("leave", words.said(start, far), themes, to), far
            return
        verbs = words.all_of(at, "verb")
        if not verbs or words.of(at, "order"):
            yield from self.put(start, at)
        if not verbs:
            return
        kept = words.tokens[at].text.startswith("leave")
        at = self.skip(at + 1, "filler")
        if kept:
            for themes, end in self.things(at):
                end = self.skip(end, "filler")
                yield Ask("leave", words.said(start, end), themes), end
        if "swap" in verbs:
            yield from self.swap(start, at)
        if "sort" in verbs:
            yield from self.sort(start, at)
        if "bring" in verbs:
            yield from self.bring(start, at)
        if verbs & {"move", "sort", "bring", "pick"}:
            yield from self.put(start, at)
        yield from self.put_away(start, at, verbs)
        if "out" in verbs or "clear" in verbs:
            yield from self.out(start, at)
        if "clear" in verbs:
            yield from self.clear(start, at, "clear")
        if "empty" in verbs:
            yield from self.clear(start, at, "empty")
        if "pick" in verbs and "bring" not in verbs:
            yield from self.hand_over(start, at)
        for verb in ("pick", "go"):
            if verb in verbs:
                for themes, end in self.things(at):
                    end = self.skip(end, "filler")
                    yield (
                        Ask("pick" if verb == "pick" else "go", words.said(start, end), themes),
                        end,
                    )

    def swap(self, start: int, at: int) -> Iterator[tuple[Ask, int]]:
        """Read "swap the cup and the apple"."""
        at = self.skip(at, "the", "place", "of")
        for themes, end in self.things(at, joiner="with"):
            for far in {end, self.skip(end, "filler", "the", "place")}:
                yield Ask("swap", self.words.said(start, far), themes), far

    def sort(self, start: int, at: int) -> Iterator[tuple[Ask, int]]:
        """Sort things by an attribute, perhaps into containers of a kind."""
        words = self.words
        themes: tuple[Phrase, ...]
        for themes, after in [((), at), *self.things(at)]:
            after = self.skip(after, "filler")
            for to, far in [(None, after), *self.to(after)]:
                by, end = self.by(far)
                if by is None:
                    continue
                yield Ask("sort", words.said(start, end), themes, to, "in", by), end
                if to is None:
                    for last, end_to in self.to(end):
                        yield Ask("sort", words.said(start, end_to), themes, last, "in", by), end_to

    def by(self, at: int) -> tuple[Attribute | None, int]:
        """Return the attribute of "by colour" and what follows it."""
        words = self.words
        if words.of(at, "by") or words.of(at, "match"):
            at = self.skip(at + 1, "own", "the")
            found = words.of(at, "attribute")
            if found is not None:
                return cast(Attribute, found), at + 1
        return None, at

    def bring(self, start: int, at: int) -> Iterator[tuple[Ask, int]]:
        """Read "bring me the cup"."""
        at = self.skip(at, "me")
        for themes, end in self.things(at):
            end = self.skip(end, "me", "filler")
            yield Ask("bring", self.words.said(start, end), themes), end

    def hand_over(self, start: int, at: int) -> Iterator[tuple[Ask, int]]:
        """Read "grab the cup for me": what is picked for somebody is brought."""
        for themes, end in self.things(at):
            if self.words.of(end, "me") and self.words.tokens[end].text not in ("over", "here"):
                end = self.skip(end, "me", "filler")
                yield Ask("bring", self.words.said(start, end), themes), end

    def put(self, start: int, at: int) -> Iterator[tuple[Ask, int]]:
        """Put things somewhere; with "the bowl of its colour" this is sorting."""
        words = self.words
        if words.of(at, "all") and (by := words.of(at + 1, "attribute")):
            for (side, to), end in self.places(at + 2):
                if side == "in" and to.own is not None:  # "each shape on its own plate"
                    text = words.said(start, end)
                    yield (
                        Ask("sort", text, (), replace(to, own=None), "in", cast(Attribute, by)),
                        end,
                    )
        for themes, after in self.things(at):
            after = self.skip(after, "filler", "goes")
            yield from self.put_there(start, after, themes)
            if words.of(after, "out"):
                for away, past in self.thing(after + 1):
                    if away.relation is None:  # "the cup from the bowl to the plate"
                        inside = tuple(taken_from(one, away) for one in themes)
                        yield from self.put_there(start, past, inside)

    def put_away(self, start: int, at: int, verbs: frozenset[str]) -> Iterator[tuple[Ask, int]]:
        """Read "put it down", "let go of the cup", "put the cup back where it was"."""
        words = self.words
        readings: list[tuple[tuple[Phrase, ...], int]] = [((), at), *self.things(at)]
        for themes, after in readings:
            how = verbs & {"put_down", "put_back"}
            if "move" in verbs:
                how |= words.all_of(after, "away")
                after += bool(words.all_of(after, "away"))
            end = self.skip(after, "filler")
            for verb in sorted(how):
                yield Ask(cast(Verb, verb), words.said(start, end), themes), end

    def put_there(
        self, start: int, at: int, themes: tuple[Phrase, ...]
    ) -> Iterator[tuple[Ask, int]]:
        """Read where some things go."""
        for (side, to), end in self.places(at):
            text = self.words.said(start, end)
            if to.own is not None:
                yield Ask("sort", text, themes, replace(to, own=None), "in", to.own), end
            elif to.but and to.number != "any":  # "everything in the basket except the cup"
                less = tuple(replace(one, but=(*one.but, *to.but)) for one in themes)
                yield Ask("move", text, less, replace(to, but=()), side), end
            else:
                yield Ask("move", text, themes, to, side), end

    def out(self, start: int, at: int) -> Iterator[tuple[Ask, int]]:
        """Take things out of a container, or off a table."""
        words = self.words
        for themes, after in self.things(at):
            after = self.skip(after, "filler")
            if words.of(after, "out"):
                for away, end in self.thing(after + 1):
                    yield Ask("out", words.said(start, end), themes, away), end

    def clear(self, start: int, at: int, verb: Verb) -> Iterator[tuple[Ask, int]]:
        """Read "clear the table", perhaps into what."""
        words = self.words
        if verb == "clear":
            yield Ask(verb, words.said(start, at), ()), at
        for themes, after in self.things(at):
            after = self.skip(after, "filler")
            yield Ask(verb, words.said(start, after), themes), after
            for to, end in self.to(after):
                yield Ask("clear", words.said(start, end), themes, to), end

    def to(self, at: int) -> Iterator[tuple[Phrase, int]]:
        """Yield containers that things go into."""
        for (side, to), end in self.places(at):
            if side == "in" and to.own is None:
                yield to, end

    def places(self, at: int) -> Iterator[tuple[tuple[Side, Phrase], int]]:
        """Read a side, and what it is a side of."""
        if (part := self.words.of(at, "part")) is not None:
            for to, end in self.thing(at + 1):
                if to.table:
                    yield ("in", replace(to, part=part)), end
        for side in sorted(self.words.all_of(at, "side")):
            for to, end in self.thing(at + 1):
                yield (cast(Side, side), to), end

    # -- phrases

    def things(self, at: int, joiner: str = "and") -> Iterator[tuple[tuple[Phrase, ...], int]]:
        """Yield one phrase or several: "the apple and the cup"."""
        for first, after in self.thing(at):
            yield (first,), after
            if self.words.of(after, "and") or self.words.of(after, joiner):
                for rest, end in self.things(self.skip(after, "and", joiner), joiner):
                    if not first.kind and not first.name and rest[0].kind and first.values:
                        yield (replace(first, kind=rest[0].kind), *rest), end
                    else:
                        yield (first, *rest), end

    def thing(self, start: int) -> Iterator[tuple[Phrase, int]]:
        """Yield a phrase, without and with what says where the thing is."""
        draft, at = self.plain(start)
        if draft.empty:
            return
        words = self.words
        if not draft.values:  # "every cube that is red", "everything red"
            end = self.adjectives(draft, at + 1 if words.of(at, "that") else at)
            at = end if draft.values else at
        if words.of(at, "match") or (words.of(at, "of") and words.of(at + 1, "own")):
            past = self.skip(at, "match", "of", "own")
            own = words.of(past, "attribute")
            if own is None:
                return
            draft.own, at = cast(Attribute, own), past + 1
        if words.of(at, "apart"):
            for apart, end in self.not_so(at + 1):
                yield replace(draft.phrase(words.said(start, end)), but=(apart,)), end
            return
        for but, after in self.excluded(at):
            draft.but = but
            yield draft.phrase(words.said(start, after)), after
        draft.but = ()
        past = at + 1 if words.of(at, "that") else at
        if draft.table and words.of(at, "with"):  # "the table with the tray"
            for holder, after in self.thing(at + 1):
                draft.relation = ("in", holder)
                yield draft.phrase(words.said(start, after)), after
        if words.of(past, "side") == "in" and words.tokens[past].text.endswith("to"):
            return  # "to", "into", "onto" say where it goes, not which it is
        for relation, after in self.places(past):
            if relation[1].own is None and not (draft.table and relation[0] == "in"):
                draft.relation = relation
                yield draft.phrase(words.said(start, after)), after

    def not_so(self, at: int) -> Iterator[tuple[Phrase, int]]:
        """Yield what is left out by "that is not red" or "that are not in a bowl"."""
        draft = Draft()
        end = self.adjectives(draft, at)
        if draft.values:
            yield replace(draft.phrase(self.words.said(at, end)), number="some"), end
        for (side, place), after in self.places(at):
            text = self.words.said(at, after)
            yield Phrase(text, number="some", relation=(side, place)), after

    def excluded(self, at: int) -> Iterator[tuple[tuple[Phrase, ...], int]]:
        """Read "except the cup"; nothing, if it is not said."""
        yield (), at
        comma = self.skip(at, "and")
        if self.words.of(comma, "except"):
            for but, end in self.things(self.skip(comma, "except")):
                yield (
                    tuple(replace(one, number="all") if not one.count else one for one in but),
                    end,
                )

    def plain(self, at: int) -> tuple[Draft, int]:
        """Read articles, numbers, adjectives and a noun."""
        words, draft = self.words, Draft()
        while at < len(words):
            if (value := words.of(at, "rest")) is not None:
                draft.rest = True
                draft.number = "any" if words.of(at, "any") else draft.number
            elif (value := words.of(at, "table_name")) is not None:
                draft.name, draft.headed, draft.table = value, True, True
                return draft, at + 1
            elif (value := words.of(at, "name")) is not None:
                draft.name, draft.headed = value, True
                return draft, at + 1
            elif words.of(at, "both"):
                draft.count = 2
            elif words.of(at, "all") and not (draft.values or draft.headed):
                draft.number = "all"
            elif (value := words.of(at, "number")) is not None and not draft.count:
                if words.of(at, "thing") and draft.values:
                    draft.headed = True
                    return draft, at + 1
                draft.count = int(value)
            elif words.of(at, "again") and draft.empty:
                draft.again = True
                return draft, at + 1
            elif words.of(at, "any"):
                draft.number = "any"
            elif words.of(at, "own") and not draft.headed and not words.of(at, "order"):
                draft.own = cast(Attribute, words.of(at + 1, "attribute") or "colour")
                at += bool(words.of(at + 1, "attribute"))
            elif (value := words.of(at, "order")) is not None:
                draft.order = cast(Order, value)
            elif (value := words.of(at, "colour")) is not None:
                draft.add("colour", value)
                draft.plural |= words.tokens[at].plural
            elif (value := words.of(at, "size")) is not None:
                draft.add("size", value)
            elif words.of(at, "and") and self._adjective_follows(draft, at):
                pass
            elif (value := words.of(at, "noun")) is not None:
                draft.head(value)
                draft.plural |= words.tokens[at].plural
                return draft, self._index(draft, at + 1)
            elif words.of(at, "thing") is not None:
                draft.headed = True
                draft.plural |= words.tokens[at].plural
                return draft, self._index(draft, at + 1)
            elif words.of(at, "table"):
                draft.table, draft.headed, draft.number = True, True, draft.number or "all"
                return draft, self._index(draft, at + 1)
            elif not (words.of(at, "the") or words.of(at, "only") or words.of(at, "of")):
                break
            at += 1
        return draft, at

    def _index(self, draft: Draft, at: int) -> int:
        """Read the number of a name: "cube 1"."""
        found = self.words.of(at, "index")
        if found is None or any(self.words.of(at + 1, kind) for kind in ("noun", "thing")):
            return at
        draft.index = int(found)
        return at + 1

    def adjectives(self, draft: Draft, at: int) -> int:
        """Read colours and sizes into a draft; return what follows them."""
        words = self.words
        kinds: tuple[Attribute, ...] = ("colour", "size")
        while True:
            found = next((kind for kind in kinds if words.of(at, kind) is not None), None)
            if found is None:
                return at
            draft.add(found, words.of(at, found) or "")
            at += 1
            if words.of(at, "and") and self._adjective_follows(draft, at):
                at += 1

    def _adjective_follows(self, draft: Draft, at: int) -> bool:
        """Whether "and" joins two adjectives of one noun: "the red and blue cubes"."""
        words = self.words
        kinds: tuple[Attribute, ...] = ("colour", "size")
        return any(draft.values.get(kind) and words.of(at + 1, kind) is not None for kind in kinds)
