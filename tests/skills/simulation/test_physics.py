"""Physics advances by whole control periods."""

import mujoco
import pytest

from bt_exec_skills.simulation.physics import Physics


def test_time_advances_by_control_periods():
    model = mujoco.MjModel.from_xml_string('<mujoco><option timestep="0.005"/></mujoco>')
    physics = Physics(model, 0.02)
    physics.advance()
    assert physics.time == pytest.approx(0.02)
