"""Meaning of a command, derived from its bound steps, and the use of each of its words."""

from __future__ import annotations

import re
from typing import Any

from bt_exec.language.logical_operators import operators_in
from bt_exec.language.meaning import Act, Condition, Meaning, Role, RoleName, WordUse
from bt_exec.language.reading.reader import Reading
from bt_exec_llm.offline.step import QUESTION, Step
from bt_exec_llm.offline.step_piece import Piece

__all__ = ["meaning_from_steps", "word_uses"]

_USES = {
    "v": "verb",
    "noun": "role",
    "adj": "role",
    "hue": "role",
    "text": "role",
    "unknown": "unknown",
    "manner": "filler",
    "adverb": "filler",
}
"""Uses of words by the first part of their category."""
_TYPES: dict[str, RoleName] = {
    "Place": "place",
    "Arm": "instrument",
    "Person": "recipient",
    "Aspect": "topic",
    "Past": "topic",
}
_MARKS: dict[str, RoleName] = {"from": "source", "to": "destination", "with": "instrument"}


def meaning_from_steps(steps: list[Step], reading: Reading) -> Meaning:
    """Return the meaning of a command from its bound steps."""
    acts = tuple(act_from_step(step) for step in steps if not step.said)
    return Meaning(reading.language, acts, word_uses(reading))


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


def word_uses(reading: Reading) -> tuple[WordUse, ...]:
    """Return the use of every word of a reading."""
    leaves = [*reading.edge.leaves()]
    operators = operators_in(reading.text, reading.language)
    uses: list[WordUse] = []
    for word in re.finditer(r"\S+", reading.text):
        start, end = word.span()
        places = [at for at, first, _ in reading.typed.origins if start <= first < end]
        own = [leaf for leaf in leaves for at in places if leaf.start <= at < leaf.end]
        kinds = [use for leaf in own if (use := _USES.get(leaf.category.partition(".")[0], ""))]
        kind = next((one.kind for one in operators if one.start < end and start < one.end), "")
        use = "operator" if kind and not kinds else kinds[0] if kinds else "grammar"
        uses.append(WordUse(word[0], start, end, use, kind))
    return tuple(uses)
