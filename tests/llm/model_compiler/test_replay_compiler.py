"""Recordings that give the same plans byte for byte, without a model."""

from __future__ import annotations

import pytest

from bt_exec.events import Planned
from bt_exec.failure import UsageError
from bt_exec.mission.session import Session
from bt_exec.planning.compiler import find_compiler
from bt_exec.site.compile_command import make_compiler
from bt_exec.site.site import load_site
from bt_exec.spec.dump import dump_yaml
from bt_exec_llm.client import ModelClient, ModelSettings, Recorder
from bt_exec_llm.model_compiler.compiler import ModelCompiler, PlanningSettings
from tests.llm.model_compiler.fake_door import SEEN_BY_ORACLE, run_paper

FETCH = "문 안의 자재를 가져와"
ANSWERS = ["no plan", "root: {tree: get_material}", "root: {tree: take_material_again}"]
SLIPS = ["grasp:1=GRASP_SLIPPED"]


@pytest.fixture(params=["library", "model"])
def recorded(tmp_path, server, request):
    server.script(ANSWERS)
    settings = ModelSettings(base_url=server.url, model="scripted", tier="text")
    file = tmp_path / "said.jsonl"
    client = ModelClient(settings, record=Recorder(file))
    compiler = ModelCompiler(client, PlanningSettings(first="model", repair=request.param))
    run = run_paper(FETCH, compiler, faults=SLIPS)
    asked = 3 if request.param == "model" else 2
    outcome = run.outcome
    assert (outcome.status, outcome.planner_calls, outcome.model_requests) == (
        "satisfied",
        2,
        asked,
    )
    return file, run


def _plans(run):
    return [dump_yaml(event.spec) for event in run.events if isinstance(event, Planned)]


def test_replay_gives_the_same_plans_byte_for_byte(recorded):
    file, first = recorded
    compiler = make_compiler(load_site("door"), f"replay:{file}")
    again = run_paper(FETCH, compiler, faults=SLIPS)
    assert _plans(again) == _plans(first)
    assert again.robot.moves == first.robot.moves
    assert again.outcome.model_requests == first.outcome.model_requests


def test_replay_is_refused_in_a_different_world(recorded):
    file, _ = recorded
    compiler = make_compiler(load_site("door"), f"replay:{file}")
    run = run_paper(FETCH, compiler, {"door": "open"})
    assert (run.outcome.status, run.outcome.reason_code) == ("refused", "MODEL_REPLAY_DIFFERS")
    assert run.robot.moves == []


def test_replay_is_refused_after_the_last_answer(recorded):
    file, _ = recorded
    compiler = make_compiler(load_site("door"), f"replay:{file}")
    run_paper(FETCH, compiler, faults=SLIPS)
    assert run_paper(FETCH, compiler).outcome.reason_code == "MODEL_REPLAY_ENDED"


@pytest.mark.parametrize("name", ["replay", "replay:nowhere.jsonl"])
def test_missing_recording_is_a_usage_error(name):
    with pytest.raises(UsageError):
        make_compiler(load_site("door"), name)


def test_session_accepts_a_recording_by_name(recorded):
    file, _ = recorded
    with Session(
        SEEN_BY_ORACLE, world={"door": "closed"}, fast=True, compiler=f"replay:{file}"
    ) as session:
        assert session.compiler.name == "claude"


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"fallback": "offline"}, ["root: {do: fly}"]),
        ({"image": True}, ["root: {tree: open_door}"]),
        ({"rounds": 5}, [*(f"root: {{do: fly_{n}}}" for n in range(4)), "root: {tree: open_door}"]),
    ],
    ids=str,
)
def test_recording_restores_the_settings(tmp_path, server, settings, said):
    server.script(said)
    file = tmp_path / "said.jsonl"
    where = {"base_url": server.url, "model": "scripted", "tier": "text", "record": str(file)}
    site = load_site("door")
    first = run_paper("문 열어줘", find_compiler("claude", {**where, "first": "model", **settings}))
    again = run_paper("문 열어줘", make_compiler(site, f"replay:{file}"))
    assert first.outcome.status == again.outcome.status == "satisfied"
    assert _plans(again) == _plans(first)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"rounds": 99}, "setting 'rounds' of the compiler replay: input should be less than"),
        (
            {"fallback": "me"},
            "setting 'fallback' of the compiler replay: input should be 'offline'",
        ),
        ({"round": 1}, "the compiler replay has no setting 'round'; known: file, rounds, fallback"),
    ],
    ids=str,
)
def test_invalid_setting_is_a_usage_error(recorded, settings, said):
    with pytest.raises(UsageError, match=said):
        find_compiler("replay", {"file": str(recorded[0]), **settings})


def test_damaged_header_is_a_usage_error(tmp_path):
    file = tmp_path / "said.jsonl"
    for settings in ("[1]", '{"rounds": 99}', '{"record": "x"}'):
        file.write_text(f'{{"version": 1, "settings": {settings}}}\n')
        with pytest.raises(UsageError):
            find_compiler("replay", {"file": str(file)})
