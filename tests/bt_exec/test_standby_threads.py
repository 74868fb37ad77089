"""Threads that are started before they are needed."""

from __future__ import annotations

import os
import threading
import weakref

import pytest

from bt_exec.standby_threads import StandbyThreads


@pytest.fixture
def no_threads(monkeypatch):
    def refuse() -> None:
        def none_left(*_: object) -> None:
            raise RuntimeError("can't start new thread")

        monkeypatch.setattr("bt_exec.standby_threads._thread.start_new_thread", none_left)

    return refuse


def done_by(pool: StandbyThreads) -> int:
    """Return the thread that does some work."""
    ids: list[int] = []
    done = threading.Event()
    pool.run(lambda: (ids.append(threading.get_ident()), done.set()))
    assert done.wait(60)
    return ids[0]


def test_standby_threads_work_when_no_thread_can_be_started(no_threads):
    pool = StandbyThreads()
    pool.prepare(2)
    no_threads()
    hold = threading.Event()
    pool.run(lambda: hold.wait(60))
    assert done_by(pool) != threading.get_ident()
    hold.set()


def test_run_raises_when_all_are_busy_and_no_thread_can_be_started(no_threads):
    pool = StandbyThreads()
    no_threads()
    with pytest.raises(RuntimeError, match="can't start new thread"):
        pool.run(int)
    with pytest.raises(RuntimeError, match="can't start new thread"):
        pool.prepare(1)


def test_waiting_thread_does_not_keep_its_last_work_in_memory():
    pool, gone = StandbyThreads(), threading.Event()
    kept = threading.Event()
    weakref.finalize(kept, gone.set)
    pool.run(kept.set)
    del kept
    assert gone.wait(60)


def test_thread_is_reused_even_after_an_exception(caplog):
    pool = StandbyThreads()
    first = done_by(pool)
    raised = threading.Event()

    def fail() -> None:
        raised.set()
        raise SystemExit(3)

    pool.prepare(1)
    pool.run(fail)
    assert raised.wait(60)
    while not pool._idle:
        raised.wait(0.001)
    assert done_by(pool) == first
    assert "work on a standby thread failed" in caplog.text


def test_alarm_fires_unless_cancelled():
    pool = StandbyThreads()
    rung = threading.Event()
    pool.run_after(3600, pytest.fail).cancel()
    pool.run_after(0.0, rung.set)
    assert rung.wait(60)


def test_alarm_without_a_thread_is_logged_and_can_be_cancelled(no_threads, caplog):
    pool = StandbyThreads()
    no_threads()
    pool.run_after(0.0, pytest.fail).cancel()
    assert "no thread is available for an alarm" in caplog.text


def test_forked_child_does_not_wait_for_threads_of_its_parent():
    pool = StandbyThreads()
    pool.prepare(2)
    pool._pid = os.getpid() - 1  # state of the pool in a child process
    assert done_by(pool)
