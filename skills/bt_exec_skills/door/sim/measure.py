"""Calibration of a simulated robot, read from its world."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bt_exec_skills.door.perception.calibration import Calibration, CameraPose, DoorShape

if TYPE_CHECKING:
    from bt_exec_skills.door.sim.world import DoorWorld

__all__ = ["calibration_of"]


def calibration_of(world: DoorWorld, width: int = 320, height: int = 240) -> Calibration:
    """Return camera and door of `world`.

    Args:
        world: The simulated world.
        width: Width of the camera's pictures [px].
        height: Height of the camera's pictures [px].
    """
    layout, model = world.layout, world.model
    panel, bar = model.geom("door/panel"), model.geom("door/handle")
    eye, target = layout.camera
    thick, half_width, half_height = (float(side) for side in panel.size)
    shape = DoorShape(
        hinge=layout.hinge,
        width=2 * half_width,
        height=2 * half_height,
        thick=thick,
        handle_r=layout.handle_r,
        handle_z=layout.handle_z,
        handle_half=layout.handle_half,
        handle_out=abs(float(bar.pos[0])),
        handle_radius=float(bar.size[0]),
        max_rad=_MAX_RAD,
    )
    return Calibration(CameraPose(eye, target, layout.fovy, width, height), shape)


_MAX_RAD = 1.75  # larger than the opening angle of any door
