"""Rounds, refusals, the fallback, settings, the record, and cancelling a pending request."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import threading
from dataclasses import replace

import pytest

from bt_exec.events import Planned
from bt_exec.failure import Refusal, UsageError
from bt_exec.journal import Journal
from bt_exec.language.meaning import Context
from bt_exec.language.messages import language_of
from bt_exec.mission.session import Session
from bt_exec.planning.compiler import Plan, Reply, compiler_names, find_compiler
from bt_exec.spec.model import Do, walk
from bt_exec_llm.client import Answer, ModelClient, ModelFailure, Usage
from bt_exec_llm.model_compiler.compiler import ModelCompiler, PlanningSettings, create
from tests.llm.model_compiler.corpus import OFFLINE, good_answer
from tests.llm.model_compiler.fake_door import SEEN_BY_ORACLE, SITE, request_for, run_paper

pytestmark = pytest.mark.sampled

GOOD = "root: {tree: open_door}"
OPEN = "open the door"


def test_compiler_is_registered_and_created_without_a_key():
    assert {"claude", "replay"} <= set(compiler_names())
    compiler = find_compiler("claude", {"base_url": "http://localhost:11434", "model": "qwen3"})
    assert isinstance(compiler, ModelCompiler)
    assert isinstance(compiler.model, ModelClient)


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"modle": "x"}, "the compiler claude has no setting 'modle'; known: model, "),
        ({"rounds": 9}, "setting 'rounds' of the compiler claude: input should be less than"),
        ({"fallback": "magic"}, "setting 'fallback' of the compiler claude: input should be 'off"),
        ({"base_url": "nowhere"}, "setting 'base_url' of the compiler claude: value error, must"),
    ],
)
def test_invalid_settings_are_usage_errors(settings, said):
    with pytest.raises(UsageError) as error:
        create(settings)
    assert str(error.value).startswith(said)


@pytest.mark.parametrize("first", ["offline", "model"])
def test_site_setting_selects_the_compiler_that_is_tried_first(scripted, first):
    compiler = scripted([GOOD], first=first)
    answer = compiler.compile(request_for(OPEN))
    asked = {"offline": 0, "model": 1}[first]
    assert (answer.requests, len(compiler.model.asked)) == (asked, asked)


def test_model_is_asked_only_after_the_offline_compiler_by_default(scripted):
    assert PlanningSettings().first == "offline"
    compiler = scripted([GOOD], first="offline")
    assert compiler.compile(request_for("let some fresh air in")).requests == 1
    assert isinstance(compiler.compile(request_for("thank you")), Reply)
    assert len(compiler.model.asked) == 1


def test_prompt_contains_earlier_commands(scripted):
    compiler = scripted([GOOD], first="model")
    request = replace(request_for("and now the same but gently"), context=Context.of([OPEN]))
    compiler.compile(request)
    (first,) = compiler.model.asked[0].messages
    assert '"command": "open the door"' in first.blocks[-1].text or any(
        '"command": "open the door"' in block.text for block in first.blocks
    )


def test_all_problems_are_sent_back_with_the_bad_answer(scripted):
    bad = "root: {sequence: [{do: fly}, {do: open_door, with: {arm: middle}}, {tree: nowhere}]}"
    compiler = scripted([bad, GOOD])
    answer = compiler.compile(request_for(OPEN))
    assert isinstance(answer, Plan)
    assert answer.calls == 2
    _, said, told = compiler.model.asked[1].messages
    assert (said.role, said.blocks[0].text) == ("assistant", bad)
    text = told.blocks[0].text
    for code in ("UNKNOWN_SKILL", "WRONG_TYPE", "MISSING_ARGUMENT", "UNKNOWN_TREE"):
        assert code in text
    listed = json.loads(text.partition("<problems>")[2].partition("</problems>")[0])
    assert listed[0]["place"] == "root/sequence[0]/do"
    assert listed[0]["found"] == "fly"
    assert "open_door" in listed[0]["allowed"]


def test_number_of_correction_rounds_is_limited_by_the_setting(scripted):
    compiler = scripted(["no"], rounds=1)
    refusal = compiler.compile(request_for(OPEN))
    assert (refusal.code, refusal.calls) == ("PLAN_REJECTED", 1)


def test_token_usage_is_summed_over_all_rounds(scripted):
    one = Usage(requests=1, input_tokens=100, output_tokens=10)
    replies = [lambda _: ModelFailure("MODEL_CUT_OFF", "", usage=one), GOOD]
    answer = scripted(replies).compile(request_for(OPEN))
    assert (answer.calls, answer.usage["input_tokens"]) == (2, 100)


def test_truncated_answer_is_requested_again(scripted):
    compiler = scripted([ModelFailure("MODEL_CUT_OFF", text="root: {sequ"), GOOD])
    assert isinstance(compiler.compile(request_for(OPEN)), Plan)
    assert "CUT_OFF" in compiler.model.asked[1].messages[-1].blocks[0].text


@pytest.mark.parametrize(
    ("command", "begins"),
    [
        (OPEN, "The language model reports that this cannot be done: “the handle is too high”."),
        ("문을 열어", "언어 모델이 할 수 없는 일이라고 합니다: “the handle is too high”."),
    ],
)
def test_command_declined_by_the_model_is_refused(scripted, command, begins):
    run = run_paper(command, scripted(["cannot: the handle is too high."]))
    assert (run.outcome.reason_code, run.outcome.message) == ("MODEL_DECLINED", begins)
    assert run.robot.moves == []


@pytest.mark.parametrize("code", ["MODEL_AUTH", "MODEL_OVERLOADED", "MODEL_NOT_JSON"])
def test_refusal_after_a_failed_request_is_in_the_language_of_the_command(scripted, code):
    run = run_paper("문을 열어", scripted([ModelFailure(code, "scripted")]))
    assert (run.outcome.status, run.outcome.reason_code) == ("refused", code)
    assert "언어 모델" in run.outcome.message
    assert (run.robot.moves, run.outcome.model_requests) == ([], 1)


@pytest.mark.parametrize("reply", ["no plan", ModelFailure("MODEL_UNREACHABLE", "x")])
def test_site_can_enable_the_offline_fallback(scripted, reply):
    run = run_paper(OPEN, scripted([reply], fallback="offline"))
    assert run.outcome.status == "satisfied"
    spec = next(event.spec for event in run.events if isinstance(event, Planned))
    assert spec.mission.compiler == "offline"
    assert any("planned without the language model" in note for note in spec.mission.notes)


def test_offline_fallback_repairs_a_failed_plan(scripted):
    replies = ["root: {tree: get_material}", ModelFailure("MODEL_OVERLOADED", "x")]
    compiler = scripted(replies, fallback="offline")
    run = run_paper("get the material", compiler, faults=["grasp:1=GRASP_SLIPPED"])
    assert (run.outcome.status, run.outcome.replans) == ("satisfied", 1)


def test_refusal_of_unknown_command_includes_the_reasons_of_the_model(scripted):
    run = run_paper("dance a little", scripted(["root: {do: dance}"], fallback="offline"))
    assert (run.outcome.status, run.outcome.reason_code) == ("refused", "PLAN_REJECTED")
    assert "(dance)" in run.outcome.message
    assert run.outcome.nearest


AIR = "let some air in, then make it dark again"
AIR_PLAN = "root: {sequence: [{tree: open_door}, {tree: close_door}]}"
UNASKED = ["tell me a joke", "오늘 점심 뭐 먹지?", AIR]


@pytest.mark.parametrize("site", [SITE, replace(SITE, confirm="always")])
def test_plan_that_only_the_model_understands_runs_after_confirmation(scripted, site):
    shown = []

    def confirm(spec, why, over):
        shown.append((why, spec))
        return True

    run = run_paper(AIR, scripted([AIR_PLAN]), confirm=confirm, site=site)
    assert run.outcome.status == "satisfied"
    assert run.robot.moves == ["pull_open right", "push_shut right"]
    ((why, spec),) = shown
    assert why == "Only the language model understands this command."
    assert {node.do for node in walk(spec.root) if isinstance(node, Do)} == {
        "open_door",
        "close_door",
    }


@pytest.mark.parametrize("command", UNASKED)
@pytest.mark.parametrize("confirm", [None, lambda *_: False])
def test_unconfirmed_plan_is_refused_with_a_remedy(scripted, command, confirm):
    run = run_paper(command, scripted([AIR_PLAN]), confirm=confirm)
    assert (run.outcome.status, run.outcome.reason_code) == ("refused", "NOT_CONFIRMED")
    assert run.robot.moves == []
    assert language_of(run.outcome.message) == language_of(command)
    asked = any(word in run.outcome.message for word in ("in a terminal", "터미널에서"))
    assert asked == (confirm is None)


FORBIDDEN = [
    "keep the door as it is, somebody stands there",
    "leave the door alone please",
    "문은 그대로 둬",
    "문 건드리지 말아 줄래",
    "창문 말고 다른 걸 생각해",
]


@pytest.mark.parametrize("command", FORBIDDEN)
def test_prohibition_with_unknown_words_moves_nothing(scripted, command):
    run = run_paper(command, scripted([AIR_PLAN]), confirm=lambda *_: True)
    assert run.outcome.status == "refused"
    assert run.robot.moves == []
    forbidden = any("COMMAND_FORBIDS" in problem for problem in run.outcome.problems)
    assert forbidden or run.outcome.reason_code == "NEGATED"


def test_site_can_disable_confirmation(scripted):
    run = run_paper(AIR, scripted([AIR_PLAN]), site=replace(SITE, confirm="never"))
    assert run.outcome.status == "satisfied"


def test_plan_without_motion_needs_no_confirmation(scripted):
    answer = "root: {check: {door_is: {state: open}}, tell: true}"
    run = run_paper("can somebody walk through there?", scripted([answer]))
    assert (run.outcome.status, run.robot.moves) == ("satisfied", [])


def test_site_can_require_confirmation_of_every_plan(scripted):
    site = replace(SITE, confirm="always")
    run = run_paper(OPEN, scripted([good_answer(OPEN)]), site=site)
    assert run.outcome.reason_code == "NOT_CONFIRMED"
    assert run_paper(OPEN, OFFLINE, site=site, confirm=lambda *_: True).robot.moves


def test_abort_takes_effect_during_confirmation(scripted):
    executives = []

    def confirm(spec, why, over):
        executives[0].abort()
        assert over.wait(30)
        return True

    run = run_paper(AIR, scripted([AIR_PLAN]), confirm=confirm, before=executives.append)
    assert (run.outcome.status, run.robot.moves) == ("aborted", [])


DECLINES = ["cannot: a hand is in the gap", ModelFailure("MODEL_REFUSED", "a hand is in the gap")]


@pytest.mark.parametrize("reply", DECLINES)
def test_offline_plan_after_a_decline_needs_confirmation(scripted, reply):
    run = run_paper(OPEN, scripted([reply], fallback="offline"))
    assert (run.outcome.status, run.outcome.reason_code) == ("refused", "NOT_CONFIRMED")
    assert "a hand is in the gap" in run.outcome.message
    assert run.robot.moves == []
    told = []
    run = run_paper(
        OPEN,
        scripted([reply], fallback="offline"),
        confirm=lambda spec, why, over: told.append(why) is None,
    )
    assert run.outcome.status == "satisfied"
    assert "a hand is in the gap" in told[0]
    spec = next(event.spec for event in run.events if isinstance(event, Planned))
    assert any("a hand is in the gap" in note for note in spec.mission.notes)


def test_repeated_answer_ends_the_correction_rounds(scripted):
    compiler = scripted(["root: {do: fly}"], rounds=5)
    run = run_paper(OPEN, compiler)
    assert len(compiler.model.asked) == run.outcome.model_requests == 2
    assert run.outcome.planner_calls == 1
    assert "the same answer again" in run.outcome.message
    second = scripted(["root: {do: fly}", "root: {do: fly, name: x}", good_answer(OPEN)])
    assert run_paper(OPEN, second).outcome.status == "satisfied"
    texts = [asked.messages[-1].blocks[0].text for asked in second.model.asked]
    assert ['"again":' in text for text in texts] == [False, False, True]


@pytest.mark.parametrize(
    "step",
    [
        "{check: {door_is: {state: open}}, else: HACKED}",
        "{check: door_known, while: {door_is: {state: open}, else: HACKED}}",
    ],
)
def test_invented_failure_code_of_the_model_is_not_used(scripted, step):
    answer = f"root: {{sequence: [{step}, {{tree: open_door}}]}}"
    run = run_paper(OPEN, scripted([answer]))
    assert run.outcome.reason_code != "HACKED"
    assert all("HACKED" not in str(failure) for failure in run.outcome.failures)


@pytest.mark.parametrize("command", ["", "문을 열지 마", "do not open the door", "open\x00 it"])
def test_empty_command_or_prohibition_is_not_sent_to_the_model(scripted, command):
    compiler = scripted([GOOD])
    assert isinstance(compiler.compile(request_for(command)), Refusal)
    assert compiler.model.asked == []


def test_tolerated_deviations_are_noted_in_the_plan(scripted):
    replies = [
        'Here you are:\n```json\n[{"Do": "OpenDoor", "args": {"arm": "Right", '
        '"object_label": "door-handle"}}]\n```'
    ]
    answer = scripted(replies).compile(request_for(OPEN))
    assert isinstance(answer, Plan)
    notes = " · ".join(answer.spec.mission.notes)
    for part in ("fence", "a list was read as a sequence", "'OpenDoor' was read as 'open_door'"):
        assert part in notes


def test_every_exchange_is_recorded_with_the_digest_of_its_question(scripted):
    kept = []
    request = dataclasses.replace(
        request_for(OPEN), record=lambda **exchange: kept.append(exchange)
    )
    scripted(["no", GOOD]).compile(request)
    assert [exchange["answer"] for exchange in kept] == ["no", GOOD]
    assert {exchange["compiler"] for exchange in kept} == {"claude"}
    assert len({hashlib.sha256(e["request"].encode()).hexdigest() for e in kept}) == 2
    kept.clear()
    scripted([ModelFailure("MODEL_AUTH", "no")]).compile(request)
    assert kept[0]["answer"].startswith("[MODEL_AUTH] no")


@pytest.mark.slow
def test_journal_contains_the_exchanges_of_a_mission(tmp_path, server, over_http):
    journal = Journal.open(tmp_path / "j.db")
    with Session(SEEN_BY_ORACLE, world={"door": "closed"}, fast=True, journal=journal) as session:
        session.compiler = over_http(["no", GOOD])
        outcome = session.run("문을 열어")
    assert (outcome.status, outcome.model_requests) == ("satisfied", 2)
    kept = journal.mission(outcome.mission_id)
    assert [exchange.answer for exchange in kept.exchanges] == ["no", GOOD]
    assert kept.exchanges[1].usage["requests"] == 1
    assert sum(plan.event.calls for plan in kept.plans) == outcome.model_requests
    secret = server.requests[0].headers["authorization"].removeprefix("Bearer ")
    assert secret not in str(kept.events)


@pytest.mark.timeout(120)
def test_abort_takes_effect_during_a_request(scripted):
    compiler = scripted([GOOD], seconds=3600)

    def abort_soon(executive):
        threading.Timer(0.3, executive.abort).start()

    run = run_paper(OPEN, compiler, before=abort_soon)
    assert run.outcome.status == "aborted"
    assert run.robot.moves == []


def test_slow_model_leaves_time_for_the_offline_fallback(scripted):
    request = dataclasses.replace(request_for(OPEN), limit_s=0.4)
    answer = scripted([GOOD], seconds=60, fallback="offline").compile(request)
    assert isinstance(answer, Plan)
    assert answer.spec.mission.compiler == "offline"
    request = dataclasses.replace(request, cancel=threading.Event())
    refusal = scripted([GOOD], seconds=60).compile(request)
    assert refusal.code == "MODEL_TIMEOUT"


def test_plan_contains_the_model_name_of_its_answer(scripted):
    class Named:
        def ask(self, question, cancel=None):
            return Answer(GOOD, model="some-model-5")

    compiler = ModelCompiler(Named(), PlanningSettings(first="model"))
    answer = compiler.compile(request_for(OPEN))
    assert (answer.spec.mission.compiler, answer.spec.mission.model) == ("claude", "some-model-5")


def test_abort_takes_effect_while_an_answer_is_parsed(scripted, monkeypatch):
    from bt_exec_llm.model_compiler import planning_dialogue

    reading, executives = threading.Event(), []

    def slow(text):
        reading.set()
        executives[0].abort()
        assert threading.Event().wait(0.3) is False
        return read(text)

    read = planning_dialogue.document_in
    monkeypatch.setattr(planning_dialogue, "document_in", slow)
    run = run_paper(OPEN, scripted([GOOD]), before=executives.append)
    assert reading.is_set()
    assert (run.outcome.status, run.robot.moves) == ("aborted", [])
