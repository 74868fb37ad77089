"""Parser of model answers, tolerant of the syntax and strict about the data.

The document may be JSON or YAML. Fences, surrounding words, thinking sections, trailing commas,
single quotes, tabs and keys in another case are tolerated, with a note. Anchors, tags, duplicate
keys, control characters, oversized answers and a second document are rejected. Nothing is executed
or added. Words outside the document are returned, so that the caller can check them.

Parsing takes time linear in the length of the answer. An answer that is longer than the largest
possible document is rejected without parsing.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from bt_exec.failure import Problem, SpecError
from bt_exec.spec.yaml_source import Source, read_text
from bt_exec_llm.client.documents_in_answer import MOST, Candidate, pieces_of, without_thoughts
from bt_exec_llm.client.text_repairs import (
    SPEC_KEYS,
    normalise_keywords,
    repair_steps,
    without_no_break_spaces,
)

__all__ = ["LONGEST", "SPEC_KEYS", "Reading", "read_answer"]

NAME = "the answer"
LONGEST = 272 * 1024
"""Maximum length of an answer [characters]: a plan of 256 KiB with some words around it."""
_MOST_WORK = 2 * LONGEST
"""Maximum number of characters parsed for one answer, including its repaired versions. Each
candidate is parsed once in any case."""
_MENDABLE = frozenset({"NOT_YAML", "BAD_CHARACTER"})
_BREAKS = "\x85\u2028\u2029"
"""Characters that are line breaks in YAML but ordinary characters in JSON."""
_BREAKS_ESCAPED = {ord(char): f"\\u{ord(char):04x}" for char in _BREAKS}
_OF_A_TREE = (
    "(?:do|check|tree|sequence|fallback|parallel|with|skip_if|while|retry|timeout|repeat|tell|"
    "children|runs)"
)
_PART_OF_A_TREE = re.compile(
    rf"^[ \t]*+(?:[-*][ \t]++)*[{{\"']*+{_OF_A_TREE}[\"']?[ \t]*+:|\"{_OF_A_TREE}\"[ \t]*+:",
    re.MULTILINE,
)
"""Pattern of lines that occur only in trees; outside the document, they are fragments of a tree."""


@dataclass(frozen=True)
class Reading:
    """Result of reading an answer.

    Attributes:
        source: The document with positions, for `bt_exec.spec.load.parse`; None without a document.
        text: Text of the document after repairs; positions and problems refer to this text.
        complete: Whether the document is complete. An incomplete plan must not be executed.
        notes: Tolerated deviations, in order; empty for an answer without deviations.
        problems: Reasons why there is no document; empty if there is one.
        words: Text outside the document.
    """

    source: Source | None = None
    text: str = ""
    complete: bool = True
    notes: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()
    words: str = ""

    @property
    def data(self) -> Any:
        """The document as plain data, or None."""
        return None if self.source is None else self.source.data


def read_answer(
    text: str,
    *,
    keys: Sequence[str] = SPEC_KEYS,
    alone: Sequence[str] = (),
    any_case: bool = True,
) -> Reading:
    """Find and parse the document in a model's text.

    Args:
        text: The model's text.
        keys: Keys with which the document may start, in upper or lower case.
        alone: Keys whose lines outside the document count as a second document; by default all
            `keys`.
        any_case: Whether the case of keys is normalised, for example ``Sequence`` to ``sequence``.
    """
    if len(text) > LONGEST:
        problem = Problem("TOO_BIG", f"is too big: more than {LONGEST} characters", file=NAME)
        return Reading(problems=(problem,))
    said, thought = without_thoughts(text.replace("\r\n", "\n"))
    first = ("thoughts left out",) if thought else ()
    if (soft := without_no_break_spaces(said)) != said:
        said, first = soft, (*first, "no-break spaces replaced")
    found = pieces_of(said, keys)
    if len(found.documents) > MOST:
        return _too_many_documents(said, first)
    work = _ParseBudget()
    readings = [_parse_candidate(piece, keys, first, work) for piece in found.documents]
    named = [each for each, is_named in readings if is_named]
    others = [each for each, is_named in readings if not is_named and each.source is not None]
    broken = [each for each, _ in readings if each.problems]
    chosen = named or others
    if len(chosen) > 1:
        return _too_many_documents(said, first)
    if not chosen:
        if broken and (
            not found.words or any(_starts_document(each.text, keys) for each in broken)
        ):
            return broken[-1]
        message = "contains no document; write one YAML document and nothing else"
        problem = Problem("EMPTY", message, file=NAME, line=1, column=1)
        return Reading(text=said, notes=first, problems=(problem,))
    if any(_starts_document(each.text, keys) for each in broken if each is not chosen[0]):
        return _too_many_documents(said, first)
    if _starts_document(found.words, alone or keys):
        return _too_many_documents(said, first)
    beside = [each.text for each, _ in readings if each.text != chosen[0].text]
    words = "\n".join([found.words, *beside]).strip()
    if _PART_OF_A_TREE.search(words):
        message = "lines of a tree are outside the document; write one document"
        problem = Problem("PLAN_IN_PIECES", message, file=NAME)
        return Reading(text=said, notes=first, problems=(problem,))
    if named and any_case:
        chosen = [_with_known_keywords(chosen[0], keys)]
    return replace(chosen[0], words=words)


class _ParseBudget:
    """Budget of characters that may be parsed for one answer."""

    def __init__(self) -> None:
        self.done = 0

    def may_parse(self, text: str) -> bool:
        return self.done + len(text) <= _MOST_WORK


def _too_many_documents(text: str, notes: tuple[str, ...]) -> Reading:
    message = "contains more than one document; write one document and nothing else"
    problem = Problem("SEVERAL_PLANS", message, file=NAME)
    return Reading(text=text, notes=notes, problems=(problem,))


def _parse_candidate(
    candidate: Candidate, keys: Sequence[str], notes: tuple[str, ...], work: _ParseBudget
) -> tuple[Reading, bool]:
    """Parse a candidate, with repairs if needed; also return whether it has a known key."""
    notes = (*notes, candidate.note) if candidate.note else notes
    text, complete = candidate.text, not candidate.open
    if candidate.open:
        # otherwise closing brackets would follow a comma or colon, which is invalid
        text = text.rstrip().rstrip(",") + candidate.open
        notes = (*notes, "cut off: open brackets and quotes closed")
    reading = _parse_attempt(text, complete, notes, work)
    other = None if reading.problems else reading
    if other is not None and _has_known_key(other.data, keys):
        return other, True
    problems = reading.problems
    if not problems or all(problem.code in _MENDABLE for problem in problems):
        for mended, note in repair_steps(text):
            if not work.may_parse(mended):
                break
            notes = (*notes, note)
            reading = _parse_attempt(mended, complete, notes, work)
            if any(problem.code not in _MENDABLE for problem in reading.problems):
                problems = problems or reading.problems
                break
            if reading.source is not None and _has_known_key(reading.data, keys):
                return reading, True
            other = other or (None if reading.problems else reading)
    if other is not None and isinstance(other.data, dict | list):
        return other, False
    return Reading(text=text, complete=complete, notes=notes, problems=problems), False


def _parse_attempt(
    text: str, complete: bool, notes: tuple[str, ...], work: _ParseBudget
) -> Reading:
    work.done += len(text)
    try:
        source = _parse_yaml_or_json(text)
    except SpecError as error:
        return Reading(text=text, complete=complete, notes=notes, problems=tuple(error.problems))
    if text.lstrip()[:1] in ("{", "[") and not _is_json(text):
        notes = (*notes, "JSON with errors read as YAML")
    return Reading(source, text, complete, notes)


def _with_known_keywords(reading: Reading, keys: Sequence[str]) -> Reading:
    assert reading.source is not None
    source, folded = normalise_keywords(reading.source, keys)
    return replace(reading, source=source, notes=(*reading.notes, *folded))


def _parse_yaml_or_json(text: str) -> Source:
    """Parse YAML or JSON; JSON that is invalid YAML (lone surrogates, tabs) is rewritten first."""
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


def _has_known_key(data: Any, keys: Sequence[str]) -> bool:
    """Return True if data is a mapping with one of the keys, ignoring case."""
    if not isinstance(data, dict):
        return False
    folded = {key.casefold() for key in keys}
    return any(key.casefold() in folded for key in data)


def _starts_document(text: str, keys: Sequence[str]) -> bool:
    """Return True if a text contains one of the keys with a colon where a document may start."""
    names = "|".join(map(re.escape, keys))
    return (
        re.search(rf"(?im)(?:^[ \t]*+|[{{,][ \t\n]*+)[\"']?(?:{names})[\"']?[ \t]*+:", text)
        is not None
    )
