"""Parts of a run: lines of items, and the writer of answers."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import Any

import pytest

from bt_exec.failure import UsageError
from bt_exec_labeler.batch import run as module
from bt_exec_labeler.batch.run import BATCH, Progress, label_batch
from bt_exec_labeler.labeler_items import Item
from bt_exec_labeler.labelers import LabelerFailure, Labelled
from bt_exec_labeler.labelers.recorded_action_labeler import RulesLabeler
from bt_exec_labeler.plan_record import Breach
from bt_exec_labeler.vocabulary import Vocabulary


class Store:
    """Store that keeps the answers of each transaction; it can be made to fail."""

    def __init__(self) -> None:
        self.written: list[list[Any]] = []
        self.free = threading.Event()
        self.free.set()
        self.fails = False

    def put(self, lines: Sequence[Any]) -> None:
        assert self.free.wait(10)
        if self.fails:
            raise UsageError("the disk is full")
        self.written.append(list(lines))


def answers(*numbers: int) -> list[Any]:
    return [(str(number), {"n": number}) for number in numbers]


def test_answers_that_arrive_during_a_write_share_the_next_write() -> None:
    store: Any = Store()
    store.free.clear()
    with module._Saving(store) as saving:
        for number in range(4):
            saving.put(answers(number))
        assert store.written == []
        store.free.set()
    assert store.written == [answers(0), answers(1, 2, 3)]


def test_too_many_waiting_answers_block_until_they_are_written() -> None:
    store: Any = Store()
    store.free.clear()
    with module._Saving(store) as saving:
        saving.put(answers(0))
        saving.put(answers(*range(1, 513)))
        assert store.written == []
        threading.Timer(0.05, store.free.set).start()
        saving.put(answers(513))
        assert store.written[0] == answers(0)
    assert [line for lines in store.written for line in lines] == answers(*range(514))
    assert 512 == 64 * BATCH == module._UNSAVED


def test_failure_to_write_is_reported() -> None:
    store: Any = Store()
    store.fails = True
    with pytest.raises(UsageError, match="the disk is full"), module._Saving(store) as saving:
        saving.put(answers(1))


def test_line_of_an_item_has_all_fields(items: Sequence[Item], vocabulary: Vocabulary) -> None:
    class Half(RulesLabeler):
        def label(self, items: Sequence[Item]) -> Sequence[Labelled]:
            (found,) = super().label(items[:1])
            breach = Breach("ODD", "record", "is odd")
            raise LabelerFailure("AWAY", "gone", {0: found, 1: Labelled(None, (breach,), 4)})

    first, second, third = items
    lines, failure = label_batch(
        {"a": first, "b": second, "c": third}, Half(vocabulary), vocabulary, None
    )
    assert failure is not None
    assert (failure.code, [key for key, _ in lines]) == ("AWAY", ["a", "b"])
    one, other = (line for _, line in lines)
    assert list(one) == [
        "item", "role", "episode", "t", "mid_step_id", "record", "why", "kind", "flaws",
        "provenance",
    ]  # fmt: skip
    assert (one["item"], one["role"], one["episode"]) == (first.id, "controller", "game_00")
    assert (one["t"], one["mid_step_id"], one["kind"]) == (first.t, "go_to_key", "step")
    assert one["record"]["plan_id"].startswith("plan_game_00_")
    assert one["provenance"] == {"labeler": "rules", "attempts": 1, "cached": False}
    assert other["record"] is None
    assert other["why"] == [{"code": "ODD", "where": "record", "message": "is odd"}]
    assert other["provenance"]["attempts"] == 4


def test_progress_counts_items_records_and_cached_answers() -> None:
    progress = Progress(items=1, records=1)
    cached: dict[str, Any] = {"record": None, "provenance": {"cached": True}}
    plain: dict[str, Any] = {"record": {}, "provenance": {}}
    module._count_lines(progress, [cached, plain, plain])
    assert (progress.items, progress.records, progress.cached) == (4, 3, 1)
