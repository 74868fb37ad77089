"""Acts on the persons at each of several observed places, as in "patrol and greet anyone there"."""

from __future__ import annotations

from dataclasses import replace

from bt_exec_llm.offline.exclusions import usual_values
from bt_exec_llm.offline.lexicon import Lexicon
from bt_exec_llm.offline.multiple_values import split_by_values
from bt_exec_llm.offline.step import QUESTION, Step
from bt_exec_llm.offline.step_piece import Piece

__all__ = ["distribute_over_places"]


def distribute_over_places(steps: list[Step], lexicon: Lexicon) -> list[Step]:
    """Return steps in which a conditional message follows the observation of each place.

    The condition and the message must name no place, and follow an observation of several places.
    Other steps are kept.
    """
    if len(steps) != 2:
        return steps
    look, act = steps
    each = lexicon.list_types("each")
    if not _observes(look, lexicon) or not _addresses_persons_present(act, lexicon):
        return steps
    named = any(piece.name in each for piece in look.pieces)
    usual = [] if named else [p for p in usual_values(look, lexicon) if p.name in each]
    looks = split_by_values(replace(look, pieces=[*look.pieces, *usual]), lexicon)
    if len(looks) < 2 or act.condition is None:
        return steps
    act = _with_recipients(act, lexicon)
    assert act.condition is not None
    question, needed = act.condition
    found: list[Step] = []
    for case, one in enumerate(looks):
        place = next(piece for piece in one.pieces if piece.name in each)
        asked = replace(question, pieces=[*question.pieces, _at_step(place, question)])
        there = replace(act, pieces=[*act.pieces, _at_step(place, act)])
        found += [one, replace(there, condition=(asked, needed), case=case)]
    return found


def _observes(step: Step, lexicon: Lexicon) -> bool:
    """Return True for a single observation without a condition."""
    names = {lexicon.general_verb(verb) for verb in step.verbs}
    looks = any(verb.finds == "look" for verb in lexicon.known_verbs(names))
    return looks and step.positive and step.condition is None and max(step.times, step.turns) == 1


def _addresses_persons_present(step: Step, lexicon: Lexicon) -> bool:
    """Return True for a conditional message if neither part names a place or a person."""
    if step.condition is None or QUESTION in step.verbs or step.rescues:
        return False
    names = {piece.name for piece in (*step.pieces, *step.condition[0].pieces)}
    others = lexicon.list_types("each") | lexicon.recipient_types
    texts = [lexicon.texts[piece.name] for piece in step.pieces if piece.name in lexicon.texts]
    return len(texts) == 1 and texts[0].shape != "noun" and names.isdisjoint(others)


def _with_recipients(act: Step, lexicon: Lexicon) -> Step:
    """Return a message with the persons present as its recipients, if it names none."""
    texts = (lexicon.texts[piece.name] for piece in act.pieces if piece.name in lexicon.texts)
    named = {piece.name for piece in act.pieces}
    present = [
        Piece("value", kind, value, mark="to", start=act.start, end=act.start)
        for text in texts
        for kind, value in text.present.items()
        if kind not in named
    ]
    return replace(act, pieces=[*present, *act.pieces])


def _at_step(place: Piece, step: Step) -> Piece:
    return replace(place, mark="at", start=step.start, end=step.start)
