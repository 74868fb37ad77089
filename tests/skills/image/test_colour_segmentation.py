"""Regions of named colours, and separation of touching objects."""

import cv2
import numpy as np
import pytest

from bt_exec_skills.image import tools
from bt_exec_skills.image.perception.colours import COLOURS, name_pixels


def ground(value=240):
    return np.full((200, 300, 3), value, np.uint8)


def test_every_named_colour_is_recognised_by_its_name():
    shown = {
        "red": (200, 20, 20), "orange": (250, 140, 10), "yellow": (250, 225, 30),
        "green": (20, 140, 40), "cyan": (30, 200, 210), "blue": (30, 60, 200),
        "purple": (120, 40, 160), "pink": (245, 150, 185), "brown": (120, 70, 35),
        "black": (5, 5, 5), "grey": (128, 128, 128), "white": (252, 252, 252),
    }  # fmt: skip
    for name, rgb in shown.items():
        pixel = np.array(rgb, np.uint8).reshape(1, 1, 3)
        assert COLOURS[name_pixels(pixel)[0, 0]] == name


@pytest.mark.parametrize("value", [240, 128, 20])
def test_background_is_not_an_object(value):
    picture = ground(value)
    assert tools.segment_colour(picture) == []
    cv2.circle(picture, (80, 80), 30, (200, 30, 30), -1)
    (found,) = tools.segment_colour(picture)
    assert (found.label, found.source) == ("red", "colour")
    assert np.abs(np.subtract(found.bbox, (50, 50, 111, 111))).max() <= 2


def test_segmentation_returns_only_the_requested_colour():
    picture = ground()
    cv2.circle(picture, (60, 60), 25, (200, 30, 30), -1)
    cv2.circle(picture, (200, 60), 25, (30, 60, 200), -1)
    assert [one.label for one in tools.segment_colour(picture, "blue")] == ["blue"]
    assert tools.segment_colour(picture, "green") == []


@pytest.mark.parametrize("small", [14, 20, 30])
@pytest.mark.parametrize("overlap", [0, 2, 4])
def test_touching_discs_are_separated(small, overlap):
    picture = ground()
    cv2.circle(picture, (100, 100), 30, (200, 30, 30), -1)
    cv2.circle(picture, (100 + 30 + small - overlap, 100), small, (200, 30, 30), -1)
    (whole,) = tools.segment_colour(picture)
    parts = sorted(tools.separate_touching([whole]), key=lambda one: one.middle)
    assert len(parts) == 2
    assert [round(one.middle[0]) for one in parts] == pytest.approx(
        [100, 130 + small - overlap], abs=4
    )
    assert sum(one.area for one in parts) == pytest.approx(whole.area, rel=0.02)


def test_single_object_is_not_split():
    picture = ground()
    cv2.ellipse(picture, (80, 80), (50, 20), 20, 0, 360, (200, 30, 30), -1)
    cv2.rectangle(picture, (180, 40), (280, 70), (200, 30, 30), -1)
    found = tools.segment_colour(picture)
    assert len(tools.separate_touching(found)) == len(found) == 2


def test_scores_are_low_without_a_plain_background():
    """A street photograph has no background. Its colour regions may not be objects."""
    rng = np.random.default_rng(3)
    rough = rng.integers(0, 255, (10, 15, 3), np.uint8)
    picture = np.asarray(cv2.resize(rough, (300, 200), interpolation=cv2.INTER_CUBIC), np.uint8)
    cv2.circle(picture, (150, 100), 30, (200, 30, 30), -1)
    found = tools.separate_touching(tools.segment_colour(picture))
    assert found
    counted = tools.count(found, tools.start_decisions(found))
    assert counted.sure == 0
    assert counted.unsettled == len(found)
    assert counted.confidence < 0.5
