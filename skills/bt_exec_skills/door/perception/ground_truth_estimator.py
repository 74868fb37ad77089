"""Ground truth of the door in simulated views, and the oracle that reports it.

An object hidden by an arm is not detected. If too little of the door is visible, its state is
uncertain.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, TypeAlias

from bt_exec_skills.door.perception.observation import DoorEstimate
from bt_exec_skills.door.robot import state_at
from bt_exec_skills.perception.contracts import Detection, View
from bt_exec_skills.perception.oracle import ObjectTruth, OracleDetector, truth_of

__all__ = ["DoorStateEstimator", "DoorTruth", "DoorView", "OracleEstimator", "oracle_detector"]


@dataclass(frozen=True)
class DoorTruth(ObjectTruth):
    """Ground truth of a simulated view.

    Attributes:
        angle_rad: The hinge angle.
        door_seen: Visible share of the door panel, 0..1.
        interior_seen: Visible share of the opening behind the door, 0..1.
    """

    angle_rad: float
    door_seen: float
    interior_seen: float


DoorView: TypeAlias = View[DoorTruth]


class DoorStateEstimator(Protocol):
    """Estimator of the door's state."""

    def estimate(self, view: DoorView, detections: tuple[Detection, ...]) -> DoorEstimate:
        """Return the state of the door; ``uncertain`` if it cannot be determined."""


_LEAST_SHARE = {"door": 2e-3, "door-handle": 3e-4, "material": 3e-4}
"""Minimum share of the picture for a label to be in view."""
_DOOR_SEEN = 0.3
_INTERIOR_SOME, _INTERIOR_CLEAR = 0.02, 0.3


def oracle_detector() -> OracleDetector:
    """Return the oracle for the objects of this pack."""
    return OracleDetector(lambda label, mask: bool(mask.mean() >= _LEAST_SHARE[label]))


class OracleEstimator:
    """Estimator that returns the state at the true hinge angle if enough of the door is in view."""

    def estimate(self, view: DoorView, detections: tuple[Detection, ...]) -> DoorEstimate:
        """Implement `DoorStateEstimator.estimate`."""
        truth = truth_of(view)
        seen = any(found.label == "door" for found in detections)
        if not seen or truth.door_seen < _DOOR_SEEN:
            confidence, hidden = round(truth.door_seen, 2), ("primary:door_hidden",)
            inside = truth.interior_seen
            return DoorEstimate("uncertain", confidence, hidden, "door_hidden", inside=inside)
        confidence = round(0.7 + 0.29 * truth.door_seen, 2)
        state = state_at(truth.angle_rad)
        evidence: tuple[str, ...]
        if state == "closed":
            evidence = ("primary:no_gap", "proxy:no_interior")
        elif state == "ajar":
            evidence = ("primary:gap_at_edge",)
            if truth.interior_seen > _INTERIOR_SOME:
                evidence += ("proxy:interior_visible",)
        elif truth.interior_seen > _INTERIOR_CLEAR:
            evidence = ("primary:interior_visible", "proxy:panel_swung_out")
        else:
            evidence = ("primary:panel_swung_out",)
        return DoorEstimate(state, confidence, evidence, inside=truth.interior_seen)
