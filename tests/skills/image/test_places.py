"""Relations between objects, places in a picture, and the annotated picture."""

import cv2
import numpy as np
import pytest

from bt_exec.failure import UsageError
from bt_exec_skills.image import tools
from bt_exec_skills.image.perception.instances import Decision, Instance
from bt_exec_skills.image.perception.relations import has_relation


def at(x1, y1, x2, y2):
    return Instance("", (x1, y1, x2, y2), 1.0, "test")


TABLE = at(100, 100, 200, 200)


@pytest.mark.parametrize(
    ("one", "true"),
    [
        (at(0, 120, 40, 160), {"left_of"}),
        (at(260, 120, 300, 160), {"right_of"}),
        (at(130, 0, 160, 40), {"above"}),
        (at(130, 260, 160, 300), {"below"}),
        (at(120, 60, 160, 105), {"above", "on", "overlapping"}),
        (at(120, 60, 160, 103), {"above", "on"}),
        (at(140, 145, 160, 165), {"inside", "on", "below", "overlapping"}),
    ],
)
def test_boxes_have_the_expected_relations(one, true):
    names = ("left_of", "right_of", "above", "below", "inside", "on", "overlapping")
    assert {name for name in names if has_relation(one, name, TABLE)} == true


def test_object_below_another_object_has_the_relation_carrying():
    on_it, beside = at(140, 145, 160, 165), at(0, 120, 40, 160)
    assert has_relation(TABLE, "carrying", on_it)
    assert not has_relation(TABLE, "carrying", beside)


def test_distances_between_boxes_are_measured():
    found = tools.measure_pair(at(0, 0, 10, 10), at(13, 4, 23, 14))
    assert found == pytest.approx((np.hypot(13, 4), 3.0, 0.0, 0.0))
    found = tools.measure_pair(at(0, 0, 10, 10), at(5, 0, 15, 10))
    assert found == pytest.approx((5.0, 0.0, 1 / 3, 0.5))


def test_position_in_a_picture_is_described_in_words():
    assert tools.place_in(at(0, 0, 10, 10), (90, 90)) == ("top", "left")
    assert tools.place_in(at(40, 80, 50, 90), (90, 90)) == ("bottom", "centre")


def test_annotated_decisions_are_distinguishable_without_colour():
    picture = np.full((120, 300, 3), 128, np.uint8)
    boxes = [at(10, 30, 80, 100), at(110, 30, 180, 100), at(210, 30, 280, 100)]
    decisions = [Decision(yes, "", 1.0) for yes in (True, False, None)]
    drawn = tools.overlay(picture, boxes, decisions)
    assert (picture == 128).all()  # a copy is drawn on
    grey = cv2.cvtColor(drawn, cv2.COLOR_RGB2GRAY)
    dark = [(grey[30, x + 20 : x + 60] < 60).mean() for x in (10, 110, 210)]
    assert dark[0] > 0.95  # a solid line
    assert dark[1] < 0.8  # dashes
    assert dark[2] < 0.8
    assert (grey[60:70, 140:150] < 60).any()  # crossed out
    assert (grey[50:90, 230:260] == 128).all()


def test_annotated_picture_is_saved(tmp_path):
    picture = np.full((20, 30, 3), (200, 30, 20), np.uint8)
    assert (tools.load_picture(tools.save_image(picture, tmp_path / "o.png")) == picture).all()
    with pytest.raises(UsageError, match=r"the name of a picture must end in one of \.png"):
        tools.save_image(picture, tmp_path / "o.txt")
    with pytest.raises(UsageError, match="cannot be written"):
        tools.save_image(picture, tmp_path / "no" / "o.png")
