"""Validation of observations."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bt_exec.mission.perception_worker import validated_observation
from bt_exec.testing import FakeObservation


class Odd(FakeObservation):
    """Observation with one invalid part."""

    def __init__(self, **odd: Any) -> None:
        self.__dict__.update({"t": 1.0, "detected": ("cup",), "known": {"a": "b"}, "frame": None})
        self.__dict__.update(odd)


@pytest.mark.parametrize("t", [1.0, 2, np.float32(2.0), 5.0, 5.001, -3.0])
def test_observation_of_now_or_earlier_is_accepted(t: Any) -> None:
    found = Odd(t=t)
    assert validated_observation(found, 5.0) is found


@pytest.mark.parametrize(
    ("odd", "error", "said"),
    [
        ({"t": 5.0011}, ValueError, "the observation has time 5.0011 s, but the clock shows 5 s"),
        ({"t": float("nan")}, ValueError, "finite number; found nan"),
        ({"t": float("-inf")}, ValueError, "finite number; found -inf"),
        ({"t": "1"}, ValueError, "finite number; found '1'"),
        ({"t": None}, ValueError, "finite number; found None"),
        ({"labels": lambda: "cup"}, TypeError, "labels must be strings; found 'cup'"),
        ({"labels": lambda: ["cup", 7]}, TypeError, r"labels must be strings; found \['cup', 7\]"),
        ({"facts": lambda: {"a": 1}}, TypeError, "facts must map strings to strings"),
        ({"describe": lambda _: 7}, TypeError, "describe must return a line of text; found 7"),
        ({"record": lambda: [("a", 1)]}, TypeError, "record must return a dict of plain data"),
    ],
)
def test_invalid_observation_is_refused(odd: Any, error: Any, said: str) -> None:
    with pytest.raises(error, match=said):
        validated_observation(Odd(**odd), 5.0)


@pytest.mark.parametrize("wanting", ["t", "frame", "labels", "facts", "describe", "record"])
def test_object_that_is_not_an_observation_is_refused_with_the_missing_attribute(
    wanting: str,
) -> None:
    names = ("t", "frame", "labels", "facts", "describe", "record")
    found = type("Thing", (), {name: None for name in names if name != wanting})()
    with pytest.raises(TypeError, match=f"^Thing is not an observation: it has no {wanting}$"):
        validated_observation(found, 5.0)
