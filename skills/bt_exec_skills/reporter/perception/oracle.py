"""Oracle detector of the reporter: detections from the simulator's ground truth."""

from __future__ import annotations

import numpy as np

from bt_exec_skills.perception.oracle import things_in_view, truth_of
from bt_exec_skills.perception.picture import Mask
from bt_exec_skills.reporter.perception.contracts import GroundView
from bt_exec_skills.reporter.perception.observation import PERSON, PlacedDetection

__all__ = ["PeopleOracle"]

_LEAST_PERSON, _LEAST_THING = 10, 5  # [px]; size of a spill nine metres away


def _is_visible_enough(label: str, mask: Mask) -> bool:
    least = _LEAST_PERSON if label == PERSON else _LEAST_THING
    return int(np.count_nonzero(mask)) >= least


class PeopleOracle:
    """Oracle that returns a detection with a position for each person and object in view."""

    def detect(self, view: GroundView) -> tuple[PlacedDetection, ...]:
        """Implement `PeopleDetector.detect`.

        Raises:
            UsageError: If the camera is not simulated.
        """
        found = []
        for thing, mask, box in things_in_view(truth_of(view), _is_visible_enough):
            x, y = (float(value) for value in np.median(view.ground[mask], axis=0))
            found.append(PlacedDetection(thing.label, box.bbox, box.score, thing.who, (x, y)))
        found.sort(key=lambda one: view.pose.away(*(one.at or (0.0, 0.0))))
        return tuple(found)
