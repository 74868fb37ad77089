"""Error responses: a code, a sentence and an HTTP status."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bt_exec.language.messages import Messages

__all__ = ["STATUS", "ServiceError", "sentence"]

STATUS: Mapping[str, int] = {
    "BUSY": 409,
    "QUEUE_FULL": 429,
    "CLOSING": 503,
    "NOT_READY": 503,
    "HUNG": 503,
    "INSPECT": 409,
    "NO_MISSION": 404,
    "NO_PLAN": 404,
    "NOT_RUNNING": 409,
    "NOT_WAITING": 409,
    "NO_QUESTION": 409,
    "NO_PICTURE": 404,
    "NO_TOKEN": 401,
    "WRONG_TOKEN": 401,
    "WRONG_HOST": 421,
    "WRONG_ORIGIN": 403,
    "TOO_LARGE": 413,
    "TOO_SLOW": 408,
    "TOOK_TOO_LONG": 503,
    "NOT_JSON": 415,
    "BAD_REQUEST": 422,
    "NO_COMMAND": 400,
    "NO_AUDIO": 400,
    "NO_TEXT": 400,
    "NOT_FOUND": 404,
    "NOT_ALLOWED": 405,
    "TOO_MANY": 503,
    "CANNOT": 409,
    "BUG": 500,
}
"""The HTTP status of every code."""

_LATER = {"QUEUE_FULL": "5", "BUSY": "5", "TOO_MANY": "5", "TOOK_TOO_LONG": "5", "NOT_READY": "5"}
_SENTENCES = Messages.load([Path(__file__).with_name("messages.yaml")])


class ServiceError(Exception):
    """Raised if a request cannot be fulfilled.

    Args:
        code: A key of `STATUS`.
        facts: Values for its sentence.
    """

    def __init__(self, code: str, **facts: Any) -> None:
        self.code = code
        self.facts = facts
        self.status = STATUS[code]
        super().__init__(sentence(code, "en", **facts))

    @property
    def headers(self) -> dict[str, str]:
        """HTTP headers of the response."""
        if self.status == 401:
            return {"WWW-Authenticate": "Bearer"}
        return {"Retry-After": _LATER[self.code]} if self.code in _LATER else {}

    def body(self, language: str) -> dict[str, Any]:
        """Return the body: ``{"error": {"code", "message", …}, "status": "error", "message"}``.

        ``status`` and ``message`` are for clients of other planners and simulators.
        """
        said = sentence(self.code, language, **self.facts)
        error = {"code": self.code, "message": said, **self.facts}
        return {"error": error, "status": "error", "message": said}


def sentence(code: str, language: str, /, **facts: Any) -> str:
    """Return the sentence of a code of the service, given without the prefix ``SERVE_``."""
    return _SENTENCES.say(f"SERVE_{code}", language, **facts)
