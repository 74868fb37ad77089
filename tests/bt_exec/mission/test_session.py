"""Sessions: robots of a site, successive commands and errors."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from bt_exec.failure import BtExecError, RegistrationError, UsageError
from bt_exec.journal import Journal
from bt_exec.mission.session import Session
from bt_exec.pack import Catalogue
from bt_exec.rig import PackSettings, Rig
from bt_exec.site.site import Site
from bt_exec.testing import FakeClock, FakeObservation, ScriptedRobot, scripted_skill
from bt_exec.testing.tree_run import scripted_site


def site_with(**robots) -> Site:
    """Return a site whose pack has these robots; the first one is used."""
    site = scripted_site([scripted_skill("a")], ["tree: t\nutterances: [go]\nroot: {do: a}"])
    (pack,) = site.catalogue.packs
    makers = {name: lambda settings, world, make=make: make() for name, make in robots.items()}
    return dataclasses.replace(
        site, catalogue=Catalogue([dataclasses.replace(pack, robots=makers)])
    )


def switched_off() -> Rig:
    raise ConnectionRefusedError("192.0.2.7:5000")


def test_unavailable_robot_is_reported_by_name():
    with pytest.raises(UsageError, match=r"robot 'arm' of pack test is unavailable: .*192\.0\.2"):
        Session(site_with(arm=switched_off))


def test_rig_with_an_invalid_robot_is_refused():
    with pytest.raises(RegistrationError, match=r"lacks stop\(\) or still"):
        Session(site_with(arm=lambda: Rig(object())))


def test_open_robot_is_closed_when_the_next_one_is_unavailable():
    first = ScriptedRobot()
    site = site_with(arm=lambda: Rig(first))
    (pack,) = site.catalogue.packs
    other = dataclasses.replace(
        pack, name="other", skills=(), robots={"leg": lambda settings, world: switched_off()}
    )
    both = dataclasses.replace(
        site,
        catalogue=Catalogue([pack, other]),
        packs={"test": PackSettings(), "other": PackSettings()},
    )
    with pytest.raises(UsageError):
        Session(both)
    assert first.stops == 1


def test_closed_session_refuses_commands():
    session = Session(site_with(arm=lambda: Rig(ScriptedRobot(), simulation=FakeClock())))
    session.close()
    with pytest.raises(UsageError, match="closed"):
        session.run("go")


def test_second_concurrent_mission_is_refused():
    seen: list[BtExecError] = []

    class Impatient:
        def on(self, event):
            try:
                session.run("go")
            except BtExecError as error:
                seen.append(error)

    rig = Rig(ScriptedRobot(), simulation=FakeClock())
    site = site_with(arm=lambda: rig)
    with Session(site, fast=True, listeners=[Impatient()]) as session:
        session.run("go")
    assert "is already running a mission" in str(seen[0])


def test_site_file_that_does_not_exist_is_an_error(tmp_path: Path):
    with pytest.raises(BtExecError):
        Session(str(tmp_path / "nowhere.yaml"))


def test_booked_command_runs_under_its_mission_id(tmp_path: Path):
    rig = Rig(ScriptedRobot(), simulation=FakeClock())
    journal = Journal.open(tmp_path / "journal.sqlite")
    with Session(site_with(arm=lambda: rig), fast=True, journal=journal) as session:
        first, second = session.book("go"), session.book("go")
        assert [line.begun for line in journal.missions()] == [False, False]
        outcome = session.run("go", booking=second)
    assert outcome.mission_id == second.mission_id != first.mission_id
    assert journal.mission_summary(second.mission_id).status == "satisfied"
    assert not journal.mission_summary(first.mission_id).begun


def test_booking_requires_a_journal():
    rig = Rig(ScriptedRobot(), simulation=FakeClock())
    with (
        Session(site_with(arm=lambda: rig)) as session,
        pytest.raises(UsageError, match="keeps no journal"),
    ):
        session.book("go")


class Eyes:
    """Camera that sees one cup or raises an error."""

    def __init__(self, error: Exception | None = None) -> None:
        self.error = error

    def capture(self) -> FakeObservation:
        return FakeObservation(0.0, ("cup",))

    def interpret(self, capture: FakeObservation) -> FakeObservation:
        if self.error is not None:
            raise self.error
        return capture


def test_observation_outside_a_mission_is_taken_once():
    rig = Rig(ScriptedRobot(), simulation=FakeClock(), perception=Eyes())
    with Session(site_with(arm=lambda: rig)) as session:
        assert {pack: seen.labels() for pack, seen in session.observe().items()} == {
            "test": ("cup",)
        }


def test_robot_without_a_camera_is_not_observed():
    with Session(site_with(arm=lambda: Rig(ScriptedRobot(), simulation=FakeClock()))) as session:
        assert session.observe() == {}


def test_failing_camera_is_reported_by_name():
    rig = Rig(ScriptedRobot(), simulation=FakeClock(), perception=Eyes(OSError("no device")))
    with (
        Session(site_with(arm=lambda: rig)) as session,
        pytest.raises(UsageError, match="test failed to observe: OSError: no device"),
    ):
        session.observe()
