from __future__ import annotations

import re
from pathlib import Path

import pytest

import bt_exec_llm
from bt_exec.failure import Refusal
from bt_exec.language.messages import Messages, language_of
from bt_exec.planning.command_offers import CommandOffers
from bt_exec.planning.compiler import Request
from bt_exec.site.site import catalogue_messages
from bt_exec.spec.library import Library
from bt_exec_llm.offline.refusal_codes import CODES

ENGLISH = [
    (
        "open the window",
        "I do not know “window”. You can say: “open the door”, “open the door wide”, "
        "“close the door”.",
    ),
    ("paint the door", "I do not know the action “paint”."),
    ("open the red door", "I do not know “red”."),
    ("open the door in 5 minutes", "I cannot do things at a set time (“5 minutes”)."),
    ("open the door if it rains", "I cannot check this condition: “if it rains”."),
    ("open the door twice", "I cannot handle this number or amount: “open the door twice”."),
    ("open the door slowly", "I cannot control how an action is done (“slowly”)."),
    (
        "don't open the door",
        "I cannot follow this prohibition or exclusion: “don't open the door”.",
    ),
    ("", "There is no command."),
    ("find it", "“find it”: "),
    ("open window 3", "I do not know “window 3”."),
    ("open the 2 red windows", "I do not know “2 red windows”."),
    ("the door", "“the door”: I do not know what to do with it."),
    ("open the material", "“open the material”: I do not know who or what you mean."),
    (
        "open the door with your left arm and your right arm",
        "I did not understand “open the door with your left arm and yo…”.",
    ),
    ("open the door and", "The command is incomplete: “open the door and”."),
]
KOREAN = [
    (
        "창문을 열어 줘",
        "모르는 대상입니다: “창문”. 이렇게 말씀하실 수 있습니다: “문을 열어”, "
        "“문을 활짝 열어”, “상태 보고”.",
    ),
    ("창문열어", "모르는 대상입니다: “창문”."),
    ("문을 부숴", "모르는 동작입니다: “부숴”."),
    ("창문 3 열어", "모르는 대상입니다: “창”."),
    ("3번 창문 열어", "모르는 대상입니다: “창문”."),
    ("창문에게 가져와", "모르는 대상입니다: “창문”."),
    ("빨간 문 열어", "모르는 대상입니다: “빨간”."),
    ("5분 뒤에 문 열어", "시간을 정한 명령은 따를 수 없습니다: “5분 뒤에”."),
    ("문 열지 마", "금지하거나 제외하는 말을 따를 수 없습니다: “문 열지 마”."),
    ("천천히 문 열어", "동작을 하는 방식은 정할 수 없습니다: “천천히”."),
]


@pytest.mark.parametrize(("command", "message"), ENGLISH + KOREAN)
def test_refusal_is_in_the_language_of_the_command(ask, command, message):
    assert ask(command).message.startswith(message)


def test_suggestions_are_commands_sorted_by_similarity(ask, meaning):
    near = ask("opn the dorr mat").nearest
    assert near[0] == "Open the door."
    assert len(near) == len(set(near))
    assert not any(meaning(command).isupper() for command in near)
    korean = ask("자재를 가즈와").nearest
    assert korean[0] == "자재를 가져와."
    assert not any(meaning(command).isupper() for command in korean)


def test_commands_that_act_are_listed_before_questions(ask):
    assert "“open the door”" in ask("what can you do?").message
    assert "“문을 열어”" in ask("뭐 할 수 있어?").message


def test_library_without_utterances_has_no_suggestions(compiler, catalogue):
    refusal = compiler.compile(Request("open the door", "en", catalogue, Library()))
    assert (refusal.code, refusal.nearest) == ("NOT_TOGETHER", ())
    assert refusal.message == "I cannot do “open the door”."


PARTS = ("CAN", "MISSING", "ASK", "ASK_ONE", "ASK_WHAT", "CHOOSE")
PARTS += ("BETWEEN", "AT_LEAST", "AT_MOST", "ANY_NUMBER")


def test_every_code_is_documented_and_has_sentences():
    folder = Path(bt_exec_llm.__file__).parent / "offline"
    sentences = Messages.load([folder / "refusals.yaml"])
    assert sentences.codes() == {*CODES, *PARTS}
    table = (folder / "refusal_codes.py").read_text(encoding="utf-8").split('"""')[1]
    assert set(re.findall(r"\b[A-Z]+(?:_[A-Z]+)*\b", table)) >= set(CODES)


@pytest.mark.parametrize(
    ("command", "meant"),
    [
        ("fetch the materiel", "fetch the material"),
        (
            "opn the dor and tel me if the materal is there",
            "open the door and tell me if the material is there",
        ),
        ("자잭를 가져와", "자재를 가져와"),
        ("open the window", None),
        ("문짝을 통째로 떼어내 줘", None),  # "떼어네" is no word either: a remark may contain it
        ("open the poor", "open the door"),
    ],
)
def test_typo_is_answered_with_a_correction(compiler, catalogue, library, command, meant):
    messages = catalogue_messages(catalogue)
    request = Request(command, language_of(command), catalogue, library, messages)
    answer = CommandOffers(compiler).compile(request)
    assert isinstance(answer, Refusal)
    assert answer.did_you_mean == ((meant,) if meant else ())
    assert (meant or "") in answer.question


def test_long_words_are_truncated_in_a_refusal(ask):
    assert len(ask("open the " + "x" * 250).message) < 300
