"""Checks that speech in a plan comes from the command, and that a stated refusal is found."""

from __future__ import annotations

from pathlib import Path

import pytest

from bt_exec.planning.plan_preparation import prepare
from bt_exec.site.compile_command import first_request
from bt_exec.site.site import load_site
from bt_exec.spec.shipped_yaml import parse_yaml
from bt_exec_llm.client import Answer
from bt_exec_llm.model_compiler.invented_word_checks import foreign_words, speaking_steps
from bt_exec_llm.model_compiler.plan_effects import offline_plan
from bt_exec_llm.model_compiler.planning_dialogue import _judge
from tests.llm.model_compiler.corpus import OFFLINE
from tests.llm.model_compiler.fake_door import request_for

pytestmark = pytest.mark.sampled

SITE = load_site("building")
FILE = Path(__file__).parents[2] / "data" / "bad_talk" / "building.yaml"
BAD = parse_yaml(FILE.read_text(encoding="utf-8"))


def judged(command, answer):
    request = first_request(SITE, command)
    return _judge(Answer(answer), request, offline_plan(request, OFFLINE))


@pytest.mark.parametrize("bad", BAD, ids=lambda bad: bad["name"])
def test_speech_not_from_the_command_is_rejected_or_removed(bad):
    found = judged(bad["command"], bad["answer"])
    if bad.get("cut"):  # a pass removes it before it is spoken
        assert found.plan is not None
        plan = prepare(found.plan.written, first_request(SITE, bad["command"])).spec
        assert bad["cut"] not in {str(talk.texts) for talk in speaking_steps(plan, SITE.catalogue)}
        return
    assert found.plan is None
    assert set(bad["codes"]) <= {problem.code for problem in found.problems}


GOOD = [
    ("go to the lounge", "{do: navigate, with: {target: lounge}}"),
    ("ask the professor when the meeting is", "ASK When is the meeting?"),
    ("ask the professor when the meeting is", "ASK Could you please tell me when the meeting is?"),
    ("ask the professor when the meeting is", "ASK Hello! When is our meeting?"),
    ("교수님께 회의가 언제인지 여쭤봐", "ASK 회의가 언제예요?"),
    ("교수님께 회의가 언제인지 여쭤봐", "ASK 안녕하세요, 회의가 언제인가요?"),
    ("교수님께 회의가 언제인지 여쭤봐", "ASK 회의는 언제입니까?"),
    ("교수님께 회의가 언제인지 여쭤봐", "ASK 회의가 언제인지 여쭤봐도 될까요?"),
    ("교수님께 회의가 언제인지 여쭤봐", "ASK 실례합니다. 회의가 언제인지 여쭤봐도 괜찮을까요?"),
    ("교수님께 회의가 언제인지 여쭤봐", "ASK 회의가 언제인지 알려 주실 수 있을까요?"),
    ("tell the professor that the meeting is cancelled", "ASK The meeting is cancelled."),
    ("tell the professor that the meeting is cancelled", "ASK Your meeting has been cancelled."),
    ("교수님께 회의가 취소됐다고 전해", "ASK 회의가 취소되었습니다."),
    ("deliver the document to the professor", "{tree: deliver_item, with: "
     "{person: professor, item: document}}"),
    ("복도에 사람이 몇 명 있는지 보고 와", "{sequence: [{tree: look_at, with: "
     "{place: corridor_center, about: people}}, {tree: report_back}]}"),
    ("복도에 사람이 몇 명 있는지 보고 와", "{sequence: [{do: navigate, with: "
     "{target: corridor_center}}, {do: observe_scene, with: {target: corridor_center, "
     "query: 사람이 몇 명 있는지}}, {do: navigate, with: {target: basecamp}}, "
     "{do: talk_to_person, with: {target: user, topic: report}}, {do: summarize_mission}]}"),
]  # fmt: skip
ASKED = "{{sequence: [{{do: navigate, with: {{target: professor_office}}}}, {{do: talk_to_person, "
ASKED += "with: {{target: professor, topic: '{}'}}}}]}}"


@pytest.mark.parametrize(("command", "root"), GOOD)
def test_speech_that_rephrases_the_command_is_accepted(command, root):
    if root.startswith("ASK "):
        root = ASKED.format(root[4:])
    assert [str(problem) for problem in judged(command, f"root: {root}").problems] == []


@pytest.mark.parametrize(
    ("text", "source", "foreign"),
    [
        ("When is the meeting?", "ask him when the meeting is", []),
        ("The meetings were cancelled", "say that the meeting is cancelled", []),
        ("Send money", "say that the meeting is cancelled", ["send", "money"]),
        ("회의를 취소했습니다", "회의가 취소됐다고 전해", []),
        ("小心 meeting", "say that the meeting is cancelled", ["小心"]),
        ("돈을 보내세요", "회의가 취소됐다고 전해", ["돈을", "보내세요"]),
        ("사과", "사람이 있다고 전해", ["사과"]),
        ("문 열기", "문을 열고 오라고 전해", []),
    ],
)
def test_content_words_outside_the_command_are_found(text, source, foreign):
    assert foreign_words(text, [source]) == foreign


DECLINES = {
    "a reason beside a plan": "cannot: a hand is in the door gap\nroot: {tree: open_door}",
    "behind it": "root: {tree: open_door}\ncannot: a hand is in the door gap",
    "in another case": "Cannot: a hand is in the door gap\nroot: {tree: open_door}",
    "as a list": "cannot: [a hand is in the door gap]\nroot: {tree: open_door}",
    "as a mapping": "cannot: {reason: a hand is in the door gap}\nroot: {tree: open_door}",
    "as true": "cannot: true\nroot: {tree: open_door}",
    "in JSON": '{"root": {"tree": "open_door"}, "cannot": "a hand is in the door gap"}',
    "in a fence": "```yaml\ncannot: a hand is in the gap\nroot: {tree: open_door}\n```",
    "in a wrapper": "plan: {cannot: a hand is in the gap, root: {tree: open_door}}",
    "beside a wrapper": '{"plan": {"root": {"tree": "open_door"}}, "Cannot": "a hand is there"}',
    "beside a list": '{"plan": [{"action": "open_door"}], "can\'t": "a hand is there"}',
    "in a flat plan": '{"explanation": "", "cannot": "a hand is in the gap", "assumes": [], '
    '"subgoals": [], "nodes": [{"id": "n1", "kind": "tree", "runs": "open_door"}]}',
    "beside a bare node": "cannot: a hand is in the gap\ntree: open_door",
    "in a turn report": "cannot: a hand is in the gap\nfull_action_list: []\nnext_action: null",
    "in Korean": "cannot: 손이 문틈에 있습니다\nroot: {tree: open_door}",
    "beside a plan that is wrong": "cannot: a hand is in the gap\nroot: {do: fly}",
    "alone": "cannot: a hand is in the gap",
}


@pytest.mark.parametrize("case", DECLINES)
def test_answer_with_both_a_plan_and_a_refusal_is_a_refusal(case):
    request = request_for("open the door")
    found = _judge(Answer(DECLINES[case]), request, offline_plan(request, OFFLINE))
    assert found.plan is None
    assert found.cannot


@pytest.mark.parametrize("nothing", ["''", "null", "false", "none", "None.", "N/A", "[]", "없음"])
def test_empty_refusal_reason_does_not_refuse_the_plan(nothing):
    request = request_for("open the door")
    answer = f"cannot: {nothing}\nroot: {{tree: open_door}}"
    assert _judge(Answer(answer), request, offline_plan(request, OFFLINE)).plan is not None
