"""Missions of the door site, in lockstep with the simulation."""

import functools
import json
from dataclasses import replace
from typing import NamedTuple

import pytest

from bt_exec.events import Event, SkillStarting, Turn
from bt_exec.mission_outcome import Outcome
from bt_exec.site.site import load_site
from tests.small_pictures import quick_session


class Ran(NamedTuple):
    """Result of a mission."""

    outcome: Outcome
    events: list[Event]
    facts: dict[str, str]

    @property
    def turns(self) -> list[str]:
        """Turn reports, as lines of a turns file."""
        return [
            json.dumps(event.report, ensure_ascii=False, separators=(",", ":"))
            for event in self.events
            if isinstance(event, Turn)
        ]

    @property
    def actions(self) -> list[str]:
        """Started skills, in order."""
        return [event.skill for event in self.events if isinstance(event, SkillStarting)]


class _Ears(list):
    def on(self, event):
        self.append(event)


@pytest.fixture(scope="session")
def door_site():
    """Return the door site with cheap perception; the learned detector has separate tests."""
    site = load_site("door")
    return replace(
        site, packs={"door": site.packs["door"].model_copy(update={"detector": "oracle"})}
    )


@pytest.fixture(scope="session")
def door_session(door_site):
    """Return a factory of sessions with a new door, the oracle detector and small pictures."""

    return functools.partial(quick_session, door_site)


@pytest.fixture(scope="session")
def run_door(door_session):
    """Run one command in a new world, with the oracle detector."""

    def run(command, *, faults=(), **world):
        ears = _Ears()
        world = {key: str(value) for key, value in world.items()}
        with door_session(world=world, faults=faults, listeners=[ears]) as session:
            outcome = session.run(command)
            return Ran(outcome, list(ears), session.facts())

    return run


@pytest.fixture(scope="session")
def known(run_door):
    """Cache of `run_door` for missions that several tests use."""
    return functools.cache(run_door)
