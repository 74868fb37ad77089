"""Classifier of crops, the second network of a pair, and the extraction of these crops.

A crop is the square around a box with a margin, so that the surroundings are visible; the area
outside the picture is grey. Crops are cut from the picture at full resolution, although the input
of the first network, the detector, may be smaller.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt

from bt_exec.failure import UsageError
from bt_exec_skills.perception.pictures_and_boxes import Frame, intersection_over_union
from bt_exec_skills.vision.box_decoding import GREY, Found, suppress_overlaps
from bt_exec_skills.vision.network_inference import Network, names_in, open_session

if TYPE_CHECKING:
    from bt_exec_skills.vision.labelled_picture import Mark, Picture

__all__ = [
    "FAINTEST",
    "MARGIN",
    "NOTHING",
    "SIDE",
    "CropClassifier",
    "Crops",
    "cut_crops",
    "labelled_crops_of",
    "proposed_boxes",
]

Frames = npt.NDArray[np.uint8]

SIDE, MARGIN = 64, 1.28
"""Side of the network's input [px], and side of a crop relative to the longer side of the box."""
NOTHING = "nothing"
"""Class of boxes that show only background."""
FAINTEST = 0.03
"""Minimum score of a box of the detector."""

_ROOM = 1.25  # ratio of the sides of training crops and input, which leaves room for random shifts
_SAME = 0.6  # overlap (IoU) above which two detected boxes show the same object
_HIT, _MISS = 0.5, 0.4  # minimum overlap (IoU) of a hit, and overlap below which a box is a miss
_MOST = 25  # maximum number of boxes per picture
_SHORTEST = 4.0  # minimum side of a box [px]


class Crops(NamedTuple):
    """Training crops.

    Attributes:
        pixels: RGB, shape (n, side, side, 3); the network's input is the central `SIDE` × `SIDE`
            pixels.
        names: Index of the class of each crop in `classes`, shape (n,).
        classes: Names of the classes; the last one is `NOTHING`.
    """

    pixels: Frames
    names: npt.NDArray[np.int64]
    classes: tuple[str, ...]


def cut_crops(
    frame: Frame, boxes: Iterable[Sequence[float]], side: int = SIDE, margin: float = MARGIN
) -> Frames:
    """Return a crop of each box (x1, y1, x2, y2 [px]), shape (n, side, side, 3)."""
    crops = [_cut(frame, box, side, margin) for box in boxes]
    return np.array(crops, np.uint8).reshape(-1, side, side, 3)


def _cut(frame: Frame, box: Sequence[float], side: int, margin: float) -> Frame:
    import cv2

    x1, y1, x2, y2 = box
    wide = max(2, round(margin * max(x2 - x1, y2 - y1, _SHORTEST)))
    left, top = round((x1 + x2 - wide) / 2), round((y1 + y2 - wide) / 2)
    height, width = frame.shape[:2]
    part = frame[max(0, top) : max(0, top + wide), max(0, left) : max(0, left + wide)]
    rows = max(0, -top), max(0, top + wide - height)
    columns = max(0, -left), max(0, left + wide - width)
    if any((*rows, *columns)):
        part = np.pad(part, (rows, columns, (0, 0)), constant_values=GREY)
    how = cv2.INTER_AREA if wide > side else cv2.INTER_LINEAR
    return np.asarray(cv2.resize(part, (side, side), interpolation=how), np.uint8)


def proposed_boxes(network: Network, frame: Frame) -> list[Found]:
    """Return the boxes that a detector finds, of any class, without overlaps, best first."""
    found = network.find(frame, FAINTEST)
    boxes = np.array([one.xyxy for one in found], np.float32).reshape(-1, 4)
    kept = suppress_overlaps(boxes, None, _SAME)
    return [found[place] for place in kept]


def labelled_crops_of(
    network: Network,
    pictures: Sequence[Picture],
    classes: Sequence[str],
    tell: Callable[[int], None],
    *,
    marked: bool = True,
) -> Crops:
    """Return crops of the marked boxes in pictures and of the boxes that a detector finds.

    A detected box whose overlap (IoU) with a marked box is at least 0.5 gets the class of that box.
    A box whose largest overlap is below 0.4 is background. Other boxes are left out.

    Args:
        network: The detector.
        pictures: Labelled pictures.
        classes: Classes of the marked boxes.
        tell: Function called after each picture with the number of processed pictures.
        marked: Whether to include crops of the marked boxes.
    """
    every = (*classes, NOTHING)
    pixels, names = list[Frames](), list[int]()
    for number, picture in enumerate(pictures, 1):
        frame = picture.image()
        boxes: list[tuple[int, Sequence[float]]] = []
        if marked:
            boxes += [(every.index(one.label), one.bbox) for one in picture.marks]
        for one in proposed_boxes(network, frame)[:_MOST]:
            label = _class_of_box(one, picture.marks)
            if label is not None:
                boxes.append((every.index(label), one.xyxy))
        pixels.append(
            cut_crops(frame, [box for _, box in boxes], round(_ROOM * SIDE), _ROOM * MARGIN)
        )
        names += [name for name, _ in boxes]
        tell(number)
    return Crops(np.concatenate(pixels), np.array(names, np.int64), every)


def _class_of_box(one: Found, marks: Sequence[Mark]) -> str | None:
    """Return the class of a detected box by its overlap with marked boxes; None if ambiguous."""
    if not marks:
        return NOTHING
    near = intersection_over_union([one.xyxy], [mark.bbox for mark in marks])[0]
    best = int(near.argmax())
    if near[best] >= _HIT:
        return marks[best].label
    return NOTHING if near[best] < _MISS else None


Floats = npt.NDArray[np.float32]


class CropClassifier:
    """Classifier of crops, exported by `train_crop_classifier`; runs on onnxruntime.

    Args:
        weights: The file, whose metadata contains the class names; the last one is ``nothing``.

    Attributes:
        names: Classes, without ``nothing``.

    Raises:
        UsageError: If the file is not a classifier exported by `train_crop_classifier`.
    """

    def __init__(self, weights: Path) -> None:
        self._session = open_session(weights)
        every = names_in(self._session, weights)
        given, output = self._session.get_inputs()[0], self._session.get_outputs()[0]
        if given.shape[1:] != [3, SIDE, SIDE] or output.shape[1:] != [len(every)]:
            raise UsageError(
                f"{weights}: it must take crops of shape (n, 3, {SIDE}, {SIDE}) and give a score "
                f"for each of its {len(every)} names; found {given.shape} and {output.shape}"
            )
        if every[-1:] != (NOTHING,):
            raise UsageError(f"{weights}: the last of its names must be {NOTHING!r}")
        self.names = every[:-1]
        self._given = given.name

    def class_probabilities(self, crops: Frame) -> Floats:
        """Return the probability of each class in `names` for each crop, shape (n, names).

        The result is the mean for the crop and its mirror image, which is more accurate than for
        the crop alone. One minus the sum of a row is the probability of ``nothing``.
        """
        both = self._class_probabilities(crops), self._class_probabilities(crops[:, :, ::-1])
        return np.asarray(np.mean(both, axis=0)[:, :-1], np.float32)

    def _class_probabilities(self, crops: Frame) -> Floats:
        planes = np.ascontiguousarray(crops.transpose(0, 3, 1, 2)).astype(np.float32)
        (scores,) = self._session.run(None, {self._given: planes / np.float32(255)})
        power = np.exp(scores - scores.max(axis=1, keepdims=True))
        return np.asarray(power / power.sum(axis=1, keepdims=True), np.float32)
