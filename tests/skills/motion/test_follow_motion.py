"""Waiting for the end of a motion, which is stopped in any case."""

from __future__ import annotations

import pytest

from bt_exec_skills.motion.follow_motion import follow_motion
from bt_exec_skills.motion.stepped import SteppedMotion


def endless():
    while True:
        yield 0.5, "moving"


def two_steps():
    yield 0.1, "moving"
    yield 0.9, "moving"


def follow(motion, interrupted=lambda: ""):
    steps = follow_motion(motion, lambda: motion.doing, interrupted)
    try:
        while True:
            yielded = next(steps)
            assert yielded.doing == motion.doing
            motion.advance()
    except StopIteration as stop:
        return stop.value


def test_motion_that_ends_by_itself_has_succeeded():
    motion = SteppedMotion(two_steps(), lambda: None)
    assert follow(motion) == ""
    assert (motion.done, motion.failure) == (True, None)


def test_interruption_stops_the_motion_with_a_reason():
    motion = SteppedMotion(endless(), lambda: None)
    answers = iter(["", "", "the camera is dark"])
    assert follow(motion, lambda: next(answers)) == "the camera is dark"
    assert str(motion.failure) == "STOPPED: it was asked to stop"


@pytest.mark.parametrize("steps", [0, 3])
def test_cancel_stops_the_motion(steps):
    motion = SteppedMotion(endless(), lambda: None)
    following = follow_motion(motion, lambda: motion.doing)
    for _ in range(1 + steps):
        next(following)
    following.close()
    assert motion.done
