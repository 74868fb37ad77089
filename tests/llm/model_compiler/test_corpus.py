"""Every bad answer is rejected with its code, and the mission succeeds after a good one."""

from __future__ import annotations

from functools import cache

import pytest

from bt_exec.language.messages import language_of
from bt_exec.mission_outcome import Outcome
from bt_exec_llm.client import Answer
from bt_exec_llm.model_compiler.compiler import ModelCompiler
from bt_exec_llm.model_compiler.plan_effects import offline_plan
from bt_exec_llm.model_compiler.planning_dialogue import _judge
from tests.llm.model_compiler.corpus import OFFLINE, Bad, corpus
from tests.llm.model_compiler.fake_door import request_for, run_paper

pytestmark = pytest.mark.sampled

CORPUS = list(corpus())


def one_in(step: int) -> list:
    """Return the corpus as parameters; every `one_in`-th case is fast, the rest are slow."""
    return [
        pytest.param(bad, marks=[] if number % step == 0 else pytest.mark.slow)
        for number, bad in enumerate(CORPUS)
    ]


def test_corpus_is_large_and_has_unique_names():
    assert len(CORPUS) >= 250
    assert len({str(bad) for bad in CORPUS}) == len(CORPUS)
    assert all(bad.codes for bad in CORPUS)


@pytest.mark.parametrize("bad", CORPUS, ids=str)
def test_bad_answer_is_rejected_with_its_codes(bad: Bad):
    request = request_for(bad.command, bad.world)
    found = _judge(Answer(bad.answer), request, offline_plan(request, OFFLINE))
    assert found.plan is None
    assert set(bad.codes) <= {problem.code for problem in found.problems}
    for problem in found.problems:
        assert problem.message
        assert problem.code == problem.code.upper()


@cache
def _wanted(command: str, world: tuple[tuple[str, str], ...]) -> Outcome:
    return run_paper(command, OFFLINE, dict(world)).outcome


def _ends_as_it_should(bad: Bad, compiler: ModelCompiler) -> None:
    run = run_paper(bad.command, compiler, bad.world)
    if not bad.good:
        wanted = _wanted(bad.command, tuple(bad.world.items()))
        assert (run.outcome.status, run.outcome.reason_code) == (wanted.status, wanted.reason_code)
    assert (run.outcome.status, run.outcome.model_requests) == ("satisfied", 2)


# The test above covers every bad answer.
@pytest.mark.parametrize("bad", one_in(3), ids=str)
def test_good_answer_after_a_bad_one_lets_the_mission_succeed(bad: Bad, scripted):
    compiler = scripted([bad.answer, bad.good_answer()])
    _ends_as_it_should(bad, compiler)
    said = compiler.model.asked[1].messages[-1].blocks[0].text
    assert all(f'"code": "{code}"' in said for code in bad.codes)


@pytest.mark.parametrize("bad", one_in(12), ids=str)
def test_mission_over_http_matches_the_scripted_one(bad: Bad, over_http, server):
    _ends_as_it_should(bad, over_http([bad.answer, bad.good_answer()]))
    said = server.requests[1].body["messages"][-1]["content"][0]["text"]
    assert all(f'"code": "{code}"' in said for code in bad.codes)


@pytest.mark.parametrize("bad", one_in(6), ids=str)
def test_repeated_bad_answers_are_refused_without_motion(bad: Bad, scripted):
    run = run_paper(bad.command, scripted([bad.answer]), bad.world)
    assert (run.outcome.status, run.outcome.reason_code) == ("refused", "PLAN_REJECTED")
    assert (run.outcome.exit_code, run.outcome.model_requests) == (
        5,
        2,
    )  # a repeated answer ends the rounds
    assert run.robot.moves == []
    assert run.outcome.problems
    assert language_of(run.outcome.message) == language_of(bad.command)
    first = "언어 모델이" if language_of(bad.command) == "ko" else "No plan of the language model"
    assert run.outcome.message.startswith(first)
