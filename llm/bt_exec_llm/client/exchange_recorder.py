"""Recording of exchanges with a model as JSON Lines; the first line contains the settings."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bt_exec.files import file_errors
from bt_exec_llm.client.errors import ModelFailure
from bt_exec_llm.client.model_interface import Answer, Question

__all__ = ["Exchange", "Recorder"]

VERSION = 1


@dataclass(frozen=True, slots=True)
class Exchange:
    """Question with its answer or failure; contains no API key.

    Attributes:
        question: The question.
        model: Name of the model.
        answer: The answer; None after a failure.
        failure: The failure; None if there is an answer.
    """

    question: Question
    model: str
    answer: Answer | None = None
    failure: ModelFailure | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the exchange as JSON data, for a recording or a journal."""
        came: Answer | ModelFailure | None = self.answer or self.failure
        assert came is not None
        row: dict[str, Any] = {
            "version": VERSION,
            "digest": came.request_digest,
            "model": self.model,
            "request": self.question.to_dict(),
            "usage": came.usage.to_dict(),
            "seconds": came.seconds,
            "stop_reason": came.stop_reason,
            "text": came.text,
            "raw": came.raw,
        }
        if self.answer is not None:
            notes = list(self.answer.notes)
            more = {"data": self.answer.data, "tier": self.answer.tier, "notes": notes}
            return {**row, "answered_by": self.answer.model, **more}
        assert self.failure is not None
        return {
            **row,
            "failure": {
                "code": self.failure.code,
                "message": self.failure.message,
                "http_status": self.failure.http_status,
                "retry_after_s": self.failure.retry_after_s,
            },
        }


class Recorder:
    """Recorder that appends exchanges to a file; pass it to a client as ``record``.

    Args:
        path: The file; created if missing.
        settings: Settings of the compiler; written before the first exchange, for `ReplayClient`.

    Raises:
        UsageError: If the file cannot be written.
    """

    def __init__(self, path: Path, settings: Mapping[str, Any] | None = None) -> None:
        self.path = path
        self._header = {} if settings is None else {"version": VERSION, "settings": dict(settings)}
        self._lock = threading.Lock()
        with file_errors(path, "written"), path.open("a", encoding="utf-8"):
            pass

    def __call__(self, exchange: Exchange) -> None:
        """Append an exchange to the file and flush it."""
        # ensure_ascii preserves lone surrogates and escapes Unicode line breaks
        line = json.dumps(exchange.to_dict(), ensure_ascii=True, separators=(",", ":")) + "\n"
        with self._lock, self.path.open("a", encoding="ascii") as file:
            if self._header:
                file.write(
                    json.dumps(self._header, ensure_ascii=True, separators=(",", ":")) + "\n"
                )
                self._header = {}
            file.write(line)
