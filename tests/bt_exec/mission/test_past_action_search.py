"""Questions about past actions, compared with the finished skills of the record."""

from __future__ import annotations

from typing import Any

import pytest

from bt_exec.events import SkillEnded, SkillStarting
from bt_exec.journal.recorded_mission import SkillRun
from bt_exec.mission.past_action_search import was_carried_out
from bt_exec.mission.self_questions import act_in_question
from bt_exec.spec.load import load_text


def ran(skill: str, state: str | None = "done", **args: Any) -> SkillRun:
    """Return a call of a skill; one without a state has no recorded end."""
    start = SkillStarting(0.0, 0, "root", skill, args, 1)
    end = SkillEnded(1.0, 20, "root", skill, 1, state, 1.0) if state else None
    return SkillRun(1, start, end)


OPEN = "{do: open_door, with: {arm: right}}"
OTHER = "{do: open_door, with: {arm: left}}"
UNLESS_OPEN = "{do: open_door, with: {arm: right}, skip_if: is_open}"


@pytest.mark.parametrize(
    ("plan", "runs", "done"),
    [
        (OPEN, [ran("open_door", arm="right")], True),
        (OPEN, [ran("open_door", arm="right", speed=0.5)], True),
        (OPEN, [ran("open_door", arm="left")], False),
        (OPEN, [ran("open_door", "failed", arm="right")], False),
        (OPEN, [ran("open_door", None, arm="right")], False),
        (OPEN, [], False),
        (UNLESS_OPEN, [ran("open_door", arm="right")], True),
        (UNLESS_OPEN, [ran("close_door", arm="right")], False),
        (f"{{fallback: [{OPEN}, {OTHER}]}}", [ran("open_door", arm="left")], True),
        (f"{{fallback: [{{check: is_open}}, {OPEN}]}}", [], False),
        (f"{{sequence: [{OPEN}, {{do: go_home}}]}}", [ran("open_door", arm="right")], False),
        (
            f"{{sequence: [{{check: is_open}}, {OPEN}, {{do: go_home}}]}}",
            [ran("open_door", arm="right"), ran("wave"), ran("go_home")],
            True,
        ),
        ("{do: give, with: {to: $who}}", [ran("give", to="Ada")], True),
    ],
)
def test_plan_counts_as_done_if_the_record_contains_one_possible_execution(
    plan: str, runs: list[SkillRun], done: bool
) -> None:
    root = load_text(f"tree: t\nroot: {plan}").document.root
    assert was_carried_out(root, runs) is done


def test_arguments_are_compared_in_one_language() -> None:
    root = load_text("tree: t\nroot: {do: give, with: {item: 서류}}").document.root
    runs = [ran("give", item="document")]
    assert not was_carried_out(root, runs)
    assert was_carried_out(root, runs, lambda word: {"서류": "document"}.get(word, word))


@pytest.mark.parametrize(
    ("question", "act"),
    [
        ("did you open the door?", "open the door"),
        ("Have you already open the door", "open the door"),
        ("why did you let go of it?", "let go of it"),
        ("when did you ever close the door?", "close the door"),
        ("문 열었어?", "문 열어"),
        ("문 닫았습니까?", "문 닫아"),
        ("니가 문 열었니?", "문 열어"),
        ("왜 놨어?", "놔"),
        ("why didn't you open the door?", "open the door"),
        ("how come you did not close it?", "close it"),
        ("아까 왜 문을 안 닫았어?", "문을 닫아"),
        ("문 언제 열었어?", "문 열어"),
        ("자재를 왜 벌써 꺼냈어?", "자재를 꺼내"),
        ("왜 문을 닫지 않았어?", "문을 닫자"),
        ("언제 자재를 꺼냈어?", "자재를 꺼내"),
        ("문 열었던 적 있어?", "문 열어"),
        ("서류 교수님께 드린 거야?", ""),
        ("open the door", ""),
        ("문 열려 있어?", ""),
        ("문 열겠어?", ""),
        ("what did you do?", ""),
    ],
)
def test_action_in_a_question_is_returned_as_a_command(question: str, act: str) -> None:
    assert act_in_question(question) == act
