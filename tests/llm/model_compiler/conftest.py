from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from bt_exec_llm.client import ModelClient, ModelSettings
from bt_exec_llm.model_compiler.compiler import ModelCompiler, PlanningSettings
from bt_exec_llm.testing.messages_server import MessagesServer
from bt_exec_llm.testing.scripted_model import ScriptedModel
from tests.llm.model_compiler.corpus import OFFLINE


@pytest.fixture(scope="session")
def server() -> Iterator[MessagesServer]:
    """Server shared by all tests; each test sets its script."""
    with MessagesServer(["nothing"], flavour="ollama") as server:
        yield server


@pytest.fixture
def over_http(server: MessagesServer) -> Callable[..., ModelCompiler]:
    """Return a compiler whose model gives scripted answers, through the real SDK."""

    def make(replies: list[Any], **settings: Any) -> ModelCompiler:
        server.script(replies)
        server.requests.clear()
        own = {
            key: settings.pop(key) for key in list(settings) if key in PlanningSettings.model_fields
        }
        client = {"tier": "text", "retries": 0, "timeout_s": 20.0, "model": "scripted", **settings}
        model = ModelClient(ModelSettings(base_url=server.url, **client))
        return ModelCompiler(model, PlanningSettings(**{"first": "model", **own}), offline=OFFLINE)

    return make


@pytest.fixture
def scripted() -> Callable[..., ModelCompiler]:
    """Return a compiler whose model gives scripted answers, without a network."""

    def make(replies: list[Any], *, seconds: float = 0.0, **settings: Any) -> ModelCompiler:
        model = ScriptedModel(replies, seconds=seconds)
        return ModelCompiler(
            model, PlanningSettings(**{"first": "model", **settings}), offline=OFFLINE
        )

    return make
