"""A pair of networks behind the contract of one: boxes by the first, names by the second."""

from __future__ import annotations

from bt_exec_skills.perception.picture import Frame
from bt_exec_skills.vision.crops import cut, proposed
from bt_exec_skills.vision.decode import Found
from bt_exec_skills.vision.namer import Namer
from bt_exec_skills.vision.network import LEAST_SCORE, Network

__all__ = ["TwoStageNetwork"]


class TwoStageNetwork:
    """Implements `bt_exec_skills.vision.network.Network`.

    A box may come several times, with another name each time: the likelier first.

    Args:
        boxes: Says where things are; its names are not used.
        namer: Says what they are.
    """

    def __init__(self, boxes: Network, namer: Namer) -> None:
        self.names = namer.names
        self._boxes = boxes
        self._namer = namer

    def find(self, frame: Frame, least_score: float = LEAST_SCORE) -> list[Found]:
        """See `Network.find`; a score is how likely the crop shows the thing."""
        places = proposed(self._boxes, frame)
        if not places:
            return []
        shares = self._namer.shares(cut(frame, [one.xyxy for one in places]))
        found = [
            Found(name, one.xyxy, float(share))
            for one, row in zip(places, shares, strict=True)
            for name, share in zip(self.names, row, strict=True)
            if share > least_score
        ]
        return sorted(found, key=lambda one: -one.score)
