"""Reviewers' decisions about records: ``RUN/review/NAME.jsonl``, one line per decision.

::

    {"item": "…", "decision": "correct", "record": {…}, "at": "2026-11-22T01:50:00+00:00"}

A line is written to disk before the reviewer sees the next record. If there are several decisions
about an item, the last one counts. If the process was killed while writing a line, the incomplete
line is removed; its decision was not confirmed.
"""

from __future__ import annotations

import fcntl
import json
import os
import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any, Literal, TypeAlias, get_args

from bt_exec.failure import UsageError
from bt_exec.files import file_errors
from bt_exec_labeler.answer_violation import Breach, make_breach
from bt_exec_labeler.plan_record import FIELDS, Record, build_record, read_record
from bt_exec_labeler.vocabulary import Vocabulary

__all__ = [
    "DECISIONS",
    "Decision",
    "Decisions",
    "agreed_decision",
    "decisions_of",
    "parse_decision",
]

Decision: TypeAlias = Literal["accept", "correct", "reject"]

DECISIONS: tuple[Decision, ...] = get_args(Decision)

_NAME = re.compile(r"[\w][\w-]{0,39}")  # valid in a file name; letters of any script


def parse_decision(
    data: Mapping[str, Any], line: Mapping[str, Any], vocabulary: Vocabulary
) -> dict[str, Any] | tuple[Breach, ...]:
    """Return a decision in stored form, or its breaches.

    Args:
        data: Mapping with ``decision`` and, if that is ``correct``, ``record``.
        line: Line of the record that the decision is about.
        vocabulary: Vocabulary of corrected records.
    """
    decision = data.get("decision")
    if decision not in DECISIONS:
        facts = {"allowed": ", ".join(DECISIONS), "found": repr(decision)}
        return (make_breach("UNKNOWN_DECISION", "decision", "one_of", **facts),)
    kept = {"item": line["item"], "decision": decision}
    if decision != "correct":
        return kept
    found = read_record(data.get("record"), vocabulary, line["mid_step_id"])
    if not isinstance(found, Record):
        return found
    return {**kept, "record": found.to_dict()}


class Decisions:
    """Store of one reviewer's decisions; only one process at a time can open it.

    Args:
        folder: Folder of the run.
        reviewer: Name of the reviewer: letters, digits, ``-`` and ``_``.
        now: Function that returns the current time; replaced in tests.

    Attributes:
        by_item: Latest decision about each item, by its id.

    Raises:
        UsageError: If the name is invalid, the file cannot be used, or another process uses it.
    """

    def __init__(
        self,
        folder: Path,
        reviewer: str,
        now: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        if not _NAME.fullmatch(reviewer):
            raise UsageError(
                f"--reviewer {reviewer!r}: a name may have at most 40 letters, digits, - and _"
            )
        self.reviewer = reviewer
        self.path = folder / "review" / f"{reviewer}.jsonl"
        self._now = now
        with file_errors(self.path, "written"):
            self.path.parent.mkdir(exist_ok=True)
            self._file = self.path.open("a+b")
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            self.by_item = _read_repaired(self._file, self.path)
        except OSError:
            self._file.close()
            raise UsageError(
                f"{reviewer} is already reviewing {folder} in another window; end it, "
                "or use another name with --reviewer"
            ) from None
        except UsageError:
            self._file.close()
            raise

    def add(self, decision: Mapping[str, Any]) -> dict[str, Any]:
        """Store a decision on disk and return it with its time.

        Raises:
            OSError: If the decision cannot be written; then no part of it is stored.
        """
        kept = {**decision, "at": self._now().isoformat(timespec="seconds")}
        begin = self._file.seek(0, os.SEEK_END)
        try:
            self._file.write(json.dumps(kept, ensure_ascii=False).encode() + b"\n")
            self._file.flush()
            os.fsync(self._file.fileno())
        except OSError:
            self._file.truncate(begin)
            raise
        self.by_item[kept["item"]] = kept
        return kept

    def close(self) -> None:
        """Close the file, so that another process can open it."""
        self._file.close()


def decisions_of(folder: Path) -> dict[str, dict[str, dict[str, Any]]]:
    """Return the decisions about a run, by reviewer and then by item.

    Raises:
        UsageError: If a line cannot be read.
    """
    found: dict[str, dict[str, dict[str, Any]]] = {}
    for path in sorted((folder / "review").glob("*.jsonl")):
        lines, _ = _parse_decisions(path.read_bytes(), path)
        found[path.stem] = lines
    return found


def agreed_decision(
    line: Mapping[str, Any],
    decided: Mapping[str, Mapping[str, Mapping[str, Any]]],
    vocabulary: Vocabulary,
) -> Mapping[str, Any] | None:
    """Return a line with the reviewers' decision; None if they rejected it or disagree.

    Args:
        line: A line of ``records.jsonl``.
        decided: Result of `decisions_of`.
        vocabulary: Vocabulary of the run.
    """
    own = {name: line["record"][name] for name in FIELDS}
    ends: list[Any] = []
    for by_item in decided.values():
        if decision := by_item.get(line["item"]):
            corrected = decision.get("record") if decision["decision"] == "correct" else own
            ends.append(None if decision["decision"] == "reject" else corrected)
    if not ends:
        return line
    if ends[0] is None or any(end != ends[0] for end in ends):
        return None
    record = Record.from_dict(ends[0])
    return {**line, "record": build_record(record, vocabulary, line["episode"], line["t"])}


def _read_repaired(file: IO[bytes], path: Path) -> dict[str, dict[str, Any]]:
    """Return the decisions in a file by item; remove an incomplete last line."""
    file.seek(0)
    found, whole = _parse_decisions(file.read(), path)
    file.truncate(whole)
    return found


def _parse_decisions(data: bytes, path: Path) -> tuple[dict[str, dict[str, Any]], int]:
    """Return decisions by item, and the number of bytes of complete lines."""
    whole = data.rfind(b"\n") + 1
    found: dict[str, dict[str, Any]] = {}
    for number, text in enumerate(data[:whole].splitlines(), start=1):
        try:
            line = json.loads(text)
            if line["decision"] not in DECISIONS or not isinstance(line["item"], str):
                raise ValueError  # noqa: TRY301 - reported below, with its line
            if line["decision"] == "correct" and not set(FIELDS) <= set(line["record"]):
                raise ValueError  # noqa: TRY301 - reported below, with its line
        except (ValueError, KeyError, TypeError):
            raise UsageError(
                f"{path}:{number} is not a decision; correct or remove that line"
            ) from None
        found[line["item"]] = line
    return found, whole
