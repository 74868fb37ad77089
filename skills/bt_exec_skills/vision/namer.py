"""Classifier of crops, the second network of a pair."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt

from bt_exec.failure import UsageError
from bt_exec_skills.perception.picture import Frame
from bt_exec_skills.vision.crops import NOTHING, SIDE
from bt_exec_skills.vision.session import THREADS, names_in, open_session

__all__ = ["Namer"]

Floats = npt.NDArray[np.float32]


class Namer:
    """A classifier of crops as `bt_exec_skills.vision.train_names` exports it, on onnxruntime.

    Args:
        weights: The file; its metadata holds the names, the last of which is ``nothing``.
        threads: Number of threads of an inference.

    Attributes:
        names: Its classes, without ``nothing``.

    Raises:
        UsageError: If the file is not such a network.
    """

    def __init__(self, weights: Path, *, threads: int = THREADS) -> None:
        self._session = open_session(weights, threads)
        every = names_in(self._session, weights)
        given, told = self._session.get_inputs()[0], self._session.get_outputs()[0]
        if given.shape[1:] != [3, SIDE, SIDE] or told.shape[1:] != [len(every)]:
            raise UsageError(
                f"{weights}: it must take crops of shape (n, 3, {SIDE}, {SIDE}) and give a score "
                f"for each of its {len(every)} names; is {given.shape} and {told.shape}"
            )
        if every[-1:] != (NOTHING,):
            raise UsageError(f"{weights}: the last of its names must be {NOTHING!r}")
        self.names = every[:-1]
        self._given = given.name

    def shares(self, crops: Frame) -> Floats:
        """Return how likely each crop shows each of `names`, shape (n, names).

        Each is looked at twice, once mirrored: the mean is right more often. What is missing to 1
        in a row is how likely it shows nothing of them.
        """
        both = self._shares(crops), self._shares(crops[:, :, ::-1])
        return np.asarray(np.mean(both, axis=0)[:, :-1], np.float32)

    def _shares(self, crops: Frame) -> Floats:
        planes = np.ascontiguousarray(crops.transpose(0, 3, 1, 2)).astype(np.float32)
        (scores,) = self._session.run(None, {self._given: planes / np.float32(255)})
        power = np.exp(scores - scores.max(axis=1, keepdims=True))
        return np.asarray(power / power.sum(axis=1, keepdims=True), np.float32)
