"""Blocking calls of skills: they never block a tick, and a cancel does not wait for them."""

import threading
import time

import pytest

from bt_exec.standby_threads import run_in_thread


def finish(steps):
    """Tick to the end and return the result."""
    while True:
        try:
            next(steps)
        except StopIteration as stop:
            return stop.value
        time.sleep(0.001)


def test_skill_yields_until_the_call_returns():
    ready = threading.Event()
    steps = run_in_thread(lambda: ready.wait(60) and "answer", "asking")
    assert [next(steps).doing for _ in range(3)] == ["asking"] * 3
    ready.set()
    assert finish(steps) == "answer"


def test_exception_of_the_call_is_raised_in_the_skill():
    def broken():
        raise ConnectionError("no network")

    with pytest.raises(ConnectionError, match="no network"):
        finish(run_in_thread(broken))


def test_cancel_does_not_wait_for_the_call():
    enough, ended = threading.Event(), threading.Event()

    def call():
        enough.wait(30)
        ended.set()

    steps = run_in_thread(call)
    next(steps)
    steps.close()
    assert not ended.is_set(), "the cancel waited until the call was over"
    enough.set()
    assert ended.wait(30)


def test_call_runs_on_a_daemon_thread():
    threads = []
    finish(run_in_thread(lambda: threads.append(threading.current_thread())))
    assert [(thread.name, thread.daemon) for thread in threads] == [("skill-call", True)]


def test_default_progress_text_is_waiting():
    enough = threading.Event()
    steps = run_in_thread(enough.wait)
    step = next(steps)
    assert (step.progress, step.doing) == (None, "waiting")
    enough.set()
    assert finish(steps) is True


def test_system_exit_of_the_call_is_raised_unchanged():
    def leaves():
        raise SystemExit(3)

    with pytest.raises(RuntimeError, match="the call tried to end the process: SystemExit: 3"):
        finish(run_in_thread(leaves))


def test_call_within_a_call_runs_on_the_same_thread():
    def outer():
        return threading.current_thread(), finish(run_in_thread(threading.current_thread))

    outside, inside = finish(run_in_thread(outer))
    assert outside is inside
