"""Questions about pictures, answered by a language model that sees."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from bt_exec.expand_home import expand_home
from bt_exec.failure import UsageError
from bt_exec.visual_qa import VisualQa, VqaAnswer
from bt_exec_llm.client import (
    Block,
    Model,
    ModelClient,
    ModelFailure,
    ModelSettings,
    Recorder,
    ReplayClient,
    Turn,
)
from bt_exec_llm.client.images import image_block

__all__ = ["ModelVisualQa", "create"]

_ROLE = Path(__file__).parent / "prompts" / "look.md"


class ModelVisualQa:
    """Asks a model about pictures; implements `bt_exec.visual_qa.VisualQa`.

    Args:
        model: Who looks.
    """

    def __init__(self, model: Model) -> None:
        self.model = model
        self._role = Block(_ROLE.read_text(encoding="utf-8").strip(), cache=True)

    def ask(self, image: Any, question: str, schema: Mapping[str, Any]) -> VqaAnswer:
        """See `VisualQa.ask`; pictures are sent as JPEGs of at most 1024 pixels."""
        images = image if isinstance(image, list | tuple) else [image]
        try:
            turn = Turn.user(*map(image_block, images), question)
            answer = self.model.ask([self._role], [turn], schema)
        except ModelFailure as failure:
            return VqaAnswer(None, failure.code)
        except ValueError as error:
            return VqaAnswer(None, f"NO_PICTURE: {error}")
        if answer.data is None:
            return VqaAnswer(None, "NOT_READABLE")
        return VqaAnswer(answer.data)


def create(settings: Mapping[str, Any]) -> VisualQa:
    """Return a `bt_exec.visual_qa.VisualQa` with the settings of a model client.

    Besides these, ``record: FILE`` adds every exchange to a file, and ``replay: FILE`` answers from
    one: the same pictures and questions get the same answers.

    Raises:
        UsageError: If a setting is unknown or wrong.
    """
    given = dict(settings)
    replay, record = given.pop("replay", None), given.pop("record", None)
    if replay is not None:
        return ModelVisualQa(ReplayClient(expand_home(str(replay))))
    recorder = None if record is None else Recorder(expand_home(str(record)))
    try:
        asked = ModelSettings.model_validate({"timeout_s": 8.0, **given})
        return ModelVisualQa(ModelClient(asked, record=recorder))
    except ValidationError as error:
        found = error.errors()[0]
        name = ".".join(map(str, found["loc"]))
        raise UsageError(
            f"setting {name!r} of the visual_qa model claude: {found['msg'].lower()}"
        ) from None
