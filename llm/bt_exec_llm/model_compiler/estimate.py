"""Estimate of the size and cost of a question, without asking it."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass

from bt_exec_llm.client import Block, Image, Prices
from bt_exec_llm.model_compiler.prompt import Prompt

__all__ = ["Estimate", "estimate", "tokens_of"]

_LATIN, _OTHER = 4.0, 1.2
"""Characters per token of Latin text and of Hangul, accurate to about 25 %."""
_PICTURE = 1400
"""Tokens of a picture of 1024 pixels: width × height / 750."""
_ANSWER = 400
"""Tokens of a typical plan."""


@dataclass(frozen=True)
class Estimate:
    """Estimate of the first question for a plan.

    Attributes:
        characters: Length of its texts [characters].
        input_tokens: Approximate length [tokens].
        cached_tokens: Part that a server may cache between questions [tokens].
        output_tokens: Approximate length of a usual plan [tokens].
        cost: Cost with a cold cache, in the currency of the prices; 0 without prices.
        cost_cached: Cost with a warm cache.
    """

    characters: int
    input_tokens: int
    cached_tokens: int
    output_tokens: int
    cost: float
    cost_cached: float

    def to_dict(self) -> dict[str, float]:
        """Return plain data."""
        return asdict(self)


def estimate(prompt: Prompt, prices: Prices) -> Estimate:
    """Return the size and cost of a prompt; no request is sent."""
    schema = tokens_of(json.dumps(prompt.schema, ensure_ascii=False))
    form = tokens_of(max(prompt.plain, prompt.structured, key=len))
    stable = tokens_of("\n".join(block.text for block in prompt.system)) + form + schema
    texts = [block.text for block in prompt.first.blocks if isinstance(block, Block)]
    pictures = sum(isinstance(block, Image) for block in prompt.first.blocks)
    fresh = tokens_of("\n".join(texts)) + pictures * _PICTURE
    return Estimate(
        prompt.characters,
        stable + fresh,
        stable,
        _ANSWER,
        round(prices.cost(fresh, _ANSWER, stable, 0), 6),
        round(prices.cost(fresh, _ANSWER, 0, stable), 6),
    )


def tokens_of(text: str) -> int:
    """Return the approximate number of tokens of a text."""
    latin = sum(char.isascii() for char in text)
    return math.ceil(latin / _LATIN + (len(text) - latin) / _OTHER)
