"""The handle of a motion: how it ends, and how progress is counted."""

from __future__ import annotations

from bt_exec.failure import Failed
from bt_exec_skills.motion.stepped import SteppedMotion
from bt_exec_skills.navigation.drive import Command


def test_a_motion_ends_well_blocked_or_stopped():
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


def test_phases_count_alike_and_progress_never_goes_back():
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


def test_an_arm_that_arrives_keeps_its_target():
    frozen = []
    motion = SteppedMotion(iter_once(), lambda: frozen.append(1), brake=False)
    while not motion.done:
        motion.advance()
    assert (motion.failure, frozen) == (None, [])


def iter_once():
    yield 1.0, "moving"
