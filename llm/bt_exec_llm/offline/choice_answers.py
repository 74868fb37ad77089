"""Selection among offered commands by a short answer ("the left one", "왼팔이요", "open")."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from bt_exec.language.reading.reader import Reading
from bt_exec_llm.offline.command_reader import Reader
from bt_exec_llm.offline.meaning_to_steps import pieces_of_fragment
from bt_exec_llm.offline.step import Step
from bt_exec_llm.offline.step_conversion_errors import NoStepsError
from bt_exec_llm.offline.step_piece import Piece

__all__ = ["find_chosen_command"]


def find_chosen_command(offered: Sequence[str], text: str, reader: Reader) -> str:
    """Return the only offered command that contains everything in an answer; otherwise "".

    An answer that names nothing, or that matches several commands, selects none.
    """
    if len(offered) <= 1 or text in offered:
        return ""
    asked = [said for said in _contents(text, reader) if said]
    named = {one: _contents(one, reader) for one in offered}
    for said in asked:
        fits = [one for one, every in named.items() if any(said <= own for own in every)]
        if len(fits) == 1:
            return fits[0]
    return ""


def _contents(text: str, reader: Reader) -> list[set[tuple[object, ...]]]:
    """Return the values, objects, verbs and negations in the readings of a text."""
    found = reader.read(text)
    if not isinstance(found, Reading) or found.unknown_words:
        return []
    contents = []
    for meaning in (found.meaning, *found.rivals):
        with suppress(NoStepsError):
            if meaning.kind in ("fragment", "again"):
                contents.append(_names(pieces_of_fragment(meaning, reader.lexicon, found)))
                continue
            steps = reader.convert(found, meaning)
            contents.append({one for step in steps for one in (*_names(step.pieces), *_acts(step))})
    return contents


def _names(pieces: Sequence[Piece]) -> set[tuple[object, ...]]:
    named = ("noun", "value", "text", "state")
    return {(p.kind, p.name, p.value, p.mark == "not") for p in pieces if p.kind in named}


def _acts(step: Step) -> set[tuple[object, ...]]:
    return {("verb", verb, step.positive) for verb in step.verbs}
