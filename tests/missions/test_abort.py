"""Ctrl-C during a skill: the arm stops within a tick, and the journal ends with the abort."""

import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from bt_exec.events import Aborting, NodeChanged, SkillStarting
from bt_exec.journal import Journal

GET = "문 안의 자재를 가져와"


class AbortDuring:
    """Listener that aborts some ticks after a skill started, and records the arm positions."""

    def __init__(self, skill, ticks):
        self.skill, self.ticks = skill, ticks
        self.session = None
        self.started = None
        self.aborted_at = None

    def on(self, event):
        if isinstance(event, SkillStarting) and event.skill == self.skill:
            self.started = event.tick
        due = self.started is not None and event.tick >= self.started + self.ticks
        if due and self.aborted_at is None:
            self.aborted_at = event.tick
            self.session.abort()


@pytest.mark.sampled
@pytest.mark.parametrize(("skill", "ticks"), [("open_door", 40), ("grasp", 25), ("close_door", 30)])
def test_arm_stops_within_a_tick_and_the_abort_is_recorded(door_session, tmp_path, skill, ticks):
    journal = tmp_path / "journal.sqlite"
    watcher = AbortDuring(skill, ticks)
    with door_session(
        world={"seed": "6"}, listeners=[watcher], journal=Journal.open(journal)
    ) as session:
        watcher.session = session
        robot = session.rigs["door"].robot
        positions = []
        step = robot.step

        def watched_step(seconds):
            step(seconds)
            if seconds:  # a step of 0 s only executes a pending stop
                positions.append((robot.still, robot.world.data.qpos.copy()))

        robot.step = watched_step
        outcome = session.run(GET)
        after = len(positions) - watcher.aborted_at
        assert (outcome.status, outcome.exit_code) == ("aborted", 130)
        assert outcome.ticks - watcher.aborted_at <= 1
        assert after <= 3, "nothing goes on once the robot is still"
        assert robot.still
        before = robot.world.data.qpos.copy()
        for _ in range(10):
            step(0.05)
        assert np.abs(robot.world.data.qpos - before).max() < 0.03, "the arms hold where they were"
    check_record(journal, skill)


def check_record(journal, skill):
    """Check that the last mission of a journal ended with an abort in the middle of a skill."""
    record = Journal.open(journal).mission("last")
    assert record.status == "aborted"
    assert record.skills[-1].start.skill == skill
    assert record.skills[-1].end.state == "stopped"
    assert Aborting in [type(event) for event in record.events]
    stopped = [e for e in record.events if isinstance(e, NodeChanged) and e.state == "stopped"]
    assert stopped[-1].path.endswith(skill)


def interrupted(site, skill, journal):
    """Run the program, send SIGINT during a skill, and return the outcome."""
    run = subprocess.Popen(
        [
            sys.executable,
            "-m",
            "bt_exec",
            "run",
            "Get the material inside the door.",
            "--plain",
            "--verbose",
            "--json",
            "--site",
            str(site),
        ]
        + (["--world", "door=open"] if skill == "grasp" else [])
        + ["--journal", str(journal)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONUNBUFFERED": "1"},
    )
    for line in run.stderr:
        if "running" in line and skill in line:
            break
    time.sleep(1.5)  # the first observations are over, and the arm is moving
    run.send_signal(signal.SIGINT)
    out, err = run.communicate(timeout=120)
    assert run.returncode == 130, err
    return json.loads(out)


@pytest.mark.parametrize("skill", ["open_door", pytest.param("grasp", marks=pytest.mark.slow)])
def test_first_interrupt_stops_cleanly_and_is_recorded(tmp_path, skill):
    site, journal = tmp_path / "door.yaml", tmp_path / "journal.sqlite"
    site.write_text("site: door\npacks: {door: {robot: sim, detector: oracle}}\n")
    assert interrupted(site, skill, journal)["status"] == "aborted"
    check_record(journal, skill)
