"""Checkers of user-supplied models, for use in the tests of this package and of users.

Each checker raises an `AssertionError` that names the first violation of the interface and its
remedy.
"""

from __future__ import annotations

from collections.abc import Sequence

import cv2
import numpy as np

from bt_exec_skills.image.models.contracts import PictureModel, PromptedDetector, Reply
from bt_exec_skills.perception.contracts import Detection
from bt_exec_skills.perception.pictures_and_boxes import Frame

__all__ = ["check_detector", "check_picture_model"]

_PROMPTS = ("red disc", "blue square")
_QUESTIONS = ("Is there a red disc?", "빨간 원이 있어?", "What is written here?")


def check_detector(
    detector: PromptedDetector,
    pictures: Sequence[Frame] = (),
    prompts: Sequence[str] = _PROMPTS,
) -> None:
    """Check that a detector implements its interface. Its accuracy is not tested.

    Args:
        detector: Detector to check.
        pictures: RGB pictures to test, in addition to the generated ones.
        prompts: Text prompts for the detector; at least one.

    Raises:
        AssertionError: With the first violation.
    """
    assert isinstance(detector, PromptedDetector), (
        f"{type(detector).__name__} has no method detect(picture, prompts)"
    )
    for picture in (*_generated_pictures(), *pictures):
        before = picture.copy()
        first = detector.detect(picture, tuple(prompts))
        assert np.array_equal(picture, before), "detect changes the picture; work on a copy"
        _check_detections(first, prompts, picture)
        again = detector.detect(picture, tuple(prompts))
        assert _to_comparable(first) == _to_comparable(again), (
            "the same picture gives other detections; switch random numbers and dropout off"
        )
        one = detector.detect(picture, (prompts[0],))
        _check_detections(one, prompts[:1], picture)
        nothing = detector.detect(picture, ())
        assert len(nothing) == 0, f"without prompts there are no detections, found {len(nothing)}"


def _check_detections(found: Sequence[Detection], prompts: Sequence[str], picture: Frame) -> None:
    assert isinstance(found, list | tuple), (
        f"detect returns a list of Detection, found {type(found).__name__}"
    )
    height, width = picture.shape[:2]
    for one in found:
        assert isinstance(one, Detection), f"an item is a {type(one).__name__}, not a Detection"
        assert one.label in prompts, (
            f"label {one.label!r} is not a prompt; return the prompt itself: {', '.join(prompts)}"
        )
        sound = isinstance(one.score, float) and 0 <= one.score <= 1
        assert sound, f"score {one.score!r} of {one.label!r} is not a float within 0..1"
        whole = len(one.bbox) == 4 and all(type(side) is int for side in one.bbox)
        assert whole, f"bbox {one.bbox!r} is not (x1, y1, x2, y2) in int pixels"
        x1, y1, x2, y2 = one.bbox
        inside = 0 <= x1 < x2 <= width and 0 <= y1 < y2 <= height
        message = f"bbox {one.bbox} is not within the picture of {width} x {height} px; clip it"
        assert inside, message


def check_picture_model(model: PictureModel, questions: Sequence[str] = _QUESTIONS) -> None:
    """Check that a picture model implements its interface. Its accuracy is not tested.

    Args:
        model: Model to check.
        questions: Questions in Korean and English.

    Raises:
        AssertionError: With the first violation.
    """
    assert isinstance(model, PictureModel), (
        f"{type(model).__name__} has no method answer(picture, question)"
    )
    for picture in _generated_pictures():
        before = picture.copy()
        for question in questions:
            reply = model.answer(picture, question)
            assert isinstance(reply, Reply), f"answer returns {type(reply).__name__}, not a Reply"
            assert isinstance(reply.text, str), f"the text is a {type(reply.text).__name__}"
            assert reply.text == "" or reply.text.splitlines() == [reply.text], (
                f"the text has several lines: {reply.text[:60]!r}"
            )
            sure = reply.confidence
            assert sure is None or (isinstance(sure, float) and 0 <= sure <= 1), (
                f"confidence {sure!r} is neither None nor a float within 0..1"
            )
        assert np.array_equal(picture, before), "answer changes the picture; work on a copy"


def _generated_pictures() -> tuple[Frame, ...]:
    """Return two generated pictures of different shapes, and one of a single pixel."""
    wide = np.full((240, 320, 3), 230, np.uint8)
    cv2.circle(wide, (80, 120), 40, (205, 35, 35), -1)
    cv2.rectangle(wide, (200, 80), (280, 160), (35, 65, 200), -1)
    return wide, np.ascontiguousarray(wide.transpose(1, 0, 2)), wide[:1, :1].copy()


def _to_comparable(found: Sequence[Detection]) -> list[tuple[object, ...]]:
    return [(one.label, one.bbox, round(one.score, 4)) for one in found]
