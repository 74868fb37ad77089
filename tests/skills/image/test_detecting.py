"""What a detector's scores say of a count: all of them, and what was passed over."""

import pytest

from bt_exec_skills.image.perception.detecting import NOTHING_KNOWN, detected
from bt_exec_skills.perception.contracts import Detection

BOX = (1, 1, 9, 9)


def found(*scores, label="tomato"):
    return [Detection(label, BOX, score) for score in scores]


@pytest.mark.parametrize(
    ("scores", "count", "whole"),
    [
        ((0.9, 0.8), 2, 0.72),
        ((0.9, 0.4), 2, 0.54),  # the second may be one: it is kept as unsettled
        ((0.9, 0.2), 1, 0.72),
        ((0.9, 0.2, 0.1), 1, 0.648),
    ],
)
def test_a_count_is_as_sure_as_all_of_its_parts(scores, count, whole):
    kept, sure = detected(found(*scores), "tomato")
    assert len(kept) == count
    assert sure == pytest.approx(whole)


def test_what_is_of_another_kind_says_nothing():
    kept, sure = detected([*found(0.9), *found(0.05, label="Cup")], "Tomato")
    assert [one.label for one in kept] == ["tomato"]
    assert sure == pytest.approx(0.9)
    assert len(detected([*found(0.9), *found(0.8, label="cup")])[0]) == 2


def test_where_nothing_is_recognised_an_absence_is_unsure():
    assert detected([], "tomato") == ([], NOTHING_KNOWN)
    assert detected(found(0.3, label="cup"), "tomato").whole == NOTHING_KNOWN
    assert detected(found(0.9, label="cup"), "tomato").whole == 1.0


def test_where_much_is_half_recognised_the_detector_is_not_at_home():
    strange = found(0.6, 0.4, 0.4, 0.3, label="chair")
    assert detected(strange, "tomato").whole == NOTHING_KNOWN
    known = found(0.95, 0.95, 0.2, label="cup")
    assert detected(known, "tomato").whole == pytest.approx(1.9 / 2.1)


def test_what_another_thing_explains_better_is_a_doubt():
    ball = Detection("ball", BOX, 0.9)
    rival = Detection("tomato", BOX, 0.4, doubt="rival")
    kept, sure = detected([ball, rival], "tomato")
    assert kept == []
    assert sure == pytest.approx(0.6)
    assert len(detected([ball, rival], "ball").instances) == 1


def test_what_is_often_missed_makes_a_count_unsure():
    assert detected(found(0.9), "tomato", recall=0.2).whole == pytest.approx(0.9 * 0.6)
