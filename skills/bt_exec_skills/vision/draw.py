"""Annotated pictures: boxes with labels and scores, and a summary line."""

from __future__ import annotations

import colorsys
import zlib
from collections.abc import Iterable, Sequence
from typing import NamedTuple

import cv2
import numpy as np

from bt_exec_skills.perception.picture import Frame
from bt_exec_skills.vision.text_drawing import extent, write

__all__ = ["Tag", "annotate"]

_LEAST_SIDE = 640  # smaller pictures are enlarged, so that texts are readable
_SIZE, _LINE, _MARGIN = 14, 18, 6


class Tag(NamedTuple):
    """A box and its text."""

    bbox: Sequence[float]
    text: str
    kind: str


def annotate(frame: Frame, tags: Iterable[Tag], lines: Sequence[str] = ()) -> Frame:
    """Return a picture with boxes, and lines of text below it."""
    longest = max(frame.shape[:2])
    times = max(1, -(-_LEAST_SIDE // longest))
    size = frame.shape[1] * times, frame.shape[0] * times
    canvas = np.asarray(cv2.resize(frame, size, interpolation=cv2.INTER_NEAREST), np.uint8)
    big = max(1, longest // (2 * _LEAST_SIDE))  # line widths and letters grow with the picture
    for tag in tags:
        _draw(canvas, tag, times, big)
    if not lines:
        return canvas
    widest = max(extent(line, _SIZE * big)[0] for line in lines) + 2 * _MARGIN * big
    wide = max(widest, canvas.shape[1])
    canvas = np.pad(canvas, ((0, 0), (0, wide - canvas.shape[1]), (0, 0)), constant_values=24)
    foot = np.full((big * (_LINE * len(lines) + _MARGIN), wide, 3), 24, np.uint8)
    for number, line in enumerate(lines):
        place = _MARGIN * big, big * (_LINE * (number + 1) - 3)
        write(foot, line, place, _SIZE * big, (235, 235, 235))
    return np.vstack([canvas, foot])


def _draw(canvas: Frame, tag: Tag, times: int, big: int) -> None:
    x1, y1, x2, y2 = (round(side * times) for side in tag.bbox)
    hue = zlib.crc32(tag.kind.encode()) % 360 / 360
    red, green, blue = (round(255 * part) for part in colorsys.hsv_to_rgb(hue, 0.75, 1.0))
    cv2.rectangle(canvas, (x1, y1), (x2 - 1, y2 - 1), (red, green, blue), 2 * big)
    wide, _ = extent(tag.text, _SIZE * big)
    left = min(x1, max(0, canvas.shape[1] - wide - 4 * big))
    top = y1 - _LINE * big if y1 > _LINE * big else y1
    corner = left + wide + 4 * big, top + _LINE * big
    cv2.rectangle(canvas, (left, top), corner, (red, green, blue), -1)
    write(canvas, tag.text, (left + 2 * big, top + 14 * big), _SIZE * big, (0, 0, 0))
