"""Missions of the door site, in lockstep with the simulation."""

import functools
import json
from dataclasses import replace
from typing import NamedTuple

import pytest

from bt_exec.events import Event, SkillStarting, Turn
from bt_exec.outcome import Outcome
from bt_exec.site.site import load_site
from tests.small_pictures import quick_session


class Ran(NamedTuple):
    """A mission that ended."""

    outcome: Outcome
    events: list[Event]
    facts: dict[str, str]

    @property
    def turns(self) -> list[str]:
        """The turn reports, as lines of a turns file."""
        return [
            json.dumps(event.report, ensure_ascii=False, separators=(",", ":"))
            for event in self.events
            if isinstance(event, Turn)
        ]

    @property
    def actions(self) -> list[str]:
        """The skills that were started, in order."""
        return [event.skill for event in self.events if isinstance(event, SkillStarting)]


class _Ears(list):
    def on(self, event):
        self.append(event)


@pytest.fixture(scope="session")
def door_site():
    """The door site with eyes that cost little; the learned ones have tests of their own."""
    site = load_site("door")
    return replace(
        site, packs={"door": site.packs["door"].model_copy(update={"detector": "oracle"})}
    )


@pytest.fixture(scope="session")
def door_session(door_site):
    """Return what opens a session in front of a new door, with the oracle and small pictures."""

    return functools.partial(quick_session, door_site)


@pytest.fixture(scope="session")
def run_door(door_session):
    """Run one command in a new world; sees with the oracle."""

    def run(command, *, faults=(), **world):
        ears = _Ears()
        world = {key: str(value) for key, value in world.items()}
        with door_session(world=world, faults=faults, listeners=[ears]) as session:
            outcome = session.run(command)
            return Ran(outcome, list(ears), session.facts())

    return run


@pytest.fixture(scope="session")
def known(run_door):
    """The same as `run_door` for missions that several tests look at: each is run once."""
    return functools.cache(run_door)
