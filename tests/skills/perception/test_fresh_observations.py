"""Waiting for a new observation of a working camera."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bt_exec.failure import Failed
from bt_exec.observation import ObservationBuffer, World
from bt_exec_skills.door.perception.observation import DoorEstimate, DoorObservation
from bt_exec_skills.perception.contracts import Detection
from bt_exec_skills.perception.fresh_observations import PATIENCE_S, fresh_observation, in_view


def seen(t, fault=None):
    return DoorObservation(t, (), DoorEstimate("open", 0.9), fault=fault)


def wait(*observations, since=1.0):
    """Return the answer for `observations`, one every half second from the first second on."""
    now = [1.0]
    buffer = ObservationBuffer(lambda: now[0])
    steps = fresh_observation(World(buffer, 0.0), since, lambda: Failed("DARK", "why"))
    for one in (*observations, *[None] * 20):
        try:
            next(steps)
        except StopIteration as stop:
            return stop.value
        except Failed as failed:
            return failed.code, now[0]
        if one is not None:
            buffer.add(one)
        now[0] += 0.5
    return None


def test_first_good_new_observation_is_returned():
    good = seen(2.0)
    assert wait(seen(0.5), seen(1.5, "dark"), good, seen(2.5)) is good


def test_observation_at_the_start_time_counts_as_new():
    now = seen(1.0)
    assert wait(now, seen(1.5)) is now


@pytest.mark.parametrize("only", [(), (seen(0.9),), (seen(1.5, "frozen"),)])
def test_wait_times_out(only):
    assert wait(*only) == ("DARK", 1.0 + PATIENCE_S)


def look(letter: str) -> DoorObservation:
    """Return an observation: ``+`` shows the object, ``-`` does not, ``x`` is a camera fault."""
    found = (Detection("material", (0, 0, 1, 1), 1.0),) if letter == "+" else ()
    estimate = DoorEstimate("open", 0.9)
    return DoorObservation(0.0, found, estimate, fault="dark" if letter == "x" else None)


@pytest.mark.parametrize(
    ("pictures", "answer"),
    [
        ("", None),
        ("+", None),
        ("++", True),
        ("--", None),
        ("---", False),
        ("+-+", True),
        ("+--", None),
        ("+---", False),
        ("---+", False),
        ("---++", True),
        ("xxx", None),
        ("+x+", True),
        ("-x-x-", False),
    ],
)
def test_two_positive_or_three_negative_pictures_are_sufficient(
    pictures: str, answer: bool | None
) -> None:
    assert in_view([look(letter) for letter in pictures], "material") is answer


@given(st.text(alphabet="+-x", max_size=12))
def test_sufficient_good_pictures_always_give_a_decision(pictures: str) -> None:
    answer = in_view([look(letter) for letter in pictures], "material")
    good = pictures.replace("x", "")
    if len(good) >= 4:
        assert answer is not None
    if answer is not None:
        assert ("+" if answer else "-") in good
