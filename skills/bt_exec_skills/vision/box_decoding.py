"""Preprocessing of pictures, and decoding of a network's raw output to boxes.

The computation follows the YOLO detectors of ultralytics (letterbox, best class of each anchor,
suppression within a class, clipping), so that a network gives the same boxes as with ultralytics.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from bt_exec_skills.perception.pictures_and_boxes import Frame

__all__ = ["GREY", "Found", "Letterbox", "decode", "letterbox", "suppress_overlaps"]

Floats = npt.NDArray[np.float32]
GREY = 114
"""Grey level of the area around a picture."""
_MOST = 300


class Found(NamedTuple):
    """A box detected by a network.

    Attributes:
        label: Class.
        xyxy: Corners [px], clipped to the picture.
        score: Score, 0..1.
    """

    label: str
    xyxy: tuple[float, float, float, float]
    score: float


class Letterbox(NamedTuple):
    """Transform from a picture to the network's input: scaled, then moved by (left, top) [px]."""

    scale: float
    left: int
    top: int


def letterbox(frame: Frame, height: int, width: int) -> tuple[Floats, Letterbox]:
    """Return the network's input for a picture, and the transform.

    The input is float32 of shape (1, 3, height, width) in 0..1.
    """
    scale = min(height / frame.shape[0], width / frame.shape[1])
    inner = round(frame.shape[1] * scale), round(frame.shape[0] * scale)
    if inner != (frame.shape[1], frame.shape[0]):
        import cv2

        frame = np.asarray(cv2.resize(frame, inner, interpolation=cv2.INTER_LINEAR), np.uint8)
    left = round((width - inner[0]) / 2 - 0.1)
    top = round((height - inner[1]) / 2 - 0.1)
    canvas = np.full((height, width, 3), GREY, np.uint8)
    canvas[top : top + inner[1], left : left + inner[0]] = frame
    planes = np.ascontiguousarray(canvas.transpose(2, 0, 1)[None])
    return planes.astype(np.float32) / np.float32(255.0), Letterbox(scale, left, top)


def decode(
    output: Floats,
    names: tuple[str, ...],
    fit: Letterbox,
    size: tuple[int, int],
    *,
    least_score: float,
    most_overlap: float,
) -> list[Found]:
    """Return the boxes in a raw output, best first.

    Args:
        output: Raw output, shape (4 + classes, anchors): centre x, y, width, height, then class
            scores.
        names: Names of the classes.
        fit: Transform from the picture to the network's input.
        size: Height and width of the picture [px].
        least_score: Exclusive lower bound of the score.
        most_overlap: Overlap (IoU) of two boxes of a class above which the box with the lower score
            is dropped.
    """
    scores = output[4:]
    best = scores.argmax(axis=0)
    score = scores[best, np.arange(scores.shape[1])]
    keep = np.flatnonzero(score > least_score)
    keep = keep[np.argsort(-score[keep], kind="stable")]
    x, y, w, h = output[:4, keep]
    boxes = np.stack([x - w / 2, y - h / 2, x + w / 2, y + h / 2], axis=1)
    kinds = best[keep]
    chosen = suppress_overlaps(boxes, kinds, most_overlap)[:_MOST]
    boxes = (boxes[chosen] - [fit.left, fit.top, fit.left, fit.top]) / fit.scale
    boxes[:, 0::2] = boxes[:, 0::2].clip(0, size[1])
    boxes[:, 1::2] = boxes[:, 1::2].clip(0, size[0])
    return [
        Found(names[kinds[i]], (float(b[0]), float(b[1]), float(b[2]), float(b[3])), float(s))
        for i, b, s in zip(chosen, boxes, score[keep][chosen], strict=True)
    ]


def suppress_overlaps(
    boxes: Floats, kinds: npt.NDArray[np.intp] | None, most_overlap: float
) -> npt.NDArray[np.intp]:
    """Return the indices of the boxes to keep; `boxes` (n, 4) are sorted best first.

    Boxes suppress only boxes of the same kind, or all boxes if `kinds` is None.
    """
    if kinds is None:
        kinds = np.zeros(len(boxes), np.intp)
    area = (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])
    left = np.arange(len(boxes))
    kept: list[int] = []
    while left.size:
        first, rest = left[0], left[1:]
        kept.append(int(first))
        low = np.maximum(boxes[first, :2], boxes[rest, :2])
        high = np.minimum(boxes[first, 2:], boxes[rest, 2:])
        shared = np.prod(np.clip(high - low, 0, None), axis=1)
        overlap = shared / (area[first] + area[rest] - shared + 1e-9)
        left = rest[(overlap <= most_overlap) | (kinds[rest] != kinds[first])]
    return np.array(kept, np.intp)
