"""Test model that answers from chats, to check that they cover the labeler's requests.

::

    with MessagesServer([Playback(Path("set/chat"))]) as server:
        ...  # bt-exec label run … -l model -s client.base_url=URL
"""

from __future__ import annotations

import hashlib
import json
import re
from base64 import b64decode
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

__all__ = ["Playback"]

_Asked: TypeAlias = tuple[str, ...]

_ITEM = re.compile(r"Item (\d+): ")
_FRAME = re.compile(r"\d+ \(")  # number of a frame, which depends on the other items


class Playback:
    """Replies of a `MessagesServer` taken from the chats of a training set.

    Args:
        folder: Folder ``chat`` of a training set, which also has the folder ``images``.

    Attributes:
        exact: Number of requests that are equal to a chat in text and pictures.
        unknown: Number of requested items that no chat contains.
    """

    def __init__(self, folder: Path) -> None:
        self.exact = 0
        self.unknown = 0
        self._answers: dict[_Asked, str] = {}
        self._records: dict[_Asked, Any] = {}
        for path in sorted(folder.glob("*.jsonl")):
            for text in path.read_text(encoding="utf-8").splitlines():
                system, user, assistant = json.loads(text)["messages"]
                parts = [_part_text(part, folder.parent) for part in user["content"]]
                self._answers[system["content"], *parts] = assistant["content"]
                answers = json.loads(assistant["content"])["items"]
                records = {answer["item"]: answer["record"] for answer in answers}
                for number, about in _sections(parts):
                    self._records[system["content"], about] = records[number]

    def __call__(self, body: Mapping[str, Any]) -> str:
        """Return the answer to a request; items that no chat contains are left out."""
        system = "\n\n".join(block["text"] for block in _blocks(body["system"])[:2])
        parts = [_text_of_block(block) for block in _blocks(body["messages"][0]["content"])]
        if (system, *parts) in self._answers:
            self.exact += 1
            return self._answers[system, *parts]
        asked = [(number, (system, about)) for number, about in _sections(parts)]
        known = [(number, self._records[key]) for number, key in asked if key in self._records]
        self.unknown += len(asked) - len(known)
        return json.dumps({"items": [{"item": n, "record": record} for n, record in known]})


def _sections(parts: Iterable[str]) -> list[tuple[int, str]]:
    """Return the number and the text of each item; frame numbers are removed from the text."""
    found = ((_ITEM.match(part), part) for part in parts)
    return [(int(m[1]), _FRAME.sub("(", part[m.end() :])) for m, part in found if m]


def _blocks(content: str | Iterable[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    return [{"type": "text", "text": content}] if isinstance(content, str) else list(content)


def _part_text(part: Mapping[str, str], folder: Path) -> str:
    if part["type"] == "text":
        return part["text"]
    return hashlib.sha256((folder / part["image"]).read_bytes()).hexdigest()


def _text_of_block(block: Mapping[str, Any]) -> str:
    if block["type"] == "text":
        return str(block["text"])
    return hashlib.sha256(b64decode(block["source"]["data"])).hexdigest()
