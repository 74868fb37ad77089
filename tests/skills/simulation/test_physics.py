"""Physics advances by whole control periods."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

from bt_exec_skills.simulation.physics import Physics, mjcf_box, mjcf_colour, mjcf_numbers


def test_time_advances_by_control_periods():
    model = mujoco.MjModel.from_xml_string('<mujoco><option timestep="0.005"/></mujoco>')
    physics = Physics(model, 0.02)
    physics.advance()
    assert physics.time == pytest.approx(0.02)


def test_numbers_are_written_with_the_requested_digits():
    assert mjcf_numbers(1, 0.1, 1 / 3) == "1 0.1 0.333333333"
    assert mjcf_numbers(12.34567, -0.000001234567, digits=5) == "12.346 -1.2346e-06"


def test_colour_is_opaque_by_default():
    assert mjcf_colour((0.5, 0.25, 1)) == "0.5 0.25 1 1"
    assert mjcf_colour((0, 0, 0), 0.5) == "0 0 0 0.5"


def test_mujoco_reads_a_box():
    geom = mjcf_box("crate", (1, 2, 3), (0.1, 0.2, 0.3), f'rgba="{mjcf_colour((1, 0, 0))}"')
    model = mujoco.MjModel.from_xml_string(f"<mujoco><worldbody>{geom}</worldbody></mujoco>")
    assert np.allclose(model.geom("crate").pos, (1, 2, 3))
    assert np.allclose(model.geom("crate").size, (0.1, 0.2, 0.3))
    assert np.allclose(model.geom("crate").rgba, (1, 0, 0, 1))
