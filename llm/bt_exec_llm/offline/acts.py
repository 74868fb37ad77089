"""Meaning of a command from its bound steps, and the use of each of its words."""

from __future__ import annotations

from typing import Any

from bt_exec.language.meaning import Act, Condition, Meaning, Role, RoleName, WordUse
from bt_exec.language.operators import operators_in
from bt_exec_llm.offline.piece import Piece
from bt_exec_llm.offline.step import QUESTION, Step

__all__ = ["meaning_from_parts", "word_uses"]

_TYPES: dict[str, RoleName] = {
    "Place": "place",
    "Arm": "instrument",
    "Person": "recipient",
    "Aspect": "topic",
    "Past": "topic",
}
_MARKS: dict[str, RoleName] = {"from": "source", "to": "destination", "with": "instrument"}


def meaning_from_parts(steps: list[Step], text: str, language: str) -> Meaning:
    """Return the meaning of a command from its bound parts."""
    acts = tuple(act_from_step(step) for step in steps if not step.said)
    return Meaning(language, acts, word_uses(steps, text, language))


def act_from_step(step: Step) -> Act:
    condition = None
    if step.condition is not None:
        condition = Condition(act_from_step(step.condition[0]), step.condition[1])
    mood: Any = "do"
    if QUESTION in step.verbs:
        mood = "tell" if step.via == "tell" else "ask"
    return Act(
        step.verbs[0] if step.verbs else "",
        tuple(role_from_piece(piece) for piece in step.pieces if piece.kind != "filler"),
        mood,
        step.positive,
        condition,
        step.times,
        step.text,
    )


def role_from_piece(piece: Piece) -> Role:
    kind: Any = {"state": "value", "person": "value", "limit": "value", "unknown": "text"}.get(
        piece.kind, piece.kind
    )
    name: RoleName = "theme"
    if piece.kind == "state":
        name = "state"
    elif piece.kind == "speaker":
        name = "recipient"
    elif piece.kind == "limit":
        name = "quantity"
    elif piece.kind in ("value", "person"):
        name = _TYPES.get(piece.name, "theme")
        if name == "place":
            name = _MARKS.get(piece.mark, "place")
    elif piece.kind == "text":
        name = "theme" if piece.name == "Item" else "topic"
    relation = piece.relation if "=" not in piece.relation else ""
    return Role(name, kind, piece.name, piece.value or piece.name, piece.text, relation.strip())


def word_uses(steps: list[Step], text: str, language: str) -> tuple[WordUse, ...]:
    """Return the use of every word: role, verb, operator or filler."""
    uses: list[WordUse] = []
    pieces = [(piece, step) for step in steps for piece in step.pieces if piece.end > piece.start]
    pieces += [
        (piece, step.condition[0])
        for step in steps
        if step.condition
        for piece in step.condition[0].pieces
    ]
    operators = operators_in(text, language)
    at = 0
    for word in text.split():
        start = text.index(word, at)
        end = at = start + len(word)
        inside = [(p, s) for p, s in pieces if p.start < end and start < p.end]
        around = next((s for s in steps if s.start < end and start < s.end), None)
        if around is not None and around.said:
            uses.append(WordUse(word, start, end, "said"))
        elif inside:
            piece, _ = inside[0]
            uses.append(WordUse(word, start, end, "role", role_from_piece(piece).role))
        elif around is not None and start >= around.start:
            uses.append(WordUse(word, start, end, "verb", around.verbs[0] if around.verbs else ""))
        elif kind := next((o.kind for o in operators if o.start < end and start < o.end), ""):
            uses.append(WordUse(word, start, end, "operator", kind))
        else:
            uses.append(WordUse(word, start, end, "filler"))
    return tuple(uses)
