"""Correct plans in many forms, each accepted with one request."""

from __future__ import annotations

import json

import pytest
import yaml

from bt_exec_llm.model_compiler.flat_format import to_flat
from tests.llm.model_compiler.fake_door import run_paper

pytestmark = pytest.mark.sampled

FETCH = [
    {"tree": "open_door"},
    {"check": "material_visible", "else": "MATERIAL_NOT_VISIBLE_AFTER_OPEN"},
    {"tree": "take_material"},
    {"tree": "shut_and_go_home"},
]
OPEN = {"do": "open_door", "with": {"arm": "right", "object_label": "door-handle"}}
IS_OPEN = {"door_is": {"state": "open"}}
PLANS = {
    "open": ("open the door", {}, {"tree": "open_door"}),
    "open by the skill": ("open the door", {}, {**OPEN, "skip_if": IS_OPEN}),
    "open in Korean, left": (
        "왼팔로 문을 열어",
        {},
        {"tree": "open_door", "with": {"arm": "left"}},
    ),
    "open ajar": ("문 열어 줘", {"door": "ajar"}, {"sequence": [OPEN]}),
    "open or else with the left": (
        "open the door",
        {},
        {"fallback": [OPEN, {"tree": "open_door", "with": {"arm": "left"}}]},
    ),
    "open in several attempts": ("open the door", {}, {"tree": "open_door", "retry": 5}),
    "close": ("문을 닫아", {"door": "open"}, {"tree": "close_door"}),
    "close, the hand is full": (
        "close the door",
        {"door": "open", "hand": "right"},
        {"tree": "close_door", "timeout": "30s"},
    ),
    "open and close": (
        "open the door and then close it",
        {},
        {"sequence": [{"tree": "open_door"}, {"tree": "close_door"}]},
    ),
    "fetch": ("자재를 가져와", {}, {"tree": "get_material"}),
    "fetch in steps": ("get the material", {}, {"sequence": FETCH}),
    "fetch from an open door": ("get the material", {"door": "open"}, {"sequence": FETCH[1:]}),
    "arms home": ("bring your arms home", {}, {"do": "return_home", "skip_if": "arms_home"}),
    "let go": ("let go of the material", {"hand": "right"}, {"tree": "let_go"}),
}
EXPLAINED = {"explanation": "Does what is asked; it does not touch anything else.", "cannot": ""}


def _yaml(root):
    return yaml.safe_dump({"root": root}, sort_keys=False, allow_unicode=True)


def _flat(root):
    said = {**EXPLAINED, "assumes": [], "subgoals": [], "nodes": to_flat(root)}
    return json.dumps(said, ensure_ascii=False)


FORMS = {
    "yaml": _yaml,
    "yaml with an explanation": lambda root: yaml.safe_dump(
        {**EXPLAINED, "assumes": {}, "root": root}, sort_keys=False
    ),
    "json": lambda root: json.dumps({"root": root}),
    "json over lines": lambda root: json.dumps({**EXPLAINED, "root": root}, indent=2),
    "flat": _flat,
    "a fence": lambda root: f"```yaml\n{_yaml(root)}```",
    "a fence among words": lambda root: (
        f"Sure! Here is the plan you asked for:\n\n```yaml\n{_yaml(root)}```\nIt is short."
    ),
    "words around": lambda root: f"Here is the plan.\n\n{_yaml(root)}\nLet me know how it goes.",
    "thoughts": lambda root: f"<think>It must not fail. root: no</think>\n{_yaml(root)}",
    "a wrapper": lambda root: json.dumps({"plan": {"root": root}}),
    "a bare node": lambda root: yaml.safe_dump(root, sort_keys=False),
    "python": lambda root: str({"root": root}),
    "trailing commas": lambda root: json.dumps({"root": root}).replace("}", ",}"),
    "no reason against it": lambda root: json.dumps({"root": root, "cannot": None}),
    "an opening as a key": lambda root: yaml.safe_dump({"Here is the plan": {"root": root}}),
    "an opening above it": lambda root: f"Here is the plan:\n{_yaml(root)}",
    "a Korean opening": lambda root: f"네, 알겠습니다. 요청하신 계획입니다:\n\n{_yaml(root)}",
    "a title": lambda root: f"### Plan\n\n```yaml\n{_yaml(root)}```\n",
}


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("plan", PLANS)
def test_correct_plan_is_accepted_after_one_request(plan, form, scripted):
    command, world, root = PLANS[plan]
    compiler = scripted([FORMS[form](root)])
    outcome = run_paper(command, compiler, world).outcome
    assert (outcome.status, outcome.model_requests) == ("satisfied", 1), outcome.problems


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("open the door", "Here is the requested plan in YAML format:"),
        ("문을 열어", "여기 있습니다:"),
        ("문을 열어", "다음은 행동 트리입니다:"),
        ("문을 열어", "explanation: 오른팔로 문 손잡이를 잡고 문을 엽니다."),
        ("문을 열어", "explanation: 명령대로 문을 여는 계획입니다."),
        ("open the door", "explanation: The command asks to open the door with the library tree."),
        ("open the door", "explanation: This simply opens the door."),
    ],
)
def test_introduction_or_explanation_without_content_is_accepted(command, said, scripted):
    compiler = scripted([f"{said}\nroot: {{tree: open_door}}"])
    outcome = run_paper(command, compiler).outcome
    assert (outcome.status, outcome.model_requests) == ("satisfied", 1), outcome.problems
