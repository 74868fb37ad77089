"""The reporter's oracle: detections from what the simulator knows, no more than is in view."""

from __future__ import annotations

import numpy as np

from bt_exec_skills.perception.oracle import things_in_view, truth_of
from bt_exec_skills.perception.picture import Mask
from bt_exec_skills.reporter.perception.contracts import GroundView
from bt_exec_skills.reporter.perception.observation import PERSON, PlacedDetection

__all__ = ["PeopleOracle"]

_LEAST_PIXELS = {PERSON: 10}
_LEAST_THING = 5  # a spill lies flat: nine metres away it shows no more


def _enough(label: str, mask: Mask) -> bool:
    return int(np.count_nonzero(mask)) >= _LEAST_PIXELS.get(label, _LEAST_THING)


class PeopleOracle:
    """A detection, with its place, for everybody and everything in view."""

    def detect(self, view: GroundView) -> tuple[PlacedDetection, ...]:
        """See `PeopleDetector.detect`.

        Raises:
            UsageError: If the camera is no simulated one.
        """
        found = []
        for thing, mask, box in things_in_view(truth_of(view), _enough):
            x, y = (float(value) for value in np.median(view.ground[mask], axis=0))
            found.append(PlacedDetection(thing.label, box.bbox, box.score, thing.who, (x, y)))
        found.sort(key=lambda one: view.pose.away(*(one.at or (0.0, 0.0))))
        return tuple(found)
