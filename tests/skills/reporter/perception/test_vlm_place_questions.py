"""Optional vision model for answers about a place, with the robot's own answer as a fallback."""

import time

import numpy as np
import pytest

from bt_exec.failure import UnknownName, UsageError
from bt_exec.models import VqaAnswer
from bt_exec_skills.reporter.perception.observation import ReporterObservation
from bt_exec_skills.reporter.perception.vlm_place_questions import (
    SCHEMA,
    PictureAnswers,
    make_answers,
)

FRAME = np.zeros((4, 4, 3), np.uint8)


class Asked:
    """Model with a scripted answer, which keeps its questions."""

    def __init__(self, data, why=""):
        self.opinion = VqaAnswer(data, why)
        self.questions = []

    def ask(self, image, question, schema):
        self.questions.append(question)
        assert image is FRAME
        assert schema == SCHEMA
        return self.opinion


def answer(asker, frame=FRAME, query="이상 없는지", language="ko"):
    steps = PictureAnswers(asker).ask(frame, "lounge", query, language)
    while True:
        try:
            next(steps)
        except StopIteration as stop:
            return stop.value
        time.sleep(0.001)


def test_certain_answer_of_the_model_is_used():
    asked = Asked({"answer": "의자가\n 넘어져 있습니다.", "certain": True})
    assert answer(asked) == "의자가 넘어져 있습니다."
    assert "one short sentence of Korean" in asked.questions[0]
    assert "<question>이상 없는지</question>" in asked.questions[0]


@pytest.mark.parametrize(
    "data",
    [
        None,
        {"answer": "maybe", "certain": False},
        {"answer": "no word on it"},
        {"answer": 7, "certain": True},
        {"answer": "x", "certain": "yes"},
    ],
)
def test_answer_of_the_robot_is_used_when_the_model_is_uncertain(data):
    assert answer(Asked(data)) == ""


def test_model_is_not_queried_without_a_picture():
    asked = Asked({"answer": "x", "certain": True})
    assert (answer(asked, frame=None), answer(None)) == ("", "")
    assert asked.questions == []


def test_long_answer_is_truncated():
    assert len(answer(Asked({"answer": "a" * 5000, "certain": True}))) == 300


def test_setting_selects_the_answering_model():
    steps = make_answers(None).ask(FRAME, "lounge", "query", "en")
    with pytest.raises(StopIteration) as stop:
        next(steps)
    assert stop.value.value == "", "no model, no answer"
    with pytest.raises(UsageError, match="answers needs the name"):
        make_answers({"model": "m"})
    with pytest.raises(UnknownName, match="there is no visual_qa model 'nobody'"):
        make_answers({"name": "nobody"})


def test_observe_scene_reports_the_answer_of_the_model(play):
    says = VqaAnswer({"answer": "All well.", "certain": True})
    one = play(model=type("Model", (), {"ask": lambda self, *_: says})())
    light = {("basecamp", 0): 150.0}
    one.scenes = lambda t: ReporterObservation(t, one.robot.pose, (), light, frame=FRAME)
    assert one.run("observe_scene", target="basecamp", query="anything unusual?") == "OK"
    assert one.result.answer == "All well."
    assert one.result.evidence[-1] == "answer:model"
    assert one.result.people == 0
