"""Interfaces of user-supplied models: detectors with text prompts, and models for questions.

A package registers a factory in the entry-point group ``bt_exec_skills.prompted_detectors`` or
``bt_exec_skills.picture_models``. A site selects the factory by name, as in ``detector: {name:
mine, weights: owl.onnx}``. The factory receives the other settings.

``remote`` is built in and connects to a server in another process.
`bt_exec_skills.image.models.conformance_checks` checks an implementation.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, Protocol, TypeAlias, runtime_checkable

from bt_exec.failure import UnknownName, UsageError
from bt_exec.language.sanitize import one_line
from bt_exec.plugins import load_plugin, plugin_names
from bt_exec_skills.perception.contracts import Detection
from bt_exec_skills.perception.pictures_and_boxes import Frame, to_pixel_box

__all__ = [
    "ANY_NAME",
    "DETECTORS",
    "MODELS",
    "UNMEASURED",
    "PictureModel",
    "PromptedDetector",
    "Reply",
    "accepted_detections",
    "make_registered_model",
    "registered_names",
]

DETECTORS = "bt_exec_skills.prompted_detectors"
MODELS = "bt_exec_skills.picture_models"
ANY_NAME = "*"
"""Only class in the class list of a detector that accepts any name as a prompt."""
UNMEASURED = 0.7
"""Maximum confidence of an answer if the model's scores have no measured calibration."""

_REMOTE = "remote"  # a model on a server, see `http_client`
_MOST_DETECTIONS = 500
_LONGEST_LABEL = 60


class Reply(NamedTuple):
    """Answer of a picture model.

    Attributes:
        text: Answer in one line, in the language of the question.
        confidence: Confidence of the answer, 0..1; None if the model reports none.
    """

    text: str
    confidence: float | None = None


@runtime_checkable
class PromptedDetector(Protocol):
    """Detector of objects given by text prompts, such as OWL, YOLO-World or Grounding DINO."""

    def detect(self, picture: Frame, prompts: Sequence[str]) -> Sequence[Detection]:
        """Return the detections of each prompt, in any order; may take seconds.

        Args:
            picture: RGB, uint8 of shape (height, width, 3); it is not changed.
            prompts: English noun phrases, such as "cup" or "traffic light". The label of a
                detection is its prompt.
        """


@runtime_checkable
class PictureModel(Protocol):
    """Model that answers questions about a picture, such as Florence, moondream or SmolVLM."""

    def answer(self, picture: Frame, question: str) -> Reply:
        """Return the answer; may take seconds.

        Args:
            picture: RGB, uint8 of shape (height, width, 3); it is not changed.
            question: Question in Korean or English.
        """


Factory: TypeAlias = Callable[[Mapping[str, Any]], Any]


def make_registered_model(group: str, kind: str, given: Mapping[str, Any]) -> Any:
    """Return the detector or model named in a setting of a site.

    Args:
        group: `DETECTORS` or `MODELS`.
        kind: Name of the setting, for messages.
        given: The setting: ``name``, and the settings for the factory.

    Raises:
        UsageError: If the setting has no name, or the factory cannot be imported or refuses its
            settings.
        UnknownName: If no installed package registers the name.
    """
    rest = dict(given)
    name = rest.pop("name", None)
    if not isinstance(name, str):
        raise UsageError(f"{kind} needs a name: {kind}: {{name: remote, url: …}}")
    if name == _REMOTE:
        from bt_exec_skills.image.models.http_client import create

        return create(rest)
    if name not in registered_names(group):
        raise UnknownName(kind, name, registered_names(group))
    factory: Factory = load_plugin(group, kind, name)
    return factory(rest)


def registered_names(group: str) -> tuple[str, ...]:
    """Return the names that a setting may use: ``remote`` and the names that packages register."""
    return (_REMOTE, *plugin_names(group))


def accepted_detections(
    found: Any, prompts: Sequence[str], size: tuple[int, int]
) -> list[Detection]:
    """Return the valid detections in the output of a detector, best first.

    The output is untrusted data. Detections with labels other than the prompts, scores outside 0..1
    or boxes outside the picture are dropped.

    Args:
        found: Output of the detector.
        prompts: Prompts of the detector.
        size: Height and width of the picture [px].
    """
    if not isinstance(found, list | tuple):
        return []
    names = {one.lower(): one for one in prompts}
    kept = []
    for one in found[:_MOST_DETECTIONS]:
        label = one_line(str(getattr(one, "label", "")), _LONGEST_LABEL).lower()
        score: Any = getattr(one, "score", None)
        corners: Any = getattr(one, "bbox", ())
        if label not in names or not _is_number(score) or not 0 <= score <= 1:
            continue
        if len(corners) != 4 or not all(map(_is_number, corners)):
            continue
        box = to_pixel_box(tuple(map(float, corners)), size)
        if box is not None:
            kept.append(Detection(names[label], box, float(score)))
    return sorted(kept, key=lambda one: -one.score)


def _is_number(value: Any) -> bool:
    sound = isinstance(value, int | float) and not isinstance(value, bool)
    return sound and math.isfinite(value) and abs(value) < 1e6
