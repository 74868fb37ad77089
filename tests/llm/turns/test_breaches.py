"""Every violation is named, sent back once and within the budget, and never executed."""

import pytest

from bt_exec.mission.session import Session
from bt_exec_llm.testing.messages_replies import cut_off, error, html, not_http, refusal
from tests.llm.turns import say
from tests.llm.turns.breaches import ANALYSIS, FORM
from tests.llm.turns.conftest import QUESTION

pytestmark = pytest.mark.sampled

LOOKED_AT_ONCE = say.calls(say.SEGMENT, say.SEPARATE, say.CROP, say.VERIFY, say.COUNT)
LOOKED = say.calls(say.CROP, say.VERIFY, say.COUNT)
FINAL = say.final("There are 3.")
REST = [say.calls(say.SEGMENT, say.SEPARATE), LOOKED, FINAL]


def named(models, *codes: str) -> bool:
    return all(f"[{code}]" in models.objections()[0] for code in codes)


def one_of_each(breaches):
    """Return the violations; all but the first with the same codes are slow."""
    first = {one.codes: one for one in reversed(breaches)}
    return [
        pytest.param(one, marks=() if first[one.codes] is one else pytest.mark.slow, id=one.name)
        for one in breaches
    ]


@pytest.fixture(scope="module")
def session(make_site, picture, tmp_path_factory):
    """Session without a judge; all violations are the planner's."""
    site = make_site(tmp_path_factory.mktemp("site"), judge=False)
    with Session(site, world={"image": str(picture)}, fast=True) as session:
        yield session


def test_at_least_75_distinct_violations_are_tested():
    assert len(FORM) + len(ANALYSIS) >= 75
    assert len({one.name for one in FORM}) == len(FORM)


@pytest.mark.parametrize("breach", one_of_each(FORM))
def test_violation_is_reported_once_and_corrected(models, session, breach):
    models.script([say.analysis(), breach.said, LOOKED_AT_ONCE, FINAL])
    outcome = session.run(QUESTION["en"])
    assert outcome.status == "satisfied"
    assert outcome.message.startswith("There are 3.")
    assert named(models, *breach.codes)
    assert len(models.objections()) == 1
    assert len(models.asked("planner")) == 4


@pytest.mark.slow  # fast tests cover each kind of ending
@pytest.mark.parametrize("breach", FORM, ids=lambda one: one.name)
def test_repeated_violation_ends_the_question_before_any_call(models, session, breach):
    models.script([say.analysis(), breach.said])
    outcome = session.run(QUESTION["en"])
    assert (outcome.status, outcome.ticks) == ("refused", 0)
    assert len(models.asked("planner")) == 3
    told = " ".join(outcome.problems)
    assert all(f"[{code}]" in told for code in breach.codes)


@pytest.mark.parametrize("breach", one_of_each(ANALYSIS))
def test_violation_in_the_analysis_is_reported_once_and_corrected(models, session, breach):
    models.script([breach.said, say.analysis(), LOOKED_AT_ONCE, FINAL])
    outcome = session.run(QUESTION["en"])
    assert outcome.message.startswith("There are 3.")
    assert named(models, *breach.codes)
    assert len(models.asked("planner")) == 4


def test_repeated_violation_is_reported_by_its_code(models, session):
    models.script([say.analysis("ko"), "몰라요"])
    outcome = session.run(QUESTION["ko"])
    assert (outcome.status, outcome.reason_code) == ("refused", "TURN_REJECTED")
    assert "NO_ANALYSIS_LOG, NO_PLAN_JSON" in outcome.message


def test_repeated_calls_are_reported(models, session):
    models.script([say.analysis(), REST[0], REST[0], LOOKED, FINAL])
    assert session.run(QUESTION["en"]).status == "satisfied"
    assert named(models, "REPEATED_CALLS")


def test_repeated_calls_end_the_question(models, session):
    models.script([say.analysis(), REST[0]])
    outcome = session.run(QUESTION["en"])
    assert (outcome.status, outcome.reason_code) == ("blocked", "TURN_REJECTED")
    assert len(models.asked("planner")) == 4


def test_endless_calls_end_at_the_turn_limit(models, session):
    turns = [say.calls(say.SEGMENT, ("segment_colour", {"into": "other", "colour": colour}))
             for colour in ("red", "blue", "green", "pink", "cyan", "grey", "white", "black",
                            "brown")]  # fmt: skip
    models.script([say.analysis(), *turns])
    outcome = session.run(QUESTION["en"])
    assert (outcome.status, outcome.reason_code) == ("blocked", "TURNS_SPENT")
    assert "within 8 turns" in outcome.message
    assert len(models.asked("planner")) == 9


@pytest.mark.parametrize(
    ("budget", "code"),
    [({"tokens": 1000}, "TOKENS_SPENT"), ({"seconds": 0.001}, "SECONDS_SPENT"),
     ({"turns": 1}, "TURNS_SPENT")],
)  # fmt: skip
def test_exhausted_turn_budget_is_reported_by_its_code(
    models, make_site, picture, tmp_path, budget, code
):
    models.script([say.analysis("ko"), say.calls(say.SEGMENT, language="ko")])
    site = make_site(tmp_path, **budget)
    with Session(site, world={"image": str(picture)}, fast=True) as session:
        outcome = session.run(QUESTION["ko"])
    assert outcome.reason_code == code
    assert "안에 답을 찾지 못했습니다" in outcome.message
    assert len(models.asked("planner")) <= 2


@pytest.mark.parametrize(
    ("reply", "code"),
    [
        (refusal(), "MODEL_REFUSED"),
        (error(401, "authentication_error", "who?"), "MODEL_AUTH"),
        (error(529, "overloaded_error"), "MODEL_OVERLOADED"),
        (html(), None),
        (not_http(), None),
        (cut_off("<analysis_log>"), "TURN_REJECTED"),
    ],
    ids=lambda one: getattr(one, "name", None),
)
def test_missing_answer_of_a_server_is_reported(models, session, reply, code):
    models.script([say.analysis(), reply])
    outcome = session.run(QUESTION["en"])
    assert outcome.status == "refused"
    assert outcome.reason_code.startswith(("MODEL_", "TURN_"))
    assert code is None or outcome.reason_code == code
    assert outcome.ticks == 0
