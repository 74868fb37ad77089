"""Missions under a seeded scheduler: each seed is an interleaving, and failures can be replayed.

The message of a failure begins with its seed; ``stage.go(seed)`` runs it again.
"""

from __future__ import annotations

import _thread
import os
import threading
import time
from typing import Any

import pytest

from bt_exec.journal.write import Recorder
from bt_exec.mission import executive, planner
from bt_exec.mission.executive import Executive
from bt_exec.mission.robot_life_cycle import LifeCycle
from bt_exec.mission.watchdog import Watchdog
from bt_exec.planning.compiler import PREPARE, VerifiedPlan
from tests.bt_exec.mission.interleaved_missions import BrokenError, Stage
from tests.bt_exec.mission.simulated_threads import DeadlockError, Schedule

PARTS = int(os.environ.get("BT_EXEC_INTERLEAVINGS", "1"))
"""Number of parts of the slow test. Each part has 100 seeds."""


@pytest.fixture
def stage(tmp_path, monkeypatch):
    monkeypatch.setenv("BT_EXEC_LOCKS", str(tmp_path))
    with Stage(tmp_path).open() as opened:
        yield opened


def run_seeds(stage: Stage, seeds: range) -> None:
    for seed in seeds:
        stage.go(seed)


def test_no_skill_starts_after_a_stop_directly_before_the_tick(stage):
    stage.go(9391)  # the stop comes between the check for stops and the tick


@pytest.mark.slow
@pytest.mark.parametrize("part", range(PARTS))
def test_invariants_hold_for_many_interleavings(stage, part):
    run_seeds(stage, range(100 * part, 100 + 100 * part))


def test_seed_replays_the_same_run(stage):
    def traces(seeds: Any) -> dict[int, Any]:
        return {seed: (stage.go(seed).trace, stage.schedule.points) for seed in seeds}

    assert traces(range(10)) == traces(reversed(range(10)))


# -- known faults, reintroduced ------------------------------------------------------------------


def forget_stop_after_verification(monkeypatch):
    check_stop = Executive._check_stop

    def check_stop_later(self):
        if self.runtime.tick:
            check_stop(self)

    monkeypatch.setattr(Executive, "_check_stop", check_stop_later)


def start_unrecorded(monkeypatch):
    monkeypatch.setattr(Recorder, "flush", lambda _: True)
    monkeypatch.setattr(Recorder, "recording_error", lambda recorder: recorder.problem)


def skip_verification(monkeypatch):
    def prepare(answer, request):
        return VerifiedPlan(answer.spec, answer.spec, request.situation, made_by=PREPARE)

    monkeypatch.setattr(planner, "prepare_answer", prepare)


def leave_robot_moving(monkeypatch):
    monkeypatch.setattr(executive, "come_to_rest", lambda *_: None)


def watch_no_idle_robot(monkeypatch):
    monkeypatch.setattr(LifeCycle, "stop_moving_robots", lambda _: None)


def stop_hanging_part_once(monkeypatch):
    bite = Watchdog._handle_hang

    def once(self, call):
        if not call.hangs:
            bite(self, call)

    monkeypatch.setattr(Watchdog, "_handle_hang", once)


def see_to_no_stop(monkeypatch):
    monkeypatch.setattr(Executive, "_escalate_abort", lambda *_: None)
    monkeypatch.setattr(Executive, "_check_stop", lambda _: None)


FAULTS = {
    forget_stop_after_verification: (10, "after a stop"),
    start_unrecorded: (0, "before its start is on record"),
    skip_verification: (36, "claims the arm twice"),
    leave_robot_moving: (1, "moves after a mission|outside a mission"),
    watch_no_idle_robot: (140, "outside a mission"),
    stop_hanging_part_once: (38, "no thread continues"),
    see_to_no_stop: (10, "after a stop"),
}
"""For each fault: a first seed from which the search finds it soon, and its message."""


@pytest.mark.slow
@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault.__name__)
def test_known_fault_is_found_by_the_scheduler(stage, monkeypatch, fault):
    fault(monkeypatch)
    first, message = FAULTS[fault]
    with pytest.raises((BrokenError, DeadlockError), match=message):
        run_seeds(stage, range(first, first + 1000))


# -- the scheduler -------------------------------------------------------------------------------


def race(schedule: Schedule) -> int:
    """Increment a number on two threads without a lock."""
    number = 0

    def increment() -> None:
        nonlocal number
        read = number
        time.sleep(0)
        number = read + 1

    threads = [threading.Thread(target=increment) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return number


def test_scheduler_finds_a_lost_update():
    schedule = Schedule()
    with schedule.installed():
        results = [schedule.run(seed, lambda: race(schedule)) for seed in range(300)]
    assert set(results) == {1, 2}


def test_reused_thread_identifier_does_not_change_a_run():
    schedule = Schedule()

    def look() -> None:
        over = threading.Lock()
        over.acquire()

        def thread() -> None:
            threading.current_thread()  # registers the thread under its identifier
            over.release()

        _thread.start_new_thread(thread, ())
        over.acquire()

    def points() -> int:
        schedule.run(1, look)
        return schedule.points

    with schedule.installed():
        assert len({points() for _ in range(20)}) == 1


def test_scheduler_finds_a_deadlock():
    def cross() -> None:
        one, two = threading.Lock(), threading.Lock()

        def backwards() -> None:
            with two, one:
                pass

        thread = threading.Thread(target=backwards)
        thread.start()
        with one, two:
            pass
        thread.join()

    schedule = Schedule()
    found = 0
    with schedule.installed():
        for seed in range(50):
            try:
                schedule.run(seed, cross)
            except DeadlockError:
                found += 1
    assert 0 < found < 50
