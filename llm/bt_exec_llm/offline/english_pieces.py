"""What stands with an English verb: names with prepositions, numbers, the unknown."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from bt_exec.language.closed import mapping, marks, numbers, phrases, words
from bt_exec_llm.offline.english_phrases import Phrases
from bt_exec_llm.offline.english_words import Token
from bt_exec_llm.offline.piece import Clause, Piece

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
    """Put what stands between `at` and `end` into `clause`."""
    mark, relation, negated, lost_or = "", "", False, False
    excepted, denial = False, ""
    unknown: list[int] = []
    pieces = clause.pieces

    def close() -> None:
        nonlocal unknown
        if unknown:
            start, stop = tokens[unknown[0]].start, tokens[unknown[-1]].end
            said = text[start:stop]
            pieces.append(Piece("unknown", "noun", said, mark, "", start, stop, said))
            unknown = []

    while at < end:
        token = tokens[at]
        word = token.text
        if at not in skip and phrases.filler(tokens, at) > at + 1 and not unknown:
            at = phrases.filler(tokens, at)
            continue
        pointed = at > 0 and phrases.determiner(tokens, at - 1)
        if at in skip:
            close()
            if negated:  # go not on patrol
                clause.whys.append(("NEGATED", text[clause.start : token.end]))
            mark, at, negated = "", at + 1, False
            continue
        if not token.is_word:
            if word not in (",", "'", '"', "“", "”", "(", ")", "-", ":"):
                if word not in ("&", "·", "~"):
                    unknown.append(at)
            elif unknown and word in (",", ":"):
                close()
            if word == "&":
                close()
                mark = "and"
            at += 1
            continue
        if (
            asks
            and word
            in (
                "if",
                "whether",
                "how",
                "what",
                "who",
                "where",
                "is",
                "are",
                "any",
                "anyone",
                "anybody",
            )
            and clause.asked is None
        ):
            clause.asked = Clause()
        phrase: tuple[str, ...] = ()
        for phrase in _NOT:
            if tuple(t.text for t in tokens[at : at + len(phrase)]) == phrase:
                close()
                negated, at = True, at + len(phrase)
                excepted, denial = phrase in _EXCEPT, " ".join(phrase)
                break
        else:
            phrase = ()
        if phrase:
            asked = clause.mood in ("if", "ask") or clause.asked is not None
            if asked and clause.mood == "if":
                clause.positive, negated = not clause.positive, False
            elif asked and phrase in (("not",), ("no",)):
                _deny(clause, tokens, at - 1)
                negated = False
            elif phrase in (("do", "not"), ("never",)):  # no verb stands behind it
                clause.whys.append(("NEGATED", text[token.start : tokens[at - 1].end]))
            continue
        if word == "or" and not asks and not (pieces or unknown):  # this or what?
            clause.whys.append(("UNFINISHED", text[token.start :]))
        way = negated or not clause.positive or _goes_to(pieces)
        if word in _WAYS and way and _place_follows(phrases, tokens, at):
            close()  # to the lounge, (not) through the corridor
            pieces.append(Piece("limit", "MANNER", "", "", "", token.start, token.end, word))
            at, negated = at + 1, False
            continue
        number = _number(tokens, at, end)
        found = phrases.entries(tokens, at)
        if number is not None and (found is None or found[1] <= number[1]):
            close()
            code, size, value = number
            pieces.append(
                Piece(
                    "limit",
                    code,
                    value,
                    mark,
                    "",
                    token.start,
                    tokens[at + size - 1].end,
                    text[token.start : tokens[at + size - 1].end],
                )
            )
            at += size
            continue
        if found is not None:
            entries, size = found
            entries = sorted(entries, key=lambda e: e.kind == "proxy")
            if (
                size == 1
                and word in _MARKS
                and entries[0].kind != "relation"
                and _names_follow(phrases, tokens, at + 1, end)
            ):
                close()
                lost_or = lost_or or mark == "or"
                mark, at = _MARKS[word], at + 1
                continue
            stop = tokens[at + size - 1].end
            said = text[token.start : stop]
            filler = phrases.filler(tokens, at)
            if filler - at > size:
                close()
                at = filler
                continue
            close()
            entry = (
                next((e for e in entries if e.kind == "state"), entries[0]) if asks else entries[0]
            )
            if entry.kind == "relation":
                relation, at = entry.name, at + size
                continue
            kind: Any = "person" if entry.kind == "proxy" else entry.kind
            others = "|".join(
                f"{e.name}={e.value}"
                for e in entries
                if e is not entry and e.kind in ("value", "proxy")
            )
            piece = Piece(
                kind,
                entry.name,
                entry.value,
                "not" if negated else mark,
                others,
                token.start,
                stop,
                said,
                entry.sense,
            )
            if relation and kind == "noun":
                _related(pieces, piece, relation)
            elif relation in ("front", "beside") and not negated:  # outside the lounge
                clause.whys.append(("NOT_TOGETHER", said))
            elif relation and not negated:
                where = "from" if relation == "from_inside" else "at"
                pieces.append(piece.marked(mark if mark == "or" else where))
            else:
                pieces.append(piece)
            perfect = kind == "state" and tokens[at + size - 1].text in _PERFECT
            if perfect and [t.text for t in tokens[at + size : at + size + 1]] == ["not"]:
                clause.whys.append(("CONDITION", said))  # if you have not already
            if kind == "state":
                clause.asked = clause.asked or (Clause() if asks else None)
            relation = ""
            if negated:
                after = _listed_after(phrases, tokens, at + size, end, entry.kind, entry.name)
                negated = after > 0
                if negated and not excepted and tokens[at + size].text == ",":  # A, not B, and C
                    clause.whys.append(("OPERATOR", denial))
            if mark not in ("with", "only"):
                mark = ""
            mark = "" if mark == "only" else mark
            at += size
            continue
        if word == "first" and sum(p.kind == "value" for p in pieces) > 1:
            clause.whys.append(("OPERATOR", word))  # the corridor and the lounge, the lounge first
        if (after := phrases.filler(tokens, at)) > at:
            solid = word in _SOLID and (pointed or _names_follow(phrases, tokens, after, end))
            if solid or (unknown and word in _SOLID):
                unknown.append(at)
                at += 1
                continue
            close()
            at = after
            continue
        if word == "both" and not any(t.text == "and" for t in tokens[at:end]):
            close()
            pieces.append(Piece("limit", "COUNT", "2", "", "", token.start, token.end, token.text))
            at += 1
            continue
        if phrases.determiner(tokens, at):
            last = at + 1 >= end or at + 1 in skip or tokens[at + 1].text in _MARKS
            if word in THIS and last and not asks:  # put that down
                pieces.append(
                    Piece("pronoun", "", "", mark, "", token.start, token.end, token.text)
                )
                mark = ""
            at += 1
            continue
        if (asks or clause.mood in ("ask", "if")) and word in _QUESTION:
            close()
            if word in ("in", "on", "at"):
                mark = "at"
            at += 1
            continue
        if word == "of" and unknown:
            unknown.append(at)
            at += 1
            continue
        if word in _MARKS and at + 1 < end:
            close()
            lost_or = lost_or or mark == "or"
            mark, at = _MARKS[word], at + 1
            continue
        unknown.append(at)
        at += 1
    close()
    if not asks and (lost_or or mark == "or"):  # or what?
        clause.whys.append(("UNFINISHED", text[clause.start :]))
    first = next((p for p in pieces if p.mark == "or"), None)
    if first is not None and not any(_sorted_alike(p, first) for p in pieces if p is not first):
        clause.whys.append(("CHOICE", text[clause.start :]))  # in his office or in the lounge
    if negated:  # nothing stands behind it that could be left out
        clause.whys.append(("NEGATED", text[clause.start :]))
    if relation and tokens:
        pieces.append(
            Piece(
                "noun",
                "",
                "",
                "at",
                f"{relation} ",
                tokens[min(end, len(tokens)) - 1].start,
                tokens[min(end, len(tokens)) - 1].end,
                tokens[min(end, len(tokens)) - 1].text,
            )
        )


def _listed_after(
    phrases: Phrases, tokens: list[Token], at: int, end: int, kind: str, name: str
) -> int:
    """Return where a list of what is left out continues: … and the corridor; 0 if it ends."""
    while at < end and (tokens[at].text in _LISTING or phrases.determiner(tokens, at)):
        at += 1
    found = phrases.entries(tokens, at) if at < end else None
    same = found is not None and any((e.kind, e.name) == (kind, name) for e in found[0])
    return at if same else 0


def _deny(clause: Clause, tokens: list[Token], at: int) -> None:
    """Turn the question of a clause round; *or not* and *isn't it open?* ask for no opposite."""
    before = tokens[at - 1].text if at else ""
    inverted = before in _AUXILIARIES and (at < 2 or not tokens[at - 2].is_word)
    if before == "or" or inverted:
        return
    clause.asked = clause.asked or Clause()
    clause.asked.positive = not clause.asked.positive


def _goes_to(pieces: list[Piece]) -> bool:
    """Return whether it is said already where to, or to whom: a place after it is on the way."""
    return bool(pieces) and pieces[-1].kind in ("value", "person") and pieces[-1].mark == "to"


def _place_follows(phrases: Phrases, tokens: list[Token], at: int) -> bool:
    """Return whether a value is named behind the word at `at`."""
    at += 1
    while at < len(tokens) and phrases.determiner(tokens, at):
        at += 1
    found = phrases.entries(tokens, at)
    return found is not None and any(entry.kind == "value" for entry in found[0])


def _names_follow(phrases: Phrases, tokens: list[Token], at: int, end: int) -> bool:
    """Return whether an article or a name stands here: what is before it belongs to it."""
    if at >= end:
        return False
    found = phrases.entries(tokens, at)
    return phrases.determiner(tokens, at) or (
        found is not None and found[0][0].kind in ("noun", "value")
    )


def _sorted_alike(one: Piece, other: Piece) -> bool:
    """Return True if two pieces can be alternatives of each other."""
    return one.kind == other.kind and (one.name == other.name or one.kind != "value")


def _related(pieces: list[Piece], piece: Piece, relation: str) -> None:
    """Say of the thing before where it is; or that something happens there."""
    name = f"{relation} {piece.name}"
    if pieces and pieces[-1].kind == "noun" and not pieces[-1].relation:
        pieces[-1] = replace(pieces[-1], relation=name, end=piece.end)
    else:
        pieces.append(Piece("noun", "", "", "at", name, piece.start, piece.end, piece.text))


def _number(tokens: list[Token], at: int, end: int) -> tuple[str, int, str] | None:
    """Return what a number here limits, how many words it has, and the number."""
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
