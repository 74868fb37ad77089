"""The door's oracle: detections and state from the simulator's ground truth, as far as in view.

An object hidden by an arm is not detected. The state of a door with too small a visible part is
uncertain.
"""

from __future__ import annotations

from bt_exec_skills.door.perception.contracts import DoorView
from bt_exec_skills.door.perception.observation import DoorEstimate
from bt_exec_skills.door.robot import state_at
from bt_exec_skills.perception.contracts import Detection
from bt_exec_skills.perception.oracle import OracleDetector, truth_of

__all__ = ["OracleEstimator", "oracle_detector"]

_LEAST_SHARE = {"door": 2e-3, "door-handle": 3e-4, "material": 3e-4}
"""Minimum share of the picture for a label to be in view."""
_DOOR_SEEN = 0.3
_INTERIOR_SOME, _INTERIOR_CLEAR = 0.02, 0.3


def oracle_detector() -> OracleDetector:
    """Return the oracle for the objects of this pack."""
    return OracleDetector(lambda label, mask: bool(mask.mean() >= _LEAST_SHARE[label]))


class OracleEstimator:
    """The state at the true hinge angle, if enough of the door is in view."""

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
