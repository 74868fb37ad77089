"""Map of the simulated building from its static geometry."""

from __future__ import annotations

import math
from typing import Any

import mujoco

from bt_exec_skills.navigation.grid import Grid, Slab

__all__ = ["survey"]

_UNMAPPED = ("person/", "thing/", "barrier/", "base/")
_LOW_M, _HIGH_M = 0.05, 1.2  # height range of obstacles for the robot


def survey(model: Any, cell_m: float = 0.1) -> Grid:
    """Return the map of the static geometry of a compiled building.

    Args:
        model: The building.
        cell_m: Side of a cell [m].
    """
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    slabs = []
    for geom in range(model.ngeom):
        name, box = model.geom(geom).name, model.geom_type[geom] == mujoco.mjtGeom.mjGEOM_BOX
        if name.startswith(_UNMAPPED) or not box or not model.geom_conaffinity[geom]:
            continue
        x, y, z = data.geom_xpos[geom]
        half_x, half_y, half_z = model.geom_size[geom]
        if z + half_z < _LOW_M or z - half_z > _HIGH_M:
            continue
        turn = data.geom_xmat[geom].reshape(3, 3)
        slabs.append(Slab(float(x), float(y), half_x, half_y, math.atan2(turn[1, 0], turn[0, 0])))
    return Grid.of_slabs(slabs, cell_m)
