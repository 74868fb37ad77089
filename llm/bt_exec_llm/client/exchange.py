"""What goes to a model and what comes back, as values; and the contract of whoever answers."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from bt_exec_llm.client.settings import Tier
from bt_exec_llm.client.usage import Usage

__all__ = ["Answer", "Block", "Image", "Model", "Question", "Tool", "Turn"]

_NOTHING = Usage()


@dataclass(frozen=True, slots=True)
class Block:
    """A piece of text in a prompt.

    Attributes:
        text: What it says.
        cache: Whether everything up to its end stays the same from question to question, so that
            the server may keep it. At most four blocks of a question are marked: the last ones.
    """

    text: str
    cache: bool = False


@dataclass(frozen=True, slots=True)
class Image:
    """A picture; `bt_exec_llm.client.images.image_block` makes one from a frame.

    Attributes:
        data: The file's bytes in base64.
        media_type: ``image/jpeg``, ``image/png`` …
    """

    data: str = field(repr=False)
    media_type: str = "image/jpeg"


@dataclass(frozen=True, slots=True)
class Turn:
    """What one side said.

    Attributes:
        role: Who said it.
        blocks: Texts and pictures, in order.
    """

    role: Literal["user", "assistant"]
    blocks: tuple[Block | Image, ...]

    @classmethod
    def user(cls, *parts: str | Block | Image) -> Turn:
        """Return a turn of ours."""
        return cls("user", _blocks(parts))

    @classmethod
    def assistant(cls, *parts: str | Block | Image) -> Turn:
        """Return what the model said before."""
        return cls("assistant", _blocks(parts))


@dataclass(frozen=True, slots=True)
class Tool:
    """Something that a model may call, in the form of the protocol.

    Attributes:
        name: Its name.
        description: What it does.
        schema: JSON Schema of its input, an object.
    """

    name: str
    description: str
    schema: Mapping[str, Any]

    def to_dict(self) -> dict[str, Any]:
        """Return it as the protocol writes it."""
        return {
            "name": self.name,
            "description": self.description,
            "input_schema": dict(self.schema),
        }


@dataclass(frozen=True, slots=True)
class Question:
    """One question, complete: the same question has the same digest on every machine.

    Attributes:
        system: Who the model is and what it may use.
        messages: The dialogue so far; the last turn is ours.
        schema: JSON Schema of the wanted answer, not recursive; None for free text.
        plain: What a server that honours neither schemas nor tools is told about the form;
            None tells it the schema.
        structured: What a server that honours them is told in addition, such as examples.
        tools: What the model may call, one of them at least; then there is no schema, and the
            answer's data holds the ``calls``.
    """

    system: tuple[Block, ...]
    messages: tuple[Turn, ...]
    schema: Mapping[str, Any] | None = None
    plain: str | None = None
    structured: str | None = None
    tools: tuple[Tool, ...] = ()

    def __post_init__(self) -> None:
        """Make the schema plain data: what no one can change is no JSON."""
        object.__setattr__(self, "schema", _plain(self.schema))

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for records; pictures by their digest."""
        tools = {"tools": [tool.to_dict() for tool in self.tools]} if self.tools else {}
        return {
            "system": [{"text": block.text, "cache": block.cache} for block in self.system],
            "messages": [
                {"role": turn.role, "blocks": [_shown(block) for block in turn.blocks]}
                for turn in self.messages
            ],
            "schema": self.schema,
            "plain": self.plain,
            "structured": self.structured,
            **tools,
        }

    def digest(self) -> str:
        """Return the SHA-256 of what is asked: no model, no address, no key."""
        text = json.dumps(self.to_dict(), ensure_ascii=True, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Answer:
    """What a model said.

    Attributes:
        text: Its words; in the tool tier the tool's input as JSON.
        data: The mapping it was asked for by a schema, as plain data; None without a schema, and
            when its words hold no mapping. Where it was given tools: the ``calls`` that it made,
            with their names and inputs; None if it made none. Data is never trusted: whoever uses
            it verifies it.
        usage: What the question cost, with all its retries and tiers.
        stop_reason: Why it stopped: ``end_turn``, ``tool_use``, ``stop_sequence`` …
        tier: How the answer came to have its form.
        request_digest: Digest of the question.
        seconds: From the question to the answer [s].
        model: The model's own name as the server tells it.
        notes: What was tolerated in reading `data`, in order.
        raw: The server's answer as it came, without our key should it repeat it.
    """

    text: str
    data: dict[str, Any] | None = None
    usage: Usage = _NOTHING
    stop_reason: str = "end_turn"
    tier: Tier = "text"
    request_digest: str = ""
    seconds: float = 0.0
    model: str = ""
    notes: tuple[str, ...] = ()
    raw: str = field(default="", repr=False)


class Model(Protocol):
    """Whoever answers: `ModelClient`, `ReplayClient`, `ScriptedModel` in tests."""

    def ask(
        self,
        system: Sequence[Block],
        messages: Sequence[Turn],
        schema: Mapping[str, Any] | None = None,
        cancel: threading.Event | None = None,
        *,
        plain: str | None = None,
        structured: str | None = None,
        tools: Sequence[Tool] = (),
    ) -> Answer:
        """Return the answer; blocks until it is there, a limit is reached or `cancel` is set.

        Raises:
            ModelFailure: For everything else.
        """


def _blocks(parts: tuple[str | Block | Image, ...]) -> tuple[Block | Image, ...]:
    return tuple(Block(part) if isinstance(part, str) else part for part in parts)


def _shown(block: Block | Image) -> dict[str, Any]:
    if isinstance(block, Block):
        return {"text": block.text, "cache": block.cache}
    digest = hashlib.sha256(block.data.encode()).hexdigest()
    return {"image": digest, "media_type": block.media_type, "base64_chars": len(block.data)}


def _plain(value: Any) -> Any:
    """Return mappings as dictionaries and sequences as lists, however deep they lie."""
    if isinstance(value, str):  # most of it; a mapping is found out more slowly
        return value
    if isinstance(value, Mapping):
        return {key: _plain(inner) for key, inner in value.items()}
    return [_plain(inner) for inner in value] if isinstance(value, list | tuple) else value
