"""A second way to decide a colour: from the whole picture instead of from crops.

A crop is named by its most frequent colour; here every pixel of the picture, made small, is named
first, and a thing has a colour if its middle is covered by regions of that colour. The two share
the names of colours, not the cutting; so where they differ, one of them looked at the wrong pixels.
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from bt_exec_skills.image.perception.attributes import name_colour
from bt_exec_skills.image.perception.colours import COLOURS, ColourName, name_pixels
from bt_exec_skills.image.perception.instances import Crop, Decision
from bt_exec_skills.perception.picture import Frame

__all__ = ["colour_of_whole", "disputed"]

_LONGEST = 1024  # the picture is looked at this small [px]
_COVERED, _BARE = 0.5, 0.15  # shares of a middle that say yes and no


def colour_of_whole(picture: Frame, crops: Sequence[Crop], colour: ColourName) -> list[bool | None]:
    """Return for each crop whether the whole picture shows its thing in a colour.

    Args:
        picture: The picture, as large as it is.
        crops: Of the things.
        colour: Which.
    """
    height, width = picture.shape[:2]
    scale = min(1.0, _LONGEST / max(height, width))
    size = max(1, round(width * scale)), max(1, round(height * scale))
    small = np.asarray(cv2.resize(picture, size, interpolation=cv2.INTER_AREA), np.uint8)
    has = np.asarray(cv2.medianBlur(name_pixels(small), 5)) == COLOURS.index(colour)
    found: list[bool | None] = []
    for one in crops:
        x1, y1, x2, y2 = one.instance.bbox
        left, top = int(x1 * scale), int(y1 * scale)
        part = has[top : max(top + 1, round(y2 * scale)), left : max(left + 1, round(x2 * scale))]
        own = cv2.resize(one.own.astype(np.uint8), part.shape[::-1], interpolation=cv2.INTER_AREA)
        middle = own.astype(bool)
        share = float(part[middle].mean()) if middle.any() else 0.0
        found.append(True if share >= _COVERED else False if share <= _BARE else None)
    return found


def disputed(
    picture: Frame, crops: Sequence[Crop], decisions: Sequence[Decision], colour: ColourName
) -> list[int]:
    """Return the places of things of whose colour the two ways differ, looked at once more.

    Once more means: the middle half of the crop alone. What then says the same as the whole picture
    stays disputed; what says the same as the crop does not.
    """
    places = []
    whole = colour_of_whole(picture, crops, colour)
    for place, (one, decision, seen) in enumerate(zip(crops, decisions, whole, strict=True)):
        rejected_by_colour = decision.holds is False and decision.found in COLOURS
        if seen is None or decision.holds is None or decision.holds == seen:
            continue
        if decision.holds is False and not rejected_by_colour:
            continue  # it was another attribute that it lacks
        again, clear = name_colour(_middle(one))
        if clear < 0.5 or (again == colour) == seen:
            places.append(place)
    return places


def _middle(crop: Crop) -> Crop:
    """Return the middle half of a crop, as far as its thing has pixels there."""
    height, width = crop.own.shape
    rows = slice(height // 4, max(height // 4 + 1, height - height // 4))
    columns = slice(width // 4, max(width // 4 + 1, width - width // 4))
    own = crop.own[rows, columns]
    if not own.any():
        return crop
    return Crop(crop.instance, crop.pixels[rows, columns], own)
