"""Plots of an evaluation, drawn without a plotting library."""

from __future__ import annotations

import cv2
import numpy as np

from bt_exec_skills.perception.picture import Frame
from bt_exec_skills.vision.evaluate import Report
from bt_exec_skills.vision.metrics import Confusion
from bt_exec_skills.vision.text_drawing import write

__all__ = ["confusion_plot", "curves_plot"]

_INK = (30, 30, 30)
_COLOURS = (
    (31, 119, 180),
    (255, 127, 14),
    (44, 160, 44),
    (214, 39, 40),
    (148, 103, 189),
    (140, 86, 75),
    (227, 119, 194),
    (127, 127, 127),
)


def _text(canvas: Frame, words: str, place: tuple[int, int], size: int = 14) -> None:
    write(canvas, words, place, size, _INK)


def curves_plot(report: Report) -> Frame:
    """Return precision over recall for every class at an overlap of 0.5."""
    left, top, side = 60, 40, 400
    canvas = np.full((top + side + 50, left + side + 220, 3), 255, np.uint8)
    _text(canvas, f"precision over recall, mAP50 {report.map50:.3f}", (left, 24), 17)
    for share in np.linspace(0, 1, 6):
        x, y = left + round(share * side), top + side - round(share * side)
        cv2.line(canvas, (left, y), (left + side, y), (225, 225, 225), 1)
        cv2.line(canvas, (x, top), (x, top + side), (225, 225, 225), 1)
        _text(canvas, f"{share:.1f}", (left - 36, y + 5))
        _text(canvas, f"{share:.1f}", (x - 10, top + side + 20))
    for number, one in enumerate(report.classes):
        colour = _COLOURS[number % len(_COLOURS)]
        xs = left + np.linspace(0, side, len(one.curve))
        ys = top + side * (1 - np.array(one.curve))
        points = np.stack([xs, ys], axis=1).round().astype(np.int32)
        cv2.polylines(canvas, [points], isClosed=False, color=colour, thickness=2)
        row = top + 20 + 24 * number
        cv2.line(canvas, (left + side + 20, row), (left + side + 44, row), colour, 3)
        _text(canvas, f"{one.label} {one.ap50:.3f}", (left + side + 52, row + 5))
    return canvas


def confusion_plot(states: Confusion) -> Frame:
    """Return true states by row and estimated ones by column."""
    left, top, cell = 110, 70, 110
    rows, columns = states.counts.shape
    canvas = np.full((top + rows * cell + 40, left + columns * cell + 20, 3), 255, np.uint8)
    title = f"estimated, by truth: {states.answered:.3f} answered, {states.right:.3f} of it right"
    _text(canvas, title, (12, 24), 16)
    for column, name in enumerate((*states.states, "uncertain")):
        _text(canvas, name, (left + column * cell + 8, top - 10))
    for row, name in enumerate(states.states):
        _text(canvas, name, (12, top + row * cell + cell // 2))
        whole = max(1, int(states.counts[row].sum()))
        for column in range(columns):
            count = int(states.counts[row, column])
            shade = 255 - round(170 * count / whole)
            corner = left + column * cell, top + row * cell
            end = corner[0] + cell - 2, corner[1] + cell - 2
            cv2.rectangle(canvas, corner, end, (shade, shade, 255), -1)
            _text(canvas, str(count), (corner[0] + 12, corner[1] + 48), 19)
            _text(canvas, f"{100 * count / whole:.1f} %", (corner[0] + 12, corner[1] + 74))
    return canvas
