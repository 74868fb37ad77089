"""HTTP requests through the SDK, with limits of size and time, cancellable from another thread.

Only this module imports the SDK; `request_runner` imports this module with the first question. All
errors of the SDK, its HTTP library and the server are converted to a `ModelFailure`.
"""

from __future__ import annotations

import json
import re
import ssl
from collections.abc import Iterator, Mapping
from functools import lru_cache
from types import TracebackType
from typing import Any, NamedTuple
from urllib.parse import urlsplit

import anthropic
import httpx2

from bt_exec_llm.client.api_key import Key
from bt_exec_llm.client.connection import Connection, proxy_of
from bt_exec_llm.client.errors import ModelFailure, one_line, server_failure
from bt_exec_llm.client.settings import LARGEST_ANSWER, ModelSettings
from bt_exec_llm.client.stream import Collector, parse_json

__all__ = ["Reply", "Transport", "server_schema"]


class Reply(NamedTuple):
    """Message from a server, as text and as data."""

    raw: str
    message: Mapping[str, Any]


_CONNECT_S = 10.0  # time limit of connecting [s]


class _Bounded(httpx2.SyncByteStream):
    """Response body that raises an error if it is too long or arrives too late."""

    def __init__(self, inner: httpx2.SyncByteStream, connection: Connection) -> None:
        self._inner = inner
        self._connection = connection

    def __iter__(self) -> Iterator[bytes]:
        size = 0
        for chunk in self._inner:
            size += len(chunk)
            if size > LARGEST_ANSWER:
                raise ModelFailure("MODEL_TOO_BIG", f"more than {LARGEST_ANSWER} bytes")
            self._connection.check()
            yield chunk

    def close(self) -> None:
        self._inner.close()


class _BoundedTransport(httpx2.BaseTransport):
    """HTTP transport with size limits; rejects compressed answers, which would evade them."""

    def __init__(self, connection: Connection, verify: ssl.SSLContext, proxy: str | None) -> None:
        self._connection = connection
        self._inner = httpx2.HTTPTransport(verify=verify, proxy=proxy)

    def handle_request(self, request: httpx2.Request) -> httpx2.Response:
        request.extensions = {**request.extensions, "trace": self._connection.trace}
        response = self._inner.handle_request(request)
        coding = response.headers.get("content-encoding", "identity").strip().lower()
        if coding not in ("", "identity"):
            response.close()
            raise ModelFailure(
                "MODEL_COMPRESSED", f"uncompressed text was requested, {coding[:20]!r}"
            )
        if 300 <= response.status_code < 400:
            response.close()
            raise _redirect_failure(response)
        inner = response.stream
        assert isinstance(inner, httpx2.SyncByteStream)
        return httpx2.Response(
            response.status_code,
            headers=response.headers,
            stream=_Bounded(inner, self._connection),
            extensions=response.extensions,
        )

    def close(self) -> None:
        self._inner.close()


class Transport:
    """SDK client for one question. Use it as a context manager.

    Args:
        settings: Address and limits.
        key: API key; removed from every answer.
        connection: Deadline and sockets of the question.
    """

    def __init__(self, settings: ModelSettings, key: Key, connection: Connection) -> None:
        self._connection = connection
        self._settings = settings
        self._key = key
        tls = settings.base_url.startswith("https:")
        transport = _BoundedTransport(
            connection, _certificates() if tls else _UNUSED, proxy_of(settings.base_url)
        )
        http = httpx2.Client(transport=transport, follow_redirects=False, trust_env=False)
        self._client = anthropic.Anthropic(
            api_key=key.reveal(),
            base_url=settings.base_url,
            max_retries=0,
            http_client=http,
            default_headers={"Accept-Encoding": "identity"},
        )

    def __enter__(self) -> Transport:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._client.close()

    def send(self, request: Mapping[str, Any]) -> Reply:
        """Send a request and read the message.

        Raises:
            ModelFailure: If any error occurs.
        """
        self._connection.check()
        rest = self._connection.remaining_time()
        connect = min(_CONNECT_S, rest)
        timeout = httpx2.Timeout(rest, connect=connect)
        try:
            with self._client.messages.with_streaming_response.create(
                **request, timeout=timeout
            ) as response:
                return _read(response.http_response, self._key)
        except Exception as error:  # noqa: BLE001 - every exception is converted to a failure code
            raise self._key.without_key(self._failure_of(error, connect)) from None

    def _failure_of(self, error: BaseException, connect_s: float) -> ModelFailure:
        """Return the failure for an exception."""
        chain: list[BaseException] = []
        link: BaseException | None = error
        while link is not None and len(chain) < 10:
            chain.append(link)
            link = link.__cause__ or link.__context__
        for link in chain:
            if isinstance(link, ModelFailure):
                return link
        for link in chain:
            if isinstance(link, anthropic.APIStatusError):
                # hide the key before the text is truncated, which could split the key
                body = self._key.hide_in(link.body)
                raw = body if isinstance(body, str) else ""
                return server_failure(
                    link.status_code, body, raw=raw, headers=link.response.headers
                )
            if isinstance(link, UnicodeDecodeError):
                return ModelFailure("MODEL_NOT_JSON", "the answer is not text")
            if isinstance(link, httpx2.ConnectTimeout):
                return self._unreachable(f"no connection within {connect_s:.0f} s")
            if isinstance(link, httpx2.TimeoutException):
                return ModelFailure("MODEL_TIMEOUT", "no answer came")
            if isinstance(link, httpx2.RemoteProtocolError):
                return _broken_answer(str(link))
            if isinstance(link, httpx2.ReadError | httpx2.WriteError | httpx2.CloseError):
                return ModelFailure("MODEL_BROKEN_OFF", "the server closed the connection")
            if isinstance(link, httpx2.TransportError | ssl.SSLError):
                return self._unreachable(_connection_failure_reason(link))
        return ModelFailure("MODEL_CRASHED", f"{type(error).__name__}: {one_line(str(error))}")

    def _unreachable(self, why: str) -> ModelFailure:
        return ModelFailure("MODEL_UNREACHABLE", f"{self._settings.base_url}: {why}")


def _read(response: httpx2.Response, key: Key) -> Reply:
    if "text/event-stream" in response.headers.get("content-type", "").lower():
        collector = Collector()
        for event in anthropic.Stream.raw_events(response):
            collector.add(event.event, key.hide(event.data))
            if collector.is_complete:
                break  # some servers leave the connection open
        # hide the key in the whole message, too, because events may split it
        message = key.hide_in(collector.message())
        return Reply(json.dumps(message, ensure_ascii=False), message)
    raw = key.hide(response.read().decode("utf-8", "replace"))
    try:
        message = parse_json(raw)
    except ValueError:
        shown = "a web page" if raw.lstrip()[:1] == "<" else "not JSON"
        raise ModelFailure(
            "MODEL_NOT_JSON", f"the answer is {shown}", http_status=response.status_code, raw=raw
        ) from None
    if not isinstance(message, dict):
        raise ModelFailure("MODEL_BAD_ANSWER", "the answer is not a message", raw=raw)
    if message.get("type") == "error" or ("error" in message and "content" not in message):
        raise server_failure(response.status_code, message, raw=raw)
    clean = key.hide_in(message)
    return Reply(raw if clean == message else json.dumps(clean, ensure_ascii=False), clean)


def _redirect_failure(response: httpx2.Response) -> ModelFailure:
    """Return the failure for a redirect, which is not followed."""
    host = urlsplit(response.headers.get("location", "")).netloc[:100]
    there = one_line(host.rpartition("@")[2]) or "another address"
    message = f"status {response.status_code}, {there}; set base_url to the final address"
    return ModelFailure("MODEL_REDIRECTED", message, http_status=response.status_code)


def _connection_failure_reason(error: BaseException) -> str:
    """Return why a connection failed, as text without the operating system's error number."""
    said = re.sub(r"^\[Errno -?\d+\] ", "", one_line(str(error))) or type(error).__name__
    if "SSL" in said:
        return f"no secure connection, {said}"
    return said[:1].lower() + said[1:]


def _broken_answer(said: str) -> ModelFailure:
    if any(word in said.lower() for word in ("disconnected", "closed", "incomplete")):
        return ModelFailure("MODEL_BROKEN_OFF", "the server closed the connection")
    return ModelFailure("MODEL_NOT_JSON", "the answer is not HTTP")


_UNUSED = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
"""SSL context for plain HTTP, where loading the certificates would take most of the time."""


@lru_cache(maxsize=1)
def _certificates() -> ssl.SSLContext:
    return httpx2.create_ssl_context()


def server_schema(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return a JSON Schema converted to the subset of JSON Schema that servers enforce.

    Raises:
        ModelFailure: With ``MODEL_BAD_REQUEST``, if the subset cannot express the schema.
    """
    try:
        return anthropic.transform_schema(dict(schema))
    except (ValueError, TypeError, AssertionError, AttributeError, RecursionError) as error:
        message = f"this schema cannot be enforced: {str(error)[:200]}"
        raise ModelFailure("MODEL_BAD_REQUEST", message) from None
