"""A session: robots of a site, one command after another, and what it says when that cannot be."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from bt_exec.failure import BtExecError, RegistrationError, UsageError
from bt_exec.mission.session import Session
from bt_exec.pack import Catalogue
from bt_exec.rig import PackSettings, Rig
from bt_exec.site.site import Site
from bt_exec.testing import FakeClock, ScriptedRobot, scripted_skill
from bt_exec.testing.missions import scripted_site


def site_with(**robots) -> Site:
    """Return a site whose pack makes these robots; the first is taken."""
    site = scripted_site([scripted_skill("a")], ["tree: t\nutterances: [go]\nroot: {do: a}"])
    (pack,) = site.catalogue.packs
    makers = {name: lambda settings, world, make=make: make() for name, make in robots.items()}
    return dataclasses.replace(
        site, catalogue=Catalogue([dataclasses.replace(pack, robots=makers)])
    )


def switched_off() -> Rig:
    raise ConnectionRefusedError("192.0.2.7:5000")


def test_a_robot_that_is_not_there_is_named():
    with pytest.raises(UsageError, match=r"robot 'arm' of pack test is unavailable: .*192\.0\.2"):
        Session(site_with(arm=switched_off))


def test_a_rig_around_no_robot_is_refused():
    with pytest.raises(RegistrationError, match=r"lacks stop\(\) or still"):
        Session(site_with(arm=lambda: Rig(object())))


def test_a_robot_that_is_up_is_put_away_when_the_next_one_is_not_there():
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


def test_a_closed_session_says_so():
    session = Session(site_with(arm=lambda: Rig(ScriptedRobot(), simulation=FakeClock())))
    session.close()
    with pytest.raises(UsageError, match="closed"):
        session.run("go")


def test_one_mission_at_a_time():
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
    assert "runs a mission already" in str(seen[0])


def test_sites_are_named_or_given(tmp_path: Path):
    with pytest.raises(BtExecError):
        Session(str(tmp_path / "nowhere.yaml"))
