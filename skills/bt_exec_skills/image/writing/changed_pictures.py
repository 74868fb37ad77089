"""Pictures with one changed object, which a program that uses the picture must detect.

Each one is the picture of an answer with one accepted object removed, recoloured or added, or with
everything moved. The first one is blank.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import cv2
import numpy as np

from bt_exec_skills.image.perception.instances import Instance
from bt_exec_skills.perception.picture import Frame, Mask, border_of

__all__ = ["blank_picture", "changed_pictures"]

_RIM = 3  # margin around an object that is painted over [px]
_STEPS = 24  # number of positions per side that are tried for a copy


def changed_pictures(
    picture: Frame, accepted: Sequence[Instance], known: Sequence[Instance]
) -> Iterator[tuple[str, Frame]]:
    """Yield names and pictures: ``blank``, ``painted out``, ``recoloured``, ``added``, ``moved``.

    Args:
        picture: RGB.
        accepted: Objects that an answer counts. Without any, only the whole picture is changed.
        known: All objects in the picture.
    """
    yield "blank", blank_picture(picture)
    if accepted:
        one = max(accepted, key=lambda each: _room(each, known))
        yield "painted out", _painted_out(picture, one)
        yield "recoloured", _recoloured(picture, one)
        added = _added(picture, one, known)
        if added is not None:
            yield "added", added
        if all(each.mask is not None for each in known):  # boxes of a file are not moved
            yield "moved", np.ascontiguousarray(picture[:, ::-1])


def blank_picture(picture: Frame) -> Frame:
    """Return a picture of the same size in the colour of its border."""
    blank = np.empty_like(picture)
    blank[:] = np.median(border_of(picture), axis=0).astype(np.uint8)
    return blank


def _room(one: Instance, known: Sequence[Instance]) -> float:
    """Return the distance to the nearest other object [px]."""
    others = [other.middle for other in known if other.bbox != one.bbox]
    far = [float(np.hypot(x - one.middle[0], y - one.middle[1])) for x, y in others]
    return min(far, default=np.inf) - max(one.bbox[2] - one.bbox[0], one.bbox[3] - one.bbox[1])


def _whole_mask(picture: Frame, one: Instance, rim: int = 0) -> Mask:
    x1, y1, x2, y2 = one.bbox
    found = np.zeros(picture.shape[:2], np.uint8)
    found[y1:y2, x1:x2] = 1 if one.mask is None else one.mask
    if rim:
        found = np.asarray(cv2.dilate(found, np.ones((2 * rim + 1, 2 * rim + 1))), np.uint8)
    return found > 0


def _painted_out(picture: Frame, one: Instance) -> Frame:
    mask = _whole_mask(picture, one, _RIM)
    around = _whole_mask(picture, one, 2 * _RIM + 2) & ~mask
    found = picture.copy()
    found[mask] = np.median(picture[around], axis=0) if around.any() else blank_picture(picture)[0]
    return found


def _recoloured(picture: Frame, one: Instance) -> Frame:
    """Return the picture with the opposite hue on an object; with green if it has none."""
    mask = _whole_mask(picture, one)
    hues = cv2.cvtColor(picture, cv2.COLOR_RGB2HSV)
    faint = float(np.median(hues[mask][:, 1])) < 60
    hues[mask, 0] = 60 if faint else (hues[mask, 0].astype(int) + 90) % 180
    if faint:
        hues[mask, 1] = 200
        hues[mask, 2] = 150
    return np.asarray(cv2.cvtColor(hues, cv2.COLOR_HSV2RGB), np.uint8)


def _added(picture: Frame, one: Instance, known: Sequence[Instance]) -> Frame | None:
    """Return the picture with a copy of an object in a free place; None if there is none."""
    x1, y1, x2, y2 = one.bbox
    wide, high = x2 - x1, y2 - y1
    taken = np.zeros(picture.shape[:2], np.uint8)
    for each in known:
        a, b, c, d = each.bbox
        taken[max(0, b - 2 * _RIM) : d + 2 * _RIM, max(0, a - 2 * _RIM) : c + 2 * _RIM] = 1
    rest_x, rest_y = picture.shape[1] - wide - 2 * _RIM, picture.shape[0] - high - 2 * _RIM
    if rest_x <= 2 * _RIM or rest_y <= 2 * _RIM:
        return None
    for y in np.linspace(2 * _RIM, rest_y, _STEPS).astype(int):
        for x in np.linspace(2 * _RIM, rest_x, _STEPS).astype(int):
            if not taken[y : y + high, x : x + wide].any():
                own = np.ones((high, wide), bool) if one.mask is None else one.mask
                found = picture.copy()
                found[y : y + high, x : x + wide][own] = picture[y1:y2, x1:x2][own]
                return found
    return None
