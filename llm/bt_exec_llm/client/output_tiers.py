"""Three methods (tiers) to request an output format, and a memory of what servers support.

======  =====================================  ============================================
tier    sent to the server                     honoured if
======  =====================================  ============================================
schema  ``output_config`` with a JSON Schema   the text is JSON with the required keys
tool    one tool, ``tool_choice`` forced       the tool is called with the required keys
text    a paragraph about the format           (always)
======  =====================================  ============================================

If a server rejects a tier (400, 422, 501) or ignores it, the question is asked in the next tier.
The first usable tier of each address and model is remembered while the program runs. If a server
ignores a tier but its text can be parsed, no further request is needed.

Known differences (servers change, and ``auto`` detects the current behaviour): Anthropic enforces
schemas and tools. Ollama accepts and ignores schemas and ``tool_choice``. vLLM enforces schemas.
llama.cpp and LM Studio support tools; their treatment of schemas depends on the version.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping, Sequence
from typing import Any

from bt_exec_llm.client.model_interface import Block, Image, Question, Turn
from bt_exec_llm.client.settings import ModelSettings, Tier

__all__ = ["REMEMBERED", "TIERS", "TOOL", "TierMemory", "request_arguments"]

TIERS: tuple[Tier, ...] = ("schema", "tool", "text")
TOOL = "give_answer"

_MOST_MARKS = 4
_PLAIN = "Answer with one JSON document and nothing else. It must follow this JSON Schema:\n"


class TierMemory:
    """Memory of the first usable tier for each address and model."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._tiers: dict[tuple[str, str], Tier] = {}

    def get(self, settings: ModelSettings) -> Tier:
        """Return the first tier to try."""
        if settings.tier != "auto":
            return settings.tier
        with self._lock:
            return self._tiers.get((settings.base_url, settings.model), TIERS[0])

    def put(self, settings: ModelSettings, tier: Tier) -> None:
        """Store the first tier to try."""
        with self._lock:
            self._tiers[settings.base_url, settings.model] = tier

    def order(self, settings: ModelSettings) -> tuple[Tier, ...]:
        """Return the tiers to try, in order; only one if the settings name a tier."""
        first = self.get(settings)
        return TIERS[TIERS.index(first) :] if settings.tier == "auto" else (first,)


REMEMBERED = TierMemory()
"""Memory shared by all clients of this process."""


def request_arguments(
    question: Question, tier: Tier, settings: ModelSettings, enforced: Mapping[str, Any] | None
) -> dict[str, Any]:
    """Return the arguments of the SDK's ``messages.create``.

    Args:
        question: The question.
        tier: Method that requests the output format.
        settings: Model and limits.
        enforced: Schema in the subset of JSON Schema that servers enforce; must be given in the
            tier ``schema``.
    """
    system = list(question.system)
    if question.schema is not None and tier == "text":
        instruction = question.plain
        if instruction is None:
            instruction = _PLAIN + json.dumps(question.schema, ensure_ascii=False)
        system.append(Block(instruction, cache=question.plain is not None))
    elif question.schema is not None and question.structured:
        system.append(Block(question.structured, cache=True))
    request: dict[str, Any] = {
        "model": settings.model,
        "max_tokens": settings.max_tokens,
        "messages": [_turn(turn) for turn in question.messages],
    }
    if texts := [_block(block) for block in system if block.text.strip()]:
        request["system"] = texts
    if question.schema is not None and tier == "schema":
        request["output_config"] = {"format": {"type": "json_schema", "schema": enforced}}
    if question.schema is not None and tier == "tool":
        about = "Give the answer. Call this exactly once."
        request["tools"] = [
            {"name": TOOL, "description": about, "input_schema": dict(question.schema)}
        ]
        request["tool_choice"] = {
            "type": "tool",
            "name": TOOL,
            "disable_parallel_tool_use": True,
        }
    if question.tools:
        request["tools"] = [tool.to_dict() for tool in question.tools]
        request["tool_choice"] = {"type": "any"}
    if settings.stream:
        request["stream"] = True
    if settings.temperature is not None or not settings.is_anthropic:
        # the SDK has no `temperature` argument; local servers accept one, and small models need it
        request["extra_body"] = {"temperature": settings.temperature or 0.0}
    if settings.cache:
        _mark_for_cache(request, system, question)
    return request


def _mark_for_cache(
    request: Mapping[str, Any], system: Sequence[Block], question: Question
) -> None:
    """Mark the last four cacheable blocks for the cache, because servers reject more marks."""
    stable = [block for block in system if block.text.strip()]
    pairs: list[tuple[dict[str, Any], Block | Image]] = list(
        zip(request.get("system", ()), stable, strict=False)
    )
    for turn, asked in zip(request["messages"], question.messages, strict=True):
        pairs += zip(turn["content"], _turn_blocks(asked), strict=True)
    marked = [sent for sent, block in pairs if isinstance(block, Block) and block.cache]
    for sent in marked[-_MOST_MARKS:]:
        sent["cache_control"] = {"type": "ephemeral"}


def _turn_blocks(turn: Turn) -> list[Block | Image]:
    """Return the blocks of a turn without empty texts, which servers reject."""
    return [block for block in turn.blocks if isinstance(block, Image) or block.text.strip()]


def _turn(turn: Turn) -> dict[str, Any]:
    return {"role": turn.role, "content": [_block(block) for block in _turn_blocks(turn)]}


def _block(block: Block | Image) -> dict[str, Any]:
    if isinstance(block, Block):
        return {"type": "text", "text": block.text}
    source = {"type": "base64", "media_type": block.media_type, "data": block.data}
    return {"type": "image", "source": source}
