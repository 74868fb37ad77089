"""Factory for a site's learned detector and the estimator of the door's state.

In a site file::

    detector: learned             # the network that ships with the pack
    detector:
      weights: my_door.onnx       # or .pt, with the extra yolo
      labels: {maniglia: door-handle, porta: door}
      least_score: 0.35
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from bt_exec.failure import UsageError
from bt_exec.files import expand_home
from bt_exec_skills.door.perception.camera_door_calibration import Calibration
from bt_exec_skills.door.perception.learned_detector import LearnedDetector
from bt_exec_skills.door.perception.state_estimator import LearnedEstimator
from bt_exec_skills.vision.two_stage_network_loading import load_cached, weights_and_least_score

__all__ = ["SHIPPED", "make_learned", "weights_path"]

SHIPPED = Path(__file__).with_name("weights") / "door.onnx"
"""Path of the network that ships with the pack."""


def weights_path(name: str | None) -> Path:
    """Return the path of a weights file: an existing file, or a shipped file with that name."""
    if name is None:
        return SHIPPED
    path = expand_home(name)
    shipped = SHIPPED.parent / path.name
    return shipped if not path.is_file() and path.name == name and shipped.is_file() else path


def make_learned(
    settings: Mapping[str, Any], calibration: Callable[[], Calibration]
) -> tuple[LearnedDetector, LearnedEstimator]:
    """Return the detector and the estimator of the door's state.

    Args:
        settings: The setting ``detector`` as a mapping; see the module's documentation.
        calibration: Function that returns the calibration of camera and door.

    Raises:
        UnknownName: If a setting is unknown.
        UsageError: If a value is invalid, or the weights cannot be used.
    """
    weights, least = weights_and_least_score(settings, 0.35, also=("labels",))
    labels = settings.get("labels", {})
    if not isinstance(labels, Mapping):
        raise UsageError("detector: labels must map classes to labels: {maniglia: door-handle}")
    network, place = load_cached(weights_path(weights)), calibration()
    return LearnedDetector(network, labels, least, place.opening_outline()), LearnedEstimator(place)
