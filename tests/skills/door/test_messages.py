"""Messages of the door pack: every code and skip reason has a sentence in both languages."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import bt_exec
from bt_exec.failure import Failure
from bt_exec.language.messages import Messages
from bt_exec.testing.declaration_checks import check_pack
from bt_exec_skills import door
from bt_exec_skills.door.pack import PACK
from bt_exec_skills.door.perception.door_state_agreement import SENTENCES
from bt_exec_skills.door.skills.skill_helpers import _CODES

assert PACK.messages is not None
MESSAGES = Messages.load([PACK.messages])


@pytest.mark.parametrize("skill", PACK.skills, ids=lambda s: s.name)
def test_every_failure_code_has_a_sentence(skill) -> None:
    assert skill.fails <= MESSAGES.codes()


@pytest.mark.parametrize("condition", PACK.conditions, ids=lambda c: c.name)
def test_every_skip_reason_and_code_of_an_unknown_condition_has_a_sentence(condition) -> None:
    states = ("open", "ajar", "closed") if condition.name == "door_is" else ("",)
    for state in states:
        reason = condition.skip_reason.replace("{state}", state)
        assert not reason or reason in MESSAGES
    assert condition.unknown in MESSAGES


def test_codes_of_the_door_pack_have_sentences() -> None:
    assert {
        "ALREADY_OPEN",
        "ALREADY_CLOSED",
        "MATERIAL_NOT_VISIBLE_AFTER_OPEN",
        "UNCERTAIN_PERCEPTION",
    } <= MESSAGES.codes()


@pytest.mark.parametrize(
    ("language", "sentence"),
    [("en", "I do not see the door handle."), ("ko", "찾는 대상(손잡이)이 보이지 않습니다.")],
)
def test_failure_is_explained_in_the_language_of_the_command(language: str, sentence: str) -> None:
    failure = Failure("LABEL_NOT_DETECTED", args={"arm": "left", "object_label": "door-handle"})
    assert MESSAGES.explain_failure(failure, language) == sentence


def test_pack_passes_the_shipped_checker() -> None:
    check_pack(PACK, MESSAGES)


def _details() -> list[tuple[str, str]]:
    """Return the code and the message of every failure in the files of the pack.

    A number is ``#``, and an arm stands for both. Messages with other placeholders are left out.
    """
    found = []
    folder = Path(door.__file__).parent
    for file in folder.rglob("*.py"):
        for call in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
            if isinstance(call, ast.Call) and getattr(call.func, "id", "") in ("Failed", "Blocked"):
                code, text = [*call.args, None, None][:2]
                texts = _texts(text)
                if isinstance(code, ast.Constant):
                    found += [(REASONS.get(code.value, code.value), one) for one in texts]
    return found


def _texts(node: ast.expr | None) -> list[str]:
    if isinstance(node, ast.Constant):
        return [str(node.value)]
    texts = [""]
    for part in node.values if isinstance(node, ast.JoinedStr) else []:
        arms, things = ["left", "right"], ["material", "door-handle"]
        blanks = {"arm": arms, "limb.arm": arms, "object_label": things, "held": things}
        if isinstance(part, ast.FormattedValue):
            words = ["#"] if part.format_spec else blanks.get(ast.unparse(part.value), [])
        else:
            words = [part.value]
        texts = [text + word for text in texts for word in words]
    return texts if isinstance(node, ast.JoinedStr) else []


REASONS = {"STUCK": "DOOR_STUCK", **_CODES}
DETAILS = [(code, text) for code, text in _details() if code in MESSAGES.codes()]


def test_motion_details_are_extracted_from_the_source() -> None:
    assert ("DOOR_STUCK", "the door fell back to # rad") in DETAILS
    assert ("GRASP_SLIPPED", "the material slipped out of the hand") in DETAILS
    assert ("GRASP_SLIPPED", "the right hand came back without the material") in DETAILS
    assert ("UNREACHABLE", "the left arm does not reach (#, #, #) m") in DETAILS


@pytest.mark.parametrize(("code", "text"), DETAILS)
def test_motion_details_are_translated_to_korean(code: str, text: str) -> None:
    failure = Failure(code, text.replace("#", "0.25"), args={"arm": "left"})
    common = Path(bt_exec.__file__).parent / "language" / "messages.yaml"
    both = Messages.load([common], {"door": PACK.messages}).of_pack("door")
    korean = (
        both.explain_failure(failure, "ko").replace("rad", "").replace("mm", "").replace(" m", "")
    )
    assert not re.search("[A-Za-z]", korean)


@pytest.mark.parametrize("sentence", SENTENCES)
def test_uncertainty_reasons_exist_in_both_languages(sentence: str) -> None:
    failure = Failure("UNCERTAIN_PERCEPTION", sentence)
    assert MESSAGES.explain_failure(failure, "en") == f"I cannot tell what I see: {sentence}."
    korean = MESSAGES.explain_failure(failure, "ko")
    assert korean.startswith("무엇이 보이는지 확실하지 않습니다: ")
    assert not re.search("[A-Za-z]", korean)
