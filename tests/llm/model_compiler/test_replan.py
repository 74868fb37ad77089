"""Re-planning after a failure: only the failed part is written again."""

from __future__ import annotations

from functools import partial

import pytest

from bt_exec.events import Planned
from bt_exec.spec.node_paths import nodes_with_paths
from tests.llm.model_compiler.corpus import good_answer
from tests.llm.model_compiler.fake_door import run_paper

FETCH = "get the material"
PLAIN = """
root:
  sequence:
    - {do: open_door, with: {arm: right, object_label: door-handle}}
    - check: material_visible
    - {do: move_arm, with: {arm: right, object_label: material}}
    - {do: grasp, with: {arm: right, object_label: material}}
    - {do: close_door, with: {arm: right, object_label: door-handle}}
    - do: return_home
"""
AGAIN = "root: {tree: take_material_again}"
LONG = """
root:
  sequence:
    - do: return_home
    - {check: material_visible, else: GONE}
    - {do: move_arm, with: {arm: right, object_label: material}}
    - {do: grasp, with: {arm: right, object_label: material}}
"""


@pytest.fixture
def asked_again(scripted):
    """Compiler that asks the model after every failure, without alternatives of the library."""
    return partial(scripted, repair="model")


def _plans(run):
    return [event.spec for event in run.events if isinstance(event, Planned)]


def test_answer_replaces_the_failed_subtree(asked_again):
    compiler = asked_again([good_answer(FETCH), AGAIN])
    run = run_paper(FETCH, compiler, faults=["grasp:1=GRASP_SLIPPED"])
    assert (run.outcome.status, run.outcome.model_requests, run.outcome.replans) == (
        "satisfied",
        2,
        1,
    )
    assert run.robot.moves == [
        "pull_open right",
        "reach right",
        "go_home",
        "reach right",
        "close_gripper right",
        "push_shut right",
        "go_home",
    ]
    first, second = _plans(run)
    assert (second.mission.plan_version, second.mission.parent) == (2, 1)
    assert second.mission.kept == (
        "get_material/open_door/open_door",
        "get_material/material_visible",
    )
    before, after = dict(nodes_with_paths(first.root)), dict(nodes_with_paths(second.root))
    assert before["get_material/shut_and_go_home"] == after["get_material/shut_and_go_home"]
    assert "get_material/take_material" not in after
    assert "get_material/take_material_again/grasp" in after


def test_only_the_failed_step_of_a_sequence_is_replaced(asked_again):
    run = run_paper(FETCH, asked_again([PLAIN, AGAIN]), faults=["grasp:1=GRASP_SLIPPED"])
    assert run.outcome.status == "satisfied"
    second = _plans(run)[1]
    assert second.mission.kept == ("open_door", "material_visible", "move_arm")
    assert [path for path, _ in nodes_with_paths(second.root)][-2:] == ["close_door", "return_home"]


def test_replacement_keeps_the_name_of_the_failed_part(asked_again):
    run = run_paper(
        FETCH, asked_again([good_answer(FETCH), LONG]), faults=["grasp:1=GRASP_SLIPPED"]
    )
    assert run.outcome.status == "satisfied"
    assert "get_material/take_material/grasp" in dict(nodes_with_paths(_plans(run)[1].root))


def test_repair_prompt_contains_failure_part_and_finished_steps(asked_again):
    compiler = asked_again([good_answer(FETCH), AGAIN])
    run_paper(FETCH, compiler, faults=["grasp:1=GRASP_SLIPPED"])
    said = "\n".join(block.text for block in compiler.model.asked[1].messages[0].blocks)
    assert '"failed_part": "get_material/take_material"' in said
    assert '"code": "GRASP_SLIPPED"' in said
    assert '"step": "get_material/open_door/open_door"' in said
    assert '"door": "open"' in said
    assert compiler.model.asked[0].system == compiler.model.asked[1].system


def test_problem_positions_refer_to_the_repair(asked_again):
    bad = "root: {sequence: [{do: return_home}, {do: fly}]}"
    compiler = asked_again([good_answer(FETCH), bad, AGAIN])
    run = run_paper(FETCH, compiler, faults=["grasp:1=GRASP_SLIPPED"])
    assert (run.outcome.status, run.outcome.model_requests) == ("satisfied", 3)
    said = compiler.model.asked[2].messages[-1].blocks[0].text
    assert '"place": "root/sequence[1]/do"' in said


def test_repair_may_use_the_other_arm(asked_again):
    left, right = (f"root: {{tree: open_door, with: {{arm: {arm}}}}}" for arm in ("left", "right"))
    run = run_paper(
        "open the door with your left arm",
        asked_again([left, right]),
        faults=["open_door:1=GRASP_SLIPPED"],
    )
    assert (run.outcome.status, run.outcome.model_requests) == ("satisfied", 2)
    assert run.robot.moves == ["pull_open right"]


@pytest.mark.parametrize(
    ("bad", "code"),
    [
        ("root: {do: open_door, with: {arm: left, object_label: door-handle}}", "ALREADY_DONE"),
        ("root: {do: return_home}", "PLAN_FOR_ANOTHER_COMMAND"),
        ("root: {sequence: []}", "EMPTY_PLAN"),
        ("root: {tree: take_material}", "SAME_PART_AGAIN"),
        ("root: {tree: take_material_again, repeat: forever}", "ENDLESS_LOOP"),
    ],
)
def test_bad_repair_is_sent_back(asked_again, bad, code):
    compiler = asked_again([good_answer(FETCH), bad, AGAIN])
    run = run_paper(FETCH, compiler, faults=["grasp:1=GRASP_SLIPPED"])
    assert run.outcome.status == "satisfied"
    assert f'"code": "{code}"' in compiler.model.asked[2].messages[-1].blocks[0].text


def test_declined_repair_blocks_the_mission_with_both_reasons(asked_again):
    compiler = asked_again([good_answer("자재를 가져와"), "root: {do: fly}"])
    run = run_paper("자재를 가져와", compiler, faults=["grasp:1=GRASP_SLIPPED"])
    assert (run.outcome.status, run.outcome.reason_code) == ("blocked", "SKILL_FAILED")
    assert (run.outcome.planner_calls, run.outcome.model_requests) == (2, 3)
    assert "언어 모델이 검증을 통과하는 다른 계획을 찾지 못했습니다: 없는 동작을 썼습니다(fly)" in (
        run.outcome.message
    )
    assert run.robot.moves == ["pull_open right", "reach right"]


def test_repeated_repair_in_the_same_world_ends_the_mission(asked_again):
    compiler = asked_again([good_answer(FETCH), "root: {tree: take_material_again}"])
    run = run_paper(FETCH, compiler, faults=["grasp=GRASP_SLIPPED"])
    assert run.outcome.status == "blocked"
    assert run.outcome.replans <= 3


def test_library_alternative_needs_no_request(scripted):
    compiler = scripted([good_answer(FETCH)])
    run = run_paper(FETCH, compiler, faults=["grasp:1=GRASP_SLIPPED"])
    assert (run.outcome.status, run.outcome.planner_calls, run.outcome.replans) == (
        "satisfied",
        2,
        1,
    )
    assert run.outcome.model_requests == len(compiler.model.asked) == 1
    second = _plans(run)[1]
    assert "take_material_again" in str(second.root)
    assert second.mission.notes[0] == (
        "an alternative from the library was used; the language model was not asked"
    )


def test_model_is_asked_if_the_library_has_no_alternative(scripted):
    compiler = scripted([PLAIN, AGAIN])
    run = run_paper(FETCH, compiler, faults=["grasp:1=GRASP_SLIPPED"])
    assert run.outcome.status == "satisfied"
    assert len(compiler.model.asked) == 2
