"""Why a reading is not understood: one code, and the words it is about.

=================  ==============================================================================
code               the command …
=================  ==============================================================================
EMPTY              says nothing
TOO_LONG           is longer than a command can be
BAD_CHARACTERS     holds characters that cannot be seen
STOP               says no more than to stop
HELP               says no more than hello, or asks what can be done
NEGATED            forbids something
NOT_ASKED          asks whether something is *not* so
CONDITION, TIME,   holds a condition, a time, a number, a manner or a choice that cannot be
COUNT, MANNER,     honoured
CHOICE
NOT_A_COMMAND      tells, or asks back
UNKNOWN_OBJECT     names a thing nobody knows
UNKNOWN_ACTION     names an action nobody knows
UNKNOWN_WORD       holds another word nobody knows
CONTRADICTION      gives two values where one can be
NOT_APPLICABLE     gives a value that changes nothing there
AMBIGUOUS          can mean two things
NO_ACTION          names a thing and no action
NO_OBJECT          names an action and no thing
NO_REFERENT        says *it*, and nothing was named
UNFINISHED         ends in the middle
NOT_TOGETHER       has an action and a thing that do not go together
NOT_UNDERSTOOD     means none of the above
=================  ==============================================================================
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from itertools import takewhile

from bt_exec_llm.units import Reading, Unit

__all__ = ["CODES", "Trouble", "trouble_before", "trouble_of"]

CODES = (
    "EMPTY",
    "TOO_LONG",
    "BAD_CHARACTERS",
    "STOP",
    "HELP",
    "NEGATED",
    "NOT_ASKED",
    "CONDITION",
    "TIME",
    "UNKNOWN_OBJECT",
    "UNKNOWN_ACTION",
    "UNKNOWN_WORD",
    "COUNT",
    "MANNER",
    "CHOICE",
    "NOT_A_COMMAND",
    "CONTRADICTION",
    "NOT_APPLICABLE",
    "AMBIGUOUS",
    "UNFINISHED",
    "NO_REFERENT",
    "NO_OBJECT",
    "NO_ACTION",
    "NOT_TOGETHER",
    "NOT_UNDERSTOOD",
)


@dataclass(frozen=True)
class Trouble:
    """Why a command is not understood: a code and the words it is about."""

    code: str
    words: str = ""

    @property
    def rank(self) -> int:
        """Which of two is told: the smaller."""
        return CODES.index(self.code)


def trouble_of(
    reading: Reading, text: str, language: str, otherwise: Trouble | None = None
) -> Trouble:
    """Return what is wrong with a reading that means nothing to the library."""
    for kind, code in (("not", "NEGATED"), ("limit", "CONDITION"), ("limit", "TIME")):
        for unit in reading:
            if unit.kind == kind and (kind == "not" or unit.name == code):
                if kind == "not" and text.endswith(("?", "？")):
                    code = "NOT_ASKED"
                return Trouble(code, _run(reading, unit, text) if kind == "limit" else text)
    for unit in reading:
        if unit.kind == "unknown":
            return _unknown(reading, unit, text, language)
    for unit in reading:
        if unit.kind == "limit":
            return Trouble(unit.name, _run(reading, unit, text))
    return otherwise or Trouble("NOT_UNDERSTOOD", text)


def trouble_before(
    readings: Iterable[Reading], kinds: Collection[str], text: str, language: str
) -> Trouble | None:
    """Return what is wrong before the value of one of `kinds`; None if nothing is."""
    for reading in readings:
        found = (at for at, u in enumerate(reading) if u.kind == "value" and u.name in kinds)
        before = reading[: next(found, 0)]
        if any(unit.kind in ("not", "unknown", "limit") for unit in before):
            return trouble_of(before, text, language)
    return None


def _run(reading: Reading, unit: Unit, text: str) -> str:
    """Return the words of `unit` with those of the limits right before and after it: 5분 뒤에."""
    first = last = next(index for index, other in enumerate(reading) if other is unit)
    while first and reading[first - 1].kind == "limit":
        first -= 1
    while last + 1 < len(reading) and reading[last + 1].kind == "limit":
        last += 1
    return text[reading[first].start : reading[last].end]


def _unknown(reading: Reading, unknown: Unit, text: str, language: str) -> Trouble:
    """Say whether an unknown word stands for a thing, an action or something else."""
    if not any(unit.acts or unit.kind == "noun" for unit in reading):
        return Trouble("NOT_UNDERSTOOD", text)
    part, after = _around(reading, unknown)
    words = _name(reading, unknown, text)
    place = part.index(unknown)
    content = [unit for unit in part if unit.kind not in ("filler", "lead")]
    verb = any(unit.acts for unit in part)
    noun = any(unit.kind in ("noun", "pronoun") for unit in part)
    before = part[place - 1] if place else None
    marked = after is not None and after.name == "object"
    pointed = language == "en" and before is not None and before.name == "determiner"
    last = content[-1] is unknown
    if marked or (not noun and (verb or pointed)):
        return Trouble("UNKNOWN_OBJECT", words)
    if (last and not verb) if language == "ko" else content[0] is unknown:
        return Trouble("UNKNOWN_ACTION", words)
    return Trouble("UNKNOWN_WORD", words)


def _name(reading: Reading, unknown: Unit, text: str) -> str:
    """Return an unknown name with the numbers right before and after it: 203호, room 203."""
    at = next(index for index, unit in enumerate(reading) if unit is unknown)
    before = takewhile(_counts, reversed(reading[:at]))
    after = takewhile(_counts, reading[at + 1 :])
    begin = min((unit.start for unit in before), default=unknown.start)
    end = max((unit.end for unit in after), default=unknown.end)
    if not any(char.isdigit() for char in text[begin : unknown.start]):
        begin = unknown.start
    if not any(char.isdigit() for char in text[unknown.end : end]):
        end = unknown.end
    return text[begin:end]


def _counts(unit: Unit) -> bool:
    return unit.name == "COUNT"


def _around(reading: Reading, unknown: Unit) -> tuple[list[Unit], Unit | None]:
    """Return the units of the clause that holds `unknown`, and the unit after it."""
    at = next(index for index, unit in enumerate(reading) if unit is unknown)
    start, end = at, at + 1
    while start and reading[start - 1].kind not in ("then", "stop"):
        start -= 1
    while end < len(reading) and reading[end].kind not in ("then", "stop"):
        end += 1
    return list(reading[start:end]), reading[at + 1] if at + 1 < len(reading) else None
