"""Values of requests and answers, and the interface of a model."""

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
        text: The text.
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
    """One turn of a dialogue.

    Attributes:
        role: Role of the speaker.
        blocks: Texts and pictures, in order.
    """

    role: Literal["user", "assistant"]
    blocks: tuple[Block | Image, ...]

    @classmethod
    def user(cls, *parts: str | Block | Image) -> Turn:
        """Return a turn of the user."""
        return cls("user", _blocks(parts))

    @classmethod
    def assistant(cls, *parts: str | Block | Image) -> Turn:
        """Return an earlier turn of the model."""
        return cls("assistant", _blocks(parts))


@dataclass(frozen=True, slots=True)
class Tool:
    """Tool that a model may call, in the form of the protocol.

    Attributes:
        name: Its name.
        description: What it does.
        schema: JSON Schema of its input, an object.
    """

    name: str
    description: str
    schema: Mapping[str, Any]

    def to_dict(self) -> dict[str, Any]:
        """Return the tool in the form of the protocol."""
        return {
            "name": self.name,
            "description": self.description,
            "input_schema": dict(self.schema),
        }


@dataclass(frozen=True, slots=True)
class Question:
    """A complete question, whose digest is the same on every machine.

    Attributes:
        system: System prompt.
        messages: Dialogue so far; the last turn is the client's.
        schema: JSON Schema of the requested answer, not recursive; None for free text.
        plain: Description of the form for a server without schemas and tools; None sends the schema
            as text.
        structured: Additional text for a server that enforces them, such as examples.
        tools: Tools of which the model must call at least one. There is no schema then, and the
            answer's data contains the ``calls``.
    """

    system: tuple[Block, ...]
    messages: tuple[Turn, ...]
    schema: Mapping[str, Any] | None = None
    plain: str | None = None
    structured: str | None = None
    tools: tuple[Tool, ...] = ()

    def __post_init__(self) -> None:
        """Copy the schema to plain data, since JSON has no immutable mappings."""
        object.__setattr__(self, "schema", _plain_copy(self.schema))

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for records; pictures by their digest."""
        tools = {"tools": [tool.to_dict() for tool in self.tools]} if self.tools else {}
        return {
            "system": [{"text": block.text, "cache": block.cache} for block in self.system],
            "messages": [
                {"role": turn.role, "blocks": [_block_data(block) for block in turn.blocks]}
                for turn in self.messages
            ],
            "schema": self.schema,
            "plain": self.plain,
            "structured": self.structured,
            **tools,
        }

    def digest(self) -> str:
        """Return the SHA-256 of the question, without model, address and key."""
        text = json.dumps(self.to_dict(), ensure_ascii=True, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Answer:
    """Answer of a model.

    Attributes:
        text: Text of the answer; in the tool tier the tool's input as JSON.
        data: The mapping requested by a schema, as plain data; None without a schema, and when
            the text holds no mapping. With tools: the ``calls`` of the model, with their names
            and inputs; None if there are none. Data is untrusted: the caller verifies it.
        usage: Cost of the question, with all its retries and tiers.
        stop_reason: ``end_turn``, ``tool_use``, ``stop_sequence`` …
        tier: Tier that gave the answer its form.
        request_digest: Digest of the question.
        seconds: Time from the question to the answer [s].
        model: Name of the model as the server reports it.
        notes: Deviations that reading `data` tolerated, in order.
        raw: The server's answer, with the API key removed.
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
    """Interface of a model: `ModelClient`, `ReplayClient`, `ScriptedModel` in tests."""

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


def _block_data(block: Block | Image) -> dict[str, Any]:
    if isinstance(block, Block):
        return {"text": block.text, "cache": block.cache}
    digest = hashlib.sha256(block.data.encode()).hexdigest()
    return {"image": digest, "media_type": block.media_type, "base64_chars": len(block.data)}


def _plain_copy(value: Any) -> Any:
    """Return mappings as dictionaries and sequences as lists, recursively."""
    if isinstance(value, str):  # the most common case, and faster than the test for a mapping
        return value
    if isinstance(value, Mapping):
        return {key: _plain_copy(inner) for key, inner in value.items()}
    return [_plain_copy(inner) for inner in value] if isinstance(value, list | tuple) else value
