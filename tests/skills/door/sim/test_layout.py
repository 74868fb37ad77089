"""World options and layouts by seed."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bt_exec_skills.door.sim.layout import WorldOptions, draw_layout


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (
            {"door": "half"},
            "door='half': allowed: closed, ajar, open, or an angle 0..1.6 rad",
        ),
        ({"door": 1.7}, "door=1.7: allowed: closed, ajar, open, or an angle 0..1.6 rad"),
        ({"door": "nan"}, "door='nan': allowed: closed, ajar, open, or an angle 0..1.6 rad"),
        ({"material": "gone"}, "material='gone': allowed: present, absent"),
        ({"seed": -1}, "seed=-1: allowed: whole numbers 0..2147483647"),
        ({"seed": 1.5}, "seed=1.5: allowed: whole numbers 0..2147483647"),
        ({"seed": True}, "seed=True: allowed: whole numbers 0..2147483647"),
        (
            {"fault": "fire"},
            "fault='fire': allowed: none, jammed, slippery, dark, frozen",
        ),
    ],
)
def test_invalid_option_lists_the_allowed_values(options: dict, message: str) -> None:
    with pytest.raises(ValueError) as caught:
        WorldOptions(**options)
    assert str(caught.value) == message


def test_angle_can_be_given_as_text() -> None:
    assert WorldOptions(door="0.4").door == 0.4


@given(seed=st.integers(0, 2**31 - 1))
@settings(max_examples=50)
def test_layout_of_a_seed_is_independent_of_the_options(seed: int) -> None:
    one = draw_layout(WorldOptions(seed=seed))
    assert one == draw_layout(WorldOptions(seed=seed))
    other = draw_layout(WorldOptions(door="open", material="absent", fault="jammed", seed=seed))
    assert replace(other, angle=one.angle, material=True, jammed=False) == one


@pytest.mark.parametrize(
    ("door", "low", "high"), [("closed", 0, 0), ("ajar", 0.25, 0.5), ("open", 1.15, 1.35)]
)
def test_named_door_states_have_a_fixed_angle(door: str, low: float, high: float) -> None:
    for seed in range(30):
        assert low <= draw_layout(WorldOptions(door=door, seed=seed)).angle <= high
