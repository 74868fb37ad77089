"""Observations of a node: the newest one, its age, and those since its start."""

from __future__ import annotations

import math
from dataclasses import dataclass

import pytest

from bt_exec.observation import ObservationBuffer, Situation, World


@dataclass(frozen=True)
class Shot:
    """Observation with only a capture time [s]."""

    t: float


def buffer_of(*times: float, now: float = 10.0) -> ObservationBuffer[Shot]:
    """Return a buffer with observations captured at `times` [s], oldest first."""
    buffer: ObservationBuffer[Shot] = ObservationBuffer(lambda: now)
    for t in times:
        buffer.add(Shot(t))
    return buffer


def test_empty_buffer_has_no_observation_and_infinite_age() -> None:
    world = World(buffer_of(now=10.0), since=8.0)
    assert (world.now, world.observation, world.fresh) == (10.0, None, ())
    assert world.age_s == math.inf


def test_world_has_the_newest_observation_and_its_age() -> None:
    world = World(buffer_of(7.0, 9.5, now=10.0), since=8.0)
    assert world.observation == Shot(9.5)
    assert world.age_s == 0.5


@pytest.mark.parametrize(
    ("since", "fresh"),
    [(0.0, [7.0, 8.0, 9.0]), (8.0, [8.0, 9.0]), (8.1, [9.0]), (9.0, [9.0]), (9.1, [])],
)
def test_fresh_observations_are_those_since_the_start_of_the_node(
    since: float, fresh: list[float]
) -> None:
    assert [shot.t for shot in World(buffer_of(7.0, 8.0, 9.0), since).fresh] == fresh


def test_reading_an_observation_requests_the_next_one() -> None:
    """The age of the newest one can be read without a request."""
    buffer = buffer_of(7.0)
    for look, asks in (("observation", True), ("fresh", True), ("age_s", False), ("now", False)):
        buffer.add(Shot(8.0))
        assert not buffer.asked
        getattr(World(buffer, since=0.0), look)
        assert buffer.asked is asks, look


def test_first_observation_is_requested_by_default() -> None:
    assert buffer_of().asked


def test_only_the_newest_thirty_two_observations_are_kept() -> None:
    buffer = buffer_of(*map(float, range(40)))
    assert [shot.t for shot in buffer.observations] == [float(t) for t in range(8, 40)]


def test_default_situation_is_empty() -> None:
    assert Situation() == Situation(labels=(), facts={}, text="", frame=None)
