"""Judges without a model: they confirm right answers, and no count of shifted boxes."""

from pathlib import Path

import cv2
import numpy as np
import pytest

from bt_exec_skills.image.perception.annotation_files import Annotation
from bt_exec_skills.image.perception.instances import Decision, Instance
from bt_exec_skills.image.perception.vision_model_queries import CrossCheck, LookAnswer
from bt_exec_skills.image.perception.whole_picture_colour_check import (
    colour_of_whole,
    find_disputed,
)
from bt_exec_skills.image.rules.answer_judgement import (
    evidence_confidence,
    rate_answer,
    run_cross_checks,
    share_of_decided,
)
from bt_exec_skills.image.rules.set_answers import final_report
from bt_exec_skills.image.workbench import Answer, Bench
from tests.skills.image.asking import ask, bench_of
from tests.skills.image.drawn import SHAPES, draw, questions


def annotated(seed: int, shift: int = 0) -> tuple[Bench, list]:
    """Return a synthetic picture with boxes that are shifted by `shift` [px]."""
    drawn = draw(seed)
    bench = bench_of(drawn.picture)
    bench.file, bench.annotation_file = Path("p.png"), Path("p.json")
    things = []
    for one in drawn.things:
        x1, y1, x2, y2 = (int(side) for side in one.box)
        if x1 + shift < 380:
            box = (x1 + shift, y1, min(400, x2 + shift), y2)
            things.append(Instance(one.shape, box, 1.0, "annotation"))
    bench.__dict__["annotation"] = Annotation(SHAPES, tuple(things))
    return bench, questions(drawn, seed)


def verdicts(seeds: range, shift: int) -> list[tuple[bool, bool | None]]:
    found = []
    for seed in seeds:
        bench, asked = annotated(seed, shift)
        for _, text, truth in asked:
            answer = ask(bench, text)
            found.append(
                (answer.value == truth, rate_answer(bench, run_cross_checks(bench)).agrees)
            )
    return found


@pytest.mark.slow
def test_right_answers_are_never_disputed_and_often_confirmed():
    found = verdicts(range(12), 0)
    assert all(right and agrees is not False for right, agrees in found)
    assert sum(agrees is True for _, agrees in found) >= 0.3 * len(found)


@pytest.mark.slow
def test_shifted_boxes_are_not_confirmed():
    found = verdicts(range(16), 40)
    wrong = [agrees for right, agrees in found if not right]
    assert len(wrong) >= 25
    assert wrong.count(True) <= 1


@pytest.fixture
def reds():
    """Three red discs on a grey background, with their boxes."""
    picture = np.full((200, 400, 3), 225, np.uint8)
    boxes = [(20, 20, 80, 80), (120, 20, 180, 80), (220, 20, 280, 80)]
    for x1, y1, x2, y2 in boxes:
        cv2.circle(picture, ((x1 + x2) // 2, (y1 + y2) // 2), 29, (200, 30, 30), -1)
    bench = bench_of(picture)
    bench.file, bench.annotation_file = Path("p.png"), Path("p.json")
    things = tuple(Instance("ball", box, 1.0, "annotation") for box in boxes)
    bench.__dict__["annotation"] = Annotation(("ball",), things)
    ask(bench, "How many red balls are there?")
    return bench


def test_crop_decision_contradicted_by_the_whole_picture_is_reported(reds):
    found = reds.sets["target"]
    found.decisions = [*found.decisions[:2], Decision(False, "blue", 0.9)]
    reds.judgement = rate_answer(reds, run_cross_checks(reds))
    assert reds.judgement.agrees is False
    assert reds.judgement.cross_checks == (CrossCheck("colours", False, "#3"),)
    assert reds.judgement.confidence <= 0.3
    said = "But another check disagrees: the colours of the whole picture (#3)."
    assert said in final_report(reds)


def test_instance_rejected_for_another_attribute_is_not_disputed(reds):
    found = reds.sets["target"]
    decisions = [*found.decisions[:2], Decision(False, "square", 0.9)]
    assert find_disputed(reds.picture, found.crops, decisions, "red") == []
    assert find_disputed(reds.picture, found.crops, decisions, "blue") == [0, 1]
    assert colour_of_whole(reds.picture, found.crops, "red") == [True] * 3


@pytest.mark.parametrize(
    ("text", "agrees"),
    [
        ("There are 3.", None), ("3 of the 3 are red.", None), ("4", False), ("Yes.", None),
        ("No, none.", False), ("It is 3, no, 7.", False), ("They look nice.", None),
        ("세 개입니다.", None), ("네 개입니다.", False),
    ],
)  # fmt: skip
def test_worded_answer_is_compared_with_the_crops(reds, text, agrees):
    """Crops alone cannot confirm it, because the answer was derived from them."""
    reds.by_model, reds.answer = True, Answer(text, None, 1.0)
    cross_checks = [one for one in run_cross_checks(reds) if one.who == "crops"]
    assert [one.agrees for one in cross_checks] in ([agrees], [] if agrees is None else None)


@pytest.mark.parametrize(
    ("asked", "said", "agrees"),
    [
        ("How many lucky balls are there?", "I see 3 balls", [None]),
        ("How many lucky balls are there?", "I see 4 balls", [False]),
        ("How many balls are there?", "There are 4.", []),
        ("How many lucky balls are not there?", "There are 4.", []),
        ("How many lucky red balls are there?", "There are 4.", []),
        ("Are there 3 lucky balls?", "No.", []),
    ],
)
def test_whole_picture_answer_disputes_only_its_own_question(reds, asked, said, agrees):
    reds.by_model, reds.question = True, "How many lucky balls are there?"
    reds.answer = Answer("There are three.", None, 1.0)
    reds.asked.append(LookAnswer(said, 1.0, asked))
    checks = [one.agrees for one in run_cross_checks(reds) if one.who == "looker"]
    assert checks == agrees
    assert rate_answer(reds, run_cross_checks(reds)).confidence <= 0.5


@pytest.mark.parametrize(("boxes", "agrees"), [(3, True), (2, False)])
def test_count_of_boxes_is_compared_with_a_count_by_colour(reds, boxes, agrees):
    """They are compared only if the question names no class: then colours determine all objects."""
    known = reds.annotation
    reds.__dict__["annotation"] = known._replace(instances=known.instances[:boxes])
    answer = ask(reds, "How many red things are there?")
    assert answer.value == boxes
    check = run_cross_checks(reds)[-1]
    assert (check.who, check.agrees, check.says) == ("detector", agrees, "3")


def test_undecided_instance_lowers_the_scores(reds):
    assert share_of_decided(reds) == 1.0
    found = reds.sets["target"]
    found.decisions = [Decision(None, "", 0.4), *found.decisions[1:]]
    assert share_of_decided(reds) == pytest.approx(2 / 3)
    assert evidence_confidence(reds) <= 0.5
    assert share_of_decided(Bench()) is None
    assert evidence_confidence(Bench()) == 0.0
