"""Data types of questions, answers and their cost, and the interface of a model."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Literal, Protocol

from bt_exec_llm.client.settings import Prices, Tier

__all__ = ["Answer", "Block", "Image", "Model", "Question", "Tool", "Turn", "Usage"]


_MOST = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Usage:
    """Cost of requests; ``a + b`` is the total, ``b - a`` the increase from `a` to `b`.

    Attributes:
        requests: HTTP requests sent, including failed ones.
        input_tokens: Input tokens neither written to nor read from the cache.
        output_tokens: Output tokens.
        cache_write_tokens: Input tokens written to the server's cache.
        cache_read_tokens: Input tokens read from the server's cache.
        seconds: Time spent waiting [s].
        cost: Cost in the currency of the configured prices; 0 without prices.
    """

    requests: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cache_write_tokens: int = 0
    cache_read_tokens: int = 0
    seconds: float = 0.0
    cost: float = 0.0

    @classmethod
    def from_answer(cls, usage: Any, prices: Prices) -> Usage:
        """Return the cost of one answer from its ``usage`` field; invalid values count as 0."""
        counts = usage if isinstance(usage, Mapping) else {}
        fresh = _token_count(counts.get("input_tokens"))
        output = _token_count(counts.get("output_tokens"))
        written = _token_count(counts.get("cache_creation_input_tokens"))
        read = _token_count(counts.get("cache_read_input_tokens"))
        cost = prices.cost(fresh, output, written, read)
        return cls(0, fresh, output, written, read, 0.0, cost)

    def __add__(self, other: Usage) -> Usage:
        """Return the total of two costs."""
        sums = {
            item.name: getattr(self, item.name) + getattr(other, item.name) for item in fields(self)
        }
        return Usage(**sums)

    def __sub__(self, before: Usage) -> Usage:
        """Return the increase since an earlier total."""
        rest = {
            item.name: getattr(self, item.name) - getattr(before, item.name)
            for item in fields(self)
        }
        return Usage(**rest)

    def to_dict(self) -> dict[str, float]:
        """Return the cost as plain data, as stored under ``usage`` of a plan."""
        return asdict(self)

    def __str__(self) -> str:
        """Return one line such as ``2 requests, 1200 in (900 from cache), 300 out, 4.2 s``."""
        total = self.input_tokens + self.cache_write_tokens + self.cache_read_tokens
        cached = f" ({self.cache_read_tokens} from cache)" if self.cache_read_tokens else ""
        requests = f"{self.requests} request" + ("" if self.requests == 1 else "s")
        line = f"{requests}, {total} in{cached}, {self.output_tokens} out, {self.seconds:.1f} s"
        return line + (f", cost {self.cost:.4f}" if self.cost else "")


def _token_count(value: Any) -> int:
    """Return a number of tokens, or 0 for an invalid value."""
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _MOST:
        return value
    return 0


_NOTHING = Usage()


@dataclass(frozen=True, slots=True)
class Block:
    """Block of text in a prompt.

    Attributes:
        text: The text.
        cache: Whether the prompt up to the end of this block is the same in many questions, so that
            the server may cache it. If more than four blocks are marked, only the last four are
            sent as marked.
    """

    text: str
    cache: bool = False


@dataclass(frozen=True, slots=True)
class Image:
    """Picture in a prompt; `bt_exec_llm.client.images.image_block` creates one from a frame.

    Attributes:
        data: The file in base64.
        media_type: Media type, such as ``image/jpeg`` or ``image/png``.
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
    """Tool that a model may call, as in the Messages protocol.

    Attributes:
        name: Name.
        description: Purpose of the tool, for the model.
        schema: JSON Schema of its input, of type ``object``.
    """

    name: str
    description: str
    schema: Mapping[str, Any]

    def to_dict(self) -> dict[str, Any]:
        """Return the tool as JSON data of the protocol."""
        return {
            "name": self.name,
            "description": self.description,
            "input_schema": dict(self.schema),
        }


@dataclass(frozen=True, slots=True)
class Question:
    """Complete question to a model. Its digest is the same on every machine.

    Attributes:
        system: System prompt. Blocks that rarely change come first and are marked for the cache.
        messages: Dialogue so far; the last turn has the role ``user``.
        schema: JSON Schema of the requested answer, without recursion; None for free text.
        plain: Description of the output format, for servers that support neither schemas nor
            tools; if None, the schema is sent as text.
        structured: Additional text for servers that enforce the schema, such as examples.
        tools: Tools, of which the model must call at least one. A question with tools has no
            schema, and the answer's `data` contains ``calls``.
    """

    system: Sequence[Block]
    messages: Sequence[Turn]
    schema: Mapping[str, Any] | None = None
    plain: str | None = None
    structured: str | None = None
    tools: Sequence[Tool] = ()

    def __post_init__(self) -> None:
        """Copy the lists, and the schema to plain data, which `json` can encode."""
        for name in ("system", "messages", "tools"):
            object.__setattr__(self, name, tuple(getattr(self, name)))
        object.__setattr__(self, "schema", _plain_copy(self.schema))

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for records, with digests in place of pictures."""
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

    def to_text(self) -> str:
        """Return the system prompt, the output format and the last turn as readable text."""
        blocks = [*self.system, Block(self.plain or ""), *self.messages[-1].blocks]
        texts = [b.text if isinstance(b, Block) else f"[picture, {b.media_type}]" for b in blocks]
        return "\n\n".join(filter(None, texts))

    def digest(self) -> str:
        """Return the SHA-256 of the question, which is independent of model, address and key."""
        text = json.dumps(self.to_dict(), ensure_ascii=True, sort_keys=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Answer:
    """Answer of a model.

    Attributes:
        text: Text of the answer; in the tool tier, with the tool's input as JSON.
        data: Mapping that the schema requests, as plain data; None without a schema or if the text
            contains no mapping. For a question with tools: ``{"calls": […]}`` with names and
            inputs; None without calls. The data is untrusted and must be verified by the caller.
        usage: Cost of the question, including retries and requests in other tiers.
        stop_reason: Stop reason of the server, such as ``end_turn`` or ``tool_use``.
        tier: Tier to which the format of the answer corresponds.
        request_digest: Digest of the question.
        seconds: Time from the question to the answer [s].
        model: Name of the model as the server reports it.
        notes: Deviations from the format that the parser of `data` tolerated, in order.
        raw: Body of the server's response, with the API key removed.
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
    """Interface of a model, implemented by `ModelClient`, `ReplayClient` and `ScriptedModel`."""

    def ask(self, question: Question, cancel: threading.Event | None = None) -> Answer:
        """Wait for the answer and return it; see `ModelClient.ask`.

        Raises:
            ModelFailure: If there is no usable answer.
        """


def _blocks(parts: tuple[str | Block | Image, ...]) -> tuple[Block | Image, ...]:
    return tuple(Block(part) if isinstance(part, str) else part for part in parts)


def _block_data(block: Block | Image) -> dict[str, Any]:
    if isinstance(block, Block):
        return {"text": block.text, "cache": block.cache}
    digest = hashlib.sha256(block.data.encode()).hexdigest()
    return {"image": digest, "media_type": block.media_type, "base64_chars": len(block.data)}


def _plain_copy(value: Any) -> Any:
    """Return data with all mappings as dictionaries and all sequences as lists."""
    if isinstance(value, str):  # first, because it is the most common and fastest case
        return value
    if isinstance(value, Mapping):
        return {key: _plain_copy(inner) for key, inner in value.items()}
    return [_plain_copy(inner) for inner in value] if isinstance(value, list | tuple) else value
