"""Report of an export or import: unsupported features by name and place."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

__all__ = ["EXPORT_NOTES", "IMPORT_NOTES", "Note", "Report"]

Effect = Literal["kept", "changed", "dropped"]

EXPORT_NOTES: Mapping[str, tuple[Effect, str]] = {
    "FAILURE_CODE": ("kept", "BehaviorTree.CPP has no failure codes; kept in '_else'"),
    "WALL_CLOCK": ("changed", "Timeout counts real time there, mission time here"),
    "TIMEOUT_PARAMETER": ("dropped", "Timeout takes milliseconds; kept in '_timeout'"),
    "UNKNOWN_ANSWER": (
        "changed",
        "while a condition is unknown (RUNNING), the guarded node halts there and continues here",
    ),
    "DOUBT": (
        "changed",
        "a condition that stays unknown fails the node here; there the node starts",
    ),
    "NOT_RETRYABLE": ("changed", "failures that another attempt cannot mend are retried there"),
    "TOLD_ANSWER": ("kept", "the answer of a question is reported here only; kept in '_tell'"),
    "LIST_ARGUMENT": ("kept", "lists, mappings and nulls are JSON text there; kept in '_exact'"),
    "TEXT_LIKE_REFERENCE": ("changed", "a text in braces is read as a blackboard entry there"),
    "NUMERIC_TEXT": ("changed", "a text that looks like a number becomes a number there"),
    "TEMPLATE": ("changed", "values are not filled into texts there; kept in '_exact'"),
    "UNTIL": ("changed", "the condition is evaluated once more there after the last round"),
    "FOR_EACH": ("changed", "there are no loops over lists there; the node runs once"),
    "RETURNED": ("kept", "results of subtrees are remapped entries there; kept in '_save'"),
    "OTHERWISE": ("kept", "there is no re-planning there; kept in '_otherwise'"),
    "RENAMED_PORT": ("kept", "port names are ASCII and some are reserved; kept in '_ports'"),
    "NAME_CLASH": ("changed", "a node of BehaviorTree.CPP has the same name; rename the skill"),
    "SKILL_TIMEOUT": ("dropped", "timeouts that skills declare are not exported"),
}
"""Features that an export does not support, with the effect and the reason."""

IMPORT_NOTES: Mapping[str, tuple[Effect, str]] = {
    "FORMAT_3": ("changed", "the file has the format of version 3; it is read as version 4"),
    "REACTIVE": ("changed", "earlier children are not ticked again here; use 'while' for guards"),
    "PIPELINE": ("changed", "earlier children are not ticked again here"),
    "ROUND_ROBIN": ("changed", "every entry begins with the first child here"),
    "RECOVERY": ("changed", "the recovery runs once here, then the work is retried"),
    "RECOVERY_ONCE": ("changed", "after its recovery the work is not tried again; it is too big"),
    "BRANCH": (
        "changed",
        "the last branch also runs if the first fails after its condition",
    ),
    "SWITCH": ("changed", "the entry is not compared; branches are tried in order"),
    "SAME_TICK": ("changed", "the next attempt or round begins one tick later here"),
    "ENDLESS": ("changed", "counts are bounded here: 1000"),
    "COUNT": ("changed", "a count that is an expression or out of range became 1000"),
    "THRESHOLDS": ("changed", "a parallel fails here as soon as it cannot succeed any more"),
    "INVERTED_ACTION": (
        "dropped",
        "the result of an action cannot be inverted; it is kept",
    ),
    "DECORATOR": ("dropped", "there is no such decorator here; its child is kept"),
    "FORCED": ("dropped", "a result cannot be forced here; the child is kept"),
    "SCRIPT": ("dropped", "there is no script language here"),
    "SKIPPED": ("changed", "a node that is skipped there fails or succeeds here"),
    "SCRIPT_CONDITION": ("changed", "the blackboard entry is read as a condition of that name"),
    "EMPTY": ("dropped", "a node without children"),
    "UNKNOWN_NODE": (
        "changed",
        "no TreeNodesModel describes the node; it became a skill, or a tree of its children",
    ),
    "AUTOREMAP": ("changed", "entries are passed by name here; only those that the tree names are"),
    "RENAMED": ("changed", "the name has other characters than letters, digits and '_'"),
    "TYPE": ("changed", "the type of an entry is not known here; it became text"),
    "ATTRIBUTE": ("dropped", "the attribute is not supported here"),
    "INCLUDE": ("dropped", "included files are not opened; pass them as arguments"),
    "UNUSED_PORT": ("dropped", "the subtree has no entry of that name"),
    "DELAY": ("dropped", "there is no waiting node in the language; use a skill"),
}
"""Features that an import does not support, with the effect and the reason."""


@dataclass(frozen=True)
class Note:
    """One unsupported feature.

    Attributes:
        code: Stable name; a key of `EXPORT_NOTES` or `IMPORT_NOTES`.
        place: Path of the node in a bt-exec tree, or the XML element with its line.
        detail: The name or value concerned.
    """

    code: str
    place: str
    detail: str = ""


@dataclass
class Report:
    """The notes of one export or import, in the order of the document."""

    notes: list[Note] = field(default_factory=list)

    def add(self, code: str, place: str, detail: str = "") -> None:
        """Add a note unless the report already contains it."""
        note = Note(code, place, detail)
        if note not in self.notes:
            self.notes.append(note)

    def codes(self) -> tuple[str, ...]:
        """Return the codes of the notes, each once, in the order of the document."""
        return tuple(dict.fromkeys(note.code for note in self.notes))

    def lines(self) -> Iterator[str]:
        """Yield the lines of the report: one for each code, followed by its places."""
        for code in self.codes():
            effect, reason = {**EXPORT_NOTES, **IMPORT_NOTES}[code]
            yield f"{code} ({effect}): {reason}"
            places = [
                f"{note.place} {note.detail}".rstrip() for note in self.notes if note.code == code
            ]
            shown = ", ".join(places[:6])
            more = len(places) - 6
            yield f"    {shown}" + (f" and {more} more" if more > 0 else "")
