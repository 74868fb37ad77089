"""Head camera of the door world; its views contain the ground truth of the door."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from bt_exec_skills.door.perception.ground_truth_estimator import DoorTruth
from bt_exec_skills.door.sim.ik import Vector
from bt_exec_skills.door.sim.layout import DOOR_HEIGHT, DOOR_WIDTH
from bt_exec_skills.door.sim.world import DoorWorld
from bt_exec_skills.perception.pictures_and_boxes import Mask
from bt_exec_skills.simulation.camera import ObjectCamera
from bt_exec_skills.simulation.ray_casting import FAR_M, cast_rays
from bt_exec_skills.simulation.renderer import RendererName

__all__ = ["GEOMS", "SimCamera"]

GEOMS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {"door": ("door/",), "door-handle": ("door/handle", "door/post"), "material": ("material",)}
)
"""Name prefixes of the geoms of each label."""

_GRID = 9


class SimCamera(ObjectCamera[DoorTruth]):
    """Camera of a door world; arguments as for `ObjectCamera`."""

    _world: DoorWorld

    def __init__(
        self,
        world: DoorWorld,
        width: int = 320,
        height: int = 240,
        renderer: RendererName = "auto",
        *,
        truth: bool = True,
    ) -> None:
        fault = world.options.fault
        super().__init__(world, GEOMS, width, height, renderer, truth=truth, fault=fault)

    def truth(self, masks: Mapping[str, Mask], *, dark: bool) -> DoorTruth:
        """Return the ground truth of a view."""
        world = self._world
        angle = float(self._data.joint("door").qpos[0])
        if dark:
            return DoorTruth(masks, angle, 0.0, 0.0)
        r = np.linspace(0.03, DOOR_WIDTH - 0.03, _GRID).repeat(_GRID)
        up = np.tile(np.linspace(0.03 - DOOR_HEIGHT / 2, DOOR_HEIGHT / 2 - 0.03, _GRID), _GRID)
        panel = world.geometry.points(angle, r, 0.0, up)
        opening = world.layout.hinge + np.column_stack((np.full_like(r, 0.02), -r, up))
        return DoorTruth(
            masks,
            angle,
            self._visible_share(panel, np.array(self._geoms["door"])),
            self._visible_share(opening, None),
        )

    def _visible_share(self, points: Vector, geoms: Vector | None) -> float:
        """Return the share of `points` that are in the picture and visible, 0..1.

        Args:
            points: Points in the world frame [m], shape (n, 3).
            geoms: Ids of the geoms that the ray from the camera must hit first; None if the ray
                must reach the point without a hit.
        """
        camera = self._data.cam("head")
        offsets = points - camera.xpos
        far = np.linalg.norm(offsets, axis=1)
        x, y, z = (offsets @ camera.xmat.reshape(3, 3)).T
        reach = np.tan(np.radians(self._world.layout.fovy) / 2)
        wide = self.size[1] / self.size[0]
        inside = (np.abs(x) <= -z * reach * wide) & (np.abs(y) <= -z * reach)
        rays = offsets / far[:, None]
        hit, distance, _ = cast_rays(self._world.model, self._data, camera.xpos, rays, FAR_M)
        free = (distance >= far) | (hit < 0)
        seen = free if geoms is None else np.isin(hit, geoms)
        return float((seen & inside).mean())
