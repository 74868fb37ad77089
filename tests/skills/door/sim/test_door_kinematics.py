"""Geometry of the door: points, sides and handle are consistent at every angle."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bt_exec_skills.door.sim.door_kinematics import DoorGeometry
from bt_exec_skills.door.sim.layout import WorldOptions, draw_layout

DOOR = DoorGeometry(draw_layout(WorldOptions(seed=4)))
angles = st.floats(0.0, 1.7)
metres = st.floats(-0.5, 0.5)


@given(angle=angles, r=metres, out=metres, up=metres)
def test_point_has_the_requested_distance_from_the_panel(
    angle: float, r: float, out: float, up: float
) -> None:
    assert DOOR.signed_distance(angle, DOOR.point(angle, r, out, up)) == pytest.approx(
        out, abs=1e-9
    )


@given(angle=angles)
def test_panel_and_its_normal_are_perpendicular(angle: float) -> None:
    assert DOOR.panel_direction(angle) @ DOOR.outward_normal(angle) == pytest.approx(0.0, abs=1e-12)


@given(angle=angles, along=st.floats(-1.0, 1.0))
def test_every_point_of_the_bar_touches_the_handle(angle: float, along: float) -> None:
    place = DOOR.handle_centre(angle, along * DOOR.handle_half)
    assert DOOR.distance_to_handle(angle, place) == pytest.approx(0.0, abs=1e-9)


def test_closed_door_faces_the_robot_and_opens_towards_it() -> None:
    assert DOOR.outward_normal(0.0) == pytest.approx([-1.0, 0.0, 0.0])
    assert DOOR.edge_centre(0.0)[0] == pytest.approx(DOOR.front_x)
    assert DOOR.edge_centre(math.pi / 2)[0] < DOOR.front_x - 0.3
    assert np.allclose(DOOR.edge_centre(0.7)[2], DOOR.edge_centre(0.0)[2])


@given(angle=angles, r=st.floats(0.01, 0.3), out=metres, up=st.floats(-0.15, 0.15))
def test_distance_of_a_point_beside_the_panel_is_measured_to_the_panel(
    angle: float, r: float, out: float, up: float
) -> None:
    place = DOOR.point(angle, r, out, up)
    assert DOOR.distance_to_panel(angle, place[None]) == pytest.approx(abs(out), abs=1e-9)


def test_point_beyond_the_free_edge_is_outside_the_panel() -> None:
    assert DOOR.distance_to_panel(0.6, DOOR.edge_centre(0.6)[None] + [0.0, -0.2, 0.0]) == math.inf
