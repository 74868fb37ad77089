"""Labeler that queries a labelling service, such as ``bt-exec label serve``, over HTTP.

Frames are sent without loss. Answers are validated with the local vocabulary. If the service is
unreachable, the request is repeated after 1, 2 and 4 seconds.
"""

from __future__ import annotations

import json
import os
import ssl
import threading
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from typing import Annotated, Any

import httpx2
from pydantic import Field
from tenacity import retry_if_exception_type, wait_chain, wait_fixed

from bt_exec.failure import UsageError
from bt_exec.spec.user_data_validation import UserData, read_settings
from bt_exec_labeler.labeler_items import Item
from bt_exec_labeler.labelers import (
    BACKOFF_S,
    Allowance,
    BudgetSpentError,
    Labeler,
    LabelerFailure,
    LabelerSettings,
    Labelled,
    RequestThreads,
    Unlimited,
    retry_controller,
)
from bt_exec_labeler.plan_record import Breach, Record, read_record
from bt_exec_labeler.service.request import make_request
from bt_exec_labeler.sources.json_lines_parser import serialisable_value
from bt_exec_labeler.vocabulary import Vocabulary
from bt_exec_llm.client.connection import proxy_of

__all__ = ["Options", "RemoteLabeler", "create"]

_ANSWER_BYTES = 4 * 1024 * 1024  # maximum size of an answer
_BREACHES = 20  # maximum number of breaches per item


class Options(UserData):
    """Settings of the labeler.

    Attributes:
        url: Address of the service, without ``/label`` and without a password.
        token_variable: Environment variable with the token of the service; empty if it needs none.
        timeout_s: Time limit of a batch [s].
        retries: Number of further attempts for a batch.
    """

    url: Annotated[str, Field(pattern=r"^https?://[^\s?#@]+$")]
    token_variable: str = "BT_EXEC_TOKEN"  # noqa: S105 - the name of the variable
    timeout_s: Annotated[float, Field(gt=0, le=3600)] = 300.0
    retries: Annotated[int, Field(ge=0, le=10)] = 3


class _TemporaryError(Exception):
    """Raised for a temporary failure, after which the request is repeated."""


class RemoteLabeler:
    """Labeler that queries a service about moments.

    Args:
        vocabulary: Vocabulary of the records.
        options: Settings of the labeler.
        sleep: Replacement of `time.sleep` in tests.
        allowance: Account at which every request is reserved before it is sent.
    """

    name = "remote"

    def __init__(
        self,
        vocabulary: Vocabulary,
        options: Options,
        sleep: Callable[[float], None] | None = None,
        allowance: Allowance = Unlimited(),  # noqa: B008 - stateless
    ) -> None:
        self.vocabulary = vocabulary
        self.allowance = allowance
        self.options = options
        token = os.environ.get(options.token_variable, "")
        self._headers = {"Authorization": f"Bearer {token}"} if token else {}
        self._sleep = sleep
        self._lock = threading.Lock()
        self._usage = Counter[str]()
        self._requests = RequestThreads()

    def limit_requests(self, at_once: int) -> None:
        """Implement `Pipelined.limit_requests`."""
        self._requests.limit(at_once)

    def label(self, items: Sequence[Item]) -> Sequence[Labelled]:
        """Implement `Labeler.label`."""
        language = self.vocabulary.languages[0]
        answers = self._request_answers(make_request(items, self.vocabulary, language), len(items))
        return [
            self._read_answer(answer, item) for answer, item in zip(answers, items, strict=True)
        ]

    def usage(self) -> Mapping[str, float]:
        """Return the number of requests so far as the only expense."""
        with self._lock:
            return dict(self._usage)

    def _request_answers(self, body: Mapping[str, Any], count: int) -> list[Any]:
        """Send a request and return an answer for each item.

        Raises:
            LabelerFailure: If the service is unreachable, or its response is invalid.
        """
        retrying = retry_controller(
            self.options.retries,
            self._sleep,
            wait=wait_chain(*map(wait_fixed, BACKOFF_S)),
            retry=retry_if_exception_type(_TemporaryError),
            reraise=True,
        )
        try:
            data: Any = retrying(self._requests.call, self._post, body)
        except _TemporaryError as error:
            raise LabelerFailure("REMOTE_AWAY", f"{self.options.url}: {error}") from error
        found = data.get("items") if isinstance(data, Mapping) else None
        if not isinstance(found, list) or len(found) != count:
            wanted = f"{count} items"
            raise LabelerFailure("REMOTE_FORM", f"{self.options.url} did not return {wanted}")
        if data.get("schema_version") != self.vocabulary.version:
            theirs = str(data.get("schema_version"))[:60]
            message = f"{self.options.url} has schema {theirs}; ours is {self.vocabulary.version}"
            raise LabelerFailure("REMOTE_SCHEMA", message)
        return found

    def _post(self, body: Mapping[str, Any]) -> Any:
        try:
            self.allowance.reserve({"requests": 1})
        except BudgetSpentError as error:
            raise LabelerFailure("BUDGET_SPENT", str(error)) from error
        with self._lock:
            self._usage["requests"] += 1
        url, how = f"{self.options.url.rstrip('/')}/label", self._headers
        try:
            # One connection per batch: batches take seconds, and no connection has to be closed.
            with (
                httpx2.Client(
                    headers=how,
                    timeout=self.options.timeout_s,
                    verify=_certificates(),
                    proxy=proxy_of(url),
                    trust_env=False,  # `proxy_of` reads the proxy from the environment
                ) as client,
                client.stream("POST", url, json=body) as answer,
            ):
                content = bytearray()
                for part in answer.iter_bytes():
                    content += part
                    if len(content) > _ANSWER_BYTES:
                        raise LabelerFailure("REMOTE_FORM", "the answer is too long")
        except httpx2.HTTPError as error:
            raise _TemporaryError(str(error) or type(error).__name__) from error
        if answer.status_code in (408, 429) or answer.status_code >= 500:
            raise _TemporaryError(f"answered {answer.status_code}: {_server_text(content)}")
        if answer.status_code != 200:
            message = f"{self.options.url} answered {answer.status_code}: {_server_text(content)}"
            raise LabelerFailure("REMOTE_REFUSED", message)
        try:
            return serialisable_value(json.loads(content))
        except (ValueError, RecursionError):
            message = f"{self.options.url} did not answer JSON: {_server_text(content)}"
            raise LabelerFailure("REMOTE_FORM", message) from None

    def _read_answer(self, answer: Any, item: Item) -> Labelled:
        """Return the result for an item from the service's answer, after validation."""
        if not isinstance(answer, Mapping):
            return Labelled(None, (Breach("REMOTE_FORM", "item", "is not an object"),))
        attempts = answer.get("attempts")
        count = attempts if isinstance(attempts, int) else 1
        about = answer.get("provenance")
        said = {"service": self.options.url, "by": about if isinstance(about, Mapping) else {}}
        if answer.get("record") is not None:
            found = read_record(answer["record"], self.vocabulary, item.mid_step_id)
            if isinstance(found, Record):
                return Labelled(found, (), count, said)
            return Labelled(None, found, count, said)
        listed = answer.get("breaches")
        entries = listed if isinstance(listed, list) else []
        breaches = [
            Breach(
                _shortened(entry, "code"), _shortened(entry, "where"), _shortened(entry, "message")
            )
            for entry in entries[:_BREACHES]
            if isinstance(entry, Mapping)
        ]
        nothing = Breach("ITEM_MISSING", "item", "has neither a record nor a reason")
        return Labelled(None, tuple(breaches) or (nothing,), count, said)


def _shortened(entry: Mapping[str, Any], key: str) -> str:
    return str(entry.get(key, ""))[:500]


@lru_cache(maxsize=1)
def _certificates() -> ssl.SSLContext:
    """Return the trusted certificates.

    They are read only once, because reading them takes longer than a request.
    """
    return httpx2.create_ssl_context()


def _server_text(content: bytes | bytearray) -> str:
    return content[:200].decode("utf-8", "replace")


def create(settings: LabelerSettings) -> Labeler:
    """Return a labeler that uses the service in the settings.

    Raises:
        UsageError: If a setting is unknown, missing or invalid.
    """
    options = read_settings(
        Options,
        settings.options,
        "the labeler remote",
        such_as="-s url=http://127.0.0.1:8902",
    )
    if unknown := settings.allowance.limited_kinds & {"tokens", "cost"}:
        raise UsageError(
            f"--{min(unknown)} does not work with the labeler remote: its service does not report "
            "what an answer costs; use --requests"
        )
    return RemoteLabeler(settings.vocabulary, options, allowance=settings.allowance)
