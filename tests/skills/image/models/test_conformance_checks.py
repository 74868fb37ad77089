"""Checkers of models: valid ones pass, violations are named."""

import numpy as np
import pytest

from bt_exec_skills.image.models.conformance_checks import check_detector, check_picture_model
from bt_exec_skills.image.models.contracts import Reply
from bt_exec_skills.perception.contracts import Detection
from tests.skills.image.models.samples import ByColour, Words


def returning(**changed):
    """Return a detector with changed fields in its detections."""

    class Changed(ByColour):
        def detect(self, picture, prompts):
            found = super().detect(picture, prompts)
            fields = ("label", "bbox", "score")
            return [
                Detection(**{name: changed.get(name, getattr(one, name)) for name in fields})
                for one in found
            ]

    return Changed()


class Painting(ByColour):
    def detect(self, picture, prompts):
        picture[...] = 0
        return []


class Wavering(ByColour):
    calls = 0

    def detect(self, picture, prompts):
        self.calls += 1
        return super().detect(picture, prompts)[: self.calls % 2]


class Chatty(ByColour):
    def detect(self, picture, prompts):
        return super().detect(picture, prompts or ("red disc",))


class Generating(ByColour):
    def detect(self, picture, prompts):
        return (one for one in super().detect(picture, prompts))


def test_valid_detector_passes():
    check_detector(ByColour(), [np.zeros((5, 7, 3), np.uint8)])


@pytest.mark.parametrize(
    ("detector", "says"),
    [
        (object(), "no method detect"),
        (Painting(), "changes the picture"),
        (Wavering(), "switch random numbers"),
        (Chatty(), "without prompts there are no detections"),
        (Generating(), "returns a list of Detection, found generator"),
        (returning(label="disc"), "label 'disc' is not a prompt"),
        (returning(score=1.5), "is not a float within 0..1"),
        (returning(score=np.float32(0.5)), "is not a float within 0..1"),
        (returning(bbox=(0.0, 0.0, 1.0, 1.0)), "in int pixels"),
        (returning(bbox=(5, 5, 5, 9)), "not within the picture"),
        (returning(bbox=(0, 0, 9999, 9)), "not within the picture"),
    ],
)
def test_violation_of_the_detector_interface_is_reported(detector, says):
    with pytest.raises(AssertionError, match=says):
        check_detector(detector)


def test_valid_picture_model_passes():
    check_picture_model(Words("Yes."))
    check_picture_model(Words("네.", None))


@pytest.mark.parametrize(
    ("model", "says"),
    [
        (object(), "no method answer"),
        (Words("one\ntwo"), "several lines"),
        (Words("yes", 3), "neither None nor a float"),
        (Words("yes", 1.2), "neither None nor a float"),
        (Words(7), "the text is a int"),
    ],
)
def test_violation_of_the_model_interface_is_reported(model, says):
    with pytest.raises(AssertionError, match=says):
        check_picture_model(model)


def test_model_with_an_invalid_reply_is_reported():
    class Bare:
        def answer(self, picture, question):
            return "yes"

    with pytest.raises(AssertionError, match="returns str, not a Reply"):
        check_picture_model(Bare())
    assert Reply("yes").confidence is None
