"""Generation of texts, such as programs, by a language model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from bt_exec.models import Writer, Written
from bt_exec_llm.client import Block, Model, ModelFailure, Question, Turn
from bt_exec_llm.client.documents_in_answer import without_thoughts
from bt_exec_llm.client.model_client import make_model_client

__all__ = ["ModelWriter", "create"]


class ModelWriter:
    """Generator of texts that uses a language model; implements `bt_exec.models.Writer`.

    Args:
        model: The language model.
    """

    def __init__(self, model: Model) -> None:
        self.model = model

    def write(self, role: str, said: Sequence[str]) -> Written:
        """Return the model's text without thinking sections (``<think>``); see `Writer.write`."""
        turns = [
            Turn.assistant(text) if place % 2 else Turn.user(text)
            for place, text in enumerate(said)
        ]
        try:
            answer = self.model.ask(Question([Block(role, cache=True)], turns))
        except ModelFailure as failure:
            return Written(None, failure.code, usage=failure.usage.to_dict())
        text, _ = without_thoughts(answer.text)
        return Written(text, "", answer.model, answer.usage.to_dict())


def create(settings: Mapping[str, Any]) -> Writer:
    """Return a `bt_exec.models.Writer` for settings in the form of `make_model_client`.

    Raises:
        UsageError: If a setting is unknown or invalid.
    """
    return ModelWriter(make_model_client(settings, "writer", timeout_s=60.0))
