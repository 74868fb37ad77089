"""Parser of the pieces around an English verb: names, prepositions, numbers, unknown words."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from bt_exec.language.closed import mapping, marks, numbers, phrases, words
from bt_exec_llm.offline.english_phrases import Phrases, phrase_starts_at
from bt_exec_llm.offline.english_words import Token
from bt_exec_llm.offline.piece import Clause, Piece
from bt_exec_llm.offline.vocabulary import Entry

__all__ = ["THIS", "add_pieces"]

_MARKS = marks("en")
_QUESTION = frozenset(words("en", "loose_in_questions"))
_NOT = phrases("en", "negations")
_EXCEPT = phrases("en", "exceptions")
_NUMBERS = numbers("en")
_SOLID = frozenset(words("en", "fillers_that_may_be_names"))
_WAYS = frozenset(words("en", "ways"))
_LISTING = frozenset(["and", "or", "nor", ",", "&", "in", "at", "to"])
_PERFECT = frozenset(words("en", "perfect"))
_AUXILIARIES = frozenset([*words("en", "be"), *words("en", "auxiliaries")])
_UNITS = frozenset(words("en", "units_of_time"))
_SECONDS = mapping("en", "seconds_of_units")
_SIGNS = frozenset(",'\"“”()-:·~")
_BEGINS_ASKED = frozenset(words("en", "beginning_what_is_asked"))
_PLAIN_NOT = (("not",), ("no",))
_BEFORE_VERBS = (("do", "not"), ("never",))
THIS = frozenset(["this", "that", "these", "those"])


def add_pieces(
    phrases: Phrases,
    text: str,
    tokens: list[Token],
    at: int,
    end: int,
    clause: Clause,
    *,
    skip: frozenset[int],
    asks: bool,
) -> None:
    """Add the pieces between `at` and `end` to `clause`."""
    _Pieces(phrases, text, tokens, end, clause, skip, asks).parse_from(at)


class _Pieces:
    """Adds pieces to a clause, from left to right.

    Each method returns the end of the piece it parsed, or None if there is none at that place.
    """

    def __init__(
        self,
        phrases: Phrases,
        text: str,
        tokens: list[Token],
        end: int,
        clause: Clause,
        skip: frozenset[int],
        asks: bool,
    ) -> None:
        self._phrases = phrases
        self._text = text
        self._tokens = tokens
        self._end = end
        self._clause = clause
        self._skip = skip
        self._asks = asks
        self._mark = self._relation = self._denial = ""
        self._negated = self._excepted = self._lost_or = False
        self._unknown: list[int] = []

    def parse_from(self, at: int) -> None:
        """Parse everything from `at` on."""
        ways = (
            self._skip_long_filler,
            self._skip_excluded_token,
            self._parse_sign,
            self._parse_negation,
            self._parse_manner,
            self._parse_number,
            self._parse_name,
            self._parse_filler,
            self._parse_both,
            self._parse_determiner,
            self._parse_question_word,
            self._parse_joining_word,
        )
        while at < self._end:
            after = next((end for way in ways if (end := way(at)) is not None), None)
            if after is None:
                self._unknown.append(at)
            at = at + 1 if after is None else after
        self._check_unfinished()

    def _add_unknown_words(self) -> None:
        """Add the pending unknown words as one piece."""
        if self._unknown:
            first, last = self._tokens[self._unknown[0]], self._tokens[self._unknown[-1]]
            said = self._text[first.start : last.end]
            self._append_piece(
                Piece("unknown", "noun", said, self._mark, "", first.start, last.end, said)
            )
            self._unknown = []

    def _append_piece(self, piece: Piece) -> None:
        self._clause.pieces.append(piece)

    def _add_problem(self, code: str, words: str) -> None:
        self._clause.whys.append((code, words))

    def _skip_long_filler(self, at: int) -> int | None:
        after = self._phrases.end_of_fillers(self._tokens, at)
        return after if at not in self._skip and after > at + 1 and not self._unknown else None

    def _skip_excluded_token(self, at: int) -> int | None:
        if at not in self._skip:
            return None
        self._add_unknown_words()
        if self._negated:  # e.g. go not on patrol
            self._add_problem("NEGATED", self._text[self._clause.start : self._tokens[at].end])
        self._mark, self._negated = "", False
        return at + 1

    def _parse_sign(self, at: int) -> int | None:
        sign = self._tokens[at]
        if sign.is_word:
            return None
        if sign.text == "&":
            self._add_unknown_words()
            self._mark = "and"
        elif sign.text not in _SIGNS:
            self._unknown.append(at)
        elif self._unknown and sign.text in (",", ":"):
            self._add_unknown_words()
        return at + 1

    def _parse_negation(self, at: int) -> int | None:
        clause, word = self._clause, self._tokens[at].text
        if self._asks and word in _BEGINS_ASKED:
            clause.asked = clause.asked or Clause()
        phrase = next((one for one in _NOT if phrase_starts_at(self._tokens, at, one)), None)
        if phrase is None:
            if word == "or" and not self._asks and not (clause.pieces or self._unknown):
                self._add_problem(
                    "UNFINISHED", self._text[self._tokens[at].start :]
                )  # e.g. this or what?
            return None
        self._add_unknown_words()
        end = at + len(phrase)
        self._negated, self._excepted = True, phrase in _EXCEPT
        self._denial = " ".join(phrase)
        if clause.mood == "if":
            clause.positive, self._negated = not clause.positive, False
        elif (clause.mood == "ask" or clause.asked is not None) and phrase in _PLAIN_NOT:
            _negate_question(clause, self._tokens, end - 1)
            self._negated = False
        elif phrase in _BEFORE_VERBS:  # no verb follows
            self._add_problem(
                "NEGATED", self._text[self._tokens[at].start : self._tokens[end - 1].end]
            )
        return end

    def _parse_manner(self, at: int) -> int | None:
        denied = self._negated or not self._clause.positive or _has_destination(self._clause.pieces)
        token = self._tokens[at]
        if token.text not in _WAYS or not denied:
            return None
        if not _is_followed_by_place(self._phrases, self._tokens, at):
            return None
        self._add_unknown_words()  # e.g. to the lounge, (not) through the corridor
        self._append_piece(Piece("limit", "MANNER", "", "", "", token.start, token.end, token.text))
        self._negated = False
        return at + 1

    def _parse_number(self, at: int) -> int | None:
        number = _read_number(self._tokens, at, self._end)
        found = self._phrases.find_entries(self._tokens, at)
        if number is None or (found is not None and found[1] > number[1]):
            return None
        self._add_unknown_words()
        code, size, value = number
        start, stop = self._tokens[at].start, self._tokens[at + size - 1].end
        said = self._text[start:stop]
        self._append_piece(Piece("limit", code, value, self._mark, "", start, stop, said))
        return at + size

    def _parse_name(self, at: int) -> int | None:
        found = self._phrases.find_entries(self._tokens, at)
        if found is None:
            return None
        entries, size = sorted(found[0], key=lambda e: e.kind == "proxy"), found[1]
        joins = size == 1 and self._tokens[at].text in _MARKS and entries[0].kind != "relation"
        if joins and _is_followed_by_name(self._phrases, self._tokens, at + 1, self._end):
            return self._parse_conjunction(at)
        after = self._phrases.end_of_fillers(self._tokens, at)
        self._add_unknown_words()
        if after - at > size:
            return after
        states = (e for e in entries if e.kind == "state" and self._asks)
        entry = next(states, entries[0])
        if entry.kind == "relation":
            self._relation = entry.name
        else:
            self._add_entry(entry, entries, at, size)
        return at + size

    def _add_entry(self, entry: Entry, entries: list[Entry], at: int, size: int) -> None:
        """Add a piece for a lexicon entry, with its other meanings."""
        start, last = self._tokens[at].start, self._tokens[at + size - 1]
        said = self._text[start : last.end]
        kind: Any = "person" if entry.kind == "proxy" else entry.kind
        others = [e for e in entries if e is not entry and e.kind in ("value", "proxy")]
        relation = "|".join(f"{e.name}={e.value}" for e in others)
        mark = "not" if self._negated else self._mark
        self._add_with_place(
            Piece(kind, entry.name, entry.value, mark, relation, start, last.end, said, entry.sense)
        )
        after = [t.text for t in self._tokens[at + size : at + size + 1]]
        if kind == "state":
            if last.text in _PERFECT and after == ["not"]:
                self._add_problem("CONDITION", said)  # e.g. if you have not already
            self._clause.asked = self._clause.asked or (Clause() if self._asks else None)
        self._relation = ""
        if self._negated:
            place = at + size
            listed = _end_of_exceptions(
                self._phrases, self._tokens, place, self._end, entry.kind, entry.name
            )
            self._negated = listed > 0
            if self._negated and not self._excepted and after == [","]:  # e.g. A, not B, and C
                self._add_problem("OPERATOR", self._denial)
        if self._mark != "with":
            self._mark = ""

    def _add_with_place(self, piece: Piece) -> None:
        """Add a piece with the place that precedes it ("inside the door")."""
        if self._relation and piece.kind == "noun":
            _attach_place(self._clause.pieces, piece, self._relation)
        elif self._relation in ("front", "beside") and not self._negated:  # e.g. outside the lounge
            self._add_problem("NOT_TOGETHER", piece.text)
        elif self._relation and not self._negated:
            where = "from" if self._relation == "from_inside" else "at"
            self._append_piece(piece.with_mark("or" if self._mark == "or" else where))
        else:
            self._append_piece(piece)

    def _parse_filler(self, at: int) -> int | None:
        word = self._tokens[at].text
        if word == "first" and sum(p.kind == "value" for p in self._clause.pieces) > 1:
            self._add_problem(
                "OPERATOR", word
            )  # e.g. the corridor and the lounge, the lounge first
        after = self._phrases.end_of_fillers(self._tokens, at)
        if after == at:
            return None
        if word in _SOLID:
            pointed = at > 0 and self._phrases.starts_with_determiner(self._tokens, at - 1)
            named = _is_followed_by_name(self._phrases, self._tokens, after, self._end)
            if pointed or named or self._unknown:
                self._unknown.append(at)
                return at + 1
        self._add_unknown_words()
        return after

    def _parse_both(self, at: int) -> int | None:
        token = self._tokens[at]
        if token.text != "both" or any(t.text == "and" for t in self._tokens[at : self._end]):
            return None
        self._add_unknown_words()
        self._append_piece(Piece("limit", "COUNT", "2", "", "", token.start, token.end, token.text))
        return at + 1

    def _parse_determiner(self, at: int) -> int | None:
        token, after = self._tokens[at], at + 1
        if not self._phrases.starts_with_determiner(self._tokens, at):
            return None
        last = after >= self._end or after in self._skip or self._tokens[after].text in _MARKS
        if token.text in THIS and last and not self._asks:  # e.g. put that down
            piece = Piece("pronoun", "", "", self._mark, "", token.start, token.end, token.text)
            self._append_piece(piece)
            self._mark = ""
        return after

    def _parse_question_word(self, at: int) -> int | None:
        word = self._tokens[at].text
        if word not in _QUESTION or not (self._asks or self._clause.mood in ("ask", "if")):
            return None
        self._add_unknown_words()
        if word in ("in", "on", "at"):
            self._mark = "at"
        return at + 1

    def _parse_joining_word(self, at: int) -> int | None:
        word = self._tokens[at].text
        if word == "of" and self._unknown:
            return None
        return self._parse_conjunction(at) if word in _MARKS and at + 1 < self._end else None

    def _parse_conjunction(self, at: int) -> int:
        """Parse a preposition or "and"."""
        self._add_unknown_words()
        self._lost_or = self._lost_or or self._mark == "or"
        self._mark = _MARKS[self._tokens[at].text]
        return at + 1

    def _check_unfinished(self) -> None:
        self._add_unknown_words()
        pieces, rest = self._clause.pieces, self._text[self._clause.start :]
        if not self._asks and (self._lost_or or self._mark == "or"):  # e.g. or what?
            self._add_problem("UNFINISHED", rest)
        first = next((p for p in pieces if p.mark == "or"), None)
        if first is not None and not any(
            _are_alternatives(p, first) for p in pieces if p is not first
        ):
            self._add_problem("CHOICE", rest)  # e.g. in his office or in the lounge
        if self._negated:  # nothing follows that could be excluded
            self._add_problem("NEGATED", rest)
        if self._relation and self._tokens:
            last = self._tokens[min(self._end, len(self._tokens)) - 1]
            where = f"{self._relation} "
            self._append_piece(Piece("noun", "", "", "at", where, last.start, last.end, last.text))


def _end_of_exceptions(
    phrases: Phrases, tokens: list[Token], at: int, end: int, kind: str, name: str
) -> int:
    """Return the end of a continued list of exceptions ("… and the corridor"); 0 if it ends."""
    while at < end and (tokens[at].text in _LISTING or phrases.starts_with_determiner(tokens, at)):
        at += 1
    found = phrases.find_entries(tokens, at) if at < end else None
    same = found is not None and any((e.kind, e.name) == (kind, name) for e in found[0])
    return at if same else 0


def _negate_question(clause: Clause, tokens: list[Token], at: int) -> None:
    """Negate the question of a clause; "or not" and "isn't it open?" do not negate it."""
    before = tokens[at - 1].text if at else ""
    inverted = before in _AUXILIARIES and (at < 2 or not tokens[at - 2].is_word)
    if before == "or" or inverted:
        return
    clause.asked = clause.asked or Clause()
    clause.asked.positive = not clause.asked.positive


def _has_destination(pieces: list[Piece]) -> bool:
    """Return True if the clause already has a destination or addressee."""
    return bool(pieces) and pieces[-1].kind in ("value", "person") and pieces[-1].mark == "to"


def _is_followed_by_place(phrases: Phrases, tokens: list[Token], at: int) -> bool:
    """Return True if a value follows the word at `at`."""
    at += 1
    while at < len(tokens) and phrases.starts_with_determiner(tokens, at):
        at += 1
    found = phrases.find_entries(tokens, at)
    return found is not None and any(entry.kind == "value" for entry in found[0])


def _is_followed_by_name(phrases: Phrases, tokens: list[Token], at: int, end: int) -> bool:
    """Return True if an article or a name follows, to which the preceding word belongs."""
    if at >= end:
        return False
    found = phrases.find_entries(tokens, at)
    return phrases.starts_with_determiner(tokens, at) or (
        found is not None and found[0][0].kind in ("noun", "value")
    )


def _are_alternatives(one: Piece, other: Piece) -> bool:
    """Return True if two pieces can be alternatives of each other."""
    return one.kind == other.kind and (one.name == other.name or one.kind != "value")


def _attach_place(pieces: list[Piece], piece: Piece, relation: str) -> None:
    """Attach a place to the preceding object, or to the clause."""
    name = f"{relation} {piece.name}"
    if pieces and pieces[-1].kind == "noun" and not pieces[-1].relation:
        pieces[-1] = replace(pieces[-1], relation=name, end=piece.end)
    else:
        pieces.append(Piece("noun", "", "", "at", name, piece.start, piece.end, piece.text))


def _read_number(tokens: list[Token], at: int, end: int) -> tuple[str, int, str] | None:
    """Return what a number limits, its length in words, and its value."""
    word = tokens[at].text
    digits = "".join(char for char in word if char in "0123456789")
    number = _NUMBERS.get(word, int(digits[:6]) if digits and word[0] in digits else None)
    if number is None:
        return None
    if word in ("once", "twice", "thrice"):
        return "TIMES", 1, str(number)
    nxt = tokens[at + 1].text if at + 1 < end else ""
    if nxt == "times" or nxt == "time":
        return "TIMES", 2, str(number)
    if nxt in _UNITS or word.endswith(("am", "pm")):
        lasts = nxt in _SECONDS and at > 0 and tokens[at - 1].text == "for"
        value = f"{number * _SECONDS[nxt]}s" if lasts else ""
        return "TIME", 2 if nxt in _UNITS else 1, value
    return "COUNT", 1, str(number)
