"""Sending of a question on a worker thread, with output-format tiers and retries."""

from __future__ import annotations

import math
import random
import threading
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

from bt_exec_llm.client.api_key import Key
from bt_exec_llm.client.connection import Connection
from bt_exec_llm.client.errors import ModelFailure
from bt_exec_llm.client.message_to_answer import parse_message
from bt_exec_llm.client.model_interface import Answer, Question, Usage
from bt_exec_llm.client.output_tiers import TIERS, TierMemory, request_arguments
from bt_exec_llm.client.settings import ModelSettings, Tier

if TYPE_CHECKING:
    from bt_exec_llm.client.transport import Transport
import json

from bt_exec_llm.client.settings import Prices

__all__ = ["RequestRunner", "Reserve", "largest_usage", "reserve_nothing"]

Settle: TypeAlias = Callable[[Usage | None], None]
"""Function that receives the actual cost of a request; None if the cost is unknown."""

Reserve: TypeAlias = Callable[[Usage], Settle]
"""Function that reserves the maximum cost of a request, and returns a `Settle`.

It may block. If it raises `ModelFailure`, the request is not sent and the question fails.
"""

_LONGEST_BACKOFF_S = 8.0
_LONGEST_WAIT_S = 20.0  # maximum delay that a server may request; a longer one is a failure [s]
_REFUSED_TIER = frozenset({400, 422, 501})


def reserve_nothing(_: Usage) -> Settle:
    """Reserve nothing and return a function that ignores the actual cost."""
    return lambda _: None


class RequestRunner:
    """Runs one question on a worker thread, through tiers and retries, and stores the result."""

    def __init__(
        self,
        settings: ModelSettings,
        memory: TierMemory,
        question: Question,
        connection: Connection,
        reserve: Reserve = reserve_nothing,
    ) -> None:
        self.done = threading.Event()
        self.answer: Answer | None = None
        self.failure: ModelFailure | None = None
        self.latest: ModelFailure | None = None
        self.usage = Usage()
        self._settings = settings
        self._memory = memory
        self._question = question
        self._reserve = reserve
        self._connection = connection
        self._retries = settings.retries

    def stop(self) -> None:
        """Stop the question as soon as possible; called from the waiting thread."""
        self._connection.abort()

    def ask_and_store(self) -> None:
        """Ask the question and store the answer, or store any error as a failure."""
        key: Key | None = None
        try:
            key = Key(self._settings)
            self.answer = self._ask(key)
        except ModelFailure as failure:
            self.failure = key.without_key(failure) if key is not None else failure
        except Exception as error:  # noqa: BLE001 - a bug must not look like a hanging server
            crash = ModelFailure("MODEL_CRASHED", f"{type(error).__name__}: {error}")
            self.failure = key.without_key(crash) if key is not None else crash
        finally:
            self.done.set()

    def _ask(self, key: Key) -> Answer:
        try:
            from bt_exec_llm.client.transport import Transport
        except ImportError as error:
            raise ModelFailure("MODEL_NO_SDK", str(error)) from None
        with Transport(self._settings, key, self._connection) as transport:
            return self._ask_in_each_tier(transport)

    def _ask_in_each_tier(self, transport: Transport) -> Answer:
        """Ask in one tier after another until an answer has the requested format."""
        auto = self._question.schema is not None and self._settings.tier == "auto"
        order = (
            self._memory.order(self._settings) if self._question.schema is not None else TIERS[-1:]
        )
        for tier in order:
            last = tier == order[-1]
            try:
                answer, honoured = self._retry(transport, tier)
            except ModelFailure as failure:
                refused = failure.code == "MODEL_BAD_REQUEST" or failure.http_status == 501
                if refused and auto and not last and failure.http_status in {None, *_REFUSED_TIER}:
                    continue
                raise
            if honoured or answer.data is not None or last:
                if auto:
                    self._memory.put(self._settings, tier if honoured else _next_tier(tier))
                return answer
        raise AssertionError("the last tier returns or raises")

    def _retry(self, transport: Transport, tier: Tier) -> tuple[Answer, bool]:
        """Ask in one tier, and retry after transient failures while time and attempts remain."""
        request = _request(self._question, tier, self._settings)
        attempt = 0
        while True:
            try:
                return self._send(transport, request, tier)
            except ModelFailure as failure:
                self.latest = failure
                pause = self._retry_delay(failure, attempt)
                if pause is None:
                    raise
            attempt += 1
            self._retries -= 1
            if self._connection.ended.wait(pause):
                raise ModelFailure("MODEL_CANCELLED", "asked to stop")

    def _send(
        self, transport: Transport, request: Mapping[str, Any], tier: Tier
    ) -> tuple[Answer, bool]:
        """Reserve the cost of a request, and send it; see `parse_message` for the result."""
        settle = self._reserve_cost(largest_usage(request, self._settings.prices))
        spent: Usage | None = None
        try:
            self.usage += Usage(requests=1)
            reply = transport.send(request)
            read = Usage.from_answer(reply.message.get("usage"), self._settings.prices)
            self.usage += read
            spent = read if read != Usage() else None
            return parse_message(reply.message, reply.raw, self._question, tier)
        except ModelFailure as failure:
            if failure.code == "MODEL_UNREACHABLE" or (failure.http_status or 200) >= 300:
                spent = Usage()  # a rejected request costs nothing
            raise
        finally:
            settle(spent)

    def _reserve_cost(self, most: Usage) -> Settle:
        """Reserve the maximum cost of a request; extend the deadline by the time this takes."""
        began, deadline = time.monotonic(), self._connection.deadline
        self._connection.deadline = math.inf
        try:
            settle = self._reserve(most)
        finally:
            self._connection.deadline = deadline + time.monotonic() - began
        try:
            self._connection.check()
        except ModelFailure:
            settle(Usage())  # cancelled while waiting, so the request is not sent
            raise
        return settle

    def _retry_delay(self, failure: ModelFailure, attempt: int) -> float | None:
        """Return the delay before the next attempt [s]; None if there is no next attempt."""
        if not failure.retryable or self._retries <= 0 or failure.http_status == 501:
            return None
        asked = failure.retry_after_s or 0.0
        if asked > _LONGEST_WAIT_S:
            return None
        backoff = min(_LONGEST_BACKOFF_S, self._settings.backoff_s * 2**attempt)
        pause = max(asked, backoff * random.uniform(0.5, 1.0))
        return pause if pause < self._connection.remaining_time() else None


def _request(question: Question, tier: Tier, settings: ModelSettings) -> dict[str, Any]:
    enforced = None
    if tier == "schema" and question.schema is not None:
        from bt_exec_llm.client.transport import server_schema

        enforced = server_schema(question.schema)
    return request_arguments(question, tier, settings, enforced)


def _next_tier(tier: Tier) -> Tier:
    return TIERS[min(TIERS.index(tier) + 1, len(TIERS) - 1)]


_FRAME = 1024  # maximum size of the instructions that a server adds [tokens]
_PICTURE = 8192  # maximum size of a picture [tokens]


def largest_usage(request: Mapping[str, Any], prices: Prices) -> Usage:
    """Return the maximum cost of a request, with all input tokens counted as uncached.

    A text never has more tokens than bytes. The keys and punctuation of the JSON are counted as
    well, which covers the markers that a server puts around each turn. `_FRAME` covers the
    instructions that servers add for schemas and tools. `_PICTURE` covers a picture from
    `bt_exec_llm.client.images`: 1,024 x 1,024 px are 1,400 tokens for Claude, 1,340 for Qwen-VL,
    5,350 for a model with patches of 14 px, and 7,290 for the tiles of LLaVA-OneVision.

    Args:
        request: Arguments of the SDK's ``messages.create``.
        prices: Prices of the tokens; the most expensive of the three input prices is used.
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
