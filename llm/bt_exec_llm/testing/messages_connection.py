"""HTTP connection of the `messages_server`, through which a scripted reply is sent."""

from __future__ import annotations

import http.server
import json
import select
import socket
import struct
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

__all__ = ["CLAUDE", "FLAVOURS", "Connection", "Flavour"]

Honour: TypeAlias = Literal["enforce", "ignore", "refuse"]

_PIECE = 24
"""Number of characters in one event of a streamed text."""
_PICTURE = 1600  # reported size of a picture [tokens]


@dataclass(frozen=True)
class Flavour:
    """Kind of model server, described by the behaviour in which servers differ.

    Attributes:
        name: Name of the server.
        schemas: Treatment of ``output_config``.
        tools: Treatment of a forced tool.
        cache: Whether the server reports the use of its prompt cache.
        strict: Whether the server rejects empty texts and more than four cache marks.
        thinks: Whether the text of answers starts with a thinking section (``<think>``).
    """

    name: str
    schemas: Honour = "enforce"
    tools: Honour = "enforce"
    cache: bool = False
    strict: bool = False
    thinks: bool = False


CLAUDE = Flavour("claude", cache=True, strict=True)

FLAVOURS: Mapping[str, Flavour] = {
    flavour.name: flavour
    for flavour in (
        CLAUDE,
        Flavour("ollama", schemas="ignore", tools="ignore", thinks=True),
        Flavour("vllm"),
        Flavour("llama.cpp", schemas="ignore"),
        Flavour("lm-studio", schemas="refuse"),
        Flavour("bare", schemas="refuse", tools="refuse"),
    )
}
"""Imitated servers by name; real servers may behave differently in other versions."""


class Connection:
    """Connection through which a reply is sent.

    Args:
        handler: Handler of the HTTP server.
        body: Body of the request.
        flavour: Behaviour of the imitated server.
        closing: Event that is set when the server closes, which ends all waits.
    """

    def __init__(
        self,
        handler: http.server.BaseHTTPRequestHandler,
        body: Mapping[str, Any],
        flavour: Flavour,
        closing: threading.Event,
    ) -> None:
        self.body = body
        self.flavour = flavour
        self._handler = handler
        self._closing = closing

    def send_head(self, status: int, headers: Mapping[str, str]) -> None:
        """Send the status line and the headers."""
        self._handler.send_response(status)
        for name, value in {**headers, "Connection": "close"}.items():
            self._handler.send_header(name, value)
        self._handler.end_headers()

    def send_bytes(self, data: bytes) -> None:
        """Send bytes unchanged."""
        self._handler.wfile.write(data)
        self._handler.wfile.flush()

    def send_json(self, status: int, data: Any, headers: Mapping[str, str] | None = None) -> None:
        """Send a response with a JSON body."""
        body = _encoded_json(data)
        length = {"Content-Type": "application/json", "Content-Length": str(len(body))}
        self.send_head(status, {**length, **(headers or {})})
        self.send_bytes(body)

    def wait(self, seconds: float) -> None:
        """Wait; end early when the client disconnects or the server closes.

        Raises:
            ConnectionError: If the wait ended early.
        """
        end = time.monotonic() + seconds
        while (rest := end - time.monotonic()) > 0:
            if self._closing.wait(min(0.02, rest)):
                raise ConnectionAbortedError("the server closes")
            readable, _, _ = select.select([self._handler.connection], [], [], 0)
            if readable and not self._handler.connection.recv(1, socket.MSG_PEEK):
                raise ConnectionAbortedError("the client went away")

    def reset(self) -> None:
        """Reset the connection."""
        linger = struct.pack("ii", 1, 0)
        self._handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        self._handler.connection.close()

    def send_message(
        self, blocks: list[dict[str, Any]], stop: str, usage: Mapping[str, int] | None = None
    ) -> None:
        """Send a message of the model, as a stream if requested."""
        message = {
            "id": "msg_scripted",
            "type": "message",
            "role": "assistant",
            "model": self.body.get("model", "scripted"),
            "content": blocks,
            "stop_reason": stop,
            "stop_sequence": None,
            "usage": self._usage(blocks) if usage is None else usage,
        }
        if not self.body.get("stream"):
            self.send_json(200, message)
            return
        self.send_head(200, {"Content-Type": "text/event-stream"})
        for event in _stream_events(message):
            name = str(event["type"]).encode()
            self.send_bytes(b"event: %s\ndata: %s\n\n" % (name, _encoded_json(event)))

    def _usage(self, blocks: list[dict[str, Any]]) -> dict[str, int]:
        """Return the usage: one token per four characters, `_PICTURE` tokens per picture."""
        sent, cached = 0, 0
        parts = list(self.body.get("system") or ())
        for turn in self.body.get("messages") or ():
            parts += turn["content"] if isinstance(turn["content"], list) else [turn["content"]]
        for part in parts:
            picture = isinstance(part, dict) and part.get("type") == "image"
            sent += _PICTURE if picture else len(json.dumps(part)) // 4
            if isinstance(part, dict) and "cache_control" in part:
                cached = sent
        said = len(json.dumps(blocks)) // 4
        if not self.flavour.cache:
            return {"input_tokens": sent, "output_tokens": said}
        return {
            "input_tokens": sent - cached,
            "output_tokens": said,
            "cache_creation_input_tokens": 0,
            "cache_read_input_tokens": cached,
        }


def _encoded_json(data: Any) -> bytes:
    """Return JSON as servers encode it: in UTF-8, with escapes only for lone surrogates."""
    try:
        return json.dumps(data, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return json.dumps(data).encode()


def _stream_events(message: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the events of a streamed message."""
    usage = message["usage"]
    empty = {**message, "content": [], "stop_reason": None, "usage": {**usage, "output_tokens": 1}}
    events: list[dict[str, Any]] = [{"type": "message_start", "message": empty}, {"type": "ping"}]
    for index, block in enumerate(message["content"]):
        if block["type"] == "text":
            text, kind, field = block["text"], "text_delta", "text"
            start: dict[str, Any] = {"type": "text", "text": ""}
        else:
            text, kind = json.dumps(block["input"], ensure_ascii=False), "input_json_delta"
            field, start = "partial_json", {**block, "input": {}}
        events.append({"type": "content_block_start", "index": index, "content_block": start})
        for place in range(0, len(text), _PIECE):
            delta = {"type": kind, field: text[place : place + _PIECE]}
            events.append({"type": "content_block_delta", "index": index, "delta": delta})
        events.append({"type": "content_block_stop", "index": index})
    stop = {"stop_reason": message["stop_reason"], "stop_sequence": None}
    final_usage = {"output_tokens": usage["output_tokens"]}
    events.append({"type": "message_delta", "delta": stop, "usage": final_usage})
    return [*events, {"type": "message_stop"}]
