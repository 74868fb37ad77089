"""Error responses: a code, a sentence and an HTTP status."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

from bt_exec.language.messages import Messages

__all__ = ["SENTENCES", "WebError"]

SENTENCES = Path(__file__).with_name("messages.yaml")
"""File with the sentences of errors that all applications share."""


class WebError(Exception):
    """Raised if a request cannot be fulfilled.

    A subclass adds the codes of an application, with their statuses and sentences.

    Args:
        code: A key of `statuses`.
        facts: Values for the placeholders of the sentence.

    Attributes:
        statuses: The HTTP status of every code.
        sentences: The sentence of every code.
        temporary: Codes after which a client may try again.
    """

    statuses: ClassVar[Mapping[str, int]] = {
        "NO_TOKEN": 401,
        "WRONG_TOKEN": 401,
        "WRONG_HOST": 421,
        "WRONG_ORIGIN": 403,
        "TOO_LARGE": 413,
        "TOO_SLOW": 408,
        "TOO_MANY": 503,
        "NOT_JSON": 415,
        "MALFORMED": 400,
        "BAD_REQUEST": 422,
        "NOT_FOUND": 404,
        "NOT_ALLOWED": 405,
        "CANNOT": 409,
        "BUG": 500,
    }
    sentences: ClassVar[Messages] = Messages.load([SENTENCES])
    temporary: ClassVar[frozenset[str]] = frozenset({"TOO_MANY"})

    def __init__(self, code: str, **facts: Any) -> None:
        self.code = code
        self.facts = facts
        self.status = self.statuses[code]
        super().__init__(self.sentence("en"))

    @property
    def headers(self) -> dict[str, str]:
        """HTTP headers of the response."""
        if self.status == 401:
            return {"WWW-Authenticate": "Bearer"}
        return {"Retry-After": "5"} if self.code in self.temporary else {}

    def sentence(self, language: str) -> str:
        """Return the sentence of the error in `language`."""
        return self.sentences.say(self.code, language, **self.facts)

    def body(self, language: str) -> dict[str, Any]:
        """Return the body: ``{"error": {"code", "message", …}, "status": "error", "message"}``.

        The top-level ``status`` and ``message`` are for clients that were written for other
        planners and simulators.
        """
        said = self.sentence(language)
        error = {"code": self.code, "message": said, **self.facts}
        return {"error": error, "status": "error", "message": said}
