"""Failures of model requests: one code for each error of the SDK, network or server.

======================  ==========================================================  ========
code                    what happened                                               retried?
======================  ==========================================================  ========
MODEL_NO_KEY            the environment contains no key                             no
MODEL_NO_SDK            the ``anthropic`` package cannot be imported                no
MODEL_AUTH              the key is refused, or may not use this model (401, 403)    no
MODEL_QUOTA             no credit is left (402, or a 400 with that message)         no
MODEL_RATE_LIMITED      too many requests (429)                                     yes
MODEL_OVERLOADED        the server is overloaded (503, 529)                         yes
MODEL_SERVER_ERROR      the server failed (other 5xx, 408, 409)                     yes
MODEL_UNREACHABLE       no connection: refused, unknown host, TLS                   yes
MODEL_BROKEN_OFF        the connection broke before the answer was complete         yes
MODEL_TIMEOUT           the deadline of the request passed                          no
MODEL_CANCELLED         the request was cancelled                                   no
MODEL_NOT_FOUND         no such model, or no Messages protocol there (404)          no
MODEL_BAD_REQUEST       the server refuses the request (400, 422, other 4xx)        no
MODEL_CONTEXT_FULL      the prompt does not fit into the model (400, 413, stop)     no
MODEL_NOT_JSON          the answer is not JSON, such as a login page                no
MODEL_REDIRECTED        the server redirects to another address (3xx)               no
MODEL_COMPRESSED        the answer is compressed, though we asked for plain text    no
MODEL_TOO_DEEP          the answer is nested too deeply to be read                  no
MODEL_BAD_ANSWER        the answer is JSON, but not a message; or it is empty       yes
MODEL_TOO_BIG           the answer exceeds the size limit                           no
MODEL_REFUSED           the model declined                                          no
MODEL_CUT_OFF           the answer was cut off at ``max_tokens``                    no
MODEL_NOT_RECORDED      the exchange could not be recorded                          no
MODEL_REPLAY_DIFFERS    the recording contains no answer to this question           no
MODEL_REPLAY_ENDED      the recording contains no further answer                    no
MODEL_CRASHED           a bug in bt-exec                                            no
======================  ==========================================================  ========

A failure marked "yes" may be transient: the request is repeated within the deadline.
"""

from __future__ import annotations

import email.utils
import math
import re
import time
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Any

from bt_exec.language import sanitize
from bt_exec.language.messages import load_messages
from bt_exec_llm.client.model_interface import Usage

__all__ = [
    "CODES",
    "PASSING",
    "SENTENCES",
    "ModelFailure",
    "one_line",
    "retry_after",
    "server_failure",
]


SENTENCES = Path(__file__).with_name("failures.yaml")
"""File with the sentences for the codes, in the format of `bt_exec.language.messages`."""

_NOTHING = Usage()
_PIECES = re.compile("(; (?:the next one there differs in )?|, |: )")
"""Separators between the parts of a message, which are translated separately."""

PASSING = frozenset(
    {
        "MODEL_RATE_LIMITED",
        "MODEL_OVERLOADED",
        "MODEL_SERVER_ERROR",
        "MODEL_UNREACHABLE",
        "MODEL_BROKEN_OFF",
        "MODEL_BAD_ANSWER",
    }
)

CODES = PASSING | {
    "MODEL_NO_KEY",
    "MODEL_NO_SDK",
    "MODEL_AUTH",
    "MODEL_QUOTA",
    "MODEL_TIMEOUT",
    "MODEL_CANCELLED",
    "MODEL_NOT_FOUND",
    "MODEL_BAD_REQUEST",
    "MODEL_CONTEXT_FULL",
    "MODEL_NOT_JSON",
    "MODEL_REDIRECTED",
    "MODEL_COMPRESSED",
    "MODEL_TOO_DEEP",
    "MODEL_TOO_BIG",
    "MODEL_REFUSED",
    "MODEL_CUT_OFF",
    "MODEL_NOT_RECORDED",
    "MODEL_REPLAY_DIFFERS",
    "MODEL_REPLAY_ENDED",
    "MODEL_CRASHED",
}


class ModelFailure(Exception):  # noqa: N818 - is converted to a `Failure`
    """Raised when a question has no usable answer.

    Args:
        code: One of `CODES`.
        message: Details in English; never contains a key.
        http_status: HTTP status of the response, if there was one.
        retry_after_s: Delay before a retry, if the server requested one [s].
        text: Partial text of the model, if any (``MODEL_CUT_OFF``, ``MODEL_REFUSED``).
        stop_reason: Stop reason of the model, if there was one.
        raw: Body of the response, if there was one.

    Attributes:
        usage: Cost of the question up to the failure.
        request_digest: Digest of the question.
        seconds: Time from the question to the failure [s].
    """

    def __init__(
        self,
        code: str,
        message: str = "",
        *,
        http_status: int | None = None,
        retry_after_s: float | None = None,
        text: str = "",
        stop_reason: str = "",
        raw: str = "",
        usage: Usage = _NOTHING,
    ) -> None:
        if code not in CODES:
            raise ValueError(f"{code!r} is not a code of a model failure")
        super().__init__(f"{code}: {message}" if message else code)
        self.code = code
        self.message = message
        self.http_status = http_status
        self.retry_after_s = retry_after_s
        self.text = text
        self.stop_reason = stop_reason
        self.raw = raw
        self.usage = usage
        self.request_digest = ""
        self.seconds = 0.0

    @property
    def retryable(self) -> bool:
        """Whether the failure is transient, so that a repeated request may succeed."""
        return self.code in PASSING

    def say(self, language: str) -> str:
        """Return a sentence for the operator; quoted text of the server is not translated."""
        pieces = _PIECES.split(self.message)
        message = "".join(_sentences().translate_word(piece, language) for piece in pieces)
        return _sentences().say(self.code, language, message=message)


_sentences = partial(load_messages, SENTENCES)


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
"""Codes and patterns of error messages, to distinguish the many causes of status 400."""

_SHOWN = 300


def server_failure(
    status: int, body: Any, *, raw: str = "", headers: Mapping[str, str] | None = None
) -> ModelFailure:
    """Return the failure that a server reports.

    Args:
        status: HTTP status; 200 for an error in the middle of a stream.
        body: Body as parsed JSON; None if it is not JSON.
        raw: Body as text.
        headers: Headers of the response.
    """
    error = body.get("error") if isinstance(body, Mapping) else None
    kind, said = "", ""
    if isinstance(error, Mapping):
        kind, said = str(error.get("type") or ""), str(error.get("message") or "")
    elif isinstance(error, str):
        said = error
    elif isinstance(body, Mapping):
        said = str(body.get("message") or body.get("detail") or "")
    code = _failure_code(status, kind, said)
    if not said and raw.strip():
        page = raw.lstrip()[:1] == "<"
        said = "it answers with a web page" if page else raw.strip()
    said = one_line(said)
    message = f"status {status}" + (f", {said}" if said else "")
    wait = retry_after(headers or {})
    if code == "MODEL_RATE_LIMITED" and wait is not None:
        message += f"; it asks to wait {wait:.0f} s"
    return ModelFailure(code, message, http_status=status, retry_after_s=wait, raw=raw)


def _failure_code(status: int, kind: str, said: str) -> str:
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
    """Return a server's text as one line without control characters, truncated."""
    return sanitize.one_line(text, _SHOWN).rstrip(".")


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the delay in a ``Retry-After`` header (seconds or a date) [s]; None without one."""
    for name, unit in (("retry-after-ms", 0.001), ("retry-after", 1.0)):
        value = str(headers.get(name) or "")[:64]
        try:
            seconds = float(value) * unit
        except ValueError:
            continue
        if math.isfinite(seconds) and seconds >= 0:
            return seconds
    try:
        date = email.utils.parsedate_to_datetime(str(headers.get("retry-after") or "")[:64])
        return max(0.0, date.timestamp() - time.time())
    except (ValueError, TypeError, OverflowError, OSError):
        return None
