"""Crops of instances: pixels of overlapping objects are excluded."""

import cv2
import numpy as np
import pytest

from bt_exec_skills.image import tools
from bt_exec_skills.image.perception.instances import Instance

RED, YELLOW, GREEN = (200, 30, 30), (240, 220, 40), (30, 140, 50)


def things(*boxes):
    return [Instance(label, box, 1.0, "test") for label, box in boxes]


def colours(picture, known, label):
    mine = tools.instances_of_kind(known, label)
    return [tools.name_colour(one) for one in tools.crop(picture, mine)]


@pytest.fixture
def plate():
    """Return a red plate with a yellow apple on it, and both instances."""
    picture = np.full((120, 160, 3), 128, np.uint8)
    cv2.circle(picture, (80, 60), 50, RED, -1)
    cv2.circle(picture, (80, 60), 31, YELLOW, -1)
    return picture, things(("plate", (30, 10, 131, 111)), ("apple", (49, 29, 112, 92)))


def test_colour_of_an_object_on_top_is_ignored(plate):
    picture, known = plate
    # the overlapping object is unknown
    assert colours(picture, known[:1], "plate")[0][0] == "yellow"
    assert colours(picture, known, "plate") == [("red", 1.0)]
    assert colours(picture, known, "apple") == [("yellow", 1.0)]


def test_colour_of_an_object_in_front_is_ignored():
    picture = np.full((120, 160, 3), 128, np.uint8)
    picture[20:80, 40:90] = GREEN
    picture[50:110, 55:115] = YELLOW
    known = things(("cup", (40, 20, 90, 80)), ("cup", (55, 50, 115, 110)))
    (first, clear), (second, _) = colours(picture, known, "cup")
    assert (first, second) == ("green", "yellow")
    assert clear > colours(picture, known[:1], "cup")[0][1]


def test_every_object_keeps_some_pixels(plate):
    picture, known = plate
    crowd = known + things(*(("plate", (30 + k, 10, 131, 111 - k)) for k in range(1, 9)))
    for one in tools.crop(picture, tools.instances_of_kind(crowd, "")):
        assert one.own.any()


def test_number_of_compared_overlapping_boxes_is_limited():
    crowd = things(*(("cup", (k % 40, 0, 100 + k % 60, 90)) for k in range(3000)))
    found = tools.instances_of_kind(crowd, "cup")
    assert len(found) == 3000
    assert max(len(one.beside) for one in found) <= 30
