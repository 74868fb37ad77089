"""The oracle: detections from what the simulator knows, and no more than is really in view."""

from __future__ import annotations

import numpy as np

from bt_exec.failure import UsageError
from bt_exec_skills.reporter.perception.contracts import View
from bt_exec_skills.reporter.perception.observation import PERSON, Detection

__all__ = ["OracleDetector"]

_LEAST_PIXELS = {PERSON: 10}
_LEAST_THING = 5  # a spill lies flat: nine metres away it shows no more


class OracleDetector:
    """A detection for everybody and everything of which enough pixels are in view."""

    def detect(self, view: View) -> tuple[Detection, ...]:
        """See `Detector.detect`.

        Raises:
            UsageError: If the camera is no simulated one.
        """
        if view.truth is None:
            raise UsageError("the oracle needs a simulated camera; choose another detector")
        found = []
        for number in np.unique(view.truth.shows[view.truth.shows >= 0]):
            label, who = view.truth.things[number]
            rows, columns = np.nonzero(view.truth.shows == number)
            if len(rows) < _LEAST_PIXELS.get(label, _LEAST_THING):
                continue
            box = (
                int(columns.min()),
                int(rows.min()),
                int(columns.max()) + 1,
                int(rows.max()) + 1,
            )
            x, y = (float(value) for value in np.median(view.ground[rows, columns], axis=0))
            found.append(Detection(label, box, 1.0, who, (x, y)))
        found.sort(key=lambda one: view.pose.away(*(one.at or (0.0, 0.0))))
        return tuple(found)
