"""Selection among offered commands by a short answer ("the left one", 왼팔이요, "open")."""

from __future__ import annotations

from collections.abc import Sequence

from bt_exec.language.reading.reader import Reading
from bt_exec_llm.offline.engine_steps import NoStepsError, pieces_of_fragment
from bt_exec_llm.offline.piece import Piece
from bt_exec_llm.offline.reader import Reader
from bt_exec_llm.offline.step import Step

__all__ = ["find_chosen_command"]


def find_chosen_command(offered: Sequence[str], text: str, reader: Reader) -> str:
    """Return the one offered command that contains everything an answer names; otherwise "".

    An answer that names nothing, or that matches several commands, selects none.
    """
    if len(offered) <= 1 or text in offered:
        return ""
    said = _content(text, reader)
    fits = [one for one in offered if said and said <= _content(one, reader)]
    return fits[0] if len(fits) == 1 else ""


def _content(text: str, reader: Reader) -> set[tuple[object, ...]]:
    """Return the content of a text for comparison: values, objects, verbs and negations."""
    found = reader.read(text)
    if not isinstance(found, Reading) or found.unknown:
        return set()
    try:
        if found.meaning.kind == "fragment":
            return _names(pieces_of_fragment(found.meaning, reader.lexicon, found))
        steps = reader.convert(found)
    except NoStepsError:
        return set()
    return {one for step in steps for one in (*_names(step.pieces), *_acts(step))}


def _names(pieces: Sequence[Piece]) -> set[tuple[object, ...]]:
    named = ("noun", "value", "text", "state")
    return {(p.kind, p.name, p.value, p.mark == "not") for p in pieces if p.kind in named}


def _acts(step: Step) -> set[tuple[object, ...]]:
    return {("verb", verb, step.positive) for verb in step.verbs}
