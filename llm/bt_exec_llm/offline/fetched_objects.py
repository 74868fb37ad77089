"""Objects that are taken from a person or place: "get the box from the lounge"."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from bt_exec_llm.offline.lexicon import Lexicon
from bt_exec_llm.offline.step import QUESTION, Step
from bt_exec_llm.offline.step_piece import Piece

__all__ = ["fetches_object", "join_fetching_steps", "with_giver"]

_FILLERS = ("speaker", "pronoun", "filler")
"""Kinds of pieces in "bring them here" and "bring it to me"."""


def with_giver(
    verbs: Iterable[str], pieces: list[Piece], lexicon: Lexicon, language: str
) -> list[Piece]:
    """Return the pieces of an act; the person or place its object comes from becomes the giver."""
    slots = [lexicon.texts[one.name] for one in pieces if one.kind == "text" and one.name]
    giver = next((one.giver for one in slots if one.giver), "")
    if not giver:
        return pieces
    each, persons = lexicon.list_types("each"), lexicon.recipient_types
    verbs = [*verbs]
    fetches = _fetches(verbs, lexicon)
    only_fetches = _fetching_verbs(lexicon).issuperset(verbs)  # other verbs also deliver
    speaks = any(one.kind == "speaker" for one in pieces)
    found = []
    for piece in pieces:
        marks = ["from"]
        if piece.name in each and (fetches or speaks):
            marks.append("at")
        if piece.name in persons and fetches and only_fetches and language == "ko":
            marks.append("to")
        named = piece.kind == "value" and piece.name in {*each, *persons}
        found.append(_as_giver(piece, giver) if named and piece.mark in marks else piece)
    return found


def join_fetching_steps(steps: list[Step], lexicon: Lexicon) -> list[Step]:
    """Return steps in which fetching includes the drive before it and the delivery after it.

    "Go to the lounge, pick up the box and take it to the professor" is one delivery from the
    lounge to the professor.
    """
    found: list[Step] = []
    for step in steps:
        step = _with_named_giver(step, found, lexicon)
        before = found[-1] if found else None
        if _is_without_giver(step, lexicon):
            step = step.without_verbs({*step.verbs} - _fetching_verbs(lexicon))
            if before is not None and (piece := _destination(before, step, lexicon)) is not None:
                giver = _as_giver(piece, _giver_type(step, lexicon))
                step = replace(step, pieces=[*step.pieces, giver])
                found.pop()
        elif before is not None and _delivers_fetched_object(before, step, lexicon):
            rest = [one for one in step.pieces if one.kind not in _FILLERS]
            kept = [one for one in before.pieces if one.kind not in _FILLERS or not rest]
            verbs = step.verbs if rest else before.verbs
            step = replace(before, verbs=verbs, pieces=[*kept, *rest], end=step.end)
            found.pop()
        found.append(step)
    return found


def fetches_object(step: Step, lexicon: Lexicon) -> bool:
    """Return True if a step fetches an object."""
    return _fetches(step.verbs, lexicon) and bool(_giver_type(step, lexicon))


def _with_named_giver(step: Step, before: list[Step], lexicon: Lexicon) -> Step:
    """Return a step in which "from him" is replaced by the person named before, as the giver."""
    giver = _giver_type(step, lexicon)
    pronouns = [one for one in step.pieces if one.kind == "pronoun" and one.mark == "from"]
    asked = [] if step.condition is None else [step.condition[0]]
    named = (one for earlier in (*asked, *reversed(before)) for one in earlier.pieces)
    person = next((one for one in named if one.name in lexicon.recipient_types), None)
    if not giver or not pronouns or person is None:
        return step
    others = [one for one in step.pieces if one not in pronouns]
    return replace(step, pieces=[*others, _as_giver(person, giver)])


def _fetching_verbs(lexicon: Lexicon) -> set[str]:
    return {name for name, verb in lexicon.verbs.items() if verb.fetches}


def _fetches(verbs: Iterable[str], lexicon: Lexicon) -> bool:
    return any(verb.fetches for verb in lexicon.known_verbs(verbs))


def _giver_type(step: Step, lexicon: Lexicon) -> str:
    """Return the type of the giver of the object of a step; empty if it has no such object."""
    texts = (lexicon.texts.get(one.name) for one in step.pieces if one.kind == "text")
    return next((slot.giver for slot in texts if slot is not None and slot.giver), "")


def _as_giver(piece: Piece, giver: str) -> Piece:
    return replace(piece, name=giver, mark="", relation="")


def _is_without_giver(step: Step, lexicon: Lexicon) -> bool:
    """Return True if a step fetches an object, and names neither a giver nor a recipient."""
    others = (one for one in step.pieces if one.kind not in ("text", *_FILLERS))
    return fetches_object(step, lexicon) and not any(others)


def _destination(before: Step, step: Step, lexicon: Lexicon) -> Piece | None:
    """Return the person or place that the previous step drives to, or None."""
    verbs = lexicon.verbs
    drives = before.positive and not any(
        verb == QUESTION or verbs[verb].finds or verb in lexicon.verbs_with_text
        for verb in before.verbs
        if verb == QUESTION or verb in verbs
    )
    same = (before.condition, before.times, before.turns) == (step.condition, 1, step.turns)
    places = [one for one in before.pieces if one.kind == "value"]
    kinds = {*lexicon.list_types("each"), *lexicon.recipient_types}
    named = len(places) == 1 and places[0].name in kinds and places[0].mark != "not"
    return places[0] if drives and same and named and step.positive else None


def _delivers_fetched_object(before: Step, step: Step, lexicon: Lexicon) -> bool:
    """Return True if a step carries the object that the previous step fetches ("and bring it")."""
    giver = _giver_type(before, lexicon)
    fetched = giver in {one.name for one in before.pieces} and before.positive and step.positive
    plain = not any(one.kind == "text" for one in step.pieces) and before.times == step.times == 1
    same = (before.condition, before.turns) == (step.condition, step.turns)
    kinds = {*lexicon.list_types("each"), *lexicon.recipient_types}
    recipients = any(one.name in kinds for one in before.pieces)
    carries = bool(step.verbs) and _carrying_verbs(lexicon).issuperset(step.verbs)
    return bool(giver) and fetched and plain and same and not recipients and carries


def _carrying_verbs(lexicon: Lexicon) -> set[str]:
    """Return the verbs whose object is on the tray or is put there."""
    known = {name for name, verb in lexicon.verbs.items() if verb.rescues}
    return known.union(*(slot.verbs for slot in lexicon.texts.values() if slot.giver))
