"""Confidence in answers of models: at most 0.5 for false ones; verified true ones are accepted."""

from pathlib import Path

import cv2
import numpy as np
import pytest
import yaml

from bt_exec.models import VqaAnswer
from bt_exec_skills.image.perception.vision_model_queries import LookAnswer, Looker
from bt_exec_skills.image.rules.set_answers import final_report
from bt_exec_skills.image.skills.conclude_and_judge import conclude, judge
from bt_exec_skills.image.workbench import Bench
from tests.skills.image.asking import bench_of, finish

pytestmark = pytest.mark.sampled

FINALS = yaml.safe_load(Path(__file__).with_name("finals.yaml").read_text(encoding="utf-8"))


def pairs(rows):
    return [(question, text) for question, *texts in rows for text in texts]


REFUTED, BESIDE = (pairs(FINALS["lies"][name]) for name in ("refuted", "beside"))
TRUTHS = pairs(FINALS["truths"])


@pytest.fixture(scope="module")
def picture():
    """Draw the picture of the answers; the work of the tools grows with its pixels."""
    found = np.full((240, 320, 3), 235, np.uint8)
    red, blue = (205, 35, 35), (35, 65, 200)
    for x, y, r, colour in ((47, 47, 20, red), (120, 53, 30, red), (267, 47, 20, red)):
        cv2.circle(found, (x, y), r, colour, -1, cv2.LINE_AA)
    cv2.circle(found, (47, 200), 20, blue, -1, cv2.LINE_AA)
    for x in (113, 180):
        cv2.rectangle(found, (x, 113), (x + 37, 150), blue, -1)
    corners = np.array([(267, 173), (240, 220), (293, 220)], np.int32)
    cv2.fillPoly(found, [corners], (40, 150, 55), cv2.LINE_AA)
    return found


class Agrees:
    """Second model that agrees with every answer."""

    def ask(self, image, question, schema):
        return VqaAnswer({"verdict": "right", "answer": "so it is", "why": "I looked"})


@pytest.fixture
def judged(picture):
    def run(question: str, text: str, second: Agrees | None = None) -> Bench:
        """Judge an answer of a confident model."""
        bench = bench_of(picture)
        bench.file = Path("picture.png")
        bench.asked.append(LookAnswer(text, 1.0, question))
        finish(conclude(bench=bench, text=text, question=question))
        finish(judge(bench=bench, looker=Looker(None, second)))
        return bench

    return run


def test_corpus_has_the_minimum_size():
    assert len(REFUTED) + len(BESIDE) >= 60
    assert len(TRUTHS) >= 40


def alone_and_sampled(rows):
    """Return each answer without a second model, and every tenth also with one that agrees."""
    both = [(row, None) for row in rows] + [(row, Agrees()) for row in rows[::10]]
    return pytest.mark.parametrize(
        ("question", "text", "second"),
        [(*row, second) for row, second in both],
        ids=[" ".join(row) + " agreed" * (second is not None) for row, second in both],
    )


@alone_and_sampled(REFUTED)
def test_answer_is_refuted_when_tools_disagree(judged, question, text, second):
    bench = judged(question, text, second)
    assert bench.answer.confidence <= 0.3
    assert bench.judgement.agrees is False
    assert any(one.who == "tools" for one in bench.judgement.cross_checks)


@alone_and_sampled(BESIDE)
def test_answer_is_not_accepted_when_tools_cannot_decide(judged, question, text, second):
    bench = judged(question, text, second)
    assert bench.answer.confidence <= 0.5
    assert bench.judgement.agrees is not True


@alone_and_sampled(TRUTHS)
def test_true_answer_is_accepted(judged, question, text, second):
    bench = judged(question, text, second)
    assert (bench.judgement.agrees, bench.judgement.coverage) == (True, 1.0)
    assert bench.answer.confidence >= 0.8


def test_unchecked_claims_are_listed(judged):
    bench = judged("How many red circles are there?", "There are 3. They belong to Peter.")
    assert (
        "These statements could not be checked in another way: “They belong to Peter.”"
        in final_report(bench)
    )
    claims = bench.to_dict()["judgement"]["claims"]
    assert [one["holds"] for one in claims] == [True, None]
    bench = judged("How many red circles are there?", "There are 2 blue squares.")
    assert "The response does not answer the question." in final_report(bench)
