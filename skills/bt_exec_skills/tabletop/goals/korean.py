"""The Korean grammar of the table: chunks with particles, and a verb at the end, often left out.

"빨간 건 빨간 그릇에, 파란 건 파란 그릇에 담아줘" are two clauses; the first goes without its verb.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import cast

from bt_exec_skills.tabletop.goals.model import Ask, Number, Order, Phrase
from bt_exec_skills.tabletop.goals.phrases import Draft, Words, taken_from
from bt_exec_skills.tabletop.names import CONTAINERS, Attribute
from bt_exec_skills.tabletop.robot import Side

__all__ = ["KoreanGrammar", "read_korean"]

_MOST = 24
_IT = Phrase("그것", again=True)
"""What is meant where nothing is said: "사과를 집어서 그릇에 넣어"."""


def read_korean(words: Words) -> list[tuple[Ask, ...]]:
    """Return every way in which the words can be meant; none if there is none."""
    found: list[tuple[Ask, ...]] = []
    for asks in KoreanGrammar(words).sentence(0, ()):
        if asks and asks not in found:
            found.append(asks)
            if len(found) >= _MOST:
                break
    return found


@dataclass(frozen=True)
class _Clause:
    """What was read of a clause so far."""

    themes: tuple[Phrase, ...] = ()
    to: Phrase | None = None
    side: Side = "in"
    by: Attribute | None = None
    me: bool = False
    back: bool = False
    every: bool = False
    but: tuple[Phrase, ...] = ()
    out: Phrase | None = None


class KoreanGrammar:
    """Reads clauses and phrases, from a place on; each yields where it may end."""

    def __init__(self, words: Words) -> None:
        self.words = words

    def sentence(self, at: int, asks: tuple[Ask, ...]) -> Iterator[tuple[Ask, ...]]:
        """Read clauses to the end of the words."""
        at = self.skip(at, "filler", "then", "and")
        if at == len(self.words):
            yield asks
            return
        for ask, end in self.clause(at, at, _Clause()):
            yield from self.sentence(end, (*asks, ask))

    def skip(self, at: int, *kinds: str) -> int:
        """Return what follows words of some kinds."""
        while any(self.words.of(at, kind) is not None for kind in kinds):
            at += 1
        return at

    # -- clauses

    def clause(self, start: int, at: int, had: _Clause) -> Iterator[tuple[Ask, int]]:
        """Read one clause."""
        words = self.words
        at = self.skip(at, "filler")
        verbs = words.all_of(at, "verb")
        while verbs & words.all_of(at + 1, "verb"):  # "집어 들고" is one verb
            at += 1
            verbs &= words.all_of(at, "verb")
        if verbs:
            negative = words.tokens[at].negative
            for ask in self.meant(words.said(start, at + 1), had, verbs, negative=negative):
                yield ask, self.skip(at + 1, "filler")
        if had.back and not verbs and at == len(words):  # "원래 자리로" leaves its verb out
            yield from (
                (ask, at) for ask in self.meant(words.said(start, at), had, verbs, negative=False)
            )
        if (had.themes or had.every or had.but) and had.to is not None:
            joined = self.skip(at, "and", "then")
            if joined > at or at == len(words) or not verbs:
                text = words.said(start, at)
                for ask in self.meant(text, had, frozenset({"move"}), negative=False):
                    yield ask, joined
        if at < len(words):
            for more, after in self.chunk(at, had):
                yield from self.clause(start, after, more)

    def meant(
        self, text: str, had: _Clause, verbs: frozenset[str], *, negative: bool
    ) -> Iterator[Ask]:
        """Yield what a clause asks for."""
        themes = tuple(
            replace(one, number="all" if had.every else one.number, but=(*one.but, *had.but))
            for one in had.themes
        )
        everything = Phrase("", number="all", but=had.but)
        if negative or verbs == {"leave"}:
            if themes:
                to = had.to if had.side == "in" else None
                yield Ask("leave", text, tuple(replace(one, number="all") for one in themes), to)
            return
        to, by = had.to, had.by
        if by is None and to is not None and to.own is not None:
            by, to = to.own, replace(to, own=None)
        if by is not None:
            if verbs & {"sort", "move", "clear"} and had.side == "in":
                yield Ask("sort", text, themes or (everything,), to, "in", by)
            return
        if "out" in verbs and to is None and (themes or had.out is not None):
            yield Ask("out", text, themes or (everything,), had.out)
        if "swap" in verbs and themes and to is None:
            yield Ask("swap", text, themes)
            return
        if "bring" in verbs and themes and to is None:
            yield Ask("bring", text, themes)
            return
        if had.back and to is None:
            yield Ask("put_back", text, themes)
            return
        if "put_down" in verbs and to is None:
            yield Ask("put_down", text, themes)
        if had.me:
            return
        if had.out is not None:
            if verbs & {"move", "pick", "clear"} and to is None and themes:
                yield Ask("out", text, themes, had.out)
            if to is None or not themes:
                return
            themes = tuple(taken_from(one, had.out) for one in themes)
        if to is not None and verbs & {"move", "sort", "clear", "bring"}:
            yield Ask(
                "move",
                text,
                themes or (everything if had.every or had.but else _IT,),
                to,
                had.side,
            )
        elif "clear" in verbs and to is None:
            yield Ask("clear", text, themes or (everything,))
        elif "empty" in verbs and to is None and themes:
            yield Ask("empty", text, themes)
        elif "pick" in verbs and themes and to is None:
            yield Ask("pick", text, themes)
        if "go" in verbs and to is not None and not themes:
            yield Ask("go", text, (to,))

    # -- chunks

    def chunk(self, at: int, had: _Clause) -> Iterator[tuple[_Clause, int]]:
        """Yield the clause with one chunk more, and what follows the chunk."""
        words = self.words
        if words.of(at, "all"):
            yield replace(had, every=True), at + 1
        if words.of(at, "away"):
            yield replace(had, back=True), self.skip(at + 1, "particle")
        if words.of(at, "me"):
            yield replace(had, me=True), self.skip(at + 1, "particle")
        if had.by is None:
            by, end = self.by(at)
            if by is not None:
                yield replace(had, by=by), end
        for phrase, side, role, end in self.noun(at):
            if role == "except":
                listed = had.themes if at and words.of(at - 1, "and") else ()  # "사과랑 컵 빼고"
                out = tuple(replace(one, number="all") for one in (*listed, phrase))
                themes = () if listed else had.themes
                yield replace(had, themes=themes, but=(*had.but, *out)), end
            elif role == "theme" and not (had.to is not None and had.themes):
                yield replace(had, themes=(*had.themes, phrase)), end
            elif role == "to" and had.to is None:
                yield replace(had, to=phrase, side=side), end
            elif role == "out" and had.out is None:
                yield replace(had, out=phrase), end

    def by(self, at: int) -> tuple[Attribute | None, int]:
        """Return the attribute of "색깔별로" or "같은 색끼리"."""
        words = self.words
        at = self.skip(at, "own")
        found = words.of(at, "attribute")
        if found is None:
            return None, at
        past = self.skip(at + 1, "particle") if words.of(at + 1, "particle") == "theme" else at + 1
        if words.of(past, "own") and words.of(past + 1, "thing"):
            past += 2
        if words.of(past, "by"):
            return cast(Attribute, found), self.skip(past + 1, "particle")
        return None, at

    def noun(self, start: int) -> Iterator[tuple[Phrase, Side, str, int]]:
        """Yield a phrase with its role: ``theme``, ``to``, ``out`` or ``except``."""
        words = self.words
        for draft, at, topic in self.phrase(start):
            text = words.said(start, at)
            apart = self.skip(at, "only")
            if words.of(apart, "except"):
                yield draft.phrase(text), "in", "except", apart + 1
                continue
            if words.of(at, "out"):
                yield draft.phrase(text), "in", "out", at + 1
            if words.of(at, "particle") == "to":
                yield draft.phrase(text), "in", "to", at + 1
                continue
            if draft.kind in CONTAINERS and words.of(at, "and") and words.said(at, at + 1) == ",":
                yield draft.phrase(text), "in", "to", at  # "큰 건 큰 그릇, 작은 건 작은 그릇에"
            part = words.of(self.skip(at, "of"), "order")
            if draft.table and part in ("left", "right", "middle"):
                end = self.skip(at, "of") + 1
                end = end + 1 if words.of(end, "side") == "in" else end
                if words.of(end, "particle") == "to":
                    yield replace(draft.phrase(text), part=part), "in", "to", end + 1
            past = at + 1 if words.of(at, "of") else at
            aside = self.skip(past, "filler")  # "바로 옆에"
            past = aside if words.of(aside, "side") else past
            for side in sorted(words.all_of(past, "side")):
                if words.of(past + 1, "particle") == "to":
                    yield draft.phrase(text), cast(Side, side), "to", past + 2
                elif words.of(past + 1, "out"):
                    yield draft.phrase(text), "in", "out", past + 2
            end, default = at, topic
            if draft.table and words.of(end, "side") == "in":  # "테이블 위를"
                end += 1
            if words.of(end, "only"):
                end, default = end + 1, topic
            end = self.place(end)
            if words.of(end, "particle") == "theme":
                if (
                    words.tokens[end].text in ("은", "는")
                    and draft.kind == ""
                    and default == "some"
                ):
                    default = "all"
                end += 1
            yield draft.phrase(text, default), "in", "theme", self.place(self.skip(end, "and"))

    def place(self, at: int) -> int:
        """Return what follows "(의) 자리(를)", which swapping is said with."""
        past = self.skip(at, "of", "filler")
        return self.skip(past + 1, "particle") if self.words.of(past, "place") else at

    def phrase(self, start: int) -> Iterator[tuple[Draft, int, Number]]:
        """Yield a noun with what stands before it, perhaps where it is: "그릇 안에 있는 사과"."""
        words = self.words
        draft, at, topic = self.plain(start)
        if draft.empty:
            return
        yield draft, at, topic
        holder = draft.phrase(words.said(start, at))
        past = at + 1 if words.of(at, "of") else at
        joined = words.of(past + 1, "that") or words.of(past + 1, "of")
        bare = words.of(past, "order") is None and self._before_noun(past + 1)  # "테이블 위 사과"
        ways: list[tuple[Side, int]] = [
            (cast(Side, side), past + 2 if joined else past + 1)
            for side in sorted(words.all_of(past, "side"))
            if joined or bare
        ]
        if draft.table and self._before_noun(at):  # "왼쪽 테이블 물건"
            ways.append(("in", at))
        if words.of(at, "particle") == "theme" and words.of(at + 1, "that"):
            inner, end, default = self.plain(at + 2)  # "쟁반이 있는 테이블"
            if inner.table:
                inner.relation = ("in", holder)
                yield inner, end, default
        if words.of(at, "that"):
            ways.append(("in", at + 1))
        if words.of(at, "apart"):  # "그릇에 없는 사과"
            inner, end, default = self.plain(at + 1)
            if not inner.empty:
                inside = Phrase(holder.text, number="some", relation=("in", holder))
                inner.but = (*inner.but, inside)
                yield inner, end, default
        for side, after in ways:
            inner, end, default = self.plain(after)
            if not inner.empty and inner.relation is None:
                inner.relation = (side, holder)
                yield inner, end, default

    def plain(self, at: int) -> tuple[Draft, int, Number]:
        """Read adjectives, numbers and a noun with what counts it."""
        words, draft = self.words, Draft()
        topic: Number = "one"
        while at < len(words):
            if (value := words.of(at, "table_name")) is not None:
                draft.name, draft.headed, draft.table = value, True, True
                return draft, at + 1, topic
            if (value := words.of(at, "name")) is not None:
                draft.name, draft.headed = value, True
                return draft, at + 1, topic
            if words.of(at, "rest"):
                draft.rest = True
                topical = words.tokens[at].text.endswith(("는", "은", "건"))
                at += 1
                if topical or not (
                    any(words.of(at, kind) for kind in ("noun", "thing", "colour", "table"))
                ):
                    return draft, at, topic
                continue
            if words.of(at, "again") and draft.empty:
                draft.again = True
                return draft, at + 1, topic
            own, after = self._own(at)
            if own is not None:
                draft.own, at = own, after
            elif words.of(at, "both"):
                draft.count, at = 2, at + 1
            elif words.of(at, "all") and self._before_noun(at + 1):
                draft.number, at = "all", at + 1
            elif (value := words.of(at, "number")) is not None and (
                words.of(at + 1, "counter") or self._before_noun(at + 1)
            ):
                draft.count = int(value)
                at = self.skip(at + 1, "counter", "of")
            elif (value := words.of(at, "order")) is not None and (
                not words.of(at, "side") or self._before_noun(at + 1)
            ):
                draft.order, at = cast(Order, value), at + 1
            elif value is not None and words.of(at + 1, "that") and self._before_noun(at + 2):
                draft.order, at = cast(Order, value), at + 2  # "왼쪽에 있는 컵"
            elif (value := words.of(at, "colour")) is not None:
                draft.add("colour", value)
                at += 1
                if words.of(at, "and") and words.of(at + 1, "colour") and self._before_noun(at + 2):
                    at += 1
            elif (value := words.of(at, "size")) is not None:
                draft.add("size", value)
                at += 1
            elif words.of(at, "any"):
                draft.number, at = "any", at + 1
            elif words.of(at, "the") and self._before_noun(at + 1):
                at += 1
            elif (value := words.of(at, "noun")) is not None:
                draft.head(value)
                return self._counted(draft, at + 1, "one")
            elif (value := words.of(at, "thing")) is not None:
                draft.headed = True
                draft.plural |= value == "plural"
                number: Number = "all" if value in ("generic", "plural") else "some"
                return self._counted(draft, at + 1, number)
            elif words.of(at, "table"):
                draft.table, draft.headed, draft.number = True, True, draft.number or "all"
                return draft, self._index(draft, at + 1), topic
            else:
                break
        return self._counted(draft, at, "some")

    def _index(self, draft: Draft, at: int) -> int:
        """Read the number of a name: "큐브 1"."""
        found = self.words.of(at, "index") if draft.headed else None
        if found is None or self._before_noun(at + 1):
            return at
        draft.index = int(found)
        return at + 1

    def _own(self, at: int) -> tuple[Attribute | None, int]:
        """Read "같은 색", "색깔에 맞는" or "색이 같은"."""
        words = self.words
        if words.of(at, "own"):
            found = words.of(at + 1, "attribute")
            past = at + 2 if found else at + 1
            past = self.skip(past, "of")
            if self._before_noun(past):
                return cast(Attribute, found or "colour"), past
        found = words.of(at, "attribute")
        if found is not None:
            past = self.skip(at + 1, "particle")
            if words.of(past, "own") and self._before_noun(past + 1):
                return cast(Attribute, found), past + 1
        return None, at

    def _before_noun(self, at: int) -> bool:
        kinds = ("noun", "thing", "table", "colour", "size", "order", "number", "own", "attribute")
        return any(self.words.of(at, kind) is not None for kind in kinds)

    def _counted(self, draft: Draft, at: int, topic: Number) -> tuple[Draft, int, Number]:
        """Read what counts a noun after it: "두 개", "모두"."""
        words = self.words
        at = self._index(draft, at)
        if words.of(at, "particle") == "plural":
            draft.plural, at = True, at + 1
        if (value := words.of(at, "number")) is not None and (
            words.of(at + 1, "counter") or value == "1"
        ):
            draft.count, at = int(value), self.skip(at + 1, "counter")
        elif words.of(at, "both"):
            draft.count, at = 2, at + 1
        elif words.of(at, "all") and not words.of(at + 1, "verb"):
            draft.number, at = "all", at + 1
        return draft, at, topic
