"""Perception interfaces of the door pack: ground truth and state estimator."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, TypeAlias

from bt_exec_skills.door.perception.observation import DoorEstimate
from bt_exec_skills.perception.contracts import Detection, View
from bt_exec_skills.perception.oracle import ObjectTruth

__all__ = ["DoorStateEstimator", "DoorTruth", "DoorView"]


@dataclass(frozen=True)
class DoorTruth(ObjectTruth):
    """Ground truth of a simulated view.

    Attributes:
        angle_rad: The hinge angle.
        door_seen: Share of the door panel that is in view, 0..1.
        interior_seen: Share of the opening through which the inside is in view, 0..1.
    """

    angle_rad: float
    door_seen: float
    interior_seen: float


DoorView: TypeAlias = View[DoorTruth]


class DoorStateEstimator(Protocol):
    """Estimator of the door's state."""

    def estimate(self, view: DoorView, detections: tuple[Detection, ...]) -> DoorEstimate:
        """Return the state; ``uncertain`` rather than a guess."""
