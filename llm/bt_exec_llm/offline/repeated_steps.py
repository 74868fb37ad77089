"""Steps of commands that refer to an earlier command: "look again", "do the same there"."""

from __future__ import annotations

from collections.abc import Container, Iterable, Sequence
from dataclasses import replace

from bt_exec.spec.library import Library
from bt_exec_llm.offline.earlier_commands import SessionHistory, vary_last_command
from bt_exec_llm.offline.lexicon import Lexicon
from bt_exec_llm.offline.step import QUESTION, Step
from bt_exec_llm.offline.step_piece import Piece

__all__ = ["repeat_at_last_place", "repeat_observations", "repeat_there"]


def repeat_observations(steps: list[Step], past: SessionHistory, lexicon: Lexicon) -> list[Step]:
    """Return the steps of a command with "again", in which "look" means the last observation.

    After "see if anybody is in the lounge", the command "wait there for five minutes and then look
    again" asks for the same. An observation of another place is not repeated.
    """
    last = past.last_command
    known = [] if last is None else list(last.steps)
    found: list[Step] = []
    for step in steps:
        same = _last_observations(known, step, lexicon)
        own = [replace(step, verbs=one.verbs, pieces=one.pieces, via="look") for one in same]
        own = own or [step]
        known += own
        found += own
    return found


def _last_observations(known: Sequence[Step], step: Step, lexicon: Lexicon) -> list[Step]:
    """Return the earlier observations that a step repeats; none if it observes anything itself."""
    looks = bool(step.acts) and all(lexicon.verbs[verb].finds == "look" for verb in step.verbs)
    everywhere = lexicon.list_types("each")
    if not (looks and step.positive) or any(piece.kind != "pronoun" for piece in step.pieces):
        return []
    at = _places_of(known, everywhere)[-1:]
    asked = [one for one in known if QUESTION in one.verbs and one.positive and not one.condition]
    return [one for one in asked if _places_of([one], everywhere) == at]


def _places_of(steps: Iterable[Step], types: Container[str]) -> list[tuple[str, str]]:
    return [(p.name, p.value) for one in steps for p in one.pieces if p.name in types]


def repeat_there(
    steps: list[Step], past: SessionHistory, library: Library, lexicon: Lexicon
) -> list[Step]:
    """Return the steps of "go to the lounge and do the same": the last command at another place.

    The result is empty unless `steps` is a single step with values that the last command can take.
    """
    if len(steps) != 1 or not steps[0].positive or steps[0].condition is not None:
        return []
    pieces = [one.with_mark("") for one in steps[0].pieces]
    varied = vary_last_command(pieces, past, library, lexicon)
    return [*steps, *varied] if varied else []


def repeat_at_last_place(
    pieces: list[Piece], past: SessionHistory, library: Library, lexicon: Lexicon
) -> list[Step]:
    """Return the steps of "do the same there": an earlier command at the place of the last one.

    The earlier command is the last one about another place. The result is empty if there is none,
    or if `pieces` contains more than the pronoun.
    """
    everywhere = lexicon.list_types("each")
    if not past.said or any(piece.kind != "pronoun" or piece.name for piece in pieces):
        return []
    here = _places_of(past.said[-1].steps, everywhere)[-1:]
    for at in range(len(past.said) - 1, 0, -1):
        known = _places_of(past.said[at - 1].steps, everywhere)
        if here and known and here[0] not in known:
            place = [Piece("value", *here[0])]
            return vary_last_command(place, SessionHistory(past.said[:at]), library, lexicon)
    return []
