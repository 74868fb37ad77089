"""Parts of the reader of LeRobot data sets: task texts, row groups and actions."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from bt_exec.failure import UsageError
from bt_exec_labeler.episode import Flaw
from bt_exec_labeler.lerobot import read as module


def test_tasks_without_number_or_text_are_ignored(tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [
        {"task_index": 0, "task": "go"},
        {"task_index": 1, "__index_level_0__": "rest"},
        {"task_index": 2, "task": None},
        {"task_index": "3", "task": "no"},
        {"task": "no"},
    ]
    info: Any = SimpleNamespace(has_shared_files=False)
    assert module._read_tasks(tmp_path, info) == {}
    (tmp_path / "meta").mkdir()
    text = "\n".join(map(json.dumps, rows)) + "\n"
    (tmp_path / "meta" / "tasks.jsonl").write_text(text)
    assert module._read_tasks(tmp_path, info) == {0: "go", 1: "rest"}
    assert module._read_tasks(tmp_path, SimpleNamespace(has_shared_files=True)) == {}  # type: ignore[arg-type]


def group(*columns: tuple[str, Any, Any]) -> Any:
    made = [
        SimpleNamespace(
            path_in_schema=name,
            statistics=None if least is None else SimpleNamespace(min=least, max=most),
        )
        for name, least, most in columns
    ]
    return SimpleNamespace(num_columns=len(made), column=made.__getitem__)


@pytest.mark.parametrize(
    ("episode", "holds"), [(1, False), (2, True), (3, True), (4, True), (5, False)]
)
def test_row_group_is_skipped_by_its_statistics(episode: int, holds: bool) -> None:
    column = ("episode_index", 2, 4)
    assert module._may_contain(group(("t", 0, 1), column), episode) is holds
    assert module._may_contain(group(("t", 0, 1)), episode)
    assert module._may_contain(group(("episode_index", None, None)), episode)
    assert module._may_contain(group(("episode_index", "2", "4")), episode)


def stored(*tasks: Any, names: tuple[str, ...] = ("task_index",)) -> Any:
    rows = [
        SimpleNamespace(
            t=float(t),
            said=SimpleNamespace(language_events=None, subtask_index=None, task_index=task),
        )
        for t, task in enumerate(tasks)
    ]
    return SimpleNamespace(rows=rows, names=names, file=Path("a"), flaws=[], persistent=[])


def acted(of: Any, task: str = "", **texts: str) -> Any:
    info: Any = SimpleNamespace(fps=2, has_shared_files=True)
    numbered = {int(name[1:]): text for name, text in texts.items()}
    found = module._read_actions(Path("nowhere"), info, of, task, numbered)
    return [(action.t, action.end, action.args) for action in found]


def test_task_of_an_episode_is_its_only_action() -> None:
    assert acted(stored(0, 0, 0), "go", _0="go") == [(0.0, 2.5, {"text": "go"})]
    assert acted(stored(0, 0, 0), "", _0="go") == []
    assert acted(stored(), "go") == []


def test_several_tasks_of_an_episode_are_actions() -> None:
    parts = stored(0, 0, 1, 7, 1)
    assert acted(parts, "go; rest", _0="go", _1="rest") == [
        (0.0, 2.0, {"text": "go"}), (2.0, 4.5, {"text": "rest"})
    ]  # fmt: skip
    said = "the list of tasks has no text of task 7; frames with it have no task"
    assert parts.flaws == [Flaw("no_task", "meta/tasks", said)]
    unnamed = stored(7, names=())
    assert acted(unnamed, "go") == [(0.0, 0.5, {"text": "go"})]
    assert unnamed.flaws == []


def test_persistent_language_must_be_a_list() -> None:
    for value, said in (("{", "is not JSON"), ("{}", "is not a list"), (7, "is not a list")):
        with pytest.raises(UsageError, match=f"^a: language_persistent {said}"):
            module._persistent_rows(value, Path("a"))
    assert module._persistent_rows(None, Path("a")) == []
    assert module._persistent_rows("[]", Path("a")) == []
