from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from bt_exec.journal import default_path
from bt_exec.tui.summary import summary_lines
from bt_exec.tui.terminal_text import without_styles
from tests.bt_exec.tui.scripted import Script, outcome

FAILURE = {"code": "GRASP_SLIPPED"}

CASES: list[tuple[Any, str]] = [
    (
        outcome(plan_version=2, failures=(FAILURE,), journal="/default"),
        """\
 ✓ satisfied in 31.4 s · 2 plans, 1 failure recovered · 628 ticks
   The material is in the right hand, the door is closed.
   record 2026-11-20-0007 · bt-exec why 7 · bt-exec replay 7""",
    ),
    (
        outcome(
            "blocked",
            reason_code="MATERIAL_NOT_VISIBLE_AFTER_OPEN",
            message="문을 열었지만 자재가 보이지 않습니다. 아무것도 잡지 않았습니다.",
            sim_seconds=4.0,
        ),
        """\
 ■ blocked after 4.0 s · exit 3
   문을 열었지만 자재가 보이지 않습니다. 아무것도 잡지 않았습니다.
   seen: door open 0.9 · handle yes · material yes · 4.0 s old""",
    ),
    (
        outcome(
            "refused",
            reason_code="NOT_UNDERSTOOD",
            message="I do not know “window”.",
            nearest=("Open the door.",),
        ),
        """\
 ↷ refused · exit 5
   I do not know “window”.
   try one of these:
     Open the door.""",
    ),
    (
        outcome(
            "refused", reason_code="X", message="I can: open the door.", nearest=("Open the door.",)
        ),
        """\
 ↷ refused · exit 5
   I can: open the door.""",
    ),
    (
        outcome(
            "aborted", reason_code="ABORTED", message="Stopped at your request.", sim_seconds=125.0
        ),
        """\
 ■ stopped after 2 min 05 s · exit 130
   Stopped at your request.""",
    ),
    (
        outcome(
            "failed", reason_code="SKILL_CRASHED", message="A skill broke.", problems=("a: b",)
        ),
        """\
 ✗ failed after 31.4 s · exit 4
   A skill broke.
   seen: door open 0.9 · handle yes · material yes · 31.4 s old
   a: b""",
    ),
]


@pytest.mark.parametrize(("ended", "expected"), CASES)
def test_final_summary_depends_on_the_outcome(ended: Any, expected: str) -> None:
    if ended.journal:
        ended = replace(ended, journal=str(default_path()))
    model = Script().start().look().model
    lines = summary_lines(ended, 80, model=model, commands=("why", "replay"))
    assert without_styles(lines) == expected


def test_line_breaks_of_a_message_are_kept() -> None:
    _, *said = without_styles(
        summary_lines(outcome(message="Done before:\n09:05 one\n14:05 two"), 80)
    ).split("\n")
    assert said == ["   Done before:", "   09:05 one", "   14:05 two"]


def test_final_summary_fits_a_narrow_ascii_terminal() -> None:
    lines = summary_lines(outcome(), 40, ascii=True)
    assert without_styles(lines) == (
        " + satisfied in 31.4 s - 1 plan...\n"
        "   The material is in the right hand,\n"
        "   the door is closed."
    )
