"""Attributes of crops: colour, shape, size, brightness, sharpness; yes, no or undecided."""

from dataclasses import replace

import cv2
import numpy as np
import pytest

from bt_exec_skills.image import tools
from bt_exec_skills.image.perception.instances import Instance


def crop_of(draw, size=(80, 80), value=240, masked=True):
    picture = np.full((*size, 3), value, np.uint8)
    mask = np.zeros(size, np.uint8)
    draw(picture, (200, 30, 30))
    draw(mask, 1)
    box = (0, 0, size[1], size[0])
    return tools.crop(picture, [Instance("", box, 1.0, "test", mask > 0 if masked else None)])[0]


def disc(r):
    return lambda canvas, colour: cv2.circle(canvas, (40, 40), r, colour, -1)


def box(half, high=None):
    return lambda canvas, colour: cv2.rectangle(
        canvas, (40 - half, 40 - (high or half)), (40 + half, 40 + (high or half)), colour, -1
    )


def triangle(canvas, colour):
    cv2.fillPoly(canvas, [np.array([(40, 8), (10, 66), (70, 66)])], colour)


@pytest.mark.parametrize(
    ("draw", "shape"),
    [(disc(30), "circle"), (disc(15), "circle"), (box(25), "square"), (box(34, 18), "rectangle"),
     (triangle, "triangle")],
)  # fmt: skip
def test_shapes_are_recognised(draw, shape):
    crop = crop_of(draw)
    assert tools.name_shape(crop)[0] == shape
    assert tools.verify_attribute(crop, shape).holds is True
    other = "triangle" if shape != "triangle" else "circle"
    assert tools.verify_attribute(crop, other) == (False, shape, tools.name_shape(crop)[1])


def test_square_is_also_a_rectangle():
    assert tools.verify_attribute(crop_of(box(25)), "rectangle").holds is True


def test_shape_is_undecided_without_a_mask():
    assert tools.verify_attribute(crop_of(disc(30), masked=False), "circle").holds is None


@pytest.mark.parametrize("masked", [True, False])
def test_colours_are_recognised(masked):
    crop = crop_of(disc(35), masked=masked)
    assert tools.verify_attribute(crop, "red").holds is True
    assert tools.verify_attribute(crop, "blue")[:2] == (False, "red")


def test_colour_of_a_two_coloured_object_is_undecided():
    crop = crop_of(box(35))
    crop.pixels[:, 40:] = (30, 60, 200)
    assert tools.verify_attribute(crop, "red").holds is None


def crops_with_radii(*radii):
    return [crop_of(disc(r)) for r in radii]


def test_big_and_small_are_relative_to_the_other_objects():
    crops = crops_with_radii(12, 13, 30, 32)
    big = [tools.verify_attribute(one, "big", crops).holds for one in crops]
    small = [tools.verify_attribute(one, "small", crops).holds for one in crops]
    assert big == [False, False, True, True]
    assert small == [True, True, False, False]
    alike = crops_with_radii(20, 21, 22)
    assert tools.verify_attribute(alike[0], "big", alike).holds is None


def row_of(*radii):
    """Return crops of discs beside each other."""
    return [
        replace(one, instance=replace(one.instance, bbox=(90 * place, 0, 90 * place + 80, 80)))
        for place, one in enumerate(crops_with_radii(*radii))
    ]


def test_object_is_not_compared_with_itself():
    crops = row_of(20, 40)
    before = [tools.Decision(True, "", 1.0)] * 2
    holds = [one.holds for one in tools.compare_with_others(crops, before, "small", crops[:1])]
    assert holds == [False, False]


@pytest.mark.parametrize(
    ("attribute", "rank", "which"),
    [("big", 1, 3), ("big", 2, 1), ("small", 2, 0), ("big", 4, 2), ("big", 5, None)],
)
def test_rank_selects_one_of_the_ordered_objects(attribute, rank, which):
    crops = row_of(20, 30, 12, 40)
    before = [tools.Decision(True, "", 1.0)] * 4
    found = tools.compare_with_others(crops, before, attribute, crops, rank=rank)
    assert [place for place, one in enumerate(found) if one.holds] == [which][: which is not None]


@pytest.mark.parametrize(("radii", "which"), [((20, 30, 12), [1]), ((20, 30), [])])
def test_middle_object_exists_only_in_a_row_of_odd_length(radii, which):
    crops = row_of(*radii)
    before = [tools.Decision(True, "", 1.0)] * len(crops)
    found = tools.compare_with_others(crops, before, "middle", crops, rank=1)
    assert [place for place, one in enumerate(found) if one.holds] == which


@pytest.mark.parametrize(
    ("part", "holds", "clear"),
    [
        (("top", "left"), True, True), (("bottom", ""), False, True), (("", "right"), False, True),
        (("middle", ""), False, True), (("", "left"), True, True),
    ],
)  # fmt: skip
def test_picture_part_of_an_object_is_determined_by_its_centre(part, holds, clear):
    one = Instance("", (10, 10, 30, 30), 1.0, "annotation")
    (found,) = tools.decide_place([one], [tools.Decision(True, "", 1.0)], (100, 100), *part)
    assert (found.holds, found.confidence > 0.5) == (holds, clear)


def test_brightness_and_sharpness_are_compared():
    bright = crop_of(lambda canvas, colour: None, masked=False)
    dark = crop_of(lambda canvas, colour: None, value=20, masked=False)
    assert tools.verify_attribute(bright, "bright").holds is True
    assert tools.verify_attribute(bright, "dark").holds is False
    assert tools.verify_attribute(dark, "dark").holds is True
    assert tools.verify_attribute(crop_of(box(20), masked=False), "sharp").holds is True
    assert tools.verify_attribute(bright, "blurred").holds is True


def ring(r, wide):
    return lambda canvas, colour: cv2.circle(canvas, (40, 40), r, colour, wide)


def test_filled_and_hollow_objects_are_distinguished():
    for crop, name in ((crop_of(disc(30)), "filled"), (crop_of(ring(28, 8)), "hollow")):
        other = "hollow" if name == "filled" else "filled"
        assert tools.verify_attribute(crop, name)[:2] == (True, name)
        assert tools.verify_attribute(crop, other)[:2] == (False, name)
        assert tools.name_shape(crop)[0] == "circle"
    assert tools.verify_attribute(crop_of(disc(30), masked=False), "hollow").holds is None
    thick = crop_of(lambda canvas, colour: cv2.circle(canvas, (40, 40), 20, colour, 22))
    assert tools.verify_attribute(thick, "hollow").holds is None  # a hole of a few pixels


def test_undecided_instance_lowers_the_confidence_of_a_count():
    red, blue = crop_of(disc(30)), crop_of(disc(30))
    blue.pixels[:] = (30, 60, 200)
    start = tools.start_decisions([red.instance, blue.instance])
    kept = tools.verify_all([red, blue], start, ["red"], wanted=False)
    assert [one.holds for one in kept] == [False, True]
    assert [one.found for one in kept] == ["red", "blue"]
    blue.pixels[:, :40] = (200, 30, 30)
    mixed = tools.verify_all([red, blue], start, ["red"], wanted=False)
    assert tools.count([red.instance, blue.instance], mixed)[:2] == (0, 1)
    assert tools.count([red.instance, blue.instance], mixed).confidence <= 0.5


def test_absent_colour_is_excluded_although_the_true_colour_is_unclear():
    crop = crop_of(box(25))
    crop.pixels[crop.own] = (40, 150, 60)
    crop.pixels[:40][crop.own[:40]] = (30, 60, 200)
    assert tools.verify_attribute(crop, "red").holds is False
    assert tools.verify_attribute(crop, "green").holds is None
