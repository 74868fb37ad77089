"""Instances (single objects in a picture), with their crops and the decisions about them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, NamedTuple

import numpy as np

from bt_exec_skills.image.perception.colours import background_mask
from bt_exec_skills.image.perception.light_correction import even_light
from bt_exec_skills.perception.pictures_and_boxes import Box, Frame, Mask, border_pixels

__all__ = [
    "EVENED",
    "LYING",
    "SUREST",
    "Counted",
    "Crop",
    "Decision",
    "Instance",
    "PictureName",
    "count",
    "crop",
    "with_boxes_of_overlapping_others",
]

EVENED = "colour, in even light"
"""Source of regions that were found after the light was corrected; see `even_light`."""
LYING = "colour, lying bar"
"""Source of horizontal bars of a chart; their length counts as their height in comparisons."""

PictureName = Literal["first", "second"]
"""The picture that a text is about, and the picture that it may be compared with."""

SUREST = 0.98
"""Maximum confidence of an answer; measurements on pictures do not support a higher one."""
_PLAIN = 0.6  # minimum share of the border that has the colour of a plain background
_SHARE, _THIN_SHARE = 0.3, 0.1
"""Minimum share of the ellipse in its box that an object covers; the second value is for thin
objects, such as a chair."""
_FAR = 2.5  # factor on the distance from the background's colour for pixels of thin objects
_LEFT = 0.2  # minimum share of the ellipse that is left after overlapping objects are removed
_MOST_BESIDE = 30  # maximum number of boxes; a file may contain thousands of overlapping ones


@dataclass(frozen=True, eq=False)
class Instance:
    """Single object in a picture.

    Attributes:
        label: Class or colour of the object, or recognised text; empty if unknown.
        bbox: Box [px].
        score: Confidence that the instance is one object, 0..1.
        source: Origin: ``annotation``, ``detector``, ``colour``, ``text``, ``difference``,
            ``colour, uneven ground``, ``colour, in even light``, or ``colour, lying bar``.
        mask: Pixels of the object inside the box; None if only the box is known.
        beside: Boxes of other objects that overlap `bbox`. Pixels in them may belong to the other
            objects.
    """

    label: str
    bbox: Box
    score: float
    source: str
    mask: Mask | None = None
    beside: tuple[Box, ...] = ()

    @property
    def middle(self) -> tuple[float, float]:
        """Centre of the box [px]."""
        x1, y1, x2, y2 = self.bbox
        return (x1 + x2) / 2, (y1 + y2) / 2

    @property
    def area(self) -> float:
        """Number of pixels of the object; without a mask, of its box."""
        x1, y1, x2, y2 = self.bbox
        return float((x2 - x1) * (y2 - y1)) if self.mask is None else float(self.mask.sum())


@dataclass(frozen=True, eq=False)
class Crop:
    """Part of a picture that shows one instance.

    Attributes:
        instance: Instance that the crop shows.
        pixels: Pixels of its box.
        own: Mask of the object in the box: the mask of the instance or, without one, an ellipse in
            the box, minus overlapping objects and pixels of a plain background.
    """

    instance: Instance
    pixels: Frame
    own: Mask = field(repr=False)


class Decision(NamedTuple):
    """Decision about one instance.

    Attributes:
        holds: Whether the instance is accepted; None if undecided.
        found: Finding in a word, such as ``blue``.
        confidence: Clarity of the finding, 0..1.
    """

    holds: bool | None
    found: str
    confidence: float


class Counted(NamedTuple):
    """Count of instances.

    Attributes:
        sure: Number of accepted instances.
        unsettled: Number of undecided instances.
        confidence: Confidence of the least clear decision; at most 0.5 if any is undecided.
    """

    sure: int
    unsettled: int
    confidence: float


def with_boxes_of_overlapping_others(
    some: Iterable[Instance], known: Sequence[Instance]
) -> list[Instance]:
    """Return instances with `Instance.beside` set to at most 30 overlapping boxes of `known`."""
    boxes = np.array([one.bbox for one in known], np.int64).reshape(-1, 4)
    found = []
    for one in some:
        x1, y1, x2, y2 = one.bbox
        near = (boxes[:, 0] < x2) & (boxes[:, 2] > x1) & (boxes[:, 1] < y2) & (boxes[:, 3] > y1)
        others = [known[int(place)].bbox for place in np.flatnonzero(near)[:_MOST_BESIDE]]
        found.append(replace(one, beside=tuple(box for box in others if box != one.bbox)))
    return found


def crop(picture: Frame, instances: Iterable[Instance]) -> list[Crop]:
    """Return a crop of each instance; from the corrected picture if its source is `EVENED`."""
    instances = list(instances)
    even = any(one.source == EVENED for one in instances)
    evened = even_light(picture) if even else None
    apart = _foreground_masks(picture) if any(one.mask is None for one in instances) else ()
    return [
        _make_crop(picture if evened is None or one.source != EVENED else evened, one, apart)
        for one in instances
    ]


def _foreground_masks(picture: Frame) -> Sequence[tuple[Mask, float]]:
    """Return two masks of pixels that differ from a plain background, each with a minimum share.

    If the differing pixels cover at least that share of the ellipse in a box, they are the object.
    The second mask requires a smaller share, for thin objects, but a larger difference, because the
    edges and shadows of a pale object also differ slightly.
    """
    ground = background_mask(picture)
    if border_pixels(ground).mean() < _PLAIN:
        return ()
    return (~ground, _SHARE), (~background_mask(picture, _FAR), _THIN_SHARE)


def _make_crop(picture: Frame, instance: Instance, apart: Sequence[tuple[Mask, float]]) -> Crop:
    x1, y1, x2, y2 = instance.bbox
    pixels = picture[y1:y2, x1:x2]
    if instance.mask is not None:
        return Crop(instance, pixels, instance.mask)
    rows, columns = np.ogrid[-1 : 1 : (y2 - y1) * 1j, -1 : 1 : (x2 - x1) * 1j]
    own = _mask_without_neighbours(rows**2 + columns**2 <= 0.5, instance)
    for differs, share in apart:
        thing = own & differs[y1:y2, x1:x2]
        if thing.sum() >= share * own.sum():
            return Crop(instance, pixels, thing)
    return Crop(instance, pixels, own)


def _mask_without_neighbours(own: Mask, instance: Instance) -> Mask:
    """Return a mask without the ellipses in the boxes of overlapping objects.

    An ellipse that would leave too little of the mask is not removed. Such an object does not
    occlude this one; it is a container, such as a bowl, in which this object is.
    """
    least = _LEFT * own.sum()
    for a, b, c, d in instance.beside:
        x1, y1, x2, y2 = instance.bbox
        x, y = (np.arange(low, high) + 0.5 for low, high in ((x1, x2), (y1, y2)))
        across = (2 * x - a - c) / (c - a)
        down = (2 * y - b - d) / (d - b)
        rest = own & (down[:, None] ** 2 + across[None] ** 2 > 1)
        if rest.sum() >= least:
            own = rest
    return np.asarray(own, bool)


def count(instances: Iterable[Instance], decisions: Iterable[Decision]) -> Counted:
    """Return the count of accepted and undecided instances, given a decision about each."""
    sure = unsettled = 0
    confidence = SUREST
    for instance, decision in zip(instances, decisions, strict=True):
        sure += decision.holds is True
        unsettled += decision.holds is None
        mine = decision.confidence * (instance.score if decision.holds else 1.0)
        confidence = min(confidence, mine)
    return Counted(sure, unsettled, min(confidence, 0.5) if unsettled else confidence)
