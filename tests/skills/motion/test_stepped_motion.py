"""Handle of a motion: its end, and its progress."""

from __future__ import annotations

import pytest

from bt_exec.failure import Failed
from bt_exec_skills.motion.stepped_motion import SteppedMotion, follow_motion
from bt_exec_skills.navigation.drive import Command


def test_motion_ends_with_success_blocked_or_stopped():
    def drive(fails=False):
        yield Command(0.5, "driving", 0.3, 0.1)
        if fails:
            raise Failed("BLOCKED_PATH", "no way")

    frozen = []
    motion = SteppedMotion(drive(), lambda: frozen.append(1))
    assert motion.advance() == Command(0.5, "driving", 0.3, 0.1)
    assert (motion.done, motion.progress, motion.doing) == (False, 0.5, "driving")
    assert motion.advance() is None
    assert (motion.done, motion.failure, motion.progress) == (True, None, 1.0)
    failed = SteppedMotion(drive(fails=True), lambda: frozen.append(2))
    assert failed.advance() is not None
    assert failed.advance() is None
    assert str(failed.failure) == "BLOCKED_PATH: no way"
    stopped = SteppedMotion(drive(), lambda: frozen.append(3))
    stopped.stop()
    stopped.stop()
    assert (stopped.done, stopped.failure is not None) == (True, True)
    assert frozen == [1, 2, 3]


def test_phases_have_equal_shares_and_progress_never_decreases():
    def phases():
        yield 0.0, "planning"
        yield 0.5, "reaching"
        yield 1.0, "reaching"
        yield 0.0, "pulling"
        yield 1.0, "pulling"

    motion = SteppedMotion(phases(), lambda: None, phases=2)
    told = []
    while motion.advance() is not None:
        told.append((motion.progress, motion.doing))
    assert told == [
        (0.0, "planning"),
        (0.25, "reaching"),
        (0.5, "reaching"),
        (0.5, "pulling"),
        (1.0, "pulling"),
    ]


def test_motion_without_brake_does_not_freeze_the_robot_at_its_end():
    frozen = []
    motion = SteppedMotion(iter_once(), lambda: frozen.append(1), brake=False)
    while not motion.done:
        motion.advance()
    assert (motion.failure, frozen) == (None, [])


def iter_once():
    yield 1.0, "moving"


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
