"""Engines that run tasks in local processes: results, crashed workers, stops, missing engines."""

from __future__ import annotations

import importlib.util

import pytest

from bt_exec.batch.engines import run_tasks
from bt_exec.failure import UnknownName, UsageError

DIES = "__import__('os')._exit(3)"


def test_result_is_returned_for_each_task() -> None:
    found = dict(run_tasks(eval, [f"{n} * {n}" for n in range(7)], workers=2))
    assert found == {f"{n} * {n}": n * n for n in range(7)}


def test_only_the_result_of_a_task_that_kills_its_worker_is_lost() -> None:
    tasks = ["1", "2", DIES, "3", "4"]
    found = list(run_tasks(eval, tasks, workers=1))
    assert sorted(task for task, _ in found) == sorted(tasks)
    assert dict(found) == {"1": 1, "2": 2, DIES: None, "3": 3, "4": 4}


def test_run_ends_after_the_tasks_in_progress_when_stopped() -> None:
    begun = iter(range(100))
    found = list(run_tasks(eval, ["7"] * 50, workers=1, stop=lambda: next(begun) >= 3))
    assert found == [("7", 7)] * 3


def test_unknown_engine_error_lists_the_known_ones() -> None:
    with pytest.raises(UnknownName, match="there is no engine 'rey'; known, nearest first: ray"):
        list(run_tasks(eval, ["1"], engine="rey"))


@pytest.mark.skipif(importlib.util.find_spec("ray") is not None, reason="ray is installed")
def test_missing_ray_is_reported_with_its_extra() -> None:
    with pytest.raises(UsageError, match=r"needs ray: pip install 'bt-exec\[ray\]'"):
        list(run_tasks(eval, ["1"], engine="ray"))
