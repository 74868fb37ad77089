"""Replay of recorded answers in place of a model."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast, get_args

from bt_exec.failure import UsageError
from bt_exec.files import file_errors
from bt_exec_llm.client.errors import ModelFailure
from bt_exec_llm.client.exchange_recorder import VERSION
from bt_exec_llm.client.model_interface import Answer, Question, Usage
from bt_exec_llm.client.settings import Tier

__all__ = ["ReplayClient"]

_LONGEST_LINE = 32_000_000


class ReplayClient:
    """Model that repeats recorded answers and failures, byte for byte.

    Each question gets the first unused answer that was recorded for the same question.

    Args:
        path: File written by `Recorder`.
        ignore_digest: Whether to return the answers in recorded order without comparing questions.

    Attributes:
        settings: The last recorded settings of the compiler; empty if there are none.

    Raises:
        UsageError: If the file cannot be read, or is not a recording.
    """

    def __init__(self, path: Path, *, ignore_digest: bool = False) -> None:
        self.path = path
        self.usage = Usage()
        self._ignore = ignore_digest
        self._lock = threading.Lock()
        rows = _read_rows(path)
        settings = [row["settings"] for row in rows if "settings" in row]
        self.settings: Mapping[str, Any] = settings[-1] if settings else {}
        self._rows = [row for row in rows if "settings" not in row]
        self._count = len(self._rows)

    def has_answer_to(self, question: Question) -> bool:
        """Return True if the recording has an unused answer to this question."""
        digest = question.digest()
        with self._lock:
            return any(row["digest"] == digest for row in self._rows)

    def ask(self, question: Question, cancel: threading.Event | None = None) -> Answer:
        """Return the recorded answer to a question.

        Raises:
            ModelFailure: If a failure was recorded, or with ``MODEL_REPLAY_DIFFERS`` or
                ``MODEL_REPLAY_ENDED``.
        """
        if cancel is not None and cancel.is_set():
            raise ModelFailure("MODEL_CANCELLED", "asked to stop")
        digest = question.digest()
        with self._lock:
            came = self._rows.pop(self._find_row(question, digest))
            answer = _recorded_result(came)
            self.usage += answer.usage
        if isinstance(answer, ModelFailure):
            raise answer
        return answer

    def _find_row(self, question: Question, digest: str) -> int:
        if not self._rows:
            message = f"{self.path.name}: all {self._count} answers have been used"
            raise ModelFailure("MODEL_REPLAY_ENDED", message)
        if self._ignore:
            return 0
        for index, row in enumerate(self._rows):
            if row["digest"] == digest:
                return index
        message = (
            f"{self.path.name}: no answer to this question; the next one there differs in "
            f"{_difference(self._rows[0]['request'], question.to_dict())}"
        )
        raise ModelFailure("MODEL_REPLAY_DIFFERS", message)


def _read_rows(path: Path) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    number = 0
    try:
        with file_errors(path, "read"), path.open(encoding="utf-8") as file:
            while line := file.readline(_LONGEST_LINE):
                number += 1
                if line.strip():
                    rows.append(_parse_row(line))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
        why = f"lacks {error}" if isinstance(error, KeyError) else str(error)[:200]
        raise UsageError(f"{path}: line {number} is not a recorded exchange: {why}") from None
    return rows


def _parse_row(line: str) -> dict[str, Any]:
    row: dict[str, Any] = json.loads(line)
    if row["version"] != VERSION:
        raise ValueError(f"version {row['version']!r}, this program reads {VERSION}")
    if "settings" in row:
        if not isinstance(row["settings"], dict):
            raise TypeError("settings must be a mapping")
        return row
    _recorded_result(row)
    dict(row["request"])
    return row


def _recorded_result(row: Mapping[str, Any]) -> Answer | ModelFailure:
    """Return the answer or failure in a line of a recording.

    Raises:
        ValueError, KeyError, TypeError, AttributeError: If the line is malformed.
    """
    usage = Usage(**row["usage"])
    if "failure" in row:
        details = row["failure"]
        failure = ModelFailure(
            details["code"],
            details["message"],
            http_status=details["http_status"],
            retry_after_s=details["retry_after_s"],
            text=row["text"],
            stop_reason=row["stop_reason"],
            raw=row["raw"],
            usage=usage,
        )
        failure.request_digest, failure.seconds = row["digest"], row["seconds"]
        return failure
    if row["tier"] not in get_args(Tier):
        raise ValueError(f"unknown tier {row['tier']!r}")
    return Answer(
        row["text"],
        row["data"],
        usage,
        row["stop_reason"],
        cast("Tier", row["tier"]),
        row["digest"],
        row["seconds"],
        row["answered_by"],
        tuple(row["notes"]),
        row["raw"],
    )


def _difference(then: Mapping[str, Any], now: Mapping[str, Any]) -> str:
    """Return the first place where two questions differ, as ``messages[2]/blocks[0]/text``."""
    place, left, right = "", cast("Any", then), cast("Any", now)
    while True:
        if isinstance(left, dict) and isinstance(right, dict):
            keys = [*left, *(key for key in right if key not in left)]
            parts = [(f"/{key}" if place else str(key), key) for key in keys]
            pairs = [(name, left.get(key), right.get(key)) for name, key in parts]
        elif isinstance(left, list) and isinstance(right, list):
            if len(left) != len(right):
                return f"{place}: {len(left)} then, {len(right)} now"
            pairs = [
                (f"[{index}]", *pair) for index, pair in enumerate(zip(left, right, strict=True))
            ]
        else:
            return place or "nothing"
        differing = [pair for pair in pairs if pair[1] != pair[2]]
        if not differing:
            return place or "nothing"
        name, left, right = differing[0]
        place += name
