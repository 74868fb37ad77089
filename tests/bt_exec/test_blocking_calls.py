"""A blocking call never holds up a tick, and a cancel does not wait for it."""

import threading
import time

import pytest

from bt_exec.blocking_calls import run_in_thread


def finish(steps):
    """Tick to the end and return the result."""
    while True:
        try:
            next(steps)
        except StopIteration as stop:
            return stop.value
        time.sleep(0.001)


def test_it_yields_until_the_answer_is_there():
    ready = threading.Event()
    steps = run_in_thread(lambda: ready.wait(60) and "answer", "asking")
    assert [next(steps).doing for _ in range(3)] == ["asking"] * 3
    ready.set()
    assert finish(steps) == "answer"


def test_what_the_call_raises_is_raised_in_the_skill():
    def broken():
        raise ConnectionError("no network")

    with pytest.raises(ConnectionError, match="no network"):
        finish(run_in_thread(broken))


def test_a_cancel_does_not_wait_for_the_call():
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


def test_a_call_keeps_no_process_alive():
    threads = []
    finish(run_in_thread(lambda: threads.append(threading.current_thread())))
    assert [(thread.name, thread.daemon) for thread in threads] == [("skill-call", True)]


def test_where_nobody_says_what_is_done_it_is_waited():
    enough = threading.Event()
    steps = run_in_thread(enough.wait)
    step = next(steps)
    assert (step.progress, step.doing) == (None, "waiting")
    enough.set()
    assert finish(steps) is True


def test_a_call_that_ends_its_thread_is_raised_as_what_it_is():
    def leaves():
        raise SystemExit(3)

    with pytest.raises(RuntimeError, match="the call tried to end the process: SystemExit: 3"):
        finish(run_in_thread(leaves))
