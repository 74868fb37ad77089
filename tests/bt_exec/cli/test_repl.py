"""Prompt: one command after another."""

from __future__ import annotations

import re

import pytest

from tests.bt_exec.cli.conftest import Run


def test_repl_reads_commands_from_a_pipe(bt: Run) -> None:
    words = (
        "# first\n\nopen the door\nstatus\nopen the door\nreset door=opn\nfly\nquit\n"
        "open the door\n"
    )
    ran = bt("repl", "--fast", "--no-journal", stdin=words)
    assert ran.code == 2, "the first thing that went wrong"
    assert ran.out.count("✓ satisfied") == 2
    assert "  The door is open.\n" in ran.out
    assert "already open" in ran.out
    assert "world setting door='opn'" in ran.out
    assert ran.out.count("command   ") == 3


def test_prompt_opens_without_a_command(bt: Run) -> None:
    ran = bt(stdin="help\n")
    assert ran.code == 0
    assert "\n  Open the door. · 문을 열어.\n" in ran.out
    assert "reset [KEY=VALUE]" in ran.out


def test_prompt_commands_are_answered_in_their_language(bt: Run) -> None:
    ran = bt(
        "repl", "--fast", "--no-journal", stdin="문 열어\n상태\n도움말\n초기화\n상태\nstatus\n"
    )
    assert ran.code == 0
    told = ran.out.partition("완료")[2]
    assert "  문이 열려 있습니다.\n" in told
    assert "  두 손은 비어 있습니다.\n" in told
    assert "Ctrl-C는 임무를 멈추고" in told
    assert "처음 상태로 되돌렸습니다." in told
    assert told.endswith("  The arms are at home.\n  Both hands are empty.\n")
    assert "hand.left" not in told


def test_facts_without_a_sentence_are_listed_on_request(bt: Run) -> None:
    ran = bt("repl", "--fast", "--no-journal", "-v", stdin="status\n")
    assert "  doorway: free\n" in ran.out


def test_list_is_in_the_language_of_its_typed_name(bt: Run) -> None:
    ran = bt("repl", "--fast", stdin="open the door\n기록\nhistory\n기록 --failed\n")
    korean, english = ran.out.partition("   번호  시각")[2].split("   no.  when")
    assert "완료" in korean
    assert "satisfied" in english
    assert english.endswith("맞는 임무가 없습니다\n")


@pytest.mark.parametrize(
    ("command", "question", "seen", "told", "other"),
    [
        ("문 열어", "why did you stop?", r"seen +door closed", "told ", "[가-힣]"),
        ("open the door", "왜 멈췄어?", r"관찰 +문 닫힘", "전한 말 ", "[a-z]{2}"),
    ],
)
def test_reason_is_told_in_the_language_of_the_question(
    bt: Run, command: str, question: str, seen: str, told: str, other: str
) -> None:
    fault = "open_door=DOOR_STUCK"
    ran = bt("repl", "--fast", "--fault", fault, stdin=f"{command}\n{question}\n")
    reason = ran.out.rpartition("bt-exec replay 1\n")[2]
    own = reason.partition(command)[2].partition("\n")[2].partition(told)[0]
    assert re.search(seen, own)
    assert re.findall(other, own) == []
