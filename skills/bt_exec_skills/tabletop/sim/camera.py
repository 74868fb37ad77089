"""Head camera of the simulated robot: ray casting without OpenGL, with the depth of each pixel."""

from __future__ import annotations

import numpy as np

from bt_exec_skills.perception.pictures_and_boxes import box_around
from bt_exec_skills.simulation.camera import Capture, WorldCamera
from bt_exec_skills.simulation.ray_casting import cast_rays, pixel_rays
from bt_exec_skills.tabletop.perception.head_camera_model import Picture, Viewpoint
from bt_exec_skills.tabletop.sim.world import TableWorld

__all__ = ["HeadCamera"]

_FAR_M = 8.0
_LEAST_PIXELS = 6
_SKY = (200.0, 208.0, 215.0)


class HeadCamera(WorldCamera[Picture]):
    """Camera on the robot's mast; implements `Pictures`.

    Args:
        world: The world.
        width: Width of the picture [px].
        height: Height of the picture [px].
    """

    _world: TableWorld

    def __init__(self, world: TableWorld, width: int = 160, height: int = 120) -> None:
        super().__init__(world)
        self._shape = height, width
        model = world.model
        self._camera = model.camera("head").id
        fovy = float(model.cam_fovy[self._camera])
        self._focal = 0.5 * height / float(np.tan(np.radians(fovy) / 2))
        self._rays = pixel_rays(width, height, np.radians(fovy))
        self._colours = np.vstack([model.geom_rgba[:, :3] * 255.0, _SKY])
        self._owner = np.array([model.geom_bodyid[g] for g in range(model.ngeom)] + [-1])

    def render(self, capture: Capture) -> Picture:  # noqa: ARG002 - the copied state is enough
        """Implement `WorldCamera.render`."""
        data, model = self._data, self._world.model
        turn = data.cam_xmat[self._camera].reshape(3, 3).copy()
        eye = data.cam_xpos[self._camera].copy()
        rays = self._rays @ turn.T
        base = model.body("base").id
        hits = cast_rays(model, data, eye, rays, _FAR_M, without_body=base)
        light = np.clip(np.abs(hits.normals @ np.array([0.3, 0.2, 0.93])), 0.0, 1.0)
        colour = self._colours[hits.geoms] * (0.45 + 0.55 * light)[:, None]
        colour[hits.geoms < 0] = _SKY
        ahead = np.where(hits.geoms < 0, 0.0, hits.distance * -self._rays[:, 2])
        owner = self._owner[hits.geoms].reshape(self._shape)
        boxes = {}
        for name in tuple(self._world.items):
            mask = owner == model.body(name).id
            if np.count_nonzero(mask) >= _LEAST_PIXELS:
                boxes[name] = box_around(mask)
        return Picture(
            colour.astype(np.uint8).reshape(*self._shape, 3),
            ahead.astype(np.float32).reshape(self._shape),
            boxes,
            Viewpoint(eye, turn, self._focal, self._shape),
        )
