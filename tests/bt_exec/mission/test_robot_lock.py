"""One process drives a robot: who comes second is told who was first; death lets go."""

from __future__ import annotations

import dataclasses
import os
import subprocess
import sys
from typing import Any

import pytest

from bt_exec.failure import UsageError
from bt_exec.mission.robot_lock import RobotLock, lock_folder
from bt_exec.mission.session import Session
from bt_exec.pack import Catalogue
from bt_exec.rig import PackSettings, Rig
from bt_exec.site.site import Limits
from bt_exec.testing import FakeClock, ScriptedRobot, scripted_skill
from bt_exec.testing.missions import scripted_site

TREE = "tree: t\nutterances: [go]\nroot: {do: a}"
HOLDING = """
import sys
from pathlib import Path
from bt_exec.mission.robot_lock import RobotLock
lock = RobotLock("lab", "test.arm", Path(sys.argv[1]))
print("held", flush=True)
sys.stdin.read()
"""


def test_the_second_is_told_who_was_first_and_since_when(tmp_path):
    first = RobotLock("lab", "test.arm", tmp_path)
    with pytest.raises(UsageError) as told:
        RobotLock("lab", "test.arm", tmp_path)
    said = str(told.value)
    assert f"the robot test.arm of site 'lab' is driven by process {os.getpid()} of " in said
    assert ", for 0 min " in said
    assert "wait for its end or stop it" in said
    first.release()
    RobotLock("lab", "test.arm", tmp_path).release()
    first.release()  # harmless
    for _ in range(3):  # what earlier ones wrote about themselves is gone
        again = RobotLock("lab", "test.arm", tmp_path)
        with pytest.raises(UsageError, match=f"driven by process {os.getpid()} of "):
            RobotLock("lab", "test.arm", tmp_path)
        again.release()


def test_another_robot_or_site_is_another_lock(tmp_path):
    locks = [RobotLock(*names, tmp_path) for names in [("a", "b"), ("a", "c"), ("d", "b")]]
    assert len({lock.path for lock in locks}) == 3
    for lock in locks:
        lock.release()


def test_a_name_of_a_site_is_no_path(tmp_path):
    lock = RobotLock("../up", "a/b", tmp_path)
    assert lock.path.parent == tmp_path
    lock.release()


def test_who_does_not_say_who_it_is_is_another_process(tmp_path):
    first = RobotLock("lab", "arm", tmp_path)
    first.path.write_text("not what we write")
    with pytest.raises(UsageError, match="another process, which does not say who it is"):
        RobotLock("lab", "arm", tmp_path)
    first.release()


def test_a_folder_that_cannot_be_made_is_an_error_of_a_person(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="the robot cannot be locked"):
        RobotLock("lab", "arm", tmp_path / "file")


def test_a_killed_process_lets_go(tmp_path):
    with subprocess.Popen(
        [sys.executable, "-c", HOLDING, str(tmp_path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "held\n"
        with pytest.raises(UsageError, match=f"process {other.pid} of "):
            RobotLock("lab", "test.arm", tmp_path)
        other.kill()
        other.wait()
    RobotLock("lab", "test.arm", tmp_path).release()


def site_of(made: list[Rig], **fields: Any) -> Any:
    def make(settings: Any, world: Any) -> Rig:
        made.append(Rig(ScriptedRobot(), **fields))
        return made[-1]

    found = scripted_site([scripted_skill("a")], [TREE], limits=Limits(hang_s=60))
    (pack,) = found.catalogue.packs
    catalogue = Catalogue([dataclasses.replace(pack, robots={"arm": make})])
    return dataclasses.replace(found, catalogue=catalogue, packs={"test": PackSettings()})


def test_a_session_holds_its_real_robot_and_the_second_touches_nothing():
    made: list[Rig] = []
    closed: list[str] = []
    site = site_of(made, close=lambda: closed.append("closed"))
    with Session(site):
        assert (lock_folder() / "test.test.arm.lock").exists()
        with pytest.raises(UsageError, match=r"^the robot test\.arm of site 'test' is driven by"):
            Session(site)
        first, second = made
        assert (first.robot.stops, second.robot.stops) == (0, 0)  # who drives it goes on
        assert closed == ["closed"]
    with Session(site) as again:
        assert again.run("go").status == "satisfied"


def test_a_simulation_needs_no_lock():
    site = site_of([], simulation=FakeClock())
    with Session(site, fast=True), Session(site, fast=True):
        assert True


@pytest.mark.parametrize(
    ("since", "said"), [(125.0, "2 min 5 s"), (59.0, "0 min 59 s"), (-5.0, "0 min 0 s")]
)
def test_since_when_is_told_in_minutes_and_seconds(tmp_path, monkeypatch, since, said):
    wall = iter([1000.0, 1000.0 + since])
    monkeypatch.setattr("bt_exec.mission.robot_lock.time.time", lambda: next(wall))
    first = RobotLock("lab", "arm", tmp_path / "some" / "where")
    with pytest.raises(UsageError, match=f", for {said};"):
        RobotLock("lab", "arm", tmp_path / "some" / "where")
    first.release()


def test_the_lock_is_that_of_the_robot_that_is_made():
    made: list[Rig] = []
    site = site_of(made)
    (pack,) = site.catalogue.packs
    robots = {**pack.robots, "leg": pack.robots["arm"]}
    catalogue = Catalogue([dataclasses.replace(pack, robots=robots)])
    for robot, name in (("leg", "leg"), ("", "arm")):
        packs = {"test": PackSettings(robot=robot) if robot else PackSettings()}
        with Session(dataclasses.replace(site, catalogue=catalogue, packs=packs)) as session:
            assert session._locks[0].path == lock_folder() / f"test.test.{name}.lock"


def test_a_second_session_has_nothing_to_close_where_its_rig_holds_nothing():
    site = site_of([])
    with Session(site), pytest.raises(UsageError, match="is driven by"):
        Session(site)
