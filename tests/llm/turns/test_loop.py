"""The whole loop with scripted models: analysis, turns, observations, answer, judge."""

import runpy

import pytest

from bt_exec.events import Planned, SkillEnded
from bt_exec.mission.session import Session
from tests.llm.turns import say
from tests.llm.turns.conftest import QUESTION

FOUND = (say.SEGMENT, say.SEPARATE)
LOOKED = (say.CROP, say.VERIFY, say.COUNT)
ANSWER = {"en": "There are 3 of them.", "ko": "모두 3개입니다."}


def good(language="en", answer=None):
    return [
        say.analysis(language),
        say.calls(*FOUND, language=language),
        say.calls(*LOOKED, language=language),
        say.final(answer or ANSWER[language], language=language),
    ]


def bench_of(session):
    return session.rigs["image"].services["bench"]


@pytest.mark.parametrize("language", ["en", "ko"])
def test_question_is_answered_in_turns_and_judged(models, session, language):
    models.script(good(language), judge=[say.verdict("right", "3")])
    events = []
    session.listeners.append(type("L", (), {"on": lambda _, event: events.append(event)})())
    try:
        outcome = session.run(QUESTION[language])
    finally:
        session.listeners.pop()
    assert outcome.status == "satisfied"
    assert outcome.message.startswith(ANSWER[language])
    assert (outcome.planner_calls, outcome.plan_version, outcome.replans) == (3, 3, 0)
    assert len(models.asked("planner")) == 4
    judged = bench_of(session).to_dict()["judgement"]
    # no tool can compute "cheerful", and "red" was not asked for
    assert (judged["agrees"], judged["evidence_coverage"]) == (None, 0.0)
    assert [one["holds"] for one in judged["claims"]] == [None]
    assert judged["confidence"] == 0.5
    assert judged["confidence"] == bench_of(session).to_dict()["answer"]["confidence"]
    plans = [event.spec for event in events if isinstance(event, Planned)]
    turn = {"en": "turn", "ko": "차례"}[language]
    assert [plan.mission.kept for plan in plans] == [(), (f"{turn} 1",), (f"{turn} 1", f"{turn} 2")]
    assert [plan.mission.turn for plan in plans] == ["open", "open", "last"]
    ran = [event.skill for event in events if isinstance(event, SkillEnded)]
    assert ran == ["segment_colour", "separate_touching", "crop", "verify_attribute", "count",
                   "conclude", "judge"]  # fmt: skip


def test_long_answer_is_printed_completely(models, session):
    answer = f"There are 3 of them. {'They lie in a row. ' * 50}That is all."
    models.script(good(answer=answer), judge=[say.verdict("right", "3")])
    assert session.run(QUESTION["en"]).message.startswith(answer)


def test_next_turn_contains_the_observations(models, session):
    models.script(good(), judge=[say.verdict("right")])
    session.run(QUESTION["en"])
    third = models.asked("planner")[-1]
    told = '"error": null, "ok": true, "parameters": {"of": "target"}, "result": {"confidence": '
    assert told in third
    assert '"sure": 3, "unsettled": 0}, "tool": "count", "turn": 2}' in third


def test_question_that_tools_can_answer_needs_no_model(models, session):
    models.script(["never asked"])
    outcome = session.run("How many red circles are there?")
    assert (outcome.status, outcome.model_requests) == ("satisfied", 0)
    assert outcome.message.startswith("red circle: 3.")
    assert models.server.requests == []


def test_tool_error_is_an_observation(models, session):
    models.script(
        [
            say.analysis(),
            say.calls(("read_annotation", {"into": "target"})),
            *good()[1:],
        ],
        judge=[say.verdict("right")],
    )
    outcome = session.run(QUESTION["en"])
    assert outcome.status == "satisfied"
    assert '"ok": false' in models.asked("planner")[2]
    assert "ANNOTATION_NEEDED: there is no annotation" in models.asked("planner")[2]


def test_calls_after_a_failed_call_are_skipped(models, session):
    first = say.calls(say.SEGMENT, ("draw_overlay", {"of": "target"}), say.SEPARATE)
    models.script([say.analysis(), first, *good()[1:]], judge=[say.verdict("right")])
    outcome = session.run(QUESTION["en"])
    assert outcome.status == "satisfied"
    told = models.asked("planner")[2]
    assert "NO_FILE_NAMED" in told
    assert "NOT_RUN: an earlier call of this turn failed" in told


def test_crops_are_sent_to_the_model_in_batches(models, session):
    turn = say.calls(say.CROP, say.ASK_CROPS, say.COUNT)
    models.script(
        [say.analysis(), say.calls(*FOUND), turn, say.final("2 of them are cheerful.")],
        looker=[say.each("yes", "yes", "no", "cannot tell")],
        judge=[say.verdict("cannot tell")],
    )
    outcome = session.run(QUESTION["en"])
    pictures = [
        block
        for one in models.server.requests if one.body["model"] == "looker"
        for block in one.body["messages"][0]["content"] if block["type"] == "image"
    ]  # fmt: skip
    assert len(pictures) == 4
    assert "There was no other way to check this." in outcome.message
    assert bench_of(session).judgement.coverage == 0.75
    assert bench_of(session).answer.confidence <= 0.5


def test_whole_picture_is_used_without_boxes(models, session):
    models.script(
        [say.analysis(), say.calls(say.ASK), say.final("There are 3.")],
        looker=[say.whole("3 cheerful things")],
        judge=[say.verdict("right")],
    )
    outcome = session.run(QUESTION["en"])
    assert (outcome.status, outcome.message) == (
        "satisfied",
        "There are 3. There was no other way to check this. Confidence 0.50.",
    )


def test_disputed_answer_is_corrected_on_the_second_attempt(models, session):
    models.script(
        [*good(answer="There are 4 of them."), say.final("There are 3 of them.")],
        judge=[say.verdict("wrong", "3"), say.verdict("right")],
    )
    outcome = session.run(QUESTION["en"])
    assert outcome.status == "satisfied"
    assert outcome.message.startswith("There are 3 of them. There was no other way to check this.")
    assert "JUDGES_DISAGREE" in models.asked("planner")[-1]


def test_repeated_disagreement_is_reported(models, session):
    models.script(good(answer="7 things."), judge=[say.verdict("wrong", "3 things")])
    outcome = session.run(QUESTION["en"])
    assert outcome.status == "satisfied"
    assert "But another check disagrees: the crops (3), a second model (3 things" in outcome.message
    assert bench_of(session).answer.confidence <= 0.3


def test_dispute_is_reported_when_the_model_stops_answering(models, session):
    models.script([*good(answer="7 things."), "gibberish"], judge=[say.verdict("wrong", "3")])
    outcome = session.run(QUESTION["en"])
    assert outcome.status == "satisfied"
    assert "But another check disagrees" in outcome.message


def test_refusal_names_the_missing_vision_model_setting(models, make_site, picture,
                                                                    tmp_path):  # fmt: skip
    site = make_site(tmp_path, vqa=False, judge=False)
    models.script(
        [say.analysis(), say.calls(say.ASK), say.final("", "?"), say.final("I cannot.", "Boxes?")]
    )
    with Session(site, world={"image": str(picture)}, fast=True) as session:
        outcome = session.run(QUESTION["en"])
    assert outcome.status == "blocked"
    assert "NO_VQA_MODEL: the site names no vision model" in models.asked("planner")[2]
    assert "packs: {image: {vqa:" in models.asked("planner")[2]


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("How many cheerful tomatoes are there?", "Boxes?"),
        ("즐거운 토마토가 몇 개야?", "Boxes?"),
    ],
)
def test_missing_input_is_requested_by_name(models, session, text, says):
    language = "ko" if "즐" in text else "en"
    models.script([say.analysis(language), say.final("-", says, language=language)])
    outcome = session.run(text)
    assert outcome.status == "refused"
    assert says in outcome.message
    assert outcome.question == says


def test_missing_annotation_is_requested_with_its_formats(models, session):
    """The property is not a colour and there are no boxes, so the model could only guess."""
    models.script([say.analysis(), say.final("About 5.")])
    outcome = session.run("How many flowers are there?")
    assert (outcome.status, outcome.reason_code) == ("refused", "ANNOTATION_NEEDED")
    assert "COCO JSON, YOLO text" in outcome.message
    assert "would be a guess" in outcome.message


def test_new_question_starts_without_history(models, session):
    for _ in range(2):
        models.script(good(), judge=[say.verdict("right")])
        assert session.run(QUESTION["en"]).status == "satisfied"
        assert "[OBSERVATIONS]\n(none)" in models.asked("planner")[1]


@pytest.mark.slow
def test_requested_picture_and_program_follow_the_answer(models, make_site, picture, tmp_path):
    """The program repeats the turns and returns the same number without a model."""
    site, drawn, program = make_site(tmp_path), tmp_path / "seen.png", tmp_path / "again.py"
    models.script(good(), judge=[say.verdict("right")])
    world = {"image": str(picture), "out": str(drawn), "program": str(program)}
    with Session(site, world=world, fast=True) as session:
        outcome = session.run(QUESTION["en"])
        came = bench_of(session).program
    assert outcome.status == "satisfied"
    assert drawn.exists()
    found = runpy.run_path(str(program))["run"](str(picture))
    assert (found["answer"], found["counts"]) == (3, {"target": 3})
    assert came["agrees"] is not False
