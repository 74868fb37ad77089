"""Listeners: order of calls, isolation of errors and of listeners that hang."""

from __future__ import annotations

from typing import Any

import pytest

from bt_exec.events import Turn
from bt_exec.failure import PartBroken
from bt_exec.mission.listeners import Listeners

EVENT = Turn(0.0, 1, {})


class Watch:
    """Watchdog that records its calls. The parts in `hangs` hang."""

    limit_s = 2.0

    def __init__(self, *hangs: str) -> None:
        self.hangs = set(hangs)
        self.hung: set[str] = set()
        self.calls: list[tuple[str, float]] = []

    def call_recorder(self, limit_s: float, part: str, function: Any, *args: Any) -> Any:
        self.calls.append((part, limit_s))
        if part in self.hangs:
            raise PartBroken(part, "hangs", "STEP_HUNG")
        return function(*args)

    def call(self, part: str, function: Any, *args: Any) -> Any:
        if part in self.hangs:
            self.hung.add(part)
        return self.call_recorder(self.limit_s, part, function, *args)


class Hears:
    def __init__(self, error: BaseException | None = None) -> None:
        self.heard: list[Any] = []
        self.error = error

    def on(self, event: Any) -> None:
        self.heard.append(event)
        if self.error is not None:
            raise self.error


class Other(Hears):
    pass


def test_journal_gets_extra_time_for_its_commits():
    watch, record, other = Watch(), Hears(), Other()
    Listeners(record, [other], watch).notify(EVENT)
    assert watch.calls == [("the record", 7.0), ("the listener Other", 2.0)]
    assert record.heard == other.heard == [EVENT]


def test_listeners_are_called_without_a_journal():
    other = Other()
    Listeners(None, [other], Watch()).notify(EVENT)
    assert other.heard == [EVENT]


@pytest.mark.parametrize("who", ["the record", "the listener Hears", "the listener Other"])
def test_hung_listener_is_reported_after_the_others_were_called(who):
    watch = Watch(who)
    record, first, last = Hears(), Hears(), Other()
    listeners = Listeners(record, [first, last], watch)
    for _ in range(2):
        if who == "the record" or not watch.hung:
            with pytest.raises(PartBroken) as told:
                listeners.notify(EVENT)
            assert told.value.part == who
        else:
            listeners.notify(EVENT)  # a hung listener gets no further events
    called = [part for part, _ in watch.calls]
    assert called.count(who) == (2 if who == "the record" else 1)
    assert called.count("the record") == 2
    assert [len(one.heard) for one in (first, last)] == [
        0 if who == "the listener Hears" else 2,
        0 if who == "the listener Other" else 2,
    ]


def test_listener_that_raises_is_logged_once_and_called_again(caplog):
    listeners = [Hears(ValueError("no ears")), Other(SystemExit()), Other(SystemExit())]
    told = Listeners(Hears(OSError("no disk")), [*listeners], Watch())
    for _ in range(2):
        told.notify(EVENT)
    assert caplog.messages == [
        "Hears missed an event: no disk",
        "Hears missed an event: no ears",
        *["Other missed an event: SystemExit"] * 2,
    ]
    assert [len(one.heard) for one in listeners] == [2, 2, 2]


def test_keyboard_interrupt_in_a_listener_is_raised():
    with pytest.raises(KeyboardInterrupt):
        Listeners(None, [Hears(KeyboardInterrupt())], Watch()).notify(EVENT)
