"""Summary and parts of ``bt-exec label run``."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from bt_exec.batch.store import Changes
from bt_exec.failure import UnknownName
from bt_exec_labeler.batch import command as module
from bt_exec_labeler.batch.budget import Budget
from bt_exec_labeler.batch.command import role_by_name
from bt_exec_labeler.batch.run import Progress


def summary(progress: Progress, *, resumed: bool = False, why: Any = (), **budget: Any) -> Any:
    lines = [{"why": [{"code": code} for code in codes]} for codes in why]
    spent = {"requests": 3.0, "cost": 0.25}
    store = SimpleNamespace(spent=lambda: spent, results_in_order=lambda: lines)
    output: Any = SimpleNamespace(result_store=store, folder=Path("out"))
    return module._summary(progress, output, Budget(**budget), resumed=resumed)


def changes(total: int, **more: int) -> Changes:
    return Changes(**{"total": total, **more})


def test_complete_run_has_the_expected_summary() -> None:
    done = Progress(8, 6, 2, changes=changes(8), stopped="the budget is used up")
    assert summary(done, resumed=True, why=[["A"], [], ["A", "B"]]) == {
        "folder": "out",
        "items": 8,
        "records": 6,
        "dropped": 2,
        "left": 0,
        "cached": 2,
        "changed": {"new": 0, "changed": 0, "gone": 0},
        "why": {"A": 2, "B": 1},
        "usage": {},
        "stopped": "",
        "lines": [
            "6 records, 2 dropped, 0 left of 8 (2 from the cache): out",
            "      2 A",
            "      1 B",
        ],
    }


def test_stopped_run_summarizes_its_reasons() -> None:
    usage = {"requests": 3, "cost": 0.25, "overbilled": 2, "input_tokens": 0}
    stopped = Progress(
        5,
        4,
        0,
        {"REMOTE_AWAY": 2, "BUDGET_SPENT": 1},
        "the budget of 3 requests is used up",
        usage,
        changes(9, kept=3, new=6, changed=2, gone=1),
    )
    found = summary(stopped, resumed=True, requests=3, tokens=100)
    assert found["lines"] == [
        "4 records, 1 dropped, 4 left of 9 (0 from the cache): out",
        "resumed: 3 moments were labelled before, 4 are new, 2 changed in the recording, "
        "1 are gone from it",
        "! 1 batches: BUDGET_SPENT",
        "! 2 batches: REMOTE_AWAY",
        "budget used by all runs in this folder: 3 of 3 requests, 0 of 100 tokens",
        "! the server billed 2 requests more than they may cost: it writes more than "
        "client.max_tokens, or counts more tokens than a request has bytes",
        "requests 3, cost 0.25, overbilled 2",
        "stopped: the budget of 3 requests is used up; run the same command with --resume and a "
        "larger one to continue",
    ]
    assert (found["stopped"], found["left"]) == ("the budget of 3 requests is used up", 4)
    assert found["changed"] == {"new": 6, "changed": 2, "gone": 1}
    assert not any(line.startswith("resumed") for line in summary(stopped)["lines"])


@pytest.mark.parametrize("change", ["kept", "gone", "changed"])
def test_each_kind_of_change_is_reported_when_resumed(change: str) -> None:
    progress = Progress(2, 2, changes=changes(2, **{change: 1}))
    assert summary(progress, resumed=True)["lines"][1].startswith("resumed: ")
    fresh = Progress(2, 2, changes=changes(2, new=2))
    assert len(summary(fresh, resumed=True)["lines"]) == 1


def test_run_with_unanswered_moments_can_be_resumed() -> None:
    found = summary(Progress(1, 1, changes=changes(2)))
    why = "some moments got no answer, or the recording changed during the run"
    assert found["stopped"] == why
    assert found["lines"][-1] == (f"stopped: {why}; run the same command with --resume to continue")


def test_unknown_role_is_refused() -> None:
    assert [role_by_name(name) for name in ("planner", "controller")] == ["planner", "controller"]
    with pytest.raises(UnknownName, match="role"):
        role_by_name("pilot")


def test_progress_bar_shows_requests_and_their_cost(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[Any] = []

    class Bar:
        def __enter__(self) -> Any:
            return lambda *move: shown.append(move)

        def __exit__(self, *_: object) -> None:
            pass

    asked: list[Any] = []

    def bar(*how: Any) -> Bar:
        asked.append(how)
        return Bar()

    monkeypatch.setattr(module, "progress_bar", bar)
    with module._progress_bar() as tell:
        for usage in ({}, {"requests": 2}, {"requests": 3.0, "cost": 0.12345}, {"cost": 1.0}):
            tell(Progress(4, usage=usage, changes=changes(9)))
    assert asked == [("labelling", 0)]
    assert shown == [
        (4, "", 9),
        (4, "2 requests", 9),
        (4, "3 requests, cost 0.1235", 9),
        (4, "", 9),
    ]


def test_cached_answers_of_other_settings_are_not_used(tmp_path: Path) -> None:
    path = tmp_path / "cache.sqlite"

    def kept(labeler: str, options: dict[str, Any]) -> list[str]:
        with module._open_cache(path, labeler, options, wanted=True) as cache:
            assert cache is not None
            found = list(cache.get(["k"]))
            cache.put({"k": {"record": None}})
        return found

    assert kept("model", {"a": 1, "b": 2}) == []
    assert kept("model", {"b": 2, "a": 1}) == ["k"]
    assert kept("model", {"a": 2}) == []
    assert kept("remote", {"a": 1, "b": 2}) == []
    with module._open_cache(path, "model", {}, wanted=False) as none:
        assert none is None
