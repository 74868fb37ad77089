"""Door moved by a person during a mission: reports are true, and missions end as requested."""

from __future__ import annotations

from typing import Any

import pytest

from tests.cases import cases, some
from tests.missions.door_disturbances import Somebody
from tests.small_pictures import quick_session
from tests.truth.message_check import Checker
from tests.truth.random_missions import site_of
from tests.truth.witness import Witness, door_state

COMMANDS = {
    "open": ("open the door", "문을 열어"),
    "close": ("close the door", "문을 닫아"),
    "fetch": ("get the material", "자재를 가져와"),
}
BLIND = {"UNCERTAIN_PERCEPTION"}
"""Reason codes if the mission is blocked because the door was closed in front of the object."""


@pytest.fixture(scope="module")
def site() -> Any:
    return site_of("door")


def check(
    site: Any, command: str, door: float, when: str | float, target: float, seed: int = 0
) -> Any:
    """Run a mission with a person at the door; return the outcome, or None if they did nothing."""
    witness = Witness()
    world = {"door": str(door), "seed": str(seed)}
    with quick_session(site, world=world, listeners=[witness]) as session:
        witness.session = session
        somebody = Somebody(session.rigs["door"].robot, when, target)
        outcome = session.run(COMMANDS[command][seed % 2])
        assert Checker(witness, outcome.status).read(outcome.message) == []
        state = door_state(witness.angle)
        done = {
            "open": state == "open",
            "close": state == "closed",
            "fetch": state == "closed" and "material" in map(witness.held, ("left", "right")),
        }
    if somebody.began is None:
        return None
    if outcome.reason_code != "ALREADY_CLOSED":  # it was, at the time of the observation
        assert (outcome.status == "satisfied") is done[command], outcome.message
    return outcome


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("command", "door", "when", "target"),
    [  # the other phases are in the slow test below
        ("open", 0.0, 0.2, 0.5),  # during an observation
        ("open", 0.0, "pulling", 0.0),  # the hand holds the handle
        ("close", 0.5, "pushing", 1.3),
        ("fetch", 1.3, "reaching", 0.5),  # against the arm
    ],
)
def test_mission_with_a_moved_door_ends_as_requested(
    site: Any, command: str, door: float, when: str | float, target: float
) -> None:
    outcome = check(site, command, door, when, target)
    assert outcome is not None
    assert outcome.status == "satisfied", outcome.message


def test_door_closed_during_a_search_is_reported(site: Any) -> None:
    outcome = check(site, "fetch", 1.3, 0.2, 0.0, seed=1)
    assert outcome.status == "blocked"
    assert "문이 닫혀 있습니다." in outcome.message


def test_door_opened_by_a_person_after_it_was_seen_closed_is_closed(site: Any) -> None:
    outcome = check(site, "close", 0.0, 0.2, 1.3)
    assert outcome.reason_code == "OK"
    assert outcome.replans > 0
    assert outcome.message.startswith("The door is closed.")


PHASES = (
    *(0.2, "reaching for the handle", "gripping the handle", "pulling", "letting go"),
    *("returning home", "going round the door", "going to the door", "pushing", "backing off"),
    *("reaching", "advancing", "lifting", "drawing back"),
)
ANGLES = (0.0, 0.5, 1.3)


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("door", ANGLES)
def test_reports_are_true_when_the_door_is_moved_at_any_phase(
    site: Any, command: str, door: float
) -> None:
    """Each phase is combined with each target angle, over the initial angles and commands."""
    first, shares = ANGLES.index(door), cases(1, 2)
    at = (first + [*COMMANDS].index(command)) % shares
    ends = [
        check(site, command, door, when, ANGLES[(first + seed) % 3], seed)
        for seed, when in some([*enumerate(PHASES)][at::shares])
    ]
    stopped = {one.reason_code for one in ends if one is not None and one.status != "satisfied"}
    assert stopped <= BLIND
