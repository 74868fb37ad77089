"""Cross-check of the door state: the local estimator and a vision-language model must agree.

The state of the door counts only while both agree. Otherwise it is uncertain, conditions wait for
new pictures, and nothing moves. The model is asked when the local state changes and when its last
answer is too old, not for every picture. In a site file::

    second_opinion: {name: claude, model: claude-haiku-5-5}
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import BaseModel, Field, ValidationError

from bt_exec.failure import UsageError
from bt_exec.models import VisualQa, find_visual_qa
from bt_exec_skills.door.perception.ground_truth_estimator import DoorStateEstimator, DoorView
from bt_exec_skills.door.perception.observation import DoorEstimate
from bt_exec_skills.door.robot import DoorState
from bt_exec_skills.perception.contracts import Detection

__all__ = ["QUESTION", "SCHEMA", "DoorAnswer", "VlmCrosscheck", "with_vlm_crosscheck"]

QUESTION = (
    "How does the door of the cabinet stand? open: the inside is in clear view. closed: nothing of "
    "the inside and no gap is in view. ajar: a slit, or the door stands somewhere between. "
    "uncertain: it cannot be decided. Give evidence as short words, 'primary:…' first, then "
    "'proxy:…'. Say also whether the door's handle and material behind the door are in view."
)
_SEEN = {"type": "string", "enum": ["yes", "no", "uncertain"]}
SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {
        "state": {"type": "string", "enum": ["open", "ajar", "closed", "uncertain"]},
        "confidence": {"type": "number", "description": "0 to 1"},
        "evidence": {"type": "array", "items": {"type": "string"}},
        "handle_present": _SEEN,
        "material_visible": _SEEN,
    },
    "required": ["state", "confidence", "evidence", "handle_present", "material_visible"],
    "additionalProperties": False,
}

_FRESH_S = 30.0
"""Age of an answer after which the model is asked again [s, mission clock]."""
_REST_S = 1.0
"""Minimum interval between questions while model and estimator disagree [s, mission clock]."""
_LEAST = 0.5
"""Minimum confidence of an answer."""


class DoorAnswer(BaseModel):
    """Validated answer of the model."""

    state: DoorState
    confidence: float = Field(ge=0, le=1)
    evidence: tuple[str, ...] = ()
    handle_present: Literal["yes", "no", "uncertain"] = "uncertain"
    material_visible: Literal["yes", "no", "uncertain"] = "uncertain"


class VlmCrosscheck:
    """Cross-check of the local estimate with a model; implements `DoorStateEstimator`.

    Args:
        local: The local estimator.
        asker: The vision-language model.

    Attributes:
        asked: Number of questions that the model was asked.
        latest: Last answer of the model, or None if it was not valid.
    """

    def __init__(self, local: DoorStateEstimator, asker: VisualQa) -> None:
        self.asked = 0
        self.latest: DoorAnswer | None = None
        self._local = local
        self._asker = asker
        self._agreed: tuple[str, float] = ("", float("-inf"))
        self._tried: tuple[str, float] = ("", float("-inf"))
        self._why = ""

    def estimate(self, view: DoorView, detections: tuple[Detection, ...]) -> DoorEstimate:
        """Return the local estimate if the model agrees; else ``uncertain`` with both answers."""
        local = self._local.estimate(view, detections)
        if local.state == "uncertain":
            return local
        state, since = self._agreed
        if state == local.state and 0 <= view.t - since <= _FRESH_S:
            return local
        tried, when = self._tried
        if tried != local.state or not 0 <= view.t - when < _REST_S:
            self._ask(view, local.state)
        if self._agreed == (local.state, view.t):
            return local
        evidence = (f"primary:eyes_say_{local.state}", f"proxy:{self._why}")
        return DoorEstimate("uncertain", 0.3, evidence, "not_confirmed")

    def _ask(self, view: DoorView, state: str) -> None:
        self.asked += 1
        self._tried = (state, view.t)
        answer = self._asker.ask(view.frame, QUESTION, SCHEMA)
        try:
            self.latest = None if answer.data is None else DoorAnswer.model_validate(answer.data)
        except ValidationError:
            self.latest = None
        if self.latest is None:
            self._why = "no_second_opinion" + (f"_{answer.why.lower()[:40]}" if answer.why else "")
        elif self.latest.confidence < _LEAST:
            self._why = "second_opinion_unsure"
        else:
            self._why = f"second_opinion_{self.latest.state}"
            if self.latest.state == state:
                self._agreed = (state, view.t)


def with_vlm_crosscheck(local: DoorStateEstimator, settings: Any) -> DoorStateEstimator:
    """Return the estimator of a site: the local one, with a cross-check if configured.

    Raises:
        UsageError: If the setting has no name, or the model refuses its settings.
    """
    if settings is None:
        return local
    given = {"name": settings} if isinstance(settings, str) else settings
    if not isinstance(given, Mapping) or not isinstance(given.get("name"), str):
        raise UsageError("second_opinion needs the name of the model: {name: claude}")
    rest = {key: value for key, value in given.items() if key != "name"}
    return VlmCrosscheck(local, find_visual_qa(given["name"], rest))
