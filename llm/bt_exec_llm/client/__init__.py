"""Client for language models: each question returns an answer or raises a `ModelFailure`.

This package is the public interface. The SDK is imported with the first question::

    model = ModelClient(ModelSettings(base_url="http://localhost:11434", model="qwen3"))
    question = Question([Block(rules, cache=True)], [Turn.user("Say hello")], schema)
    answer = model.ask(question, cancel)
    print(answer.data, answer.usage)

`ReplayClient` repeats recorded answers. `bt_exec_llm.testing.scripted_model` is a model with
scripted answers for tests.
"""

from __future__ import annotations

from bt_exec_llm.client.answer_parser import Reading, read_answer
from bt_exec_llm.client.answer_replay import ReplayClient
from bt_exec_llm.client.errors import ModelFailure
from bt_exec_llm.client.exchange_recorder import Exchange, Recorder
from bt_exec_llm.client.images import image_block
from bt_exec_llm.client.model_client import ModelClient
from bt_exec_llm.client.model_interface import (
    Answer,
    Block,
    Image,
    Model,
    Question,
    Tool,
    Turn,
    Usage,
)
from bt_exec_llm.client.settings import ModelSettings, Prices, Tier

__all__ = [
    "Answer",
    "Block",
    "Exchange",
    "Image",
    "Model",
    "ModelClient",
    "ModelFailure",
    "ModelSettings",
    "Prices",
    "Question",
    "Reading",
    "Recorder",
    "ReplayClient",
    "Tier",
    "Tool",
    "Turn",
    "Usage",
    "image_block",
    "read_answer",
]
