"""The head camera of a simulated world: a capture copies the state, a view is rendered later."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

import mujoco
import numpy as np

from bt_exec_skills.door.perception.contracts import DoorTruth, DoorView
from bt_exec_skills.door.sim.ik import Vector
from bt_exec_skills.door.sim.layout import DOOR_HEIGHT, DOOR_WIDTH
from bt_exec_skills.door.sim.world import DoorWorld
from bt_exec_skills.simulation.painter import RendererName, make_painter
from bt_exec_skills.simulation.picture import Painter, Picture
from bt_exec_skills.simulation.raycast import FAR_M
from bt_exec_skills.simulation.rays import cast

__all__ = ["GEOMS", "Capture", "SimCamera", "geom_ids"]

GEOMS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {"door": ("door/",), "door-handle": ("door/handle", "door/post"), "material": ("material",)}
)
"""Name prefixes of the geoms of each label."""

_GRID = 9


class Capture(NamedTuple):
    """The state for a picture.

    Attributes:
        t: Simulated time [s].
        qpos: Generalised positions of the world, shape (nq,).
        dark: Whether the lens was covered.
    """

    t: float
    qpos: Vector
    dark: bool


class SimCamera:
    """Camera of a world; `capture` runs on the loop's thread, `view` on any one thread at a time.

    Args:
        world: The simulated world.
        width: Width of the picture [px].
        height: Height of the picture [px].
        renderer: "egl", "raycast", or "auto" for the first that works.
        truth: Whether its views include the ground truth, for a detector that uses it.

    Attributes:
        fault: Current fault: "none", "dark" (a black picture) or "frozen" (the last picture again,
            with its old time stamp). May be set at any time.
    """

    def __init__(
        self,
        world: DoorWorld,
        width: int = 320,
        height: int = 240,
        renderer: RendererName = "auto",
        *,
        truth: bool = True,
    ) -> None:
        self._world = world
        self._size = width, height
        self._renderer: RendererName = renderer
        self._with_truth = truth
        self._painter: Painter | None = None
        self._data: Any = mujoco.MjData(world.model)  # a copy for views, separate from the physics
        self._lock = threading.Lock()
        self._last: Capture | None = None
        self._closed = False
        self.fault = world.options.fault
        self._labels = {label: geom_ids(world.model, names) for label, names in GEOMS.items()}
        self._shown = {label: np.zeros(world.model.ngeom + 1, bool) for label in GEOMS}
        """Whether a pixel that shows a geom shows a label; the last is for no geom, -1."""
        for label, ids in self._labels.items():
            self._shown[label][ids] = True

    @property
    def size(self) -> tuple[int, int]:
        """Height and width of its pictures [px]."""
        width, height = self._size
        return height, width

    def capture(self) -> Capture:
        """Implement `Camera.capture`."""
        if self.fault != "frozen" or self._last is None:
            world = self._world
            self._last = Capture(world.time, world.data.qpos.copy(), self.fault == "dark")
        return self._last

    def view(self, capture: Capture) -> DoorView:
        """Implement `Camera.view`."""
        with self._lock:
            if self._closed:
                raise RuntimeError("the camera is closed")
            model, data = self._world.model, self._data
            data.qpos[:] = capture.qpos
            mujoco.mj_kinematics(model, data)
            mujoco.mj_camlight(model, data)
            if self._painter is None:
                self._painter = make_painter(model, *self._size, self._renderer)
            if not self._with_truth:
                rgb = self._painter.colours(data)
                return DoorView(capture.t, np.zeros_like(rgb) if capture.dark else rgb)
            picture = self._painter.paint(data)
            if capture.dark:
                nothing = np.full_like(picture.geoms, -1)
                picture = Picture(np.zeros_like(picture.rgb), nothing)
            return DoorView(capture.t, picture.rgb, self._truth(picture, capture.dark))

    def _truth(self, picture: Picture, dark: bool) -> DoorTruth:
        world, layout = self._world, self._world.layout
        angle = float(self._data.joint("door").qpos[0])
        geoms = picture.geoms
        masks = {
            label: self._shown[label].take(geoms, mode="wrap")  # -1 is the last one
            for label, ids in self._labels.items()
            if ids
        }
        if dark:
            return DoorTruth(masks, angle, 0.0, 0.0)
        r = np.linspace(0.03, DOOR_WIDTH - 0.03, _GRID).repeat(_GRID)
        up = np.tile(np.linspace(0.03 - DOOR_HEIGHT / 2, DOOR_HEIGHT / 2 - 0.03, _GRID), _GRID)
        panel = world.geometry.points(angle, r, 0.0, up)
        opening = layout.hinge + np.column_stack((np.full_like(r, 0.02), -r, up))
        return DoorTruth(
            masks,
            angle,
            self._share(panel, np.array(self._labels["door"])),
            self._share(opening, None),
        )

    def _share(self, points: Vector, geoms: Vector | None) -> float:
        """Return the share of `points` in the picture that are visible.

        Args:
            points: World frame [m], shape (n, 3).
            geoms: Ids of the geoms that the ray from the camera must hit first; None for nothing
                before the point.
        """
        camera = self._data.cam("head")
        offsets = points - camera.xpos
        far = np.linalg.norm(offsets, axis=1)
        x, y, z = (offsets @ camera.xmat.reshape(3, 3)).T
        reach = np.tan(np.radians(self._world.layout.fovy) / 2)
        wide = self._size[0] / self._size[1]
        inside = (np.abs(x) <= -z * reach * wide) & (np.abs(y) <= -z * reach)
        rays = offsets / far[:, None]
        hit, distance, _ = cast(self._world.model, self._data, camera.xpos, rays, FAR_M)
        seen = distance >= far if geoms is None else np.isin(hit, geoms)
        return float((seen & inside).mean())

    def close(self) -> None:
        """Close the renderer."""
        with self._lock:
            self._closed = True
            if self._painter is not None:
                self._painter.close()
                self._painter = None


def geom_ids(model: Any, starts: tuple[str, ...]) -> list[int]:
    """Return the ids of the geoms whose names start with one of `starts`."""
    return [geom for geom in range(model.ngeom) if model.geom(geom).name.startswith(starts)]
