"""Heartbeat of the tick loop: gaps end the mission as STALLED, ticks reach the guardian."""

from __future__ import annotations

import gc
import subprocess
import sys
import weakref
from typing import Any

import pytest

from bt_exec.failure import PartBroken
from bt_exec.language.messages import OWN_MESSAGES, Messages
from bt_exec.mission import heartbeat
from bt_exec.mission.heartbeat import Heartbeat, stall_s
from bt_exec.rig import Rig
from bt_exec.site.site import Limits
from bt_exec.skill import Running, Steps, skill
from bt_exec.testing import FakeClock, ScriptedRobot
from bt_exec.testing.tree_run import scripted_site


class Time:
    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def time(monkeypatch) -> Time:
    found = Time()
    monkeypatch.setattr(heartbeat, "_suspend_aware_time", found)
    monkeypatch.setattr(heartbeat, "monotonic", found)
    return found


class FakeGuardian:
    """Guardian that records its calls and can be made to fail."""

    within_s = 30.0

    def __init__(self, trouble: str = "", failing: str = "") -> None:
        self.told: list[str] = []
        self.trouble = trouble
        self.failing = failing
        self.accounts: list[dict[str, Any]] = []

    def try_stop(self) -> str:
        self.told.append("try")
        return self.trouble

    def arm(self) -> None:
        self.told.append("arm")

    def beat(self, now: float) -> None:
        if self.told[-1] != "beat":
            self.told.append("beat")
        if self.failing:
            raise PartBroken("the guardian", self.failing, "GUARD_LOST")

    def disarm(self) -> None:
        self.told.append("disarm")

    def take_actions(self) -> list[dict[str, Any]]:
        found, self.accounts = self.accounts, []
        return found


def test_gap_up_to_the_limit_is_allowed(time):
    beats = Heartbeat(2.0)
    beats.start()
    for _ in range(3):
        time.now += 2.0
        beats.beat()


def test_gap_above_the_limit_is_reported_as_a_stall_of_the_called_part(time):
    beats = Heartbeat(2.0, during=lambda: "skill grasp")
    beats.start()
    time.now += 2.5
    with pytest.raises(PartBroken) as stalled:
        beats.beat()
    assert stalled.value.code == "STALLED"
    assert str(stalled.value) == ("the loop stalled for 2.5 s (limit 2 s), last in skill grasp")
    beats.beat_at_rest()  # gaps are allowed while the robot comes to rest


def test_gap_of_any_length_is_allowed_without_a_limit(time):
    beats = Heartbeat(None)
    beats.start()
    time.now += 1e6
    beats.beat()


def test_garbage_collector_ignores_objects_created_before_the_motion(stage):
    frozen = []

    @skill(name="a")
    def counts(robot: Any) -> Steps:
        """Count the objects that the collector ignores."""
        frozen.append(gc.get_freeze_count())
        yield Running()

    on = stage([counts], "tree: t\nroot: {do: a}")
    gc.unfreeze()  # objects that were frozen by other tests
    assert on.run().status == "satisfied"
    assert frozen[0] > 1000
    assert gc.get_freeze_count() == 0


def test_objects_frozen_by_the_program_stay_frozen():
    beats = Heartbeat(None)
    gc.freeze()
    try:
        beats.start()
        beats.end()
        assert gc.get_freeze_count() > 0
    finally:
        gc.unfreeze()


@pytest.mark.parametrize(("grown", "left"), [(True, False), (False, True)])
def test_garbage_of_missions_is_collected_when_the_process_has_grown(monkeypatch, grown, left):
    monkeypatch.setattr(heartbeat, "_peak_kb", 0 if grown else 2**60)
    cycle = Heartbeat(None)
    cycle.itself = cycle
    behind = weakref.ref(cycle)
    gc.unfreeze()  # other tests do not end their heartbeats
    beats = Heartbeat(None)
    beats.start()
    del cycle
    beats.end()
    assert (behind() is not None) is left


def test_forked_child_exits_at_its_first_tick():
    child = (
        "import os\nfrom bt_exec.mission.heartbeat import Heartbeat\nbeats = Heartbeat(None)\n"
        "beats.start()\npid = os.fork()\nbeats.beat()\n"
        "print('parent' if pid else 'child', os.waitstatus_to_exitcode(os.wait()[1]))"
    )
    ran = subprocess.run([sys.executable, "-c", child], capture_output=True, text=True)
    assert (ran.stdout, ran.stderr) == ("parent 70\n", "")


@pytest.mark.parametrize(
    ("said", "rig", "within_s", "expected"),
    [
        (None, Rig(ScriptedRobot()), None, 3.0),
        (None, Rig(ScriptedRobot()), 0.5, 0.5),
        (None, Rig(ScriptedRobot(), simulation=FakeClock()), None, None),
        (None, Rig(ScriptedRobot(), simulation=FakeClock()), 2.0, 2.0),
        (0.7, Rig(ScriptedRobot(), simulation=FakeClock()), None, 0.7),
        (0.7, Rig(ScriptedRobot()), 0.5, 0.7),
        (None, Rig(), None, None),
    ],
)
def test_stall_limit_defaults_to_three_seconds_for_real_robots(said, rig, within_s, expected):
    site = scripted_site([], limits=Limits(stall_s=said))
    assert stall_s(site, {"test": rig}, 0.5, within_s) == expected


def test_stall_limit_exceeds_the_longest_hang_limit():
    site = scripted_site([])
    assert stall_s(site, {"test": Rig(ScriptedRobot())}, 3.0, None) == 6.0


# -- in a mission ----------------------------------------------------------------------------------


@skill(fails={"SLIPPED"})
def a(robot: Any) -> Steps:
    """Run for three ticks."""
    robot.log.append("start")
    for _ in range(3):
        yield Running()


def guarded(stage: Any, guardian: FakeGuardian, **more: Any) -> Any:
    return stage([a], executive={"guardian": guardian, **more})


def test_guardian_is_tested_armed_and_disarmed(stage):
    guardian = FakeGuardian()
    assert guarded(stage, guardian).run().ok
    assert guardian.told == ["try", "arm", "beat", "disarm"]


def test_mission_is_refused_if_the_guardian_cannot_stop_the_robot(stage):
    guardian = FakeGuardian(trouble="exit code 3: no power")
    on = guarded(stage, guardian)
    outcome = on.run()
    assert (outcome.status, outcome.reason_code) == ("refused", "GUARD_FAILED")
    assert "exit code 3: no power" in outcome.message
    assert (on.robot.log, guardian.told) == ([], ["try", "disarm"])


def test_lost_guardian_ends_the_mission_and_stops_the_robot(stage):
    on = guarded(stage, FakeGuardian(failing="has ended"))
    outcome = on.run()
    assert (outcome.status, outcome.reason_code) == ("failed", "GUARD_LOST")
    assert on.robot.stops >= 1


def test_report_of_the_guardian_is_recorded(stage):
    guardian = FakeGuardian()
    guardian.accounts = [{"ok": False, "why": "process 1 gave no heartbeat for 0.51 s"}]
    on = guarded(stage, guardian)
    on.run()
    assert [line for line in on.told() if "Aborting" in line] == [
        "10.3 4 Aborting robot stop the guardian COULD NOT STOP THE ROBOT: "
        "process 1 gave no heartbeat for 0.51 s"
    ]


def test_robot_that_needs_inspection_is_not_moved(stage):
    on = stage([a], executive={"needs_inspection": lambda: "the last stop failed"})
    outcome = on.run()
    assert (outcome.status, outcome.reason_code) == ("refused", "NEEDS_INSPECTION")
    assert "the last stop failed" in outcome.message
    assert on.robot.log == []


def test_robot_that_moves_before_its_mission_is_stopped_and_refused(stage):
    robot = ScriptedRobot(still=False)
    on = stage([a], robot=robot)
    outcome = on.run()
    assert (outcome.status, outcome.reason_code) == ("refused", "ROBOT_MOVES")
    assert outcome.exit_code == 5
    assert (robot.log, robot.stops > 0, outcome.planner_calls) == ([], True, 0)
    assert [line for line in on.told() if "Aborting" in line] == [
        "10 0 Aborting robot stop moved before the mission"
    ]


@pytest.mark.parametrize(
    ("language", "words"),
    [
        ("en", "Find out what is moving it, wait until it is still"),
        ("ko", "무엇이 로봇을 움직이고 있는지 확인하고"),
    ],
)
def test_refusal_of_a_moving_robot_names_the_remedy(language, words):
    messages = Messages.load([OWN_MESSAGES], {}, {})
    assert words in messages.say("ROBOT_MOVES", language, message="the robot of arm: it moves")


@pytest.mark.parametrize("still", [None, "yes", 1])
def test_robot_with_an_unknown_motion_state_is_refused(stage, still):
    robot = ScriptedRobot(still=still)
    assert stage([a], robot=robot).run().status in ("refused", "failed")
    assert robot.log == []


def test_stalled_mission_starts_no_further_skill(stage, time):
    @skill(name="a")
    def stalls(robot: Any) -> Steps:
        """Block for a long time in the second tick."""
        robot.log.append("start")
        yield Running()
        time.now += 60.0
        robot.still = False
        while True:
            yield Running()

    tree = "tree: t\nroot: {do: a, retry: 3}"
    on = stage([stalls], tree, limits=Limits(stall_s=1.0))
    outcome = on.run()
    assert (outcome.status, outcome.reason_code) == ("failed", "STALLED")
    assert (on.robot.log, on.robot.still) == (["start"], True)
