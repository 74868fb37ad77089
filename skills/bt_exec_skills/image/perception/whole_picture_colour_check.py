"""Second method to determine the colour of an object: from the whole picture instead of its crop.

The first method takes the most frequent colour of the crop. This method names every pixel of the
reduced picture; an object has a colour if regions of that colour cover its centre. The methods
share the colour names, but not the selection of pixels. If their results differ, one of them used
the wrong pixels.
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from bt_exec_skills.image.perception.attributes import name_colour
from bt_exec_skills.image.perception.colour_segmentation import segment_colour, separate_touching
from bt_exec_skills.image.perception.colours import COLOURS, ColourName, name_pixels
from bt_exec_skills.image.perception.instances import Crop, Decision, Instance
from bt_exec_skills.perception.pictures_and_boxes import Frame, intersection_over_union

__all__ = ["agree_with_regions", "colour_of_whole", "find_disputed"]

_LONGEST = 1024  # longer side of the reduced picture [px]
_COVERED, _BARE = 0.5, 0.15  # share of an object with the colour: minimum for yes, maximum for no
_NEAR = 0.4  # minimum overlap (IoU) of two boxes of the same object


def colour_of_whole(picture: Frame, crops: Sequence[Crop], colour: ColourName) -> list[bool | None]:
    """Return for each crop whether its object has a colour in the whole picture; None if unclear.

    Args:
        picture: The picture in full size.
        crops: Crops of the objects.
        colour: Name of the colour.
    """
    small, scale = _limit_size(picture)
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


def find_disputed(
    picture: Frame, crops: Sequence[Crop], decisions: Sequence[Decision], colour: ColourName
) -> list[int]:
    """Return the indices of objects whose colour differs between the two methods.

    If the methods differ, the colour of the central half of the crop is determined. The object is
    disputed unless this colour confirms the first method.
    """
    places = []
    whole = colour_of_whole(picture, crops, colour)
    for place, (one, decision, seen) in enumerate(zip(crops, decisions, whole, strict=True)):
        rejected_by_colour = decision.holds is False and decision.found in COLOURS
        if seen is None or decision.holds is None or decision.holds == seen:
            continue
        if decision.holds is False and not rejected_by_colour:
            continue  # the object was rejected for another attribute
        again, clear = name_colour(_central_half(one))
        if clear < 0.5 or (again == colour) == seen:
            places.append(place)
    return places


def agree_with_regions(picture: Frame, things: Sequence[Instance], colour: ColourName) -> bool:
    """Return True if each object matches a separate region of the colour by its box.

    Boxes match with an IoU of at least 0.4. Without objects, there must be no region of the colour.
    """
    small, scale = _limit_size(picture)
    boxes = [one.bbox for one in separate_touching(segment_colour(small, colour))]
    if not things or not boxes:
        return not things and not boxes
    mine = scale * np.array([one.bbox for one in things])
    near = intersection_over_union(mine, boxes) >= _NEAR
    own = {int(places.argmax()) for places in near}
    return bool(near.any(axis=1).all()) and len(own) == len(things)


def _limit_size(picture: Frame) -> tuple[Frame, float]:
    """Return the picture reduced to at most `_LONGEST`, and the factor of the reduction."""
    height, width = picture.shape[:2]
    scale = min(1.0, _LONGEST / max(height, width))
    size = max(1, round(width * scale)), max(1, round(height * scale))
    return np.asarray(cv2.resize(picture, size, interpolation=cv2.INTER_AREA), np.uint8), scale


def _central_half(crop: Crop) -> Crop:
    """Return the central half of a crop, limited to the pixels of its object."""
    height, width = crop.own.shape
    rows = slice(height // 4, max(height // 4 + 1, height - height // 4))
    columns = slice(width // 4, max(width // 4 + 1, width - width // 4))
    own = crop.own[rows, columns]
    if not own.any():
        return crop
    return Crop(crop.instance, crop.pixels[rows, columns], own)
