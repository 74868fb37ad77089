"""Upper bound of what a request may cost, computed before it is sent.

A tokenizer never makes more tokens of a text than it has bytes. Keys and punctuation of the JSON
count too, which covers the marks that a server puts around each turn. `_FRAME` covers the
instructions that servers add for schemas and tools, and `_PICTURE` the pictures that
`bt_exec_llm.client.images` makes: 1,024 x 1,024 px are 1,400 tokens for Claude, 1,340 for Qwen-VL,
5,350 for a model with patches of 14 px, and 7,290 for the tiles of LLaVA-OneVision.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from bt_exec_llm.client.settings import Prices
from bt_exec_llm.client.usage import Usage

__all__ = ["most_usage"]

_FRAME = 1024  # [tokens]
_PICTURE = 8192  # [tokens]


def most_usage(request: Mapping[str, Any], prices: Prices) -> Usage:
    """Return the largest possible cost of a request, with all input tokens counted as uncached.

    Args:
        request: Arguments of the SDK's ``messages.create``.
        prices: Prices of the tokens; input may have the price of the cache.
    """
    contents = [turn["content"] for turn in request["messages"]]
    pictures = [block["source"] for blocks in contents for block in blocks if "source" in block]
    size = len(json.dumps(request)) - sum(len(picture["data"]) for picture in pictures)
    tokens, output = size + _FRAME + _PICTURE * len(pictures), request["max_tokens"]
    cost = max(
        prices.cost(tokens, output, 0, 0),
        prices.cost(0, output, tokens, 0),
        prices.cost(0, output, 0, tokens),
    )
    return Usage(requests=1, input_tokens=tokens, output_tokens=output, cost=cost)
