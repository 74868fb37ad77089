"""Replies for `bt_exec_llm.testing.messages_server`: answers, errors and malformed data."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from bt_exec_llm.testing.messages_connection import Connection

__all__ = [
    "Reply",
    "answer",
    "cut_off",
    "drip",
    "error",
    "hang",
    "html",
    "huge",
    "left_open",
    "not_http",
    "raw",
    "refusal",
    "reset",
    "text",
    "tool_calls",
    "tool_use",
]


@dataclass(frozen=True)
class Reply:
    """Scripted reply of the test server.

    Attributes:
        name: Name of the reply in test reports.
        send: Function that sends the reply.
    """

    name: str
    send: Callable[[Connection], None]

    def delayed(self, seconds: float) -> Reply:
        """Return this reply with a delay of `seconds` before it."""

        def send(connection: Connection) -> None:
            connection.wait(seconds)
            self.send(connection)

        return Reply(f"{self.name} after {seconds:g} s", send)


def text(words: str, *, stop: str = "end_turn", usage: Mapping[str, int] | None = None) -> Reply:
    """Return a reply with a text; by default, `usage` counts one token per four characters."""
    return Reply("text", lambda to: to.send_message([{"type": "text", "text": words}], stop, usage))


def tool_use(data: Any, *, name: str | None = None) -> Reply:
    """Return a reply that calls the forced tool, or the tool `name`."""

    def send(to: Connection) -> None:
        called = name or (to.body.get("tool_choice") or {}).get("name", "tool")
        call = {"type": "tool_use", "id": "toolu_scripted", "name": called, "input": data}
        to.send_message([call], "tool_use")

    return Reply("tool_use", send)


def tool_calls(*calls: tuple[str, Any], words: str = "") -> Reply:
    """Return a reply with text and several calls, each a pair of a tool's name and its input."""

    def send(to: Connection) -> None:
        said = [{"type": "text", "text": words}] if words else []
        blocks = [
            {"type": "tool_use", "id": f"toolu_{number}", "name": name, "input": data}
            for number, (name, data) in enumerate(calls)
        ]
        to.send_message([*said, *blocks], "tool_use")

    return Reply("tool_calls", send)


def answer(data: Any, *, plain: str | None = None) -> Reply:
    """Return a reply in the output format that the request asks for and the flavour supports.

    Args:
        data: Answer if the server enforces the format.
        plain: Text otherwise; by default `data` in a fence, with words around it.
    """

    def send(to: Connection) -> None:
        if "tools" in to.body and to.flavour.tools == "enforce":
            tool_use(data).send(to)
        elif "output_config" in to.body and to.flavour.schemas == "enforce":
            text(json.dumps(data, ensure_ascii=False)).send(to)
        else:
            fenced = f"Here it is:\n\n```json\n{json.dumps(data, ensure_ascii=False)}\n```\n"
            thoughts = "<think>\nLet me see {first}.\n</think>\n\n" if to.flavour.thinks else ""
            text(thoughts + (fenced if plain is None else plain)).send(to)

    return Reply("answer", send)


def error(
    status: int,
    kind: str = "api_error",
    message: str = "scripted",
    headers: Mapping[str, str] | None = None,
) -> Reply:
    """Return a reply with an error, such as ``error(429, "rate_limit_error", headers={…})``."""
    body = {"type": "error", "error": {"type": kind, "message": message}}
    return Reply(f"error {status}", lambda to: to.send_json(status, body, headers))


def refusal(words: str = "I cannot help with that.") -> Reply:
    """Return a reply in which the model declines to answer."""
    return text(words, stop="refusal")


def cut_off(words: str) -> Reply:
    """Return a reply with a text that is truncated at ``max_tokens``."""
    return text(words, stop="max_tokens")


def hang(seconds: float = 60.0) -> Reply:
    """Return a reply that is sent after `seconds`."""
    return text("at last").delayed(seconds)


def left_open(words: str, seconds: float = 60.0) -> Reply:
    """Return a reply with a complete stream that leaves the connection open."""

    def send(to: Connection) -> None:
        text(words).send(to)
        to.wait(seconds)

    return Reply("left_open", send)


def drip(bytes_per_s: float = 10.0, words: str = "drop " * 400) -> Reply:
    """Return a reply that is sent slowly, byte by byte."""

    def send(to: Connection) -> None:
        content = [{"type": "text", "text": words}]
        message = {"type": "message", "role": "assistant", "content": content, "usage": {}}
        coded = json.dumps({**message, "stop_reason": "end_turn"}).encode()
        to.send_head(200, {"Content-Type": "application/json", "Content-Length": str(len(coded))})
        for byte in coded:
            to.send_bytes(bytes((byte,)))
            to.wait(1 / bytes_per_s)

    return Reply("drip", send)


def reset(after_bytes: int = 0) -> Reply:
    """Return a reply that resets the connection after some bytes of the answer, or before it."""

    def send(to: Connection) -> None:
        if after_bytes:
            to.send_head(200, {"Content-Type": "application/json", "Content-Length": "100000"})
            to.send_bytes(b'{"type": "message", "content": [' + b" " * after_bytes)
        to.reset()

    return Reply("reset", send)


def raw(
    body: bytes,
    *,
    status: int = 200,
    content_type: str = "application/json",
    headers: Mapping[str, str] | None = None,
) -> Reply:
    """Return a reply that sends `body` unchanged."""

    def send(to: Connection) -> None:
        about = {"Content-Type": content_type, "Content-Length": str(len(body))}
        to.send_head(status, about | dict(headers or {}))
        to.send_bytes(body)

    return Reply("raw", send)


def html(status: int = 200) -> Reply:
    """Return a reply with a login page."""
    page = b"<!DOCTYPE html><html><body>Welcome! Please sign in.</body></html>"
    return raw(page, status=status, content_type="text/html")


def not_http() -> Reply:
    """Return a reply with bytes that are not HTTP."""
    return Reply("not_http", lambda to: to.send_bytes(b"\x00\xff\x13garbage\x7f" * 50))


def huge(size: int = 5_000_000) -> Reply:
    """Return a reply with a text of `size` bytes."""

    def send(to: Connection) -> None:
        start = b'{"type": "message", "role": "assistant", "content": [{"type": "text", "text": "'
        end = b'"}], "stop_reason": "end_turn", "usage": {}}'
        length = len(start) + size + len(end)
        to.send_head(200, {"Content-Type": "application/json", "Content-Length": str(length)})
        to.send_bytes(start)
        for place in range(0, size, 65536):
            to.send_bytes(b"x" * min(65536, size - place))
        to.send_bytes(end)

    return Reply("huge", send)
