"""What a model wrote as plain data: forgiving about the form, strict about what data is.

Fences, words around, thoughts, JSON and YAML alike, trailing commas, single quotes, tabs, keys in
another case: tolerated, and noted. Anchors, tags, duplicate keys, control characters, too much of
anything: refused, as in a file (`bt_exec.spec.source`). Nothing is executed, and nothing is added.
Of several documents the last complete one that looks like a tree counts.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from bt_exec.failure import Problem, SpecError
from bt_exec.spec.source import Source, read_text
from bt_exec_llm.client.candidates import Candidate, candidates, without_thoughts
from bt_exec_llm.client.folding import SPEC_KEYS, fold
from bt_exec_llm.client.text_repairs import mends, softened

__all__ = ["SPEC_KEYS", "Reading", "read_answer"]

NAME = "the answer"
_MENDABLE = frozenset({"NOT_YAML", "BAD_CHARACTER"})
_LONGEST = 1_000_000
_BREAKS = "\x85\u2028\u2029"
"""What ends a line in YAML and is text in JSON."""
_BREAKS_ESCAPED = {ord(char): f"\\u{ord(char):04x}" for char in _BREAKS}


@dataclass(frozen=True)
class Reading:
    """What was read.

    Attributes:
        source: The document with its positions, for `bt_exec.spec.load.parse`; None if there is
            none.
        text: The document as it was read; what positions and problems speak of.
        complete: Whether the document has an end. One that was cut off must not be run.
        notes: What was tolerated, in order; empty for a clean answer.
        problems: Why there is no document; empty if there is one.
    """

    source: Source | None = None
    text: str = ""
    complete: bool = True
    notes: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()

    @property
    def data(self) -> Any:
        """The document as plain data, or None."""
        return None if self.source is None else self.source.data


def read_answer(text: str, *, keys: Sequence[str] = SPEC_KEYS) -> Reading:
    """Find the document in what a model wrote, and read it.

    Args:
        text: The model's words.
        keys: What the document may start with; decides between several, and its case is mended.
    """
    if len(text) > _LONGEST:
        problem = Problem("TOO_BIG", f"is too big: more than {_LONGEST} characters", file=NAME)
        return Reading(problems=(problem,))
    said, thought = without_thoughts(text.replace("\r\n", "\n"))
    first = ("thoughts left out",) if thought else ()
    if (soft := softened(said)) != said:
        said, first = soft, (*first, "hard spaces made soft")
    readings = [_read(each, keys, first) for each in candidates(said, keys)]
    fitting = [each for each in readings if _fits(each, keys)]
    for good in (
        [each for each in fitting if each.complete],
        [each for each in readings if each.source is not None and each.complete],
        [each for each in readings if each.source is not None],
    ):
        if good:
            return good[-1]
    for each in reversed(readings):
        if each.problems:
            return each
    message = "holds no document; write one YAML document and nothing else"
    problem = Problem("EMPTY", message, file=NAME, line=1, column=1)
    return Reading(text=said, notes=first, problems=(problem,))


def _read(candidate: Candidate, keys: Sequence[str], notes: tuple[str, ...]) -> Reading:
    """Read a candidate as it is, then mended, then closed."""
    notes = (*notes, candidate.note) if candidate.note else notes
    text, complete = candidate.text, not candidate.open
    if candidate.open:
        # a dangling comma or colon would leave half an entry behind
        text = text.rstrip().rstrip(",") + candidate.open
        notes = (*notes, "cut off: what was open is closed")
    tries = [(text, notes)]
    for mended, note in mends(text):
        tries.append((mended, (*tries[-1][1], note)))
    problems: tuple[Problem, ...] = ()
    other: Reading | None = None
    for attempt, done in tries:
        try:
            source = _source(attempt)
        except SpecError as error:
            problems = problems or error.problems
            if any(problem.code not in _MENDABLE for problem in error.problems):
                break
            continue
        if not _is_json(attempt) and attempt.lstrip()[:1] in ("{", "["):
            done = (*done, "JSON with slips read as YAML")
        if _known(source.data, keys):
            source, folded = fold(source, keys)
            return Reading(source, attempt, complete, (*done, *folded))
        if other is None and candidate.sure and isinstance(source.data, dict | list):
            other = Reading(source, attempt, complete, done)
    if other is not None:
        return other
    if not candidate.sure:
        problems = ()
    return Reading(text=text, complete=complete, notes=notes, problems=problems)


def _source(text: str) -> Source:
    """Read YAML or JSON; JSON that is no YAML (half characters in escapes, tabs) is rewritten."""
    breaks = any(char in text for char in _BREAKS)
    if not (breaks and _is_json(text)):
        try:
            return read_text(text, NAME)
        except SpecError as error:
            if not _is_json(text) or any(problem.code != "NOT_YAML" for problem in error.problems):
                raise
    written = json.dumps(json.loads(text), ensure_ascii=False, indent=1)
    return read_text(written.translate(_BREAKS_ESCAPED), NAME)


def _is_json(text: str) -> bool:
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def _known(data: Any, keys: Sequence[str]) -> bool:
    """Whether data has one of the keys, in any case."""
    if not isinstance(data, dict):
        return False
    folded = {key.casefold() for key in keys}
    return any(key.casefold() in folded for key in data)


def _fits(reading: Reading, keys: Sequence[str]) -> bool:
    return reading.source is not None and _known(reading.data, keys)
