"""Failure codes of server errors, by status, error type and the words of the message."""

from __future__ import annotations

import email.utils
import math
import re
import time
from collections.abc import Mapping
from typing import Any

from bt_exec_llm.client.errors import ModelFailure

__all__ = ["one_line", "retry_after", "server_failure"]

_BY_TYPE = {
    "authentication_error": "MODEL_AUTH",
    "permission_error": "MODEL_AUTH",
    "billing_error": "MODEL_QUOTA",
    "rate_limit_error": "MODEL_RATE_LIMITED",
    "overloaded_error": "MODEL_OVERLOADED",
    "api_error": "MODEL_SERVER_ERROR",
    "timeout_error": "MODEL_SERVER_ERROR",
    "not_found_error": "MODEL_NOT_FOUND",
    "request_too_large": "MODEL_CONTEXT_FULL",
    "invalid_request_error": "MODEL_BAD_REQUEST",
}
_BY_STATUS = {
    401: "MODEL_AUTH",
    402: "MODEL_QUOTA",
    403: "MODEL_AUTH",
    404: "MODEL_NOT_FOUND",
    405: "MODEL_NOT_FOUND",
    408: "MODEL_SERVER_ERROR",
    409: "MODEL_SERVER_ERROR",
    413: "MODEL_CONTEXT_FULL",
    429: "MODEL_RATE_LIMITED",
    503: "MODEL_OVERLOADED",
    529: "MODEL_OVERLOADED",
}
_BY_WORDS = (
    ("MODEL_QUOTA", r"credit balance|billing|insufficient[ _]quota|out of credits"),
    (
        "MODEL_CONTEXT_FULL",
        r"prompt is too long|context (length|window|size)|maximum context|too many tokens",
    ),
    ("MODEL_NOT_FOUND", r"model\b.{0,120}?\b(not found|does not exist|not loaded)"),
)
"""Patterns of messages with status 400, which has many causes."""

_SHOWN = 300


def server_failure(
    status: int, body: Any, *, raw: str = "", headers: Mapping[str, str] | None = None
) -> ModelFailure:
    """Return the failure that a server reports.

    Args:
        status: HTTP status; 200 for an error in the middle of a stream.
        body: Parsed JSON, or None.
        raw: The body as text.
        headers: Of the response.
    """
    error = body.get("error") if isinstance(body, Mapping) else None
    kind, said = "", ""
    if isinstance(error, Mapping):
        kind, said = str(error.get("type") or ""), str(error.get("message") or "")
    elif isinstance(error, str):
        said = error
    elif isinstance(body, Mapping):
        said = str(body.get("message") or body.get("detail") or "")
    code = _code(status, kind, said)
    if not said and raw.strip():
        page = raw.lstrip()[:1] == "<"
        said = "it answers with a web page" if page else raw.strip()
    said = one_line(said)
    message = f"status {status}" + (f", {said}" if said else "")
    wait = retry_after(headers or {})
    if code == "MODEL_RATE_LIMITED" and wait is not None:
        message += f"; it asks to wait {wait:.0f} s"
    return ModelFailure(code, message, http_status=status, retry_after_s=wait, raw=raw)


def _code(status: int, kind: str, said: str) -> str:
    for code, words in _BY_WORDS:
        if status in (200, 400, 403, 422, 429) and re.search(words, said[:2000], re.IGNORECASE):
            return code
    if kind == "overloaded_error" or status < 300:
        return _BY_TYPE.get(kind, "MODEL_SERVER_ERROR")
    if status in _BY_STATUS:
        return _BY_STATUS[status]
    if status < 400:
        return "MODEL_NOT_FOUND"  # a redirect is not followed, since it would receive the key
    return "MODEL_BAD_REQUEST" if status < 500 else "MODEL_SERVER_ERROR"


def one_line(text: str) -> str:
    """Return the start of a server's text for a message, without control characters."""
    shown = "".join(char if char.isprintable() else " " for char in text[:_SHOWN])
    return " ".join(shown.split()).rstrip(".")


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the delay that a server requests [s], or None; seconds and dates are accepted."""
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        told = str(headers.get(name) or "")[:64]
        try:
            seconds = float(told) * unit
        except ValueError:
            continue
        if math.isfinite(seconds) and seconds >= 0:
            return seconds
    try:
        date = email.utils.parsedate_to_datetime(str(headers.get("retry-after") or "")[:64])
        return max(0.0, date.timestamp() - time.time())
    except (ValueError, TypeError, OverflowError, OSError):
        return None
