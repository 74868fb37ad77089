"""Camera of the simulated robot: ray casting without OpenGL, with the position of each pixel.

A capture copies the state, and the view is rendered later. The brightness of a pixel depends on
the lamp above the point that it shows, so a dark room is also dark when seen from a lit one.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from bt_exec_skills.navigation.plane_geometry import Pose
from bt_exec_skills.perception.oracle import Thing
from bt_exec_skills.reporter.perception.observation import PERSON
from bt_exec_skills.reporter.perception.pipeline import GroundTruth, PositionedView
from bt_exec_skills.reporter.sim.floor_plan import LIGHTS
from bt_exec_skills.reporter.sim.world import BuildingWorld
from bt_exec_skills.simulation.camera import Capture, WorldCamera
from bt_exec_skills.simulation.ray_casting import cast_rays, pixel_rays

__all__ = ["SimCamera"]

_HEIGHT_M, _FORWARD_M = 1.15, 0.12
_PITCH_RAD = 0.2  # downward pitch
_FOVY_RAD = math.radians(78.0)
_FAR_M = 25.0


class State(NamedTuple):
    """State that a picture depends on, besides the positions in MuJoCo.

    Attributes:
        pose: Pose of the base.
        lights: Whether each lamp is on.
    """

    pose: Pose
    lights: Mapping[str, bool]


class SimCamera(WorldCamera[PositionedView]):
    """Camera in a building.

    Args:
        world: The building.
        width: Width of the picture [px].
        height: Height of the picture [px].
    """

    _world: BuildingWorld

    def __init__(self, world: BuildingWorld, width: int = 240, height: int = 180) -> None:
        super().__init__(world, world.options.lens)
        self._shape = height, width
        right, up, back = pixel_rays(width, height, _FOVY_RAD).T
        rays = np.stack([-back, -right, up], axis=-1)  # x ahead, y to the left, z up
        c, s = math.cos(_PITCH_RAD), math.sin(_PITCH_RAD)
        self._rays = rays @ np.array([[c, 0.0, -s], [0.0, 1.0, 0.0], [s, 0.0, c]])
        model = world.model
        self._colours = np.vstack([model.geom_rgba[:, :3], [0.55, 0.6, 0.68]]) * 255.0
        self._base = int(model.body("base").id)
        self._visible_objects, self._shows = _visible_objects(model)
        self._lamps = _Lamps()

    def captured_state(self) -> State:
        """Return the pose of the base and the lights."""
        return State(self._world.pose, dict(self._world.lights))

    def render(self, capture: Capture) -> PositionedView:
        """Implement `WorldCamera.render`."""
        state: State = capture.more
        x, y, yaw = state.pose
        c, s = math.cos(yaw), math.sin(yaw)
        eye = np.array([x + c * _FORWARD_M, y + s * _FORWARD_M, _HEIGHT_M])
        pose = Pose(float(eye[0]), float(eye[1]), yaw)
        if capture.dark:
            ground = np.full((*self._shape, 2), np.nan, np.float32)
            shows = np.full(self._shape, -1, np.int16)
            frame = np.zeros((*self._shape, 3), np.uint8)
            truth = GroundTruth(shows, self._visible_objects)
            return PositionedView(capture.t, frame, truth, pose=pose, ground=ground)
        rays = self._rays @ np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]])
        model = self._world.model
        geoms, distance, normals = cast_rays(
            model, self._data, eye, rays, _FAR_M, without_body=self._base
        )
        facing = np.abs((normals * rays).sum(axis=1))
        spot = (eye[:2] + rays[:, :2] * distance[:, None]).astype(np.float32)
        light = self._lamps.brightness(spot, state.lights) * (0.55 + 0.45 * facing)
        rgb = np.clip(self._colours[geoms] * light[:, None], 0, 255).astype(np.uint8)
        spot[geoms < 0] = np.nan
        return PositionedView(
            capture.t,
            rgb.reshape(*self._shape, 3),
            GroundTruth(self._shows[geoms].reshape(self._shape), self._visible_objects),
            pose=pose,
            ground=spot.reshape(*self._shape, 2),
        )


def _visible_objects(model: Any) -> tuple[tuple[Thing, ...], npt.NDArray[np.int16]]:
    """Return the persons and objects, and their index for each geom; -1 for all other geoms."""
    things: dict[str, Thing] = {}
    of_geom = np.full(model.ngeom + 1, -1, np.int16)
    for geom in range(model.ngeom):
        kind, _, rest = model.geom(geom).name.partition("/")
        if kind == "person":
            who = rest.partition("/")[0]
            things.setdefault(f"person/{who}", Thing(PERSON, who))
            of_geom[geom] = list(things).index(f"person/{who}")
        elif kind == "thing":
            number, label = rest.split("/")[:2]
            things.setdefault(f"thing/{number}", Thing(label))
            of_geom[geom] = list(things).index(f"thing/{number}")
    return tuple(things.values()), of_geom


_UNLIT = 0.13
_ELSEWHERE = 0.5
_CELL_M = 0.1


class _Lamps:
    """Table with the lamp above each small cell of the floor."""

    def __init__(self) -> None:
        self._names = tuple(LIGHTS)
        self._left = min(area.left for area in LIGHTS.values()) - 1.0
        self._bottom = min(area.bottom for area in LIGHTS.values()) - 1.0
        columns = int((max(a.right for a in LIGHTS.values()) + 1.0 - self._left) / _CELL_M)
        rows = int((max(a.top for a in LIGHTS.values()) + 1.0 - self._bottom) / _CELL_M)
        self._lamp = np.full((rows, columns), len(self._names), np.int8)
        for number, area in enumerate(LIGHTS.values()):
            low, high = self._cell(area.left, area.bottom), self._cell(area.right, area.top)
            self._lamp[low[1] : high[1], low[0] : high[0]] = number

    def _cell(self, x: float, y: float) -> tuple[int, int]:
        return round((x - self._left) / _CELL_M), round((y - self._bottom) / _CELL_M)

    def brightness(
        self, spot: npt.NDArray[np.float32], lights: Mapping[str, bool]
    ) -> npt.NDArray[np.float32]:
        """Return the brightness of each spot, 0..1; 1 is under a lamp that is on."""
        level = [1.0 if lights[name] else _UNLIT for name in self._names]
        table = np.array([*level, _ELSEWHERE], np.float32)
        rows, columns = self._lamp.shape
        x = np.clip(((spot[:, 0] - self._left) / _CELL_M).astype(np.int32), 0, columns - 1)
        y = np.clip(((spot[:, 1] - self._bottom) / _CELL_M).astype(np.int32), 0, rows - 1)
        found: npt.NDArray[np.float32] = table[self._lamp[y, x]]
        return found
