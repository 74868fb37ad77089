"""Recognition of text in a picture with rapidocr (extra ``ocr``); each line is an instance.

The label of an instance is its text, which is treated as data: control characters are removed, the
length is bounded, and the text is never interpreted as a question, a name or a command. The shipped
network recognises Latin, Chinese and Japanese script. A line that is found but cannot be read is an
instance with a low score.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from itertools import islice
from pathlib import Path
from typing import Any

import cv2
import numpy as np

from bt_exec.failure import UsageError
from bt_exec.language.sanitize import one_line
from bt_exec_skills.image.perception.instances import Instance
from bt_exec_skills.perception.pictures_and_boxes import Box, Frame, to_pixel_box

__all__ = ["INSTALL", "READ", "can_read", "read_text"]

READ = 0.95
"""Minimum score of a line that counts as read with certainty."""
INSTALL = 'pip install "bt-exec[ocr]"'

_MOST_LETTERS = 200
_MOST_LINES = 100
_THREADS = 2
_LONGEST = 1280  # maximum side of the picture in which lines are found [px]


@cache
def can_read() -> bool:
    """Return True if rapidocr is installed; it is not imported."""
    return importlib.util.find_spec("rapidocr") is not None


def read_text(
    picture: Frame, within: Sequence[Instance] | None = None, weights: str | Path | None = None
) -> list[Instance]:
    """Return the lines of text in the picture; the score of a line is its confidence.

    Args:
        picture: RGB.
        within: Instances whose boxes are searched; None searches the whole picture.
        weights: ONNX file of another text recogniser with its alphabet, for example for Hangul;
            None for the recogniser of rapidocr.

    Raises:
        UsageError: If rapidocr is not installed, or the weights are invalid.
    """
    engine = _load_engine(str(weights or ""))
    whole = (0, 0, picture.shape[1], picture.shape[0])
    boxes = [whole] if within is None else _outermost_boxes([one.bbox for one in within])
    lines = (line for box in boxes for line in _read_lines(engine, picture, box))
    return list(islice(lines, _MOST_LINES))  # the iterator is lazy: further lines are not read


@lru_cache(maxsize=2)
def _load_engine(weights: str) -> Any:
    if not can_read():
        raise UsageError(f"to read text, install rapidocr: {INSTALL}")
    from rapidocr import RapidOCR

    threads = "EngineConfig.onnxruntime.{}_op_num_threads"
    settings: dict[str, Any] = {
        "Global.log_level": "critical",
        "Global.text_score": 0.0,
        "Global.max_side_len": _LONGEST,
        threads.format("intra"): _THREADS,
        threads.format("inter"): 1,
    }
    if weights:
        if not Path(weights).is_file():
            raise UsageError(f"text recognition model {weights} does not exist")
        settings["Rec.model_path"] = weights
    return RapidOCR(params=settings)


def _outermost_boxes(boxes: Sequence[Box]) -> list[Box]:
    """Return the boxes that are not inside another box, so that no text is read twice."""
    found: list[Box] = []
    for box in sorted(set(boxes), key=lambda one: (one[0] - one[2]) * (one[3] - one[1])):
        if not any(_is_inside(box, other) for other in found):
            found.append(box)
    return sorted(found, key=lambda one: (one[1], one[0]))


def _is_inside(box: Box, other: Box) -> bool:
    return all(a >= b for a, b in zip(box[:2], other[:2], strict=True)) and all(
        a <= b for a, b in zip(box[2:], other[2:], strict=True)
    )


def _read_lines(engine: Any, picture: Frame, box: Box) -> Iterator[Instance]:
    """Yield the lines, each read in a separate call, because rapidocr drops unreadable lines."""
    x1, y1, x2, y2 = box
    pixels = np.ascontiguousarray(picture[y1:y2, x1:x2, ::-1])
    found = engine(pixels, use_det=True, use_cls=False, use_rec=False)
    quads = [] if found.boxes is None else found.boxes
    for quad in quads:
        corners = np.asarray(quad, np.float32)
        place = np.hstack([corners.min(axis=0), corners.max(axis=0)]) + np.array((x1, y1, x1, y1))
        where = to_pixel_box(tuple(place.tolist()), (picture.shape[0], picture.shape[1]))
        if where is None:
            continue
        read = engine(_cut_out_upright(pixels, corners), use_det=False, use_cls=False, use_rec=True)
        said, score = (read.txts[0], read.scores[0]) if read.txts else ("", 0.0)
        # cut without the "…" that `one_line` would add to the text
        words = one_line(said, _MOST_LETTERS + 1)[:_MOST_LETTERS]
        yield Instance(words, where, float(score) if words else 0.0, "text")


def _cut_out_upright(
    pixels: Frame, corners: np.ndarray[tuple[int, ...], np.dtype[np.float32]]
) -> Frame:
    """Return a line of text, cut out and rotated upright.

    Args:
        pixels: The picture.
        corners: Corners of the line, clockwise from its top left [px].
    """
    wide = max(2, round(float(np.linalg.norm(corners[1] - corners[0]))))
    high = max(2, round(float(np.linalg.norm(corners[3] - corners[0]))))
    flat = np.array([(0, 0), (wide, 0), (wide, high), (0, high)], np.float32)
    turn = cv2.getPerspectiveTransform(corners, flat)
    return np.asarray(cv2.warpPerspective(pixels, turn, (wide, high)), np.uint8)
