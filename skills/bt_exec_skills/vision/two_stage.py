"""Pair of networks with the interface of one: boxes by the first, names by the second."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from bt_exec_skills.perception.picture import Frame
from bt_exec_skills.vision.crops import cut, proposed
from bt_exec_skills.vision.decode import Found, suppress
from bt_exec_skills.vision.namer import Namer
from bt_exec_skills.vision.network import LEAST_SCORE, Network

__all__ = ["TwoStageNetwork"]


Floats = npt.NDArray[np.floating[Any]]
_NAMED = 0.7  # weight of the namer in a score; the rest is the detector's
_SAME = 0.37  # overlap (IoU) above which boxes belong to one object


class TwoStageNetwork:
    """Implements `bt_exec_skills.vision.network.Network`.

    A box may be returned several times, with a different class each time, most likely first.

    Args:
        boxes: Detector of the boxes; its classes are not used.
        namer: Classifier of the boxes.
    """

    def __init__(self, boxes: Network, namer: Namer) -> None:
        self.names = namer.names
        self._boxes = boxes
        self._namer = namer

    def find(self, frame: Frame, least_score: float = LEAST_SCORE) -> list[Found]:
        """Implement `Network.find`; a score is a weighted mean of both networks' scores."""
        places = proposed(self._boxes, frame)
        if not places:
            return []
        shares = self._namer.shares(cut(frame, [one.xyxy for one in places]))
        scores = shares**_NAMED * np.array([[one.score] for one in places]) ** (1 - _NAMED)
        kept = self._once(np.array([one.xyxy for one in places], np.float32), scores.max(axis=1))
        found = [
            Found(name, places[place].xyxy, float(score))
            for place in kept
            for name, score in zip(self.names, scores[place], strict=True)
            if score > least_score
        ]
        return sorted(found, key=lambda one: -one.score)

    @staticmethod
    def _once(boxes: Floats, scores: Floats) -> list[int]:
        """Return the indices of the boxes to keep: the best one of each object."""
        order = np.argsort(-scores, kind="stable")
        kept = suppress(boxes[order], None, _SAME)
        return [int(place) for place in order[kept]]
