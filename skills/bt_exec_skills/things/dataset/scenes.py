"""Training scenes of tables, used for the shipped detector of objects.

A scene is one room with a set of objects. Its pictures differ in the visible objects and their
poses, in camera and light.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import cv2
import mujoco
import numpy as np
import numpy.typing as npt

from bt_exec_skills.perception.picture import Frame
from bt_exec_skills.simulation.painter import GlPainter, gl_works
from bt_exec_skills.simulation.raycast import RayPainter
from bt_exec_skills.things.dataset.arrange import Pose, arranged
from bt_exec_skills.things.dataset.colours import Rng
from bt_exec_skills.things.dataset.figures import SEAT_M
from bt_exec_skills.things.dataset.stage import AWAY, Prop, Stage, build_stage
from bt_exec_skills.things.dataset.truth import Shown, shown_in
from bt_exec_skills.things.dataset.views import View, ViewName, aim, draw_view, relight
from bt_exec_skills.things.names import THINGS
from bt_exec_skills.things.weights import SHIPPED
from bt_exec_skills.vision.sample import Mark, Sample

Floats = npt.NDArray[np.float64]

__all__ = ["HEIGHT", "WIDTH", "TableScenes"]

WIDTH, HEIGHT = 384, 288
_PICTURES = 6
_MOST_THINGS = 12
_CLEAR_M = 0.6  # free distance around the camera
_BY_RAY = 0.15  # share of ray-cast pictures if OpenGL is available
_VIEWS: tuple[tuple[ViewName, float], ...] = (("close", 0.58), ("mast", 0.2), ("room", 0.22))


class TableScenes:
    """Implements `bt_exec_skills.vision.sample.SceneSource` for objects on tables.

    Args:
        rays_only: Whether to use ray casting even if OpenGL is available; a seed then gives the
            same pictures on every machine.
    """

    name = "table"
    classes = THINGS
    weights = SHIPPED
    sites = ("image", "tabletop")

    def __init__(self, *, rays_only: bool = False) -> None:
        self._rays_only = rays_only

    def scene(self, seed: int) -> Iterator[Sample]:
        """Yield the pictures of one room."""
        rng = np.random.default_rng([seed, 20262])
        floor_m = rng.uniform(0.5, 0.78)
        stage = build_stage(rng, floor_m)
        data = mujoco.MjData(stage.model)
        gl = GlPainter(stage.model, WIDTH, HEIGHT, shadows=True) if self._has_gl() else None
        try:
            for _ in range(_PICTURES):
                view = _set_up(stage, floor_m, rng)
                mujoco.mj_forward(stage.model, data)
                by_ray = gl is None or rng.random() < _BY_RAY
                painter = RayPainter(stage.model, WIDTH, HEIGHT) if gl is None or by_ray else gl
                picture = painter.paint(data)
                shown = shown_in(stage, data, picture.geoms)
                counted = [one for one in shown if one.counts]
                yield Sample(
                    _through_sensor(picture.rgb, rng),
                    tuple(Mark(one.prop.label, one.box) for one in counted),
                    {"view": view, "renderer": painter.name, "things": [_told(o) for o in shown]},
                )
        finally:
            if gl is not None:
                gl.close()

    def _has_gl(self) -> bool:
        return not self._rays_only and gl_works()


def _told(one: Shown) -> dict[str, Any]:
    """Return the ground truth of an object, as plain data."""
    return {
        "label": one.prop.label,
        "colour": one.prop.colour,
        "bbox": list(one.box),
        "pixels": one.pixels,
        "share": round(one.share, 3),
        "painted": round(one.painted, 3),
        "counts": one.counts,
    }


def _set_up(stage: Stage, floor_m: float, rng: Rng) -> ViewName:
    """Draw the contents, camera and light of the next picture; return the kind of view."""
    name = str(rng.choice([name for name, _ in _VIEWS], p=[share for _, share in _VIEWS]))
    view_name: ViewName = next(one for one, _ in _VIEWS if one == name)
    model = stage.model
    for prop in stage.props:
        model.body(prop.body).pos[:] = AWAY
    count = 0 if rng.random() < 0.04 else int(rng.integers(1, _MOST_THINGS + 1))
    picks = rng.choice(len(stage.things), count, replace=False)
    laid = [stage.things[place] for place in picks]
    laid += [one for one in stage.clutter if rng.random() < 0.3]
    size = float(np.sqrt(sum(prop.radius**2 for prop in laid))) if laid else 0.05
    spread = min(0.38, size * rng.uniform(1.0, 1.8))
    poses = arranged(laid, spread, rng)
    view = draw_view(view_name, spread, floor_m, rng)
    if view_name != "mast" and rng.random() < (0.85 if view_name == "room" else 0.12):
        poses |= _around(stage, floor_m, view.eye, rng)
    for body, pose in poses.items():
        model.body(body).pos[:] = pose.x, pose.y, pose.z
        model.body(body).quat[:] = np.cos(pose.yaw / 2), 0, 0, np.sin(pose.yaw / 2)
    aim(model, view)
    if rng.random() < (0.4 if view_name == "mast" else 0.05):
        _reach_in(stage, view, rng)
    relight(model, rng)
    return view_name


def _reach_in(stage: Stage, view: View, rng: Rng) -> None:
    """Put parts of a robot's arm between the camera and the table."""
    model = stage.model
    far = float(np.linalg.norm(view.eye - view.target))
    for prop in stage.limbs[: int(rng.integers(1, len(stage.limbs) + 1))]:
        at = view.eye + (view.target - view.eye) * rng.uniform(0.4, 0.8)
        side = rng.normal(0, 0.28 * far * np.tan(np.radians(view.fovy / 2)), 3)
        turn = rng.normal(0, 1, 4)
        at = at + side
        model.body(prop.body).pos[:] = at[0], at[1], max(at[2], 0.05)
        model.body(prop.body).quat[:] = turn / np.linalg.norm(turn)


def _around(stage: Stage, floor_m: float, eye: Floats, rng: Rng) -> dict[str, Pose]:
    """Return poses of chairs and persons around the table, and of objects on the chairs.

    The position of the camera stays free.
    """
    found: dict[str, Pose] = {}
    ways = rng.permutation(8) * (np.pi / 4) + rng.uniform(-0.3, 0.3, 8)
    figures: list[Prop] = [one for one in stage.chairs if rng.random() < 0.6]
    figures += [one for one in stage.people if rng.random() < 0.5]
    rest = iter(rng.permutation(len(stage.things)))
    for prop, way in zip(figures, ways, strict=False):
        far = rng.uniform(0.75, 1.5)
        x, y = float(far * np.cos(way)), float(far * np.sin(way))
        yaw = float(way + np.pi + rng.normal(0, 0.7))
        if np.hypot(x - eye[0], y - eye[1]) < _CLEAR_M:
            continue
        found[prop.body] = Pose(x, y, -floor_m, yaw)
        if prop.label == "chair" and rng.random() < 0.35:
            thing = stage.things[int(next(rest))]
            if thing.radius < 0.13:
                found[thing.body] = Pose(x, y, SEAT_M - floor_m, rng.uniform(0, 6.28))
    return found


def _through_sensor(image: Frame, rng: Rng) -> Frame:
    """Return the picture with the effects of a random camera quality."""
    seen = image.astype(np.float32) / 255
    seen *= rng.uniform(0.75, 1.25)
    if rng.random() < 0.5:
        seen *= rng.uniform(0.86, 1.14, 3).astype(np.float32)
    seen = np.clip(seen, 0, 1) ** np.float32(rng.uniform(0.75, 1.25))
    kind = rng.random()
    if kind < 0.2:
        seen = np.asarray(cv2.GaussianBlur(seen, (0, 0), float(rng.uniform(0.5, 1.3))), np.float32)
    elif kind < 0.35:
        sharp = cv2.GaussianBlur(seen, (0, 0), 1.0)
        seen = np.asarray(seen + rng.uniform(0.3, 1.0) * (seen - sharp), np.float32)
    if rng.random() < 0.5:
        noise = rng.normal(0, rng.uniform(0.004, 0.03), image.shape).astype(np.float32)
        seen = seen + noise
    taken = np.clip(seen * 255, 0, 255).astype(np.uint8)
    if rng.random() < 0.3:
        quality = [cv2.IMWRITE_JPEG_QUALITY, int(rng.integers(35, 95))]
        _, packed = cv2.imencode(".jpg", taken, quality)
        taken = np.asarray(cv2.imdecode(packed, cv2.IMREAD_COLOR), np.uint8)
    return taken
