"""Crop first in every plan: a guard in the tree, and a checker before the run."""

import pytest

from bt_exec.mission.session import Session
from bt_exec.models import VqaAnswer
from bt_exec.observation import Situation
from bt_exec.pack import PassContext
from bt_exec.spec.load import load_text
from bt_exec_skills.image.perception import instances
from bt_exec_skills.image.perception.vision_model_queries import Looker
from bt_exec_skills.image.rules.after_answer_pass import AFTER_ANSWER
from bt_exec_skills.image.rules.crop_first import CROP_FIRST, check_crops_precede_picture_queries
from tests.llm.turns.say import annotate, draw

ASK = "{do: ask_vqa, with: {question: Is it nice?}}"
CROP, SEGMENT = "{do: crop, with: {of: target}}", "{do: segment_colour, with: {into: target}}"
VERIFY = "{do: verify_attribute, with: {of: target, attributes: [red]}}"
READ = "{do: read_annotation, with: {into: target}}"


def plan(*nodes: str, head: str = ""):
    lines = "\n".join(f"    - {node}" for node in nodes)
    text = f"mission: {{command: look{head}}}\nroot:\n  sequence:\n{lines}\n"
    return load_text(text).document


def context(**facts: str) -> PassContext:
    return PassContext(Situation(facts=facts), None)


@pytest.mark.parametrize(
    ("nodes", "facts", "found"),
    [
        ([ASK], {}, False),
        ([ASK], {"looked.target": "yes"}, False),
        ([ASK], {"looked.target": "no"}, True),
        ([ASK], {"annotation": "unread"}, True),
        ([READ, CROP, VERIFY, ASK], {"annotation": "unread"}, False),
        ([SEGMENT, ASK], {}, True),
        ([SEGMENT, CROP, ASK], {}, True),
        ([SEGMENT, CROP, VERIFY, ASK], {}, False),
        ([ASK, SEGMENT], {}, False),
        ([SEGMENT, CROP, VERIFY, SEGMENT, ASK], {}, True),
    ],
)
def test_question_about_the_whole_picture_before_crops_is_reported(nodes, facts, found):
    problems = list(check_crops_precede_picture_queries(plan(*nodes), context(**facts)))
    assert [one.code for one in problems] == ["CROP_FIRST"] * found


def test_results_of_earlier_turns_are_not_checked_again():
    kept = plan("{name: turn 1, sequence: [" + SEGMENT + "]}", ASK, head=", kept: [turn 1]")
    assert list(check_crops_precede_picture_queries(kept, context())) == []


def test_every_question_about_the_whole_picture_gets_one_guard():
    guarded, notes = CROP_FIRST.apply(plan(ASK, "{do: ask_vqa, with: {question: a, of: target}}"),
                                      context())  # fmt: skip
    whole, of_crops = guarded.root.sequence
    assert whole.guarded.code == "CROP_FIRST"
    assert of_crops.guarded is None
    assert notes
    assert CROP_FIRST.apply(guarded, context()) == (guarded, ())


def test_every_answer_is_followed_by_one_judge_step():
    told = plan("{do: answer, with: {kind: count, of: target, what: x}}")
    judged, _ = AFTER_ANSWER.apply(told, context())
    assert [node.do for node in judged.root.sequence] == ["answer", "judge"]
    assert judged.root.sequence[1].args == {"final": True}
    assert AFTER_ANSWER.apply(judged, context()) == (judged, ())
    last = plan("{do: conclude, with: {text: a, question: b}}", head=", turn: last")
    first, _ = AFTER_ANSWER.apply(last, context())
    assert first.root.sequence[1].args == {"final": False}
    facts = {"annotated_picture": "wanted", "boxes.target": "known"}
    drawn, _ = AFTER_ANSWER.apply(last, context(**facts))
    assert [node.do for node in drawn.root.sequence] == ["conclude", "judge", "draw_overlay"]
    assert AFTER_ANSWER.apply(drawn, context(**facts)) == (drawn, ())


class Model:
    def __init__(self):
        self.asked = []

    def ask(self, image, question, schema):
        self.asked.append(question)
        return VqaAnswer({"answer": "yes", "certain": True, "confidence": 0.9})


@pytest.fixture
def run(tmp_path):
    """Run a given plan on a picture, optionally with boxes beside it."""

    def start(*nodes, boxes=False):
        picture = draw(tmp_path)
        if boxes:
            annotate(picture)
        model = Model()
        with Session("image", world={"image": str(picture)}, fast=True) as session:
            services = session.rigs["image"].services
            services["looker"].model = model
            assert isinstance(services["looker"], Looker)
            return session.run("look", plan(*nodes)), model

    return start


def test_guard_of_the_plan_is_kept():
    own = "{do: ask_vqa, with: {question: a}, while: {crops_checked: {}, else: MINE}}"
    assert CROP_FIRST.apply(plan(own), context())[1] == ()
    other = "{do: ask_vqa, with: {question: a}, while: {sunny: {}, else: RAIN}}"
    guarded, _ = CROP_FIRST.apply(plan(other), context())
    (node,) = guarded.root.sequence
    assert (str(node.guarded.condition), node.guarded.code) == ("sunny and crops_checked", "RAIN")


def test_guard_stops_a_plan_that_the_checker_missed(run, monkeypatch):
    """The executive evaluates the guard before the model is queried, even without the checker."""
    monkeypatch.setattr("bt_exec_skills.image.rules.crop_first._FINDS", ())
    outcome, model = run(SEGMENT, ASK)
    assert [one["code"] for one in outcome.failures] == ["CROP_FIRST"]
    assert model.asked == []


def test_question_about_the_whole_picture_is_allowed_without_boxes(run):
    outcome, model = run(ASK)
    assert (outcome.ok, len(model.asked)) == (True, 1)


def test_annotation_beside_the_picture_counts_as_boxes(run):
    outcome, model = run(ASK, boxes=True)
    assert not outcome.ok
    assert "CROP_FIRST" in str(outcome.problems)
    outcome, model = run(READ, CROP, VERIFY, ASK, boxes=True)
    assert (outcome.ok, len(model.asked)) == (True, 1)


def test_whole_picture_is_allowed_when_cropping_failed(run, monkeypatch):
    def broken(picture, found):
        raise ValueError("no crop today")

    monkeypatch.setattr("bt_exec_skills.image.skills.crop_skills.cut", broken)
    assert instances.crop is not broken
    either = "{fallback: [{sequence: [" + CROP + ", " + VERIFY + "]}, " + ASK + "]}"
    outcome, model = run(SEGMENT, either)
    assert len(model.asked) <= 1
    assert "CROP_FIRST" not in str(outcome.problems) or not model.asked
