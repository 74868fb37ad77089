"""Interval timers that parts leave running. Their signal would interrupt later parts."""

from __future__ import annotations

import signal
import time
from collections.abc import Iterator

import pytest

from bt_exec.skill import Running, Steps, skill

TIMERS = {"ITIMER_REAL": "SIGALRM", "ITIMER_VIRTUAL": "SIGVTALRM", "ITIMER_PROF": "SIGPROF"}
TREE = "tree: t\nutterances: [go]\nroot: {do: a}"
LATE_S = 1000.0
SOON_S = 0.01


@pytest.fixture(autouse=True)
def no_timers() -> Iterator[None]:
    """Switch off the timer of pytest-timeout during the test."""
    earlier = signal.setitimer(signal.ITIMER_REAL, 0)
    before = {name: signal.getsignal(getattr(signal, name)) for name in TIMERS.values()}
    yield
    for timer, name in TIMERS.items():
        signal.setitimer(getattr(signal, timer), 0)
        signal.signal(getattr(signal, name), before[name])
    signal.setitimer(signal.ITIMER_REAL, *earlier)


def running() -> set[str]:
    return {name for name in TIMERS if signal.getitimer(getattr(signal, name))[0]}


def starting(name: str, *, ticks: int, error: str = "") -> object:
    @skill()
    def a() -> Steps:
        """Start a timer and leave it running."""
        signal.setitimer(getattr(signal, name), LATE_S, LATE_S)
        for _ in range(ticks):
            yield Running()
        if error:
            raise OSError(error)

    return a


@pytest.mark.parametrize("name", TIMERS)
@pytest.mark.parametrize("error", ["", "crash"])
def test_timer_left_by_a_skill_is_stopped_and_reported(stage, caplog, name, error):
    outcome = stage([starting(name, ticks=0, error=error)], TREE).run()
    assert running() == set()
    assert outcome.reason_code == ("SKILL_CRASHED" if error else "OK")
    assert f"the timer of {TIMERS[name]} running" in caplog.text


def test_timer_does_not_outlive_the_tick_that_started_it(stage):
    seen: list[set[str]] = []

    @skill()
    def a() -> Steps:
        """Start a timer and keep running."""
        signal.setitimer(signal.ITIMER_PROF, LATE_S)
        time.sleep(0.03)
        for _ in range(3):
            yield Running()
            seen.append(running())

    assert stage([a], TREE).run().status == "satisfied"
    assert seen[-1] == set()


def test_timer_started_before_the_mission_is_kept(stage, caplog):
    signal.setitimer(signal.ITIMER_PROF, LATE_S)
    assert stage([starting("ITIMER_REAL", ticks=1)], TREE).run().status == "satisfied"
    assert running() == {"ITIMER_PROF"}
    assert "SIGPROF" not in caplog.text


@pytest.mark.parametrize("error", [TimeoutError, SystemExit])
def test_signal_handler_that_raises_outside_its_skill_is_reported(stage, monkeypatch, error):
    """The handler raises between two steps of the skill, so the skill has not failed."""

    def answer(*_: object) -> None:
        raise error("too late")

    @skill()
    def a() -> Steps:
        """Install a handler that raises at any later moment."""
        signal.signal(signal.SIGALRM, answer)
        signal.setitimer(signal.ITIMER_REAL, SOON_S, SOON_S)
        while True:
            yield Running()

    def wait() -> None:
        until = time.monotonic() + 60
        while time.monotonic() < until:
            pass

    on = stage([a], TREE)
    monkeypatch.setattr(on.executive._perception_loop, "collect", wait)
    outcome = on.run()
    assert (outcome.status, outcome.reason_code) == ("failed", "PART_BROKEN")
    assert outcome.failures[-1]["message"] == (
        f"the handler of SIGALRM raised {error.__name__}: too late"
    )
    assert running() == set()
