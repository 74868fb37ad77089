"""The one document in an answer, as plain data: strict first, then forgiving, never in pieces.

An answer that is one document is read as a file is. Otherwise the document is looked for among the
words; what is found there must be a whole plan: a node or a list torn out of a sentence, or of a
longer list, would be another plan than the one that was written.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from bt_exec.failure import Problem, SpecError
from bt_exec.spec.model import KINDS
from bt_exec.spec.source import read_text
from bt_exec_llm.client import read_answer

__all__ = ["WHOLE", "Document", "document_in"]

WHOLE = ("root", "nodes", "full_action_list", "next_action", "cannot")
"""Keys of which one stands in every whole plan."""
_KEYS = (*WHOLE, "explanation", "assumes", "subgoals", "mission", "plan")
_NO_DATA = frozenset({"ANCHOR", "TAG", "DUPLICATE_KEY", "KEY_NOT_TEXT", "SEVERAL_DOCUMENTS"})
_AROUND = "words around"


class Document(NamedTuple):
    """What was found: data, or why there is none.

    Attributes:
        data: Plain data, not checked.
        notes: What was tolerated.
        problems: Why there is no data; empty if there is.
    """

    data: Any = None
    notes: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()


def document_in(text: str) -> Document:
    """Return the document in a model's words."""
    strict = _as_a_file(text.strip())
    if strict is not None:
        return strict
    reading = read_answer(text, keys=_KEYS)
    if reading.source is None:
        return Document(None, reading.notes, tuple(map(_told, reading.problems)))
    if not reading.complete:
        message = "the answer is cut off or cannot be read to its end; write it again, whole"
        return Document(None, reading.notes, (Problem("NOT_READABLE", message),))
    torn_out = any(_AROUND in note for note in reading.notes)
    whole = isinstance(reading.data, dict) and any(key in reading.data for key in WHOLE)
    if torn_out and not whole:
        return Document(None, reading.notes, (_no_plan(),))
    return Document(reading.data, reading.notes)


def _as_a_file(text: str) -> Document | None:
    """Return the whole text as one document; None if it is not one."""
    try:
        data = read_text(text, "the answer").data
    except SpecError as error:
        first = text[:1] in "{[-" or text.partition(":")[0].strip("\"' ") in (*_KEYS, *KINDS)
        codes = {problem.code for problem in error.problems}
        sure = first and codes and codes <= _NO_DATA
        return Document(problems=error.problems) if sure else None
    if isinstance(data, dict) and len(data) == 1:
        ((key, inner),) = data.items()
        spoken = key not in (*_KEYS, *KINDS) and (" " in key or not key.isascii())
        if spoken and isinstance(inner, dict | list):
            return Document(inner, ("words before the document left out",))
    known = isinstance(data, dict) and any(key in data for key in (*_KEYS, *KINDS))
    listed = isinstance(data, list) and all(isinstance(item, dict) for item in data)
    return Document(data) if known or listed else None


def _told(problem: Problem) -> Problem:
    return _no_plan() if problem.code == "EMPTY" else problem


def _no_plan() -> Problem:
    message = "the answer holds no plan; write one YAML document and nothing else"
    return Problem("NO_PLAN", message)
