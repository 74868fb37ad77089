from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bt_exec.failure import SpecError
from bt_exec.spec.load import load_text
from bt_exec_skills.reporter.plan_json import ACTIONS, read_plan, write_plan
from tests.cases import examples

DOCUMENT = """
{"plan": [
  {"action": "navigate", "params": {"target": "corridor_center"}},
  {"action": "observe_scene",
   "params": {"target": "corridor_center", "query": "복도 조명이 켜져 있는지 확인"}},
  {"action": "navigate", "params": {"target": "basecamp"}},
  {"action": "talk_to_person", "params": {"target": "user", "topic": "복도 조명 상태 보고"}},
  {"action": "summarize_mission", "params": {}}
]}
"""

words = st.text(min_size=1, max_size=30).filter(lambda text: bool(text.strip()))
steps = st.sampled_from(sorted(ACTIONS)).flatmap(
    lambda action: st.fixed_dictionaries(dict.fromkeys(ACTIONS[action], words)).map(
        lambda params: {"action": action, "params": params}
    )
)


@settings(max_examples=examples(100))
@given(st.lists(steps, min_size=1, max_size=8))
def test_written_plan_is_parsed_to_the_same_plan(plan):
    text = json.dumps({"plan": plan})
    assert json.loads(write_plan(read_plan(text))) == {"plan": plan}


def test_documented_plan_is_converted_to_a_tree(row):
    spec = read_plan(DOCUMENT)
    assert row(spec) == (
        "go corridor_center / see corridor_center light / go basecamp / tell user / sum"
    )
    assert (spec.mission.compiler, spec.mission.language) == ("plan-json", "ko")


def test_optional_parameter_is_kept_in_a_round_trip():
    params = {"object": "box", "recipient": "user", "giver": "lounge"}
    plan = {"plan": [{"action": "deliver_object", "params": params}]}
    assert json.loads(write_plan(read_plan(json.dumps(plan)))) == plan


def test_compiled_plan_round_trip_has_the_same_actions(plan_of, row):
    spec = plan_of("복도랑 라운지 둘러보고 교수님께 회의 언제인지 여쭤보고 와서 알려줘")
    again = read_plan(write_plan(spec))
    assert row(again) == row(spec)
    assert write_plan(again) == write_plan(spec)


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("", ["BAD_JSON"]),
        ("{", ["BAD_JSON"]),
        ("[" * 100_000, ["BAD_JSON"]),
        ("[]", ["NOT_A_PLAN"]),
        ('{"plan": []}', ["NOT_A_PLAN"]),
        ('{"plan": [], "more": 1}', ["NOT_A_PLAN"]),
        ('{"plan": [1, {"action": 2}]}', ["NOT_AN_ACTION", "NOT_AN_ACTION"]),
        ('{"plan": [{"action": "fly", "params": {}}]}', ["UNKNOWN_SKILL"]),
        ('{"plan": [{"action": "navigate", "params": []}]}', ["BAD_VALUE"]),
        ('{"plan": [{"action": "navigate", "params": {"to": "x"}}]}', None),
        ('{"plan": [{"action": "navigate", "params": {"target": 3}}]}', ["WRONG_TYPE"]),
        ('{"plan": [{"action": "summarize_mission", "args": {}}]}', ["UNKNOWN_FIELD"]),
    ],
)
def test_invalid_plan_is_refused_with_all_problems(text, codes):
    with pytest.raises(SpecError) as caught:
        read_plan(text, "plan.json")
    found = [problem.code for problem in caught.value.problems]
    assert found == (codes or ["UNKNOWN_ARGUMENT", "MISSING_ARGUMENT"])
    assert all(problem.file == "plan.json" for problem in caught.value.problems)


def test_problem_lists_the_allowed_values():
    with pytest.raises(SpecError, match=r"plan\[0\]/action: unknown action 'fly'"):
        read_plan('{"plan": [{"action": "fly"}]}')


@pytest.mark.parametrize(
    "root",
    [
        "{parallel: [{do: summarize_mission}, {do: summarize_mission}]}",
        "{check: failure_noted}",
        "{do: summarize_mission, retry: 2}",
        "{do: navigate, with: {target: $where}}",
        "{do: open_door}",
    ],
)
def test_inexpressible_parts_of_a_plan_are_refused(root):
    spec = load_text(f"mission: {{command: x}}\nroot: {root}\n").document
    with pytest.raises(SpecError, match="NOT_IN_PLAN_JSON"):
        write_plan(spec)
