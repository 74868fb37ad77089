"""Conversion of a clause to steps: objects, verbs and limits that cannot be met."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace

from bt_exec.language.closed import words as words_of
from bt_exec_llm.offline.lexicon import Lexicon, Verb
from bt_exec_llm.offline.piece import Clause, Piece
from bt_exec_llm.offline.shapes import find_noun_attributes
from bt_exec_llm.offline.step import QUESTION, Step
from bt_exec_llm.offline.trouble import Trouble

__all__ = ["MOST_TIMES", "convert_clause"]

_ONE = ("1", *words_of("ko", "just_one"))
_LIMITS = ("TIME", "CONDITION", "COUNT", "MANNER", "CHOICE", "OUT_OF_REACH")
_CONTENT = ("value", "state", "noun", "unknown", "person")
MOST_TIMES = 10
"""Largest repetition count of a tree that does not declare its own."""


def convert_clause(
    clause: Clause,
    lexicon: Lexicon,
    text: str,
    language: str,
    described: Collection[tuple[str, str]],
    numbers: Collection[str] = (),
) -> list[Step] | Trouble:
    """Return the steps of a clause; several if it asks different questions about several places."""
    try:
        return _Steps(lexicon, text, language, described, numbers).convert_clause(clause)
    except _RefusedError as refused:
        return refused.trouble


class _RefusedError(Exception):
    """Raised for a clause that cannot be followed."""

    def __init__(self, code: str, words: str) -> None:
        super().__init__(code)
        self.trouble = Trouble(code, words)


@dataclass(frozen=True)
class _Steps:
    """Converts the clauses of one text to steps; see `convert_clause`."""

    lexicon: Lexicon
    text: str
    language: str
    described: Collection[tuple[str, str]]
    numbers: Collection[str]

    def convert_clause(self, clause: Clause) -> list[Step]:
        """Return the steps of a clause.

        Raises:
            _RefusedError: If it cannot be followed.
        """
        words = self.text[clause.start : clause.end] or clause.said
        _verb_of_desired_state(clause, self.lexicon)
        if clause.mood == "said":
            return [_build_remark_step(clause, words)]
        verbs = [self.lexicon.verbs[v] for v in clause.verbs if v in self.lexicon.verbs]
        finds = {verb.finds for verb in verbs} - {""}
        clause.pieces = self._attach_places(clause, verbs)
        past = any(p.name in self.lexicon.past for p in clause.pieces)
        whys = [(c, w) for c, w in clause.whys if not (past and c == "NOT_A_COMMAND")]
        self._check_limits(clause, past)
        for code, said in whys:
            raise _RefusedError(code, said or words)
        if each := _split_by_repetitions(clause):
            return [step for one in each for step in self.convert_clause(one)]
        _check_numbers(clause, self.text)
        times = self._repetition_count(clause)
        pieces = self._with_one_state(self._resolve_marks(clause, finds, words))
        return self._build_steps(clause, pieces, finds, times, words)

    def _attach_places(self, clause: Clause, verbs: list[Verb]) -> list[Piece]:
        """Return the pieces of a clause without fillers, with places attached to their objects."""
        found = [p for p in clause.pieces if p.kind != "limit" or p.mark != "not"]
        gets = any(verb.asked_for for verb in verbs)
        if gets and clause.mood == "do" and "COUNT" not in self.numbers:  # e.g. 자재 하나만
            found = [p for p in found if not _means_one(p)]
        if self.language != "ko":
            return found
        if any(p.mark == "until" for p in found):
            return found
        at_it = QUESTION in clause.verbs or any(v.finds or v.stays for v in verbs)  # 복도에서
        return [
            p.with_mark("at")
            if p.mark == "from" and p.kind == "value" and (at_it or _is_marked_first(p, self.text))
            else p
            for p in found
        ]

    def _check_limits(self, clause: Clause, past: bool) -> None:
        """Refuse a clause with a number, time or manner that no tree accepts."""
        texts = [p for p in clause.pieces if p.kind == "text"]
        limits = [p for p in clause.pieces if p.kind == "limit" and p.name != "TIMES"]
        limits = [p for p in limits if not any(t.start <= p.start < t.end for t in texts)]
        for code in _LIMITS:
            for piece in (p for p in limits if p.name == code):
                name = next((p for p in clause.pieces if _precedes_number(p, piece)), None)
                if code == "COUNT" and name is not None:  # e.g. room 203
                    start, end = min(name.start, piece.start), max(name.end, piece.end)
                    raise _RefusedError("UNKNOWN_OBJECT", self.text[start:end])
                if not (past and code == "TIME") and not (code in self.numbers and piece.value):
                    raise _RefusedError(code, _limit_text(limits, piece, self.text))

    def _repetition_count(self, clause: Clause) -> int:
        """Return the repetition count of a clause."""
        times = 1
        for piece in clause.pieces:
            if (piece.kind, piece.name) == ("limit", "TIMES"):
                times = int(piece.value or 0)
                if not 1 <= times <= MOST_TIMES and "TIMES" not in self.numbers:
                    raise _RefusedError("COUNT", piece.text)
        return times

    def _resolve_marks(self, clause: Clause, finds: Collection[str], words: str) -> list[Piece]:
        """Return the pieces of a clause with their resolved marks."""
        pieces: list[Piece] = []
        for piece in clause.pieces:
            if (piece.kind, piece.name) == ("limit", "TIMES"):
                continue
            if piece.mark == "or":
                pieces += self._pieces_of_alternative(piece, clause, words)
            elif piece.mark in ("until", "than", "every"):
                pieces.append(self._resolve_until_particle(piece, clause, finds))
            else:
                pieces.append(piece)
        for piece, after in find_noun_attributes(pieces):
            listed = {*self.lexicon.lists, *self.lexicon.people, *self.lexicon.past}
            if piece.name not in listed and (piece.name, after.name) not in self.described:
                raise _RefusedError("UNKNOWN_WORD", piece.text)
        return pieces

    def _pieces_of_alternative(self, piece: Piece, clause: Clause, words: str) -> list[Piece]:
        """Return the pieces for an alternative ("A or B"); in a question both are observed."""
        joined = piece.name in self.lexicon.list_types("joined")
        if clause.mood == "if" and (joined or piece.kind == "state"):  # if it is open or closed
            raise _RefusedError("CONDITION", words)
        asked = clause.asked is not None or clause.mood in ("ask", "if")
        if piece.kind == "state" or (asked and joined):
            return []
        if clause.mood == "ask" and piece.name in self.lexicon.list_types("each"):
            return [piece.with_mark("and")]  # e.g. is it dark in the lounge or the corridor?
        after = (p for p in clause.pieces if (p.kind, p.name) == (piece.kind, piece.name))
        if self.language == "en" or any(p.start > piece.start for p in after):
            raise _RefusedError("CHOICE", words)
        return [piece.with_mark("")]

    def _resolve_until_particle(
        self, piece: Piece, clause: Clause, finds: Collection[str]
    ) -> Piece:
        """Resolve the particle 까지 ("up to"): a destination, or the end of a list."""
        if piece.mark == "until" and not any(p.mark == "from" for p in clause.pieces):
            if _is_goal(piece, clause, self.lexicon, finds):
                return piece.with_mark("to")
            if _ends_list(piece, clause, self.lexicon):
                return piece.with_mark("")
        raise _RefusedError("TIME" if piece.mark == "every" else "CONDITION", piece.text)

    def _with_one_state(self, pieces: list[Piece]) -> list[Piece]:
        """Return pieces with a single state, unless several objects are named."""
        states = [p for p in pieces if p.kind == "state"]
        if self.language == "en" and len({p.name for p in states}) > 1:
            states = [
                p for p in states if not _states_presence(p)
            ]  # e.g. there is nothing in your hand
        several = len([p for p in pieces if p.kind == "noun"]) > 1
        kept = states if several else states[:1]
        return [p for p in pieces if p.kind != "state" or p in kept]

    def _verbs_and_question_mode(
        self, clause: Clause, pieces: list[Piece], finds: Collection[str], words: str
    ) -> tuple[tuple[str, ...], str]:
        """Return the verbs of a step, and how a question is asked."""
        verbs = tuple(dict.fromkeys(clause.verbs))
        if clause.mood in ("ask", "if", "else") or QUESTION in verbs:
            return (QUESTION,), "ask"
        if clause.asked is not None and finds:
            return (QUESTION,), "tell" if "tell" in finds else "look"
        content = {p.name for p in pieces if p.kind in _CONTENT and p.mark != "not"}
        values = {p.name for p in pieces if p.kind == "value" and p.mark != "not"}
        free = any(p.kind == "text" or (p.kind == "unknown" and p.mark != "not") for p in pieces)
        if "tell" not in finds or free or not values & {*self.lexicon.lists, *self.lexicon.past}:
            return verbs, ""
        sums = all(v in self.lexicon.verbs and self.lexicon.verbs[v].sums for v in verbs)
        if sums and not content & {*self.lexicon.list_types("joined"), *self.lexicon.past}:
            raise _RefusedError("NOT_TOGETHER", words)  # e.g. 라운지 정리해
        return (QUESTION, *verbs), "tell"

    def _build_steps(
        self, clause: Clause, pieces: list[Piece], finds: Collection[str], times: int, words: str
    ) -> list[Step]:
        verbs, via = self._verbs_and_question_mode(clause, pieces, finds, words)
        step = Step(
            verbs,
            pieces,
            via,
            positive=clause.positive or clause.mood in ("ask", "if"),
            times=times,
            keeps=clause.keeps,
            pronoun=any(p.kind == "pronoun" for p in pieces),
            contrast=clause.contrast or clause.joined in ("but", "stop"),
            told=clause.nominal,
            joined=clause.joined,
            start=clause.start,
            end=clause.end,
            text=words,
        )
        people = [p for p in pieces if p.kind == "value" and p.mark == "to"]
        people = [p for p in people if p.name in self.lexicon.people]
        if via == "tell" and people:  # e.g. tell the professor how many …: find out first
            rest = [p for p in pieces if p not in people]
            found = replace(step, pieces=rest, via="look", verbs=(QUESTION,))
            told = replace(step, verbs=tuple(clause.verbs), pieces=people, via="")
            return [*_split_question_by_place(found, self.lexicon), told]
        return _split_question_by_place(step, self.lexicon) if QUESTION in step.verbs else [step]


def _build_remark_step(clause: Clause, words: str) -> Step:
    """Return the step of a remark, which names objects and does nothing."""
    for piece in clause.pieces:
        if (piece.kind, piece.name) == ("limit", "TIME"):
            raise _RefusedError("TIME", piece.text)
    named = [p for p in clause.pieces if p.kind in ("noun", "value")]
    return Step((), named, start=clause.start, end=clause.end, text=words)


def _states_presence(piece: Piece) -> bool:
    """Return True if a clause says only that something is present ("there is", "you see")."""
    return piece.text.casefold() == "there" or piece.text.endswith(" see")


def _split_by_repetitions(clause: Clause) -> list[Clause]:
    """Split a clause by values with separate numbers ("the lounge twice, the hall once")."""
    said = [p for p in clause.pieces if (p.kind, p.name) == ("limit", "TIMES")]
    values = [p for p in clause.pieces if p.kind == "value"]
    placed = sorted([*said, *values], key=lambda p: p.start)
    pairs = list(zip(placed[::2], placed[1::2], strict=False))
    alike = len({value.name for value, _ in pairs}) == 1 and len(pairs) == len(said) > 1
    if not alike or len(values) != len(said) or any(p.kind != "value" for p, _ in pairs):
        return []
    rest = [p for p in clause.pieces if p not in placed]
    return [replace(clause, pieces=[*pair, *rest]) for pair in pairs]


def _check_numbers(clause: Clause, text: str) -> None:
    """Refuse numbers within a list, and tools that are named by a pronoun."""
    times = [p for p in clause.pieces if p.kind == "limit" and p.name == "TIMES"]
    values = [p.start for p in clause.pieces if p.kind == "value"]
    first, last = min(values, default=0), max(values, default=0)
    for one in times:  # e.g. the lounge twice and the corridor
        if len({p.value for p in times}) > 1 or first < one.start < last:
            raise _RefusedError("COUNT", one.text)
    tool = next((p for p in clause.pieces if p.kind == "pronoun" and p.mark == "with"), None)
    if tool is not None:  # e.g. if your left hand is empty, open the door with it
        raise _RefusedError("NO_REFERENT", text[tool.start : tool.end])


def _is_marked_first(piece: Piece, text: str) -> bool:
    """Return True if a particle marks a piece as first (휴게실부터 들러)."""
    return text.startswith(words_of("ko", "beginning_with"), piece.end)


def _means_one(piece: Piece) -> bool:
    """Return True if a piece means only "one"."""
    return piece.kind == "limit" and piece.name == "COUNT" and (piece.value or piece.text) in _ONE


def _verb_of_desired_state(clause: Clause, lexicon: Lexicon) -> None:
    """Interpret a desired state as the verb that leads to it ("I need the door closed")."""
    wishes = {v for v in clause.verbs if v in lexicon.verbs and lexicon.verbs[v].wishes}
    if not wishes:
        return
    states = {p.name for p in clause.pieces if p.kind == "state"}
    results = tuple(name for name, verb in lexicon.verbs.items() if verb.result in states)
    denied = any(p.kind == "state" and p.mark == "not" for p in clause.pieces)
    if denied or (clause.asked is not None and not clause.asked.positive):  # … that it is not open
        clause.whys.append(("NEGATED", clause.said))
    elif results and clause.positive:
        clause.verbs, clause.asked = results, None
        clause.pieces = [p for p in clause.pieces if p.kind != "state"]
    elif wishes != set(clause.verbs):
        clause.verbs = tuple(v for v in clause.verbs if v not in wishes)
    else:
        clause.whys.append(("NOT_A_COMMAND", clause.said))


def _is_goal(piece: Piece, clause: Clause, lexicon: Lexicon, finds: Collection[str]) -> bool:
    """Return True if 까지 marks a destination (라운지까지 가)."""
    same = [p for p in clause.pieces if p.kind == "value" and p.name == piece.name]
    goes = clause.mood == "do" and bool(clause.verbs) and not finds
    return goes and same == [piece] and piece.name in lexicon.list_types("each")


def _ends_list(piece: Piece, clause: Clause, lexicon: Lexicon) -> bool:
    """Return True if 까지 ends a list (라운지, 복도 그리고 휴게실까지)."""
    same = [p for p in clause.pieces if p.kind == "value" and p.name == piece.name]
    listed = piece.kind == "value" and piece.name in lexicon.list_types("each")
    return listed and len(same) > 1


def _precedes_number(piece: Piece, number: Piece) -> bool:
    """Return True if an unknown word precedes a number, as in "room 203"."""
    apart = (piece.start - number.end, number.start - piece.end)
    return piece.kind == "unknown" and any(0 <= gap <= 1 for gap in apart)


def _limit_text(limits: list[Piece], piece: Piece, text: str) -> str:
    start, end = piece.start, piece.end
    for other in limits:
        if other.start >= end and other.start <= end + 2:
            end = other.end
    return text[start:end]


def _split_question_by_place(step: Step, lexicon: Lexicon) -> list[Step]:
    """Split a question about several places if each place has its own aspect."""
    each, joined = lexicon.list_types("each"), lexicon.list_types("joined")
    states = {p.name for p in step.pieces if p.kind == "state"}
    nouns = {p.name for p in step.pieces if p.kind == "noun"}
    if len(states) > 1 and len(nouns) > 1:  # e.g. is the door open and the material visible
        each, joined = frozenset(nouns), frozenset(states)
    kinds = ("noun", "state") if each == nouns else ("value",)
    places = [p for p in step.pieces if p.kind in kinds and p.name in each]
    aspects = [p for p in step.pieces if p.kind in kinds and p.name in joined]
    if len(places) < 2 or len(aspects) < 2:
        return [step]
    placed = sorted((p for p in step.pieces if p in places or p in aspects), key=lambda p: p.start)
    rest = [p for p in step.pieces if p not in placed]
    leads, follows = (each, joined) if placed[0].name in each else (joined, each)
    groups: list[list[Piece]] = []
    for piece in placed:
        if groups and not (piece.name in leads and any(p.name in follows for p in groups[-1])):
            groups[-1].append(piece)
        else:
            groups.append([piece])
    if len(groups) < 2 or any(len({p.name for p in group}) < 2 for group in groups):
        return [step]
    return [replace(step, pieces=[*group, *rest]) for group in groups]
