"""Voting over several pictures, newest first."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bt_exec_skills.door.perception.observation import DoorEstimate, DoorObservation
from bt_exec_skills.perception.contracts import Detection
from bt_exec_skills.perception.temporal_voting import in_view


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
def test_two_positive_or_three_negative_pictures_decide(pictures: str, answer: bool | None) -> None:
    assert in_view([look(letter) for letter in pictures], "material") is answer


@given(st.text(alphabet="+-x", max_size=12))
def test_enough_good_pictures_always_decide(pictures: str) -> None:
    answer = in_view([look(letter) for letter in pictures], "material")
    good = pictures.replace("x", "")
    if len(good) >= 4:
        assert answer is not None
    if answer is not None:
        assert ("+" if answer else "-") in good
