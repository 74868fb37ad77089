"""Lamps: brightness of each spot of the floor."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import numpy.typing as npt

from bt_exec_skills.reporter.sim.floor import LIGHTS

__all__ = ["Lamps"]

_UNLIT = 0.13
_ELSEWHERE = 0.5
_CELL_M = 0.1


class Lamps:
    """Lamps of the building, stored in a table of small floor cells."""

    def __init__(self) -> None:
        self._names = tuple(LIGHTS)
        self._left = min(area.left for area in LIGHTS.values()) - 1.0
        self._bottom = min(area.bottom for area in LIGHTS.values()) - 1.0
        columns = int((max(a.right for a in LIGHTS.values()) + 1.0 - self._left) / _CELL_M)
        rows = int((max(a.top for a in LIGHTS.values()) + 1.0 - self._bottom) / _CELL_M)
        self._lamp = np.full((rows, columns), len(self._names), np.int8)
        for number, area in enumerate(LIGHTS.values()):
            low, high = self._cell(area.left, area.bottom), self._cell(area.right, area.top)
            self._lamp[low[1] : high[1], low[0] : high[0]] = number

    def _cell(self, x: float, y: float) -> tuple[int, int]:
        return round((x - self._left) / _CELL_M), round((y - self._bottom) / _CELL_M)

    def light(
        self, spot: npt.NDArray[np.float32], lights: Mapping[str, bool]
    ) -> npt.NDArray[np.float32]:
        """Return the brightness of each spot; 1 is lit."""
        level = [1.0 if lights[name] else _UNLIT for name in self._names]
        table = np.array([*level, _ELSEWHERE], np.float32)
        rows, columns = self._lamp.shape
        x = np.clip(((spot[:, 0] - self._left) / _CELL_M).astype(np.int32), 0, columns - 1)
        y = np.clip(((spot[:, 1] - self._bottom) / _CELL_M).astype(np.int32), 0, rows - 1)
        found: npt.NDArray[np.float32] = table[self._lamp[y, x]]
        return found
