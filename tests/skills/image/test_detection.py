"""Confidence of counts from the scores of a detector."""

import cv2
import numpy as np
import pytest

from bt_exec_skills.image.perception.colour_segmentation import segment_colour
from bt_exec_skills.image.perception.object_detection import (
    NOTHING_KNOWN,
    detect_with_tiles,
    select_label,
)
from bt_exec_skills.image.workbench import Bench
from bt_exec_skills.perception.contracts import Detection

BOX = (1, 1, 9, 9)


def found(*scores, label="tomato"):
    return [Detection(label, BOX, score) for score in scores]


@pytest.mark.parametrize(
    ("scores", "count", "whole"),
    [
        ((0.9, 0.8), 2, 0.72),
        ((0.9, 0.4), 2, 0.54),  # the second may be an object: it is kept as undecided
        ((0.9, 0.2), 1, 0.72),
        ((0.9, 0.2, 0.1), 1, 0.648),
    ],
)
def test_confidence_of_a_count_is_the_product_of_its_scores(scores, count, whole):
    kept, sure = select_label(found(*scores), "tomato")
    assert len(kept) == count
    assert sure == pytest.approx(whole)


def test_other_classes_do_not_affect_the_confidence():
    kept, sure = select_label([*found(0.9), *found(0.05, label="Cup")], "Tomato")
    assert [one.label for one in kept] == ["tomato"]
    assert sure == pytest.approx(0.9)
    assert len(select_label([*found(0.9), *found(0.8, label="cup")])[0]) == 2


def test_absence_is_uncertain_when_nothing_is_recognised():
    assert select_label([], "tomato") == ([], NOTHING_KNOWN)
    assert select_label(found(0.3, label="cup"), "tomato").whole == NOTHING_KNOWN
    assert select_label(found(0.9, label="cup"), "tomato").whole == 1.0


def test_many_medium_scores_lower_the_confidence():
    strange = found(0.6, 0.4, 0.4, 0.3, label="chair")
    assert select_label(strange, "tomato").whole == NOTHING_KNOWN
    known = found(0.95, 0.95, 0.2, label="cup")
    assert select_label(known, "tomato").whole == pytest.approx(1.9 / 2.1)


def test_detection_explained_by_another_object_lowers_the_confidence():
    ball = Detection("ball", BOX, 0.9)
    rival = Detection("tomato", BOX, 0.4, doubt="rival")
    kept, sure = select_label([ball, rival], "tomato")
    assert kept == []
    assert sure == pytest.approx(0.6)
    assert len(select_label([ball, rival], "ball").instances) == 1


def test_low_recall_lowers_the_confidence():
    assert select_label(found(0.9), "tomato", recall=0.2).whole == pytest.approx(0.9 * 0.6)


class OfSome:
    """Detector that misses small discs: those narrower than a twentieth of the picture."""

    def detect(self, view):
        least = max(view.frame.shape[:2]) / 20
        regions = segment_colour(np.ascontiguousarray(view.frame), "red")
        wide = [one for one in regions if one.bbox[2] - one.bbox[0] >= least]
        return tuple(Detection("tomato", one.bbox, 0.9) for one in wide)


@pytest.mark.parametrize(("size", "r"), [((2400, 3200), 30), ((2400, 3200), 90), ((900, 1200), 35)])
def test_large_picture_is_processed_in_tiles(size, r):
    picture = np.full((*size, 3), 225, np.uint8)
    places = [(150, 150), (size[1] - 160, 200), (size[1] // 2, size[0] // 2), (300, size[0] - 170)]
    for place in places:
        cv2.circle(picture, place, r, (205, 35, 35), -1)
    seen = detect_with_tiles(OfSome(), picture)
    middles = sorted((round((a + c) / 2), round((b + d) / 2)) for a, b, c, d in
                     (one.bbox for one in seen.found))  # fmt: skip
    assert np.allclose(middles, sorted(places), atol=3)
    assert seen.tiled is (r == 30)


@pytest.mark.slow
def test_object_larger_than_a_tile_is_found_once():
    picture = np.full((2400, 3200, 3), 225, np.uint8)
    cv2.circle(picture, (1600, 1200), 900, (205, 35, 35), -1)
    assert len(detect_with_tiles(OfSome(), picture).found) == 1


@pytest.mark.parametrize("found", [(), ((10, 10, 40, 40),)])
def test_absence_reported_by_a_network_is_never_certain(found):
    class Sees:
        def detect(self, view):
            return [
                Detection("cup", (50, 50, 90, 90), 0.99),
                *(Detection("tomato", one, 0.95) for one in found),
            ]

    bench = Bench(detector=Sees(), detector_names=("cup", "tomato"))
    bench.__dict__["picture"] = np.full((200, 300, 3), 225, np.uint8)
    kept, whole = bench.detections_of("tomato")
    assert (len(kept), whole > 0.7) == (len(found), bool(found))
