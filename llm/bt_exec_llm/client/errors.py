"""Failures of model requests: one code for each error of the SDK, network or server.

======================  ==========================================================  ==========
code                    what happened                                               passes?
======================  ==========================================================  ==========
MODEL_NO_KEY            the environment holds no key                                no
MODEL_NO_SDK            the ``anthropic`` package cannot be imported                no
MODEL_AUTH              the key is refused, or may not use this model (401, 403)    no
MODEL_QUOTA             no credit is left (402, or a 400 with that message)         no
MODEL_RATE_LIMITED      too many requests (429)                                     yes
MODEL_OVERLOADED        the server has too much to do (503, 529)                    yes
MODEL_SERVER_ERROR      the server broke down (other 5xx, 408, 409)                 yes
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
MODEL_NOT_RECORDED      the exchange could not be written down                      no
MODEL_REPLAY_DIFFERS    the recording holds no answer to this question              no
MODEL_REPLAY_ENDED      the recording holds no further answer                       no
MODEL_CRASHED           a bug in bt-exec                                            no
======================  ==========================================================  ==========

Failures that may pass are retried within the deadline.
"""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path
from typing import Any

from bt_exec.failure import Failure
from bt_exec.language.messages import Messages
from bt_exec_llm.client.usage import Usage

__all__ = ["CODES", "PASSING", "SENTENCES", "ModelFailure"]

SENTENCES = Path(__file__).with_name("failures.yaml")
"""The sentences for the codes, in the form of `bt_exec.language.messages`."""

_NOTHING = Usage()
_PIECES = re.compile("(; (?:the next one there differs in )?|, |: )")
"""Separator between the parts of a message."""

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


class ModelFailure(Exception):  # noqa: N818 - it becomes a `Failure`, not an error of the program
    """Raised when there is no answer to use.

    Args:
        code: One of `CODES`.
        message: Details in English; never contains a key.
        http_status: The server's status, if one came.
        retry_after_s: How long the server asked to wait [s].
        text: Partial text of the model, if any (``MODEL_CUT_OFF``, ``…REFUSED``).
        stop_reason: The model's, if it came so far.
        raw: The server's answer, if one came.

    Attributes:
        usage: Cost of the question until then.
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
        """Whether the same question may be answered a little later."""
        return self.code in PASSING

    def say(self, language: str) -> str:
        """Return the reason as a sentence for the operator. Quoted server text is unchanged."""
        pieces = _PIECES.split(self.message)
        told = "".join(_sentences().word(piece, language) for piece in pieces)
        return _sentences().say(self.code, language, message=told)

    def to_failure(self) -> Failure:
        """Return the value that travels in the executive, the journal and the reports."""
        evidence: dict[str, Any] = {"usage": self.usage.to_dict()}
        if self.http_status is not None:
            evidence["http_status"] = self.http_status
        if self.retry_after_s is not None:
            evidence["retry_after_s"] = self.retry_after_s
        return Failure(
            self.code, self.message, kind="compiler", evidence=evidence, retryable=self.retryable
        )


@lru_cache(maxsize=1)
def _sentences() -> Messages:
    return Messages.load([SENTENCES])
