"""Annotated picture with numbered boxes that are readable without colour."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path

import cv2
import numpy as np

from bt_exec.failure import UsageError
from bt_exec.files import expand_home, file_errors
from bt_exec_skills.image.perception.instances import Decision, Instance
from bt_exec_skills.perception.pictures_and_boxes import Box, Frame
from bt_exec_skills.vision.text_drawing import draw_text, text_size

__all__ = ["output_path", "overlay", "save_image"]

_ENDINGS = (".png", ".jpg", ".jpeg", ".webp", ".bmp")
_DASH_PX = 7


def overlay(picture: Frame, instances: Iterable[Instance], decisions: Iterable[Decision]) -> Frame:
    """Return the picture with a numbered box for each instance.

    Boxes of accepted instances are solid, those of rejected ones dashed with a cross, and those of
    undecided ones dashed with a question mark. Every line is black with a white border, so that it
    is visible on any background.
    """
    canvas = picture.copy()
    thick = max(1, max(picture.shape[:2]) // 640)
    for number, (instance, decision) in enumerate(zip(instances, decisions, strict=True), 1):
        _draw_box(canvas, instance.bbox, thick, dashed=decision.holds is not True)
        if decision.holds is False:
            x1, y1, x2, y2 = instance.bbox
            _draw_line(canvas, (x1, y1), (x2 - 1, y2 - 1), thick)
            _draw_line(canvas, (x1, y2 - 1), (x2 - 1, y1), thick)
        _draw_tag(canvas, f"{number}{'?' if decision.holds is None else ''}", instance.bbox, thick)
    return canvas


def _draw_line(canvas: Frame, one: tuple[int, int], other: tuple[int, int], thick: int) -> None:
    cv2.line(canvas, one, other, (255, 255, 255), 3 * thick)
    cv2.line(canvas, one, other, (0, 0, 0), thick)


def _draw_box(canvas: Frame, box: Box, thick: int, *, dashed: bool) -> None:
    x1, y1, x2, y2 = box[0], box[1], box[2] - 1, box[3] - 1
    corners = [(x1, y1), (x2, y1), (x2, y2), (x1, y2), (x1, y1)]
    for one, other in pairwise(corners):
        if not dashed:
            _draw_line(canvas, one, other, thick)
            continue
        steps = max(2, round(float(np.hypot(*np.subtract(other, one))) / (_DASH_PX * thick)))
        places = np.linspace(one, other, steps + 1).round().astype(int).tolist()
        for start in range(0, steps, 2):
            _draw_line(canvas, tuple(places[start]), tuple(places[start + 1]), thick)


def _draw_tag(canvas: Frame, text: str, box: Box, thick: int) -> None:
    size = 12 * thick
    wide, high = text_size(text, size)
    left = int(np.clip(box[0], 0, max(0, canvas.shape[1] - wide - 6)))
    foot = max(high + 4, box[1] - 2)
    cv2.rectangle(canvas, (left, foot - high - 4), (left + wide + 5, foot + 3), (255,) * 3, -1)
    cv2.rectangle(canvas, (left, foot - high - 4), (left + wide + 5, foot + 3), (0,) * 3, 1)
    draw_text(canvas, text, (left + 3, foot), size, (0, 0, 0))


def output_path(path: str | Path) -> Path:
    """Return the path for an output picture, after checking its extension.

    Raises:
        UsageError: If the extension does not belong to a supported picture format.
    """
    file = expand_home(path)
    if file.suffix.lower() not in _ENDINGS:
        raise UsageError(f"{file}: the name of a picture must end in one of {', '.join(_ENDINGS)}")
    return file


def save_image(picture: Frame, path: str | Path) -> Path:
    """Write a picture to a file and return the path.

    Raises:
        UsageError: If the extension is unknown, or the file cannot be written.
    """
    file = output_path(path)
    good, data = cv2.imencode(file.suffix.lower(), picture[..., ::-1])
    with file_errors(file, "written"):
        file.write_bytes(data.tobytes() if good else b"")
    return file
