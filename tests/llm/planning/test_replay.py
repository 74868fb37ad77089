"""A recording gives the same plans, byte for byte, without a model."""

from __future__ import annotations

import pytest

from bt_exec.compiling import make_compiler
from bt_exec.events import Planned
from bt_exec.failure import UsageError
from bt_exec.session import Session
from bt_exec.site import load_site
from bt_exec.spec.dump import dump_yaml
from bt_exec_llm.claude import ModelCompiler, PlanningSettings
from bt_exec_llm.model import ModelClient, ModelSettings, Recorder
from tests.llm.planning.paper import run_paper

FETCH = "문 안의 자재를 가져와"
ANSWERS = ["no plan", "root: {tree: get_material}", "root: {tree: take_material_again}"]
SLIPS = ["grasp:1=GRASP_SLIPPED"]


@pytest.fixture(params=["library", "model"])
def recorded(tmp_path, server, request):
    server.script(ANSWERS)
    settings = ModelSettings(base_url=server.url, model="scripted", tier="text")
    file = tmp_path / "said.jsonl"
    client = ModelClient(settings, record=Recorder(file))
    compiler = ModelCompiler(client, PlanningSettings(repair=request.param))
    run = run_paper(FETCH, compiler, faults=SLIPS)
    assert (run.outcome.status, run.outcome.planner_calls) == ("satisfied", 3)
    return file, run


def _plans(run):
    return [dump_yaml(event.spec) for event in run.events if isinstance(event, Planned)]


def test_the_same_plans_byte_for_byte(recorded):
    file, first = recorded
    compiler = make_compiler(load_site("door"), f"replay:{file}")
    again = run_paper(FETCH, compiler, faults=SLIPS)
    assert _plans(again) == _plans(first)
    assert again.robot.moves == first.robot.moves
    assert again.outcome.planner_calls == first.outcome.planner_calls


def test_another_world_is_not_what_was_recorded(recorded):
    file, _ = recorded
    compiler = make_compiler(load_site("door"), f"replay:{file}")
    run = run_paper(FETCH, compiler, {"door": "open"})
    assert (run.outcome.status, run.outcome.reason_code) == ("refused", "MODEL_REPLAY_DIFFERS")
    assert run.robot.moves == []


def test_a_recording_has_an_end(recorded):
    file, _ = recorded
    compiler = make_compiler(load_site("door"), f"replay:{file}")
    run_paper(FETCH, compiler, faults=SLIPS)
    assert run_paper(FETCH, compiler).outcome.reason_code == "MODEL_REPLAY_ENDED"


@pytest.mark.parametrize("name", ["replay", "replay:nowhere.jsonl"])
def test_a_missing_recording_is_an_error_of_the_operator(name):
    with pytest.raises(UsageError):
        make_compiler(load_site("door"), name)


def test_a_session_takes_a_recording_by_name(recorded):
    file, _ = recorded
    with Session("door", world={"door": "closed"}, fast=True, compiler=f"replay:{file}") as session:
        assert session.compiler.name == "claude"
