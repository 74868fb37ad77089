"""Scripted server, and clients without state shared between tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any, TypeAlias

import pytest

from bt_exec_llm.client import Block, ModelClient, ModelFailure, ModelSettings, Question, Turn
from bt_exec_llm.client.output_tiers import TierMemory
from bt_exec_llm.testing.messages_server import MessagesServer

Serve: TypeAlias = Callable[..., MessagesServer]
Connect: TypeAlias = Callable[..., ModelClient]

SCHEMA = {
    "type": "object",
    "properties": {"door": {"type": "string"}, "sure": {"type": "boolean"}},
    "required": ["door"],
    "additionalProperties": False,
}


@pytest.fixture(scope="session", autouse=True)
def _loaded() -> None:
    """Load the SDK once, before deadlines are measured."""
    import bt_exec_llm.client.transport  # noqa: F401


@pytest.fixture
def serve() -> Iterator[Serve]:
    """Start servers: ``serve([text("hello")], flavour="ollama")``."""
    with ExitStack() as stack:
        yield lambda *args, **more: stack.enter_context(MessagesServer(*args, **more))


@pytest.fixture
def connect() -> Connect:
    """Return a client of a server: ``connect(server, retries=0)``."""
    memory = TierMemory()

    def connect(
        server: MessagesServer, *, record: Any = None, fresh: bool = False, **settings: Any
    ) -> ModelClient:
        filled = {"model": "m", "timeout_s": 10.0, "backoff_s": 0.01, **settings}
        wanted = ModelSettings(base_url=server.url, **filled)
        return ModelClient(wanted, record=record, memory=TierMemory() if fresh else memory)

    return connect


@pytest.fixture
def fail(serve: Serve, connect: Connect) -> Callable[..., ModelFailure]:
    """Send a request to a server with this script; return the failure."""

    def fail(*replies: Any, schema: Any = None, **settings: Any) -> ModelFailure:
        client = connect(serve(replies), **settings)
        with pytest.raises(ModelFailure) as caught:
            client.ask(Question([Block("rules")], [Turn.user("open the door")], schema))
        return caught.value

    return fail
