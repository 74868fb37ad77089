"""Assembly of a message from the events of a streamed answer."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from bt_exec_llm.client.errors import ModelFailure, server_failure
from bt_exec_llm.client.strict_json import KeyTwiceError, keys_once

__all__ = ["Collector", "parse_json"]

_MOST_BLOCKS = 1000
_DEEPEST = 200
"""Maximum nesting depth of a server's JSON, twice that of the deepest plan."""


def parse_json(text: str) -> Any:
    """Return the data of a server's JSON text.

    Raises:
        ValueError: If the text is not JSON.
        ModelFailure: With ``MODEL_TOO_DEEP``, or with ``MODEL_BAD_ANSWER`` for a duplicate key.
    """
    try:
        data = json.loads(text, object_pairs_hook=keys_once)
    except KeyTwiceError:
        raise ModelFailure("MODEL_BAD_ANSWER", "the answer has a duplicate key") from None
    except RecursionError:
        raise ModelFailure("MODEL_TOO_DEEP", f"more than {_DEEPEST} levels") from None
    level, depth = [data], 0
    while level:
        depth += 1
        if depth > _DEEPEST:
            raise ModelFailure("MODEL_TOO_DEEP", f"more than {_DEEPEST} levels")
        level = [
            inner
            for value in level
            if isinstance(value, dict | list)
            for inner in (value.values() if isinstance(value, dict) else value)
            if isinstance(inner, dict | list)
        ]
    return data


class Collector:
    """Collector of stream events, from which `message` assembles a message."""

    def __init__(self) -> None:
        self._message: dict[str, Any] = {}
        self._blocks: dict[int, dict[str, Any]] = {}
        self._parts: dict[int, list[str]] = {}
        self._usage: dict[str, Any] = {}
        self._complete = False

    def add(self, name: str | None, data: str) -> None:
        """Process an event.

        Raises:
            ModelFailure: If the event reports a server error, or does not belong to this protocol.
        """
        if not data.strip() or data.strip() == "[DONE]":
            return
        try:
            event = parse_json(data)
        except ValueError:
            raise ModelFailure("MODEL_NOT_JSON", "an event of the stream is not JSON") from None
        if not isinstance(event, dict):
            raise ModelFailure("MODEL_BAD_ANSWER", "a line of the stream is not an event")
        kind = event.get("type") or name
        if kind == "error":
            raise server_failure(200, event, raw=data)
        if kind == "message_start":
            self._message = dict(_mapping(event.get("message")))
            self._usage.update(_mapping(self._message.get("usage")))
        elif kind == "content_block_start":
            self._start(_index(event), _mapping(event.get("content_block")))
        elif kind == "content_block_delta":
            self._delta(_index(event), _mapping(event.get("delta")))
        elif kind == "message_delta":
            self._message.update(_mapping(event.get("delta")))
            usage = _mapping(event.get("usage"))
            self._usage.update({key: value for key, value in usage.items() if value is not None})
        elif kind == "message_stop":
            self._complete = True

    @property
    def is_complete(self) -> bool:
        """Whether the message is complete, even if the connection stays open."""
        return self._complete

    def message(self) -> dict[str, Any]:
        """Return the message.

        Raises:
            ModelFailure: With ``MODEL_BROKEN_OFF``, if the stream ended in the middle of a message.
        """
        if not self._complete and not self._message.get("stop_reason"):
            raise ModelFailure("MODEL_BROKEN_OFF", "the stream ended in the middle of the answer")
        content = []
        for index in sorted(self._blocks):
            block = dict(self._blocks[index])
            said = "".join(self._parts.get(index, ()))
            if block.get("type") == "tool_use":
                block["input"] = said or block.get("input")
            elif block.get("type") == "text":
                block["text"] = str(block.get("text") or "") + said
            content.append(block)
        return {**self._message, "content": content, "usage": self._usage}

    def _start(self, index: int, block: Mapping[str, Any]) -> None:
        if len(self._blocks) >= _MOST_BLOCKS:
            raise ModelFailure("MODEL_TOO_BIG", f"more than {_MOST_BLOCKS} parts")
        self._blocks[index] = dict(block)

    def _delta(self, index: int, delta: Mapping[str, Any]) -> None:
        if index not in self._blocks:  # some servers omit the start event of a block
            self._start(index, {"type": "text", "text": ""})
        said = delta.get("text") if "text" in delta else delta.get("partial_json")
        if isinstance(said, str):
            self._parts.setdefault(index, []).append(said)


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _index(event: Mapping[str, Any]) -> int:
    index = event.get("index")
    return index if isinstance(index, int) else 0
