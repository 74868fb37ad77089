"""The oracle: detections and door state from what the simulator knows, and no more than is in view.

It is honest: a thing hidden by an arm is not detected, and a door of which too little is in view
is uncertain, however well the simulator knows its angle.
"""

from __future__ import annotations

from bt_exec.failure import UsageError
from bt_exec_skills.door.perception.contracts import Truth, View
from bt_exec_skills.door.perception.observation import Detection, DoorEstimate
from bt_exec_skills.door.robot import state_at
from bt_exec_skills.vision.sample import box_of

__all__ = ["OracleDetector", "OracleEstimator"]

_LEAST_SHARE = {"door": 2e-3, "door-handle": 3e-4, "material": 3e-4}
"""The least part of the picture that must show a label for it to count as seen."""
_DOOR_SEEN = 0.3
_INTERIOR_SOME, _INTERIOR_CLEAR = 0.02, 0.3


def _truth(view: View) -> Truth:
    if view.truth is None:
        raise UsageError("the oracle needs a simulated camera; choose another detector")
    return view.truth


class OracleDetector:
    """Boxes around the pixels that really show a thing."""

    def detect(self, view: View) -> tuple[Detection, ...]:
        """Return a detection for each label of which enough pixels are in view."""
        return tuple(
            Detection(label, box_of(mask), 1.0)
            for label, mask in _truth(view).masks.items()
            if mask.mean() >= _LEAST_SHARE[label]
        )


class OracleEstimator:
    """The state by the true hinge angle, if enough of the door is in view."""

    def estimate(self, view: View, detections: tuple[Detection, ...]) -> DoorEstimate:
        """See `DoorStateEstimator.estimate`."""
        truth = _truth(view)
        seen = any(found.label == "door" for found in detections)
        if not seen or truth.door_seen < _DOOR_SEEN:
            return DoorEstimate("uncertain", round(truth.door_seen, 2), ("primary:door_hidden",))
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
        return DoorEstimate(state, confidence, evidence)
