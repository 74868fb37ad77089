"""What a perception gives is refused with what is wrong with it, or taken as it is."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bt_exec.mission.observation_checks import usable
from bt_exec.testing import FakeObservation


class Odd(FakeObservation):
    """An observation of which one thing is odd."""

    def __init__(self, **odd: Any) -> None:
        self.__dict__.update({"t": 1.0, "detected": ("cup",), "known": {"a": "b"}, "frame": None})
        self.__dict__.update(odd)


@pytest.mark.parametrize("t", [1.0, 2, np.float32(2.0), 5.0, 5.001, -3.0])
def test_an_observation_of_now_or_earlier_is_taken(t: Any) -> None:
    found = Odd(t=t)
    assert usable(found, 5.0) is found


@pytest.mark.parametrize(
    ("odd", "error", "said"),
    [
        ({"t": 5.0011}, ValueError, "the observation is of 5.0011 s, but it is 5 s"),
        ({"t": float("nan")}, ValueError, "finite number; found nan"),
        ({"t": float("-inf")}, ValueError, "finite number; found -inf"),
        ({"t": "1"}, ValueError, "finite number; found '1'"),
        ({"t": None}, ValueError, "finite number; found None"),
        ({"labels": lambda: "cup"}, TypeError, "labels are texts; found 'cup'"),
        ({"labels": lambda: ["cup", 7]}, TypeError, r"labels are texts; found \['cup', 7\]"),
        ({"facts": lambda: {"a": 1}}, TypeError, "facts are texts by texts"),
        ({"describe": lambda _: 7}, TypeError, "describe gives a line of text; found 7"),
        ({"record": lambda: [("a", 1)]}, TypeError, "record gives a dict of plain data"),
    ],
)
def test_what_would_trip_somebody_later_is_refused(odd: Any, error: Any, said: str) -> None:
    with pytest.raises(error, match=said):
        usable(Odd(**odd), 5.0)


@pytest.mark.parametrize("wanting", ["t", "frame", "labels", "facts", "describe", "record"])
def test_what_is_no_observation_is_told_with_what_it_lacks(wanting: str) -> None:
    names = ("t", "frame", "labels", "facts", "describe", "record")
    found = type("Thing", (), {name: None for name in names if name != wanting})()
    with pytest.raises(TypeError, match=f"^Thing is not an observation: it has no {wanting}$"):
        usable(found, 5.0)
