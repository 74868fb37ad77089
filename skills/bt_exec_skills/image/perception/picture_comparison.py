"""Comparison of two pictures by differing regions, and of objects by colour, shape or size."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

import cv2
import numpy as np

from bt_exec_skills.image.perception.attributes import name_colour, name_shape
from bt_exec_skills.image.perception.colours import to_cielab
from bt_exec_skills.image.perception.instance_decisions import all_hold
from bt_exec_skills.image.perception.instances import Crop, Decision, Instance
from bt_exec_skills.perception.pictures_and_boxes import Frame, Mask

__all__ = ["MISSING", "Aspect", "alike", "all_alike", "differences"]

MISSING = "missing"
"""Label of a region in which an object of the first picture is missing in the second."""

Aspect = Literal["colour", "shape", "size"]

_SEEN = 10.0  # minimum colour distance (CIE76); JPEG artefacts and noise reach about 8
_SURE = 30.0
_LEAST_SHARE = 0.0002  # minimum share of the picture; smaller regions are specks
_RING = 7  # width of the surroundings of a region [px]
_SAME_FORM = 0.02  # maximum difference of the aspect ratios of two versions of a picture
_SAME_SIZE, _OTHER_SIZE = 1.15, 1.35  # ratio up to which sizes are equal, and at which they differ


def differences(one: Frame, other: Frame) -> list[Instance]:
    """Return the regions in which two pictures differ, in pixels of the first picture.

    The second picture is scaled to the first. If the aspect ratios differ, the whole picture is one
    region. The score of a region follows from its mean colour distance in CIELAB; below 0.5, the
    region may be noise. A region is labelled `MISSING` if only the first picture shows an object
    there. An object that is elsewhere in the second picture was moved and is not missing.
    """
    high, wide = one.shape[:2]
    form = (wide / high) / (other.shape[1] / other.shape[0])
    if abs(form - 1) > _SAME_FORM:
        return [Instance("", (0, 0, wide, high), 1.0, "difference")]
    if other.shape != one.shape:
        other = np.asarray(cv2.resize(other, (wide, high), interpolation=cv2.INTER_AREA), np.uint8)
    labs = [
        to_cielab(np.asarray(cv2.GaussianBlur(each, (5, 5), 0), np.uint8)) for each in (one, other)
    ]
    apart = np.linalg.norm(labs[0] - labs[1], axis=2)
    seen = cv2.morphologyEx((apart > _SEEN).astype(np.uint8), cv2.MORPH_CLOSE, np.ones((5, 5)))
    number, regions, stats, _ = cv2.connectedComponentsWithStats(np.asarray(seen, np.uint8))
    found = []
    for region in range(1, number):
        x, y, w, h, area = (int(value) for value in stats[region])
        if area < max(9.0, _LEAST_SHARE * wide * high):
            continue
        mask = np.asarray(regions[y : y + h, x : x + w] == region, bool)
        far = float(apart[y : y + h, x : x + w][mask].mean())
        score = min(1.0, 0.5 * far / ((_SEEN + _SURE) / 2))
        found.append(Instance("", (x, y, x + w, y + h), score, "difference", mask))
    return _with_missing_labels(found, labs, np.asarray(seen, bool))


def _with_missing_labels(
    found: Sequence[Instance], labs: Sequence[np.ndarray], seen: Mask
) -> list[Instance]:
    """Return the regions, with the label `MISSING` where only the first picture shows an object."""
    looks = [[_contrast_and_colour(one, lab, seen) for lab in labs] for one in found]
    gone = [before > _SURE > after and after < _SEEN for (before, _), (after, _) in looks]
    new = [
        (one.area, after)
        for one, ((blends, _), (stands_out, after)) in zip(found, looks, strict=True)
        if stands_out > _SURE and blends < _SEEN
    ]
    result = []
    for one, absent, ((_, before), _) in zip(found, gone, looks, strict=True):
        elsewhere = any(
            max(area, one.area) <= _OTHER_SIZE**2 * min(area, one.area)
            and float(np.linalg.norm(before - after)) < _SURE
            for area, after in new
        )
        result.append(replace(one, label=MISSING) if absent and not elsewhere else one)
    return result


def _contrast_and_colour(one: Instance, lab: np.ndarray, seen: Mask) -> tuple[float, np.ndarray]:
    """Return the colour distance of a region from its surroundings, and its mean colour."""
    x1, y1, x2, y2 = one.bbox
    top, left = max(0, y1 - _RING), max(0, x1 - _RING)
    part = (slice(top, y2 + _RING), slice(left, x2 + _RING))
    inside = np.zeros(lab[part].shape[:2], bool)
    inside[y1 - top : y2 - top, x1 - left : x2 - left] = one.mask
    core = cv2.erode(inside.astype(np.uint8), np.ones((5, 5))).astype(bool)
    pixels, around = lab[part][core if core.any() else inside], lab[part][~seen[part]]
    colour = pixels.mean(axis=0)
    if not len(around):
        return 0.0, colour
    return float(np.linalg.norm(colour - np.median(around, axis=0))), colour


def all_alike(ours: Sequence[Crop], others: Sequence[Crop] | None, by: Aspect) -> Decision | None:
    """Decide whether all objects are alike in an aspect; None without a pair to compare.

    Args:
        ours: The objects.
        others: Objects to which `ours` must be alike; None compares `ours` with each other.
        by: The aspect.
    """
    if others is None and len(ours) == 1:
        return Decision(True, "", 1.0)
    if others is not None:
        pairs = [alike(one, other, by) for one in ours for other in others]
    else:  # equality is transitive, so one pair per object is enough, or the extreme sizes
        ordered = sorted(ours, key=lambda one: one.instance.area)
        compared = ordered[1:] if by != "size" else ordered[-1:]
        pairs = [alike(ordered[0], other, by) for other in compared]
    return all_hold(pairs) if pairs else None


def alike(one: Crop, other: Crop, by: Aspect) -> Decision:
    """Decide whether two objects have the same colour, shape or size."""
    if by == "size":
        sides = sorted(float(np.sqrt(crop.instance.area)) for crop in (one, other))
        ratio = sides[1] / max(sides[0], 1e-9)
        if _SAME_SIZE < ratio < _OTHER_SIZE:
            return Decision(None, f"1:{ratio:.1f}", 0.5)
        return Decision(ratio <= _SAME_SIZE, f"1:{ratio:.1f}", min(1.0, 0.6 + abs(ratio - 1.25)))
    name = name_colour if by == "colour" else name_shape
    (first, clear), (second, clear_too) = name(one), name(other)
    sure = min(clear, clear_too)
    if sure < 0.5:
        return Decision(None, "unclear", sure)
    return Decision(first == second, f"{first} {second}" if first != second else first, sure)
