"""A clause becomes a step: what it is about, what it asks for, what cannot be honoured."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from bt_exec.language.closed import words as words_of
from bt_exec_llm.offline.lexicon import Lexicon
from bt_exec_llm.offline.piece import Clause, Piece
from bt_exec_llm.offline.shapes import attributes
from bt_exec_llm.offline.step import QUESTION, Step
from bt_exec_llm.offline.trouble import Trouble

__all__ = ["MOST_TIMES", "steps_in"]

_ONE = ("1", "하나", "하나만")
MOST_TIMES = 10
"""How often a tree is run at most where it says nothing of that itself."""


def steps_in(
    clause: Clause,
    lexicon: Lexicon,
    text: str,
    language: str,
    described: Collection[tuple[str, str]],
    numbers: Collection[str] = (),
) -> list[Step] | Trouble:
    """Return the step of a clause; several if it asks several things of several places."""
    words = text[clause.start : clause.end] or clause.said
    _wish(clause, lexicon)
    if clause.mood == "said":
        late = next((p for p in clause.pieces if p.kind == "limit" and p.name == "TIME"), None)
        if late is not None:
            return Trouble("TIME", late.text)
        named = [p for p in clause.pieces if p.kind in ("noun", "value")]
        return [Step((), named, start=clause.start, end=clause.end, text=words)]
    finds = {lexicon.verbs[v].finds for v in clause.verbs if v in lexicon.verbs} - {""}
    ranged = any(p.mark == "from" for p in clause.pieces)
    stays = any(lexicon.verbs[v].stays for v in clause.verbs if v in lexicon.verbs)
    if language == "ko":
        ends = any(p.mark == "until" for p in clause.pieces)
        at_it = bool(finds) or stays or QUESTION in clause.verbs  # 복도에서: at, not from
        clause.pieces = [
            p.marked("at")
            if p.mark == "from" and p.kind == "value" and (at_it or (not ends and _first(p, text)))
            else p
            for p in clause.pieces
        ]
    past = [p for p in clause.pieces if p.name in lexicon.past]
    whys = [(c, w) for c, w in clause.whys if not (past and c == "NOT_A_COMMAND")]
    gets = any(lexicon.verbs[v].asked_for for v in clause.verbs if v in lexicon.verbs)
    if gets and clause.mood == "do" and "COUNT" not in numbers:  # 자재 하나만
        clause.pieces = [p for p in clause.pieces if not _is_one(p)]
    clause.pieces = [p for p in clause.pieces if p.kind != "limit" or p.mark != "not"]
    limits = [p for p in clause.pieces if p.kind == "limit" and p.name != "TIMES"]
    texts = [p for p in clause.pieces if p.kind == "text"]
    limits = [p for p in limits if not any(t.start <= p.start < t.end for t in texts)]
    for code in ("TIME", "CONDITION", "COUNT", "MANNER", "CHOICE", "OUT_OF_REACH"):
        for piece in limits:
            name = next(
                (p for p in clause.pieces if p.kind == "unknown" and _beside(p, piece)), None
            )
            if code == piece.name == "COUNT" and name is not None:  # room 203
                start, end = min(name.start, piece.start), max(name.end, piece.end)
                return Trouble("UNKNOWN_OBJECT", text[start:end])
            if code in numbers and piece.name == code and piece.value:
                continue
            if piece.name == code and not (past and code == "TIME"):
                return Trouble(code, _run(limits, piece, text))
    unknown = next((p for p in clause.pieces if p.kind == "unknown" and p.mark != "not"), None)
    if whys:
        code, said = whys[0]
        if (
            code == "UNKNOWN_ACTION"
            and unknown is not None
            and not clause.verbs
            and language == "en"
        ):
            pass
        return Trouble(code, said or words)
    if each := _each_with_its_times(clause):
        several: list[Step] = []
        for one in each:
            own = steps_in(one, lexicon, text, language, described, numbers)
            if isinstance(own, Trouble):
                return own
            several += own
        return several
    if (trouble := _unclear(clause, text)) is not None:
        return trouble
    times = 1
    pieces: list[Piece] = []
    for piece in clause.pieces:
        if piece.kind == "limit" and piece.name == "TIMES":
            times = int(piece.value or 0)
            if not 1 <= times <= MOST_TIMES and "TIMES" not in numbers:
                return Trouble("COUNT", piece.text)
        elif piece.mark == "or":
            asked = clause.asked is not None or clause.mood in ("ask", "if")
            stands = piece.kind == "state" or piece.name in lexicon.listed("joined")
            if stands and clause.mood == "if":  # if it is open or closed
                return Trouble("CONDITION", words)
            if piece.kind == "state" or (asked and piece.name in lexicon.listed("joined")):
                continue
            if clause.mood == "ask" and piece.name in lexicon.listed("each"):
                pieces.append(piece.marked("and"))  # is it dark in the lounge or the corridor?
                continue
            same = [
                p
                for p in clause.pieces
                if p is not piece and p.kind == piece.kind and p.name == piece.name
            ]
            if language == "en" or any(p.start > piece.start for p in same):
                return Trouble("CHOICE", words)
            pieces.append(piece.marked(""))
        elif piece.mark == "until" and not ranged and _is_goal(piece, clause, lexicon, finds):
            pieces.append(piece.marked("to"))
        elif piece.mark == "until" and not ranged and _ends_list(piece, clause, lexicon):
            pieces.append(piece.marked(""))
        elif piece.mark == "until" or piece.mark == "than" or piece.mark == "every":
            return Trouble("CONDITION" if piece.mark != "every" else "TIME", piece.text)
        else:
            pieces.append(piece)
    for piece, after in attributes(pieces):
        listed = piece.name in {*lexicon.lists, *lexicon.people, *lexicon.past}
        if not listed and (piece.name, after.name) not in described:
            return Trouble("UNKNOWN_WORD", piece.text)
    states = [p for p in pieces if p.kind == "state"]
    if language == "en" and len({p.name for p in states}) > 1:  # there is nothing in your hand
        loose = [p for p in states if p.text.casefold() == "there" or p.text.endswith(" see")]
        pieces = [p for p in pieces if p not in loose]
        states = [p for p in pieces if p.kind == "state"]
    if len(states) > 1 and len([p for p in pieces if p.kind == "noun"]) < 2:
        pieces = [p for p in pieces if p.kind != "state" or p is states[0]]
    verbs = tuple(dict.fromkeys(clause.verbs))
    via = ""
    content = [
        p
        for p in pieces
        if p.kind in ("value", "state", "noun", "unknown", "person") and p.mark != "not"
    ]
    if clause.mood in ("ask", "if", "else") or QUESTION in verbs:
        verbs, via = (QUESTION,), "ask"
    elif clause.asked is not None and finds:
        via = "tell" if "tell" in finds else "look"
        verbs = (QUESTION,)
    elif (
        "tell" in finds
        and any(p.kind == "value" and p.name in {*lexicon.lists, *lexicon.past} for p in content)
        and not texts
        and unknown is None
    ):
        via, verbs = "tell", (QUESTION, *verbs)
    if via == "tell" and QUESTION in verbs and clause.asked is None:
        sums = [v for v in clause.verbs if v in lexicon.verbs and lexicon.verbs[v].sums]
        known = {*lexicon.listed("joined"), *lexicon.past}
        if sums and sums == list(clause.verbs) and not any(p.name in known for p in content):
            return Trouble("NOT_TOGETHER", words)  # 라운지 정리해
    people = [
        p for p in pieces if p.kind == "value" and p.name in lexicon.people and p.mark == "to"
    ]
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
    if via == "tell" and people:  # tell the professor how many …: find out, then tell
        found = replace(
            step, pieces=[p for p in pieces if p not in people], via="look", verbs=(QUESTION,)
        )
        told = replace(step, verbs=tuple(v for v in clause.verbs), pieces=people, via="")
        return [*_split(found, lexicon), told]
    return _split(step, lexicon) if QUESTION in step.verbs else [step]


def _each_with_its_times(clause: Clause) -> list[Clause]:
    """Return a clause for each of several values with a number: the lounge twice, the hall once."""
    said = [p for p in clause.pieces if (p.kind, p.name) == ("limit", "TIMES")]
    values = [p for p in clause.pieces if p.kind == "value"]
    placed = sorted([*said, *values], key=lambda p: p.start)
    pairs = list(zip(placed[::2], placed[1::2], strict=False))
    alike = len({value.name for value, _ in pairs}) == 1 and len(pairs) == len(said) > 1
    if not alike or len(values) != len(said) or any(p.kind != "value" for p, _ in pairs):
        return []
    rest = [p for p in clause.pieces if p not in placed]
    return [replace(clause, pieces=[*pair, *rest]) for pair in pairs]


def _unclear(clause: Clause, text: str) -> Trouble | None:
    """Return why numbers within a list, or a tool that a pronoun names, cannot be followed."""
    times = [p for p in clause.pieces if p.kind == "limit" and p.name == "TIMES"]
    values = [p.start for p in clause.pieces if p.kind == "value"]
    for one in times:  # the lounge twice and the corridor once
        if len({p.value for p in times}) > 1 or min(values, default=0) < one.start < max(
            values, default=0
        ):
            return Trouble("COUNT", one.text)
    tool = next((p for p in clause.pieces if p.kind == "pronoun" and p.mark == "with"), None)
    if tool is not None:  # if your left hand is empty, open the door with it
        return Trouble("NO_REFERENT", text[tool.start : tool.end])
    return None


def _first(piece: Piece, text: str) -> bool:
    """Return whether a piece is only said to come first: 휴게실부터 들러."""
    return text.startswith(words_of("ko", "beginning_with"), piece.end)


def _is_one(piece: Piece) -> bool:
    """Return whether a piece says no more than *one*."""
    return piece.kind == "limit" and piece.name == "COUNT" and (piece.value or piece.text) in _ONE


def _wish(clause: Clause, lexicon: Lexicon) -> None:
    """Read a state that is wished for as the verb that leaves it: I need the door closed."""
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
    """Return whether *up to* says where to: 라운지까지 가."""
    same = [p for p in clause.pieces if p.kind == "value" and p.name == piece.name]
    goes = clause.mood == "do" and bool(clause.verbs) and not finds
    return goes and same == [piece] and piece.name in lexicon.listed("each")


def _ends_list(piece: Piece, clause: Clause, lexicon: Lexicon) -> bool:
    """Return whether *up to* means *and also*: 라운지, 복도 그리고 휴게실까지."""
    same = [p for p in clause.pieces if p.kind == "value" and p.name == piece.name]
    listed = piece.kind == "value" and piece.name in lexicon.listed("each")
    return listed and len(same) > 1


def _beside(one: Piece, other: Piece) -> bool:
    """Return whether two pieces stand side by side."""
    return 0 <= one.start - other.end <= 1 or 0 <= other.start - one.end <= 1


def _run(limits: list[Piece], piece: Piece, text: str) -> str:
    start, end = piece.start, piece.end
    for other in limits:
        if other.start >= end and other.start <= end + 2:
            end = other.end
    return text[start:end]


def _split(step: Step, lexicon: Lexicon) -> list[Step]:
    """Return a question about several places as one for each, where each has its own aspect."""
    each, joined = lexicon.listed("each"), lexicon.listed("joined")
    states = {p.name for p in step.pieces if p.kind == "state"}
    nouns = {p.name for p in step.pieces if p.kind == "noun"}
    if len(states) > 1 and len(nouns) > 1:  # is the door open and the material visible
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
