"""Annotated pictures: boxes with labels and scores, and a line that says what it all means."""

from __future__ import annotations

import colorsys
import zlib
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import cv2
import numpy as np

from bt_exec.failure import UsageError
from bt_exec_skills.vision.sample import Frame

__all__ = ["Tag", "annotate", "save_picture"]

_LEAST_WIDTH = 640  # small pictures are enlarged, so that the words can be read
_FONT = cv2.FONT_HERSHEY_SIMPLEX
_SIZE, _LINE = 0.45, 18


class Tag(NamedTuple):
    """A box and the words on it."""

    bbox: Sequence[float]
    text: str
    kind: str


def annotate(frame: Frame, tags: Iterable[Tag], lines: Sequence[str] = ()) -> Frame:
    """Return a picture with boxes, and lines of text below it.

    Letters outside of ASCII are left out: the drawn font has none.
    """
    times = max(1, -(-_LEAST_WIDTH // frame.shape[1]))
    size = frame.shape[1] * times, frame.shape[0] * times
    canvas = np.asarray(cv2.resize(frame, size, interpolation=cv2.INTER_NEAREST), np.uint8)
    for tag in tags:
        _draw(canvas, tag, times)
    foot = np.full((_LINE * len(lines) + 6 if lines else 0, canvas.shape[1], 3), 24, np.uint8)
    for number, line in enumerate(lines):
        place = 6, _LINE * (number + 1) - 2
        cv2.putText(foot, _ascii(line), place, _FONT, _SIZE, (235, 235, 235), 1, cv2.LINE_AA)
    return np.vstack([canvas, foot])


def _draw(canvas: Frame, tag: Tag, times: int) -> None:
    x1, y1, x2, y2 = (round(side * times) for side in tag.bbox)
    hue = zlib.crc32(tag.kind.encode()) % 360 / 360
    colour = tuple(round(255 * part) for part in colorsys.hsv_to_rgb(hue, 0.75, 1.0))
    cv2.rectangle(canvas, (x1, y1), (x2 - 1, y2 - 1), colour, 2)
    text = _ascii(tag.text)
    (wide, high), _ = cv2.getTextSize(text, _FONT, _SIZE, 1)
    left = min(x1, max(0, canvas.shape[1] - wide - 4))
    top = y1 - high - 6 if y1 > high + 6 else y1
    cv2.rectangle(canvas, (left, top), (left + wide + 4, top + high + 6), colour, -1)
    cv2.putText(canvas, text, (left + 2, top + high + 2), _FONT, _SIZE, (0, 0, 0), 1, cv2.LINE_AA)


def _ascii(text: str) -> str:
    return text.replace("·", "|").encode("ascii", "ignore").decode()


def save_picture(file: Path, picture: Frame) -> None:
    """Write a picture; the ending of the name says which kind.

    Raises:
        UsageError: If it cannot be written.
    """
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        written = cv2.imwrite(str(file), cv2.cvtColor(picture, cv2.COLOR_RGB2BGR))
    except (OSError, cv2.error) as error:
        raise UsageError(f"{file} cannot be written: {error}") from None
    if not written:
        raise UsageError(f"{file} cannot be written")
