"""A network behind the contract that detectors share."""

from __future__ import annotations

from typing import Any

from bt_exec_skills.perception.contracts import Detection, View
from bt_exec_skills.perception.picture import whole_pixels
from bt_exec_skills.vision.network import Network

__all__ = ["NetworkDetector"]


class NetworkDetector:
    """Implements `bt_exec_skills.perception.contracts.Detector` with a network alone.

    Args:
        network: The network.
        least_score: What a detection must exceed.

    Attributes:
        names: What it can find.
    """

    def __init__(self, network: Network, least_score: float) -> None:
        self.names = network.names
        self._network = network
        self._least = least_score

    def detect(self, view: View[Any]) -> tuple[Detection, ...]:
        """Return what is found, best first."""
        size = view.frame.shape[0], view.frame.shape[1]
        found = self._network.find(view.frame, self._least)
        boxes = ((one, whole_pixels(one.xyxy, size)) for one in found)
        return tuple(Detection(one.label, box, one.score) for one, box in boxes if box is not None)
