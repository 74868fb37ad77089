"""Bounds of what a request may cost, and reservations made from them."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bt_exec_llm.client import Block, ModelClient, ModelFailure, ModelSettings, Prices, Turn, Usage
from bt_exec_llm.client.images import image_block
from bt_exec_llm.client.model_interface import Question
from bt_exec_llm.client.output_tiers import request_arguments
from bt_exec_llm.client.request_runner import largest_usage
from bt_exec_llm.testing.messages_replies import error, hang, raw, reset, text
from bt_exec_llm.testing.messages_server import MessagesServer

SETTINGS = ModelSettings(max_tokens=300, prices=Prices(input=1000, output=5000), tier="text")
SAID = [Turn.user("Is the door open?")]


def most(*turns: Turn, settings: ModelSettings = SETTINGS) -> Usage:
    question = Question((Block("Answer briefly."),), turns)
    return largest_usage(request_arguments(question, "text", settings, None), settings.prices)


@given(st.lists(st.text(min_size=1, max_size=200), min_size=1, max_size=5))
def test_cost_bound_holds_for_one_byte_tokens(texts: list[str]) -> None:
    found = most(*(Turn.user(text) for text in texts))
    size = sum(len(text.encode("utf-8", "surrogatepass")) for text in texts if text.strip())
    assert found.input_tokens >= size
    assert found.output_tokens == 300
    assert found.cost >= SETTINGS.prices.cost(0, 300, size, 0)


def test_token_bound_of_a_picture_depends_only_on_its_size() -> None:
    black = np.zeros((1024, 1024, 3), np.uint8)
    noise = np.random.default_rng(0).integers(0, 255, black.shape, np.uint8)
    bounds = {most(Turn.user(image_block(picture))).input_tokens for picture in (black, noise)}
    assert len(bounds) == 1
    assert bounds.pop() - most(Turn.user("")).input_tokens > 7290


@pytest.mark.parametrize("dear", ["input", "cache_write", "cache_read"])
def test_cost_bound_uses_the_highest_price_of_input_tokens(dear: str) -> None:
    cheap = {"input": 1.0, "cache_write": 1.0, "cache_read": 1.0}
    prices = Prices.model_validate({**cheap, dear: 500.0})
    found = most(*SAID, settings=SETTINGS.model_copy(update={"prices": prices}))
    assert found.cost == pytest.approx(500e-6 * found.input_tokens)


class Reservations:
    """Records reservations and settlements; a reservation waits until `open` is set."""

    def __init__(self, limit: int = 100) -> None:
        self.limit = limit
        self.made: list[Usage] = []
        self.settled: list[Usage | None] = []
        self.open, self.done = threading.Event(), threading.Event()
        self.open.set()

    def __call__(self, most: Usage) -> Callable[[Usage | None], None]:
        if len(self.made) == self.limit:
            raise ModelFailure("MODEL_CANCELLED", "no more")
        self.made.append(most)
        self.open.wait(20)
        return self._settle

    def _settle(self, spent: Usage | None) -> None:
        self.settled.append(spent)
        self.done.set()


def client_of(server: MessagesServer, reserve: Reservations, **more: Any) -> ModelClient:
    settings = SETTINGS.model_copy(update={"base_url": server.url, "backoff_s": 0.0, **more})
    return ModelClient(settings, reserve=reserve)


def test_each_request_is_settled_with_its_actual_usage() -> None:
    with MessagesServer([error(529), "hello"]) as server:
        reserve = Reservations()
        found = client_of(server, reserve).ask(Question([], SAID))
    refused, answered = reserve.settled
    assert refused == Usage()  # a refused request is free
    assert answered is not None
    assert answered.cost == found.usage.cost > 0
    assert all(answered.cost < most.cost for most in reserve.made)


@pytest.mark.parametrize("reply", [text("hello", usage={}), raw(b"{"), reset(), hang()])
def test_usage_is_unknown_without_a_complete_answer(reply: Any) -> None:
    with MessagesServer([reply]) as server:
        reserve = Reservations()
        with suppress(ModelFailure):
            client_of(server, reserve, retries=0, timeout_s=0.5).ask(Question([], SAID))
        assert reserve.done.wait(20)
    assert reserve.settled == [None]


def test_refused_reservation_sends_nothing() -> None:
    with MessagesServer([error(529), "hello"]) as server:
        with pytest.raises(ModelFailure, match="no more"):
            client_of(server, Reservations(limit=1)).ask(Question([], SAID))
        assert len(server.requests) == 1


def test_deadline_does_not_run_while_a_reservation_waits() -> None:
    with MessagesServer(["hello"]) as server:
        reserve = Reservations()
        reserve.open.clear()
        threading.Timer(0.7, reserve.open.set).start()
        assert client_of(server, reserve, timeout_s=0.5).ask(Question([], SAID)).text == "hello"


def test_question_cancelled_while_its_reservation_waits_is_not_sent() -> None:
    with MessagesServer(["hello"]) as server:
        reserve, cancel = Reservations(), threading.Event()
        reserve.open.clear()
        threading.Timer(0.2, cancel.set).start()
        with pytest.raises(ModelFailure, match="asked to stop"):
            client_of(server, reserve).ask(Question([], SAID), cancel)
        reserve.open.set()
        assert reserve.done.wait(20)
        assert reserve.settled == [Usage()]
        assert not server.requests
