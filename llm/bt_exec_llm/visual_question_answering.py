"""Visual question answering by a language model with image input."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from bt_exec.models import VisualQa, VqaAnswer
from bt_exec_llm.client import Block, Model, ModelFailure, Question, Turn
from bt_exec_llm.client.images import image_block
from bt_exec_llm.client.model_client import make_model_client

__all__ = ["ModelVisualQa", "create"]

_ROLE = Path(__file__).parent / "prompts" / "look.md"


class ModelVisualQa:
    """Visual question answering by a language model; implements `bt_exec.models.VisualQa`.

    Args:
        model: The language model.
    """

    def __init__(self, model: Model) -> None:
        self.model = model
        self._role = Block(_ROLE.read_text(encoding="utf-8").strip(), cache=True)

    def ask(self, image: Any, question: str, schema: Mapping[str, Any]) -> VqaAnswer:
        """Return the model's answer; see `VisualQa.ask`.

        The picture is sent as a JPEG with sides of at most 1024 px.
        """
        images = image if isinstance(image, list | tuple) else [image]
        try:
            turn = Turn.user(*map(image_block, images), question)
            answer = self.model.ask(Question([self._role], [turn], schema))
        except ModelFailure as failure:
            return VqaAnswer(None, failure.code)
        except ValueError as error:
            return VqaAnswer(None, f"NO_PICTURE: {error}")
        if answer.data is None:
            return VqaAnswer(None, "NOT_READABLE")
        return VqaAnswer(answer.data)


def create(settings: Mapping[str, Any]) -> VisualQa:
    """Return a `bt_exec.models.VisualQa` for settings in the form of `make_model_client`.

    Raises:
        UsageError: If a setting is unknown or invalid.
    """
    return ModelVisualQa(make_model_client(settings, "visual_qa", timeout_s=8.0))
