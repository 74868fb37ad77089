"""Local server of the Messages protocol with scripted replies.

Model compilers are tested against it through the real SDK, without a network and without a key::

    with MessagesServer([text("hello"), error(529), {"door": "open"}]) as server:
        ask(base_url=server.url)
    print(server.requests[0].body["messages"])

A script is a list of replies, one for each request; the last one repeats:

=====================  ===========================================================================
reply                  behaviour of the server
=====================  ===========================================================================
``"words"``            sends the text, as a stream if requested
``{…}``                sends the data in the requested output format; see `answer`
a function             calls it with the request's body; it returns one of the other kinds
`Reply`                sends the reply; see `bt_exec_llm.testing.messages_replies`
=====================  ===========================================================================

A `Flavour` imitates a kind of server, which enforces, ignores or refuses schemas and tools.
"""

from __future__ import annotations

import http.server
import json
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, TypeAlias

from bt_exec_llm.testing.messages_connection import CLAUDE, FLAVOURS, Connection, Flavour
from bt_exec_llm.testing.messages_replies import Reply, answer, error, text

__all__ = ["MessagesServer", "Received"]

Scripted: TypeAlias = "str | Mapping[str, Any] | Reply | Callable[[dict[str, Any]], Any]"

_LONGEST_REQUEST = 32_000_000
_MOST_MARKS = 4


@dataclass(frozen=True)
class Received:
    """Request as the server received it.

    Attributes:
        path: Path, such as ``/v1/messages``.
        headers: Headers by lower-case name.
        body: The parsed JSON body; empty without a body.
    """

    path: str
    headers: Mapping[str, str] = field(repr=False)
    body: dict[str, Any]


class MessagesServer:
    """Server on a free port of this machine. Use it as a context manager.

    Args:
        replies: The script; see `script`.
        flavour: Imitated server: a `Flavour`, or the name of one in `FLAVOURS`.
        key: Required API key; None to accept any key.

    Attributes:
        requests: All requests so far, including refused ones.
        hangups: Number of clients that disconnected before their answer.
    """

    def __init__(
        self,
        replies: Iterable[Scripted] = (),
        *,
        flavour: Flavour | str = CLAUDE,
        key: str | None = None,
    ) -> None:
        self.flavour = FLAVOURS[flavour] if isinstance(flavour, str) else flavour
        self.requests: list[Received] = []
        self.hangups = 0
        self._key = key
        self._lock = threading.Lock()
        self._replies: list[Scripted] = list(replies)
        self._closing = threading.Event()
        self._server = _Server(("127.0.0.1", 0), self._handler())
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))

    @property
    def url(self) -> str:
        """Address of the server, for ``base_url``."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def script(self, replies: Iterable[Scripted]) -> None:
        """Replace the script."""
        with self._lock:
            self._replies = list(replies)

    def __enter__(self) -> MessagesServer:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._closing.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def _next(self) -> Scripted:
        with self._lock:
            if not self._replies:
                return error(500, "api_error", "this server has no script")
            return self._replies.pop(0) if len(self._replies) > 1 else self._replies[0]

    def _answer(self, seen: Received, connection: Connection) -> None:
        with self._lock:
            self.requests.append(seen)
        wrong = self._refused(seen)
        reply: Any = wrong if wrong is not None else self._next()
        try:
            while callable(reply) and not isinstance(reply, Reply):
                reply = reply(seen.body)
            if isinstance(reply, str):
                reply = text(reply)
            elif isinstance(reply, Mapping):
                reply = answer(reply)
            reply.send(connection)
        except (BrokenPipeError, ConnectionError):
            with self._lock:
                self.hangups += 1

    def _refused(self, seen: Received) -> Reply | None:
        """Return the error that a real server would send for a request, or None."""
        body, flavour = seen.body, self.flavour
        given = seen.headers.get("authorization", "").removeprefix("Bearer ")
        if self._key is not None and self._key not in (given, seen.headers.get("x-api-key")):
            return error(401, "authentication_error", "invalid x-api-key")
        if seen.path.split("?")[0] != "/v1/messages":
            return error(404, "not_found_error", f"no {seen.path} here")
        if not isinstance(body.get("messages"), list) or "model" not in body:
            return error(400, "invalid_request_error", "messages and model are required")
        if "output_config" in body and flavour.schemas == "refuse":
            return error(400, "invalid_request_error", "output_config: unknown field")
        if "tools" in body and flavour.tools == "refuse":
            return error(400, "invalid_request_error", "tools: not supported by this model")
        if flavour.strict:
            return _anthropic_error(body)
        return None

    def _handler(self) -> type[http.server.BaseHTTPRequestHandler]:
        owner = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            timeout = 10

            def do_POST(self) -> None:
                self.close_connection = True
                size = min(int(self.headers.get("content-length") or 0), _LONGEST_REQUEST)
                try:
                    body = json.loads(self.rfile.read(size) or b"{}")
                except ValueError:
                    body = {}
                headers = {name.lower(): value for name, value in self.headers.items()}
                seen = Received(self.path, headers, body if isinstance(body, dict) else {})
                owner._answer(seen, Connection(self, seen.body, owner.flavour, owner._closing))

            do_GET = do_POST  # noqa: N815 - name given by the base class

            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - overrides
                del format, args  # no output in tests

        return Handler


class _Server(http.server.ThreadingHTTPServer):
    daemon_threads = False  # closing the server waits for its threads, so that no socket remains

    def handle_error(self, request: Any, client_address: Any) -> None:
        del request, client_address  # clients may disconnect, which is not an error


def _anthropic_error(body: Mapping[str, Any]) -> Reply | None:
    """Return an error for requests that only Anthropic's own server rejects."""
    wrong = "invalid_request_error"
    if not isinstance(body.get("max_tokens"), int):
        return error(400, wrong, "max_tokens: field required")
    turns: Sequence[Mapping[str, Any]] = body["messages"]
    system = body.get("system")
    blocks = list(system) if isinstance(system, list) else []
    for turn in turns:
        blocks += turn["content"] if isinstance(turn["content"], list) else []
    if any(block.get("type") == "text" and not block["text"].strip() for block in blocks):
        return error(400, wrong, "messages: text content blocks must be non-empty")
    if sum("cache_control" in block for block in blocks) > _MOST_MARKS:
        return error(400, wrong, "a maximum of 4 blocks with cache_control may be provided")
    if not turns or turns[0].get("role") != "user":
        return error(400, wrong, "messages: first message must use the user role")
    return None
