"""One process drives a robot; the second one is refused before the robot is opened."""

from __future__ import annotations

import contextlib
import dataclasses
import os
import stat
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from bt_exec.failure import RegistrationError, UsageError
from bt_exec.mission import robot_lock
from bt_exec.mission.robot_lock import RobotLock, lock_folder, network_identity
from bt_exec.mission.session import Session
from bt_exec.pack import Catalogue
from bt_exec.rig import PackSettings, Rig
from bt_exec.site.site import Limits
from bt_exec.testing import FakeClock, ScriptedRobot, scripted_skill
from bt_exec.testing.tree_run import scripted_site

TREE = "tree: t\nutterances: [go]\nroot: {do: a}"
HOLDING = """
import os, sys
from pathlib import Path
from bt_exec.mission.robot_lock import RobotLock
lock = RobotLock("arm", "lab", folder=Path(sys.argv[1]))
{then}
print("held", flush=True)
sys.stdin.read()
"""


@contextlib.contextmanager
def holder(folder: Path, then: str = "") -> Iterator[subprocess.Popen[str]]:
    """Start a process that holds the lock until it is killed."""
    with subprocess.Popen(
        [sys.executable, "-c", HOLDING.format(then=then), str(folder)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "held\n"
        yield other
        other.kill()


def test_second_process_is_refused_with_the_holder(tmp_path):
    with holder(tmp_path) as other:
        for shared in (False, True):
            with pytest.raises(UsageError) as refused:
                RobotLock("arm", "kitchen", shared=shared, folder=tmp_path)
            said = str(refused.value)
            assert f"the robot arm is in use by process {other.pid} of " in said
            assert " (site lab), for 0 min " in said
            assert "wait until it ends or stop it" in said


def test_second_lock_of_one_process_is_refused_and_keeps_the_first(tmp_path):
    first = RobotLock("arm", folder=tmp_path)
    with pytest.raises(UsageError, match=rf"in use by this process \({os.getpid()}\)"):
        RobotLock("arm", folder=tmp_path)
    held = "import os, sys, fcntl; f = open(sys.argv[1], 'r+'); fcntl.lockf(f, 6, 1, 0)"
    command = [sys.executable, "-c", held, str(first.path)]
    assert subprocess.run(command, capture_output=True).returncode == 1, "still locked"
    first.release()
    first.release()  # has no effect
    assert subprocess.run(command, capture_output=True).returncode == 0
    RobotLock("arm", folder=tmp_path).release()


def test_lock_is_released_when_its_process_is_killed(tmp_path):
    with holder(tmp_path) as other:
        other.kill()
        other.wait()
    RobotLock("arm", folder=tmp_path).release()


@pytest.mark.parametrize("fork", ["os.fork()", "ctypes.CDLL(None).fork()"])
def test_lock_is_not_inherited_by_a_forked_child(tmp_path, fork):
    sleeping = f"""
import ctypes
ready, told = os.pipe()
if {fork} == 0:
    os.write(told, b"x")
    sys.stdin.read()  # lives on when its parent is killed
    os._exit(0)
os.read(ready, 1)
"""
    with holder(tmp_path, sleeping) as other:
        other.kill()
        other.wait()
        RobotLock("arm", folder=tmp_path).release()


def test_release_of_a_lock_with_a_closed_descriptor_does_not_raise(tmp_path):
    lock = RobotLock("arm", folder=tmp_path)
    os.close(lock._file)
    lock.release()
    RobotLock("arm", folder=tmp_path).release()


def test_forked_child_cannot_release_the_lock(tmp_path):
    child = """
if os.fork() == 0:
    lock.release()
    os._exit(0)
os.wait()
"""
    with holder(tmp_path, child), pytest.raises(UsageError, match="is in use by process"):
        RobotLock("arm", folder=tmp_path)


def test_shared_lock_is_refused_after_it_has_been_taken(tmp_path):
    one = RobotLock("arm", shared=True, folder=tmp_path)  # no file yet
    two = RobotLock("arm", shared=True, folder=tmp_path)
    one.take()
    with pytest.raises(UsageError, match="in use by this process"):
        RobotLock("arm", shared=True, folder=tmp_path)
    two.release()
    one.release()


def test_simulation_needs_no_writable_folder(tmp_path):
    (tmp_path / "file").write_text("")
    RobotLock("arm", shared=True, folder=tmp_path / "file").release()


def test_lock_is_refused_while_a_guardian_stops_the_robot(tmp_path, monkeypatch):
    monkeypatch.setattr(robot_lock, "GUARDIAN_S", 0.05)
    guard = "import fcntl; lock.release(); f = open(lock.path, 'r+'); fcntl.lockf(f, 2, 1, 1)"
    with holder(tmp_path, guard), pytest.raises(UsageError, match="a guardian is still stopping"):
        RobotLock("arm", folder=tmp_path)


@pytest.mark.parametrize("content", ["not what we write", "", "[]", '{"pid": 1}'])
def test_lock_holder_is_determined_by_the_kernel_when_the_file_is_damaged(tmp_path, content):
    with holder(tmp_path) as other:
        (tmp_path / "arm.lock").write_text(content)
        with pytest.raises(UsageError, match=f"in use by process {other.pid};"):
            RobotLock("arm", folder=tmp_path)


def test_folder_that_cannot_be_created_is_a_usage_error(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="cannot lock the robot arm"):
        RobotLock("arm", folder=tmp_path / "file")


def test_link_in_place_of_a_lock_file_is_not_followed(tmp_path):
    (tmp_path / "precious").write_text("data")
    (tmp_path / "arm.lock").symlink_to(tmp_path / "precious")
    with pytest.raises(UsageError, match="cannot lock the robot arm"):
        RobotLock("arm", folder=tmp_path)
    assert (tmp_path / "precious").read_text() == "data"


def test_other_users_can_lock_the_robot(tmp_path):
    lock = RobotLock("arm", folder=tmp_path)
    assert lock.path.stat().st_mode & 0o777 == 0o666
    lock.release()


def test_different_identities_have_different_files_inside_the_folder(tmp_path):
    locks = [RobotLock(name, folder=tmp_path) for name in ("a/b", "a_b", "../up", "a:b", "가")]
    assert len({lock.path for lock in locks}) == len(locks)
    assert {lock.path.parent for lock in locks} == {tmp_path}
    for lock in locks:
        lock.release()


@pytest.mark.parametrize(
    ("since", "said"), [(125.0, "2 min 5 s"), (59.0, "0 min 59 s"), (-5.0, "0 min 0 s")]
)
def test_time_in_use_is_in_minutes_and_seconds(tmp_path, since, said):
    then = (
        f"import time; t = time.time; time.time = lambda: t() - {since}; lock._write_description()"
    )
    with holder(tmp_path, then), pytest.raises(UsageError, match=f", for {said};"):
        RobotLock("arm", folder=tmp_path)


@pytest.mark.parametrize(
    "address",
    [
        "http://127.0.0.1:8800",
        "http://localhost:8800/",
        "HTTP://LOCALHOST:8800/base",
        "http://user:secret@127.0.0.1:8800",
        "localhost:8800",
        "http://127.1.2.3:8800",
        "http://localhost.:8800",
        "http://[::1]:8800",
        "http://0.0.0.0:8800",
    ],
)
def test_spellings_of_one_address_are_one_identity(address):
    assert network_identity(address) == "127.0.0.1:8800"


@pytest.mark.parametrize(
    ("address", "identity"),
    [
        ("http://127.0.0.1:8801", "127.0.0.1:8801"),
        ("http://192.0.2.7", "192.0.2.7:80"),
        ("https://192.0.2.7/x", "192.0.2.7:443"),
        ("http://arm.invalid:1", "arm.invalid:1"),
    ],
)
def test_different_addresses_are_different_identities(address, identity):
    assert network_identity(address) == identity


def test_folder_of_the_locks_is_the_same_for_every_user(monkeypatch, tmp_path):
    monkeypatch.delenv("BT_EXEC_LOCKS")
    found = lock_folder()
    assert found.name == "bt-exec"
    for name in ("XDG_STATE_HOME", "XDG_RUNTIME_DIR", "TMPDIR", "HOME"):
        monkeypatch.setenv(name, str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)
    assert lock_folder() == found
    monkeypatch.setenv("BT_EXEC_LOCKS", str(tmp_path))
    assert lock_folder() == tmp_path


def test_folder_that_only_root_may_write_to_is_not_used(monkeypatch, tmp_path):
    own, everyones = tmp_path / "own", tmp_path / "everyones"
    own.mkdir(mode=0o755)
    everyones.mkdir()
    everyones.chmod(0o1777)
    monkeypatch.delenv("BT_EXEC_LOCKS")
    monkeypatch.setattr(robot_lock, "_SHARED", (tmp_path / "none", own, everyones))
    assert lock_folder() == everyones / "bt-exec"
    RobotLock("arm").release()
    assert stat.S_IMODE(lock_folder().stat().st_mode) == 0o1777


def site_of(made: list[Rig], identities: Any = None, **fields: Any) -> Any:
    def make(settings: Any, world: Any) -> Rig:
        made.append(Rig(ScriptedRobot(), **fields))
        return made[-1]

    found = scripted_site([scripted_skill("a")], [TREE], limits=Limits(hang_s=60))
    (pack,) = found.catalogue.packs
    catalogue = Catalogue(
        [dataclasses.replace(pack, robots={"arm": make}, identities=identities or {})]
    )
    return dataclasses.replace(found, catalogue=catalogue, packs={"test": PackSettings()})


def test_session_locks_its_real_robot_and_a_second_session_leaves_it_alone():
    made: list[Rig] = []
    closed: list[str] = []
    site = site_of(made, close=lambda: closed.append("closed"))
    with Session(site):
        with pytest.raises(UsageError, match=r"^the robot test\.arm is in use by this process"):
            Session(site)
        (first,) = made
        assert (first.robot.stops, closed) == (0, [])
    with Session(site) as again:
        assert again.run("go").status == "satisfied"


def test_simulation_needs_no_lock():
    site = site_of([], simulation=FakeClock())
    with Session(site, fast=True), Session(site, fast=True):
        assert True


def test_robot_with_an_identity_is_locked_before_it_is_opened():
    made: list[Rig] = []
    site = site_of(made, {"arm": lambda settings: "serial 7"})
    elsewhere = dataclasses.replace(site, name="elsewhere")
    with Session(site), pytest.raises(UsageError, match=r"^the robot serial 7 is in use by this"):
        Session(elsewhere)
    assert len(made) == 1
    with Session(elsewhere):
        assert len(made) == 2


def test_simulator_with_an_identity_is_locked_too():
    site = site_of([], {"arm": lambda settings: "serial 7"}, simulation=FakeClock())
    with Session(site), pytest.raises(UsageError, match="in use"):
        Session(site)


@pytest.mark.parametrize(
    ("identity", "said"),
    [
        (lambda settings: None, "must be a string; found None"),
        (lambda settings: "", "must be a string; found ''"),
        (lambda settings: 1 / 0, "division by zero"),
    ],
)
def test_identity_that_is_not_a_string_is_refused_before_the_robot_is_opened(identity, said):
    made: list[Rig] = []
    with pytest.raises(RegistrationError, match=said):
        Session(site_of(made, {"arm": identity}))
    assert made == []


def test_robots_without_identities_are_distinguished_by_name():
    site = site_of([])
    (pack,) = site.catalogue.packs
    robots = {**pack.robots, "leg": pack.robots["arm"]}
    catalogue = Catalogue([dataclasses.replace(pack, robots=robots)])
    site = dataclasses.replace(site, catalogue=catalogue)
    leg = dataclasses.replace(site, packs={"test": PackSettings(robot="leg")})
    with Session(site) as one, Session(leg) as other:
        names = [session.robots._locks[0].path.name for session in (one, other)]
    assert names == ["test.arm.lock", "test.leg.lock"]


def test_robot_taken_by_another_process_is_closed_and_not_stopped(monkeypatch):
    made: list[Rig] = []
    closed: list[str] = []

    def taken(lock: RobotLock) -> None:
        raise UsageError(lock._in_use("process 1"))

    monkeypatch.setattr(RobotLock, "take", taken)
    with pytest.raises(UsageError, match="is in use by process 1"):
        Session(site_of(made, close=lambda: closed.append("closed")))
    assert (made[0].robot.stops, closed) == (0, ["closed"])
