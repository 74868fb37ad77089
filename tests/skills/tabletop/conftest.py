"""Fixtures of tabletop missions: in a local kitchen, and over HTTP."""

from dataclasses import replace

import pytest

from bt_exec.events import SkillStarting
from bt_exec.mission.session import Session
from bt_exec.site.site import load_site
from tests.skills.tabletop.faulty import FaultySimulator


class Ears(list):
    """Listener that keeps every event."""

    def on(self, event):
        self.append(event)

    @property
    def actions(self):
        return [(e.skill, e.args["target"]) for e in self if isinstance(e, SkillStarting)]


@pytest.fixture(scope="session")
def table_site():
    """Return the site without pictures."""
    site = load_site("tabletop")
    settings = site.packs["tabletop"].model_copy(update={"picture_every_s": 0.0})
    return replace(site, packs={"tabletop": settings})


@pytest.fixture
def run_table(table_site):
    """Run one command in a new kitchen, and return outcome, world and events."""

    def run(command, *, listeners=(), faults=(), plan=None, **world):
        ears = Ears()
        chosen = {key: str(value) for key, value in world.items()}
        heard = [ears, *listeners]
        with Session(
            table_site, world=chosen, fast=True, listeners=heard, faults=faults
        ) as session:
            kitchen = session.rigs["tabletop"].robot.world
            for listener in listeners:
                listener.world = kitchen
            return session.run(command, plan), kitchen, ears

    return run


@pytest.fixture
def remote_site(table_site):
    """Return the site with its robot at an address, with short ticks for fast worlds."""

    def make(address, **remote):
        settings = table_site.packs["tabletop"]
        given = {"robot": "http", "remote": {"http": address, **remote}}
        own = type(settings).model_validate(given)
        quick = {} if remote.get("lockstep") else {"tick_hz": 100.0, "look_hz": 50.0}
        rates = table_site.rates.model_copy(update=quick)
        return replace(table_site, packs={"tabletop": own}, rates=rates)

    return make


@pytest.fixture
def faulty():
    """Return a factory of faulty simulators, which are closed at the end."""
    made = []

    def make(fault="", **more):
        made.append(FaultySimulator(fault, **more))
        return made[-1]

    yield make
    for one in made:
        one.close()
