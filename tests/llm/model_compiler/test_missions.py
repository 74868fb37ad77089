"""Whole missions on the simulated door: plans are made once, and again only after a failure."""

from __future__ import annotations

import pytest

from bt_exec.journal import Journal
from bt_exec.mission.session import Session
from bt_exec_llm.model_compiler.flat_format import to_flat
from bt_exec_llm.testing.messages_replies import answer
from tests.llm.model_compiler.corpus import good_answer
from tests.llm.model_compiler.fake_door import SEEN_BY_ORACLE, run_paper

WORLDS = [
    ("문을 열어 주세요", "open_door", {"door": "closed"}, [], [], "OK"),
    ("close the door", "close_door", {"door": "open"}, [], [], "OK"),
    ("문 닫아", "close_door", {"door": "closed"}, [], [], "ALREADY_CLOSED"),
    (
        "get the material",
        "get_material",
        {"door": "open", "material": "absent"},
        [],
        [],
        "MATERIAL_NOT_VISIBLE_AFTER_OPEN",
    ),
    (
        "문 안의 자재를 가져와",
        "get_material",
        {"door": "closed", "seed": "3"},
        ["grasp:1=GRASP_SLIPPED"],
        ["take_material_again"],
        "OK",
    ),
]


@pytest.mark.sampled
@pytest.mark.parametrize(("command", "tree", "world", "faults", "repairs", "code"), WORLDS)
def test_model_planner_meets_the_door_contract(
    tmp_path, server, over_http, command, tree, world, faults, repairs, code
):
    replies = []
    for name in (tree, *repairs):
        flat = {"explanation": "", "cannot": "", "assumes": [], "subgoals": []}
        nodes = to_flat({"tree": name})
        plain = good_answer(command) if name == tree else f"root: {{tree: {name}}}"
        replies.append(answer({**flat, "nodes": nodes}, plain=plain))
    journal = Journal.open(tmp_path / "journal.db")
    with Session(SEEN_BY_ORACLE, world=world, fast=True, faults=faults, journal=journal) as session:
        session.compiler = over_http(replies, repair="model")
        outcome = session.run(command)
    assert outcome.reason_code == code
    assert outcome.model_requests == 1 + len(repairs) == len(server.requests)
    kept = journal.mission(outcome.mission_id)
    assert [plan.event.calls for plan in kept.plans] == [1] * (1 + len(repairs))
    assert [exchange.compiler for exchange in kept.exchanges] == ["claude"] * len(server.requests)
    assert kept.plans[-1].event.spec.mission.compiler == "claude"


IN_VAIN = """
root:
  sequence:
    - fallback: [{check: {door_is: {state: open}}}, {do: return_home}]
    - fallback: [{check: material_visible}, {do: return_home}]
    - {do: move_arm, with: {arm: right, object_label: material}}
    - {do: grasp, with: {arm: right, object_label: material}}
    - {do: close_door, with: {arm: right, object_label: door-handle}}
    - do: return_home
"""


@pytest.mark.parametrize(("door", "moves"), [("open", []), ("ajar", ["pull_open right"])])
def test_weakened_gate_of_a_model_plan_still_stops_the_mission(scripted, door, moves):
    world = {"door": door, "material": "absent"}
    run = run_paper("get the material", scripted([IN_VAIN]), world)
    end = (run.outcome.status, run.outcome.reason_code, run.robot.moves)
    assert end == ("blocked", "MATERIAL_NOT_VISIBLE_AFTER_OPEN", moves)
