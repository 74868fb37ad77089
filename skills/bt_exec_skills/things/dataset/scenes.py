"""Training scenes of tables, with which the shipped detector of objects was trained.

A scene is one room with a set of objects. Its pictures differ in the visible objects and their
poses, in camera and light.

Objects that differ only in an attribute share a class, such as red and green apples.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, NamedTuple

import cv2
import mujoco
import numpy as np
import numpy.typing as npt

from bt_exec_skills.perception.pictures_and_boxes import Frame
from bt_exec_skills.simulation.ray_casting import RayCastingRenderer
from bt_exec_skills.simulation.renderer import OpenGlRenderer, gl_works
from bt_exec_skills.things.dataset.arrange import Pose, arrange_props
from bt_exec_skills.things.dataset.chair_and_person_meshes import SEAT_M
from bt_exec_skills.things.dataset.ground_truth import Shown, labelled_objects
from bt_exec_skills.things.dataset.mesh_primitives import Rng
from bt_exec_skills.things.dataset.stage_model import AWAY, Prop, Stage, build_stage
from bt_exec_skills.things.weights import SHIPPED
from bt_exec_skills.vision.labelled_picture import Mark, Sample

__all__ = ["HEIGHT", "THINGS", "WIDTH", "CameraPose", "TableScenes", "aim_camera"]

THINGS: tuple[str, ...] = (
    "tomato",
    "apple",
    "orange",
    "lemon",
    "egg",
    "cup",
    "bowl",
    "plate",
    "bottle",
    "cube",
    "ball",
    "cylinder",
    "chair",
    "person",
)

Floats = npt.NDArray[np.float64]


WIDTH, HEIGHT = 384, 288
_PICTURES = 6
_MOST_THINGS = 12
_CLEAR_M = 0.6  # minimum distance of chairs and persons from the camera
_BY_RAY = 0.15  # share of ray-cast pictures if OpenGL is available
_VIEWS: tuple[tuple[_ViewName, float], ...] = (("close", 0.58), ("mast", 0.2), ("room", 0.22))


class TableScenes:
    """Training scenes of objects on tables.

    Implements `bt_exec_skills.vision.labelled_picture.SceneSource`.

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
        gl = OpenGlRenderer(stage.model, WIDTH, HEIGHT, shadows=True) if self._has_gl() else None
        try:
            for _ in range(_PICTURES):
                view = _randomize_view(stage, floor_m, rng)
                mujoco.mj_forward(stage.model, data)
                by_ray = gl is None or rng.random() < _BY_RAY
                renderer = (
                    RayCastingRenderer(stage.model, WIDTH, HEIGHT) if gl is None or by_ray else gl
                )
                picture = renderer.render(data)
                shown = labelled_objects(stage, data, picture.geoms)
                counted = [one for one in shown if one.is_visible_enough]
                yield Sample(
                    _through_sensor(picture.rgb, rng),
                    tuple(Mark(one.prop.label, one.box) for one in counted),
                    {
                        "view": view,
                        "renderer": renderer.name,
                        "things": [_truth_data(o) for o in shown],
                    },
                )
        finally:
            if gl is not None:
                gl.close()

    def _has_gl(self) -> bool:
        return not self._rays_only and gl_works()


def _truth_data(one: Shown) -> dict[str, Any]:
    """Return the ground truth of an object, as plain data."""
    return {
        "label": one.prop.label,
        "colour": one.prop.colour,
        "bbox": list(one.box),
        "pixels": one.pixels,
        "share": round(one.share, 3),
        "painted": round(one.painted, 3),
        "counts": one.is_visible_enough,
    }


def _randomize_view(stage: Stage, floor_m: float, rng: Rng) -> _ViewName:
    """Set random contents, camera and light for the next picture; return the kind of view."""
    name = str(rng.choice([name for name, _ in _VIEWS], p=[share for _, share in _VIEWS]))
    view_name: _ViewName = next(one for one, _ in _VIEWS if one == name)
    model = stage.model
    for prop in stage.props:
        model.body(prop.body).pos[:] = AWAY
    count = 0 if rng.random() < 0.04 else int(rng.integers(1, _MOST_THINGS + 1))
    picks = rng.choice(len(stage.things), count, replace=False)
    laid = [stage.things[place] for place in picks]
    laid += [one for one in stage.clutter if rng.random() < 0.3]
    size = float(np.sqrt(sum(prop.radius**2 for prop in laid))) if laid else 0.05
    spread = min(0.38, size * rng.uniform(1.0, 1.8))
    poses = arrange_props(laid, spread, rng)
    view = _draw_view(view_name, spread, floor_m, rng)
    if view_name != "mast" and rng.random() < (0.85 if view_name == "room" else 0.12):
        poses |= _poses_around_table(stage, floor_m, view.eye, rng)
    for body, pose in poses.items():
        model.body(body).pos[:] = pose.x, pose.y, pose.z
        model.body(body).quat[:] = np.cos(pose.yaw / 2), 0, 0, np.sin(pose.yaw / 2)
    aim_camera(model, view)
    if rng.random() < (0.4 if view_name == "mast" else 0.05):
        _place_arm_parts(stage, view, rng)
    _relight(model, rng)
    return view_name


def _place_arm_parts(stage: Stage, view: CameraPose, rng: Rng) -> None:
    """Place parts of a robot's arm at random between the camera and the table."""
    model = stage.model
    far = float(np.linalg.norm(view.eye - view.target))
    for prop in stage.limbs[: int(rng.integers(1, len(stage.limbs) + 1))]:
        at = view.eye + (view.target - view.eye) * rng.uniform(0.4, 0.8)
        side = rng.normal(0, 0.28 * far * np.tan(np.radians(view.fovy / 2)), 3)
        turn = rng.normal(0, 1, 4)
        at = at + side
        model.body(prop.body).pos[:] = at[0], at[1], max(at[2], 0.05)
        model.body(prop.body).quat[:] = turn / np.linalg.norm(turn)


def _poses_around_table(stage: Stage, floor_m: float, eye: Floats, rng: Rng) -> dict[str, Pose]:
    """Return random poses of chairs and persons around the table, and of objects on the chairs.

    The space around the camera at `eye` stays free.
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
    """Return the picture degraded as by a camera of random quality."""
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


_ViewName = Literal["close", "mast", "room"]


class CameraPose(NamedTuple):
    """Pose and field of view of a camera.

    Attributes:
        name: Kind of view: ``close`` (photo of a table), ``mast`` (a robot's view from above) or
            ``room`` (a room with the table in it).
        eye: Position [m].
        target: Point in the centre of the view [m].
        fovy: Vertical field of view [deg].
        roll: Rotation about the optical axis [rad].
    """

    name: _ViewName
    eye: npt.NDArray[np.float64]
    target: npt.NDArray[np.float64]
    fovy: float
    roll: float


def _draw_view(name: _ViewName, spread: float, floor_m: float, rng: Rng) -> CameraPose:
    """Return a random view of objects that are within `spread` [m] of the table's centre."""
    round_, roll = rng.uniform(0, 2 * np.pi), float(rng.normal(0, 0.04))
    target = np.array([*rng.normal(0, 0.15 * spread, 2), rng.uniform(0, 0.05)])
    if name == "close":
        fovy = rng.uniform(32, 60)
        # a distance at which the objects fill most of the picture
        far = (spread + 0.07) / np.tan(np.radians(fovy) / 2) * rng.uniform(0.75, 1.4)
        rise = np.radians(rng.uniform(22, 88))
    elif name == "mast":
        fovy, far = rng.uniform(30, 60), rng.uniform(0.7, 1.5)
        rise = np.radians(rng.uniform(28, 62))
        target[:2] += rng.uniform(-0.2, 0.2, 2)
    else:
        fovy, far = rng.uniform(40, 62), rng.uniform(1.1, 2.3)
        target[2] += rng.uniform(-0.25, 0.3)
        rise = np.arcsin(np.clip(rng.uniform(0.25, 1.0) / far, -1, 1))
    flat = far * np.cos(rise)
    eye = target + np.array([flat * np.cos(round_), flat * np.sin(round_), far * np.sin(rise)])
    eye[:2] = np.clip(eye[:2], -2.6, 2.6)
    eye[2] = max(eye[2], 0.06 if name != "room" else 0.8 - floor_m)
    return CameraPose(name, eye, target, float(fovy), roll)


def aim_camera(model: Any, view: CameraPose) -> None:
    """Set the pose and the field of view of the model's camera."""
    back = view.eye - view.target
    back /= np.linalg.norm(back)
    up = np.array([0.0, 0.0, 1.0]) if abs(back[2]) < 0.999 else np.array([1.0, 0.0, 0.0])
    right = np.cross(up, back)
    right /= np.linalg.norm(right)
    above = np.cross(back, right)
    turned = np.cos(view.roll) * right + np.sin(view.roll) * above
    axes = np.stack([turned, np.cross(back, turned), back], axis=1)
    camera = model.camera("head").id
    mujoco.mju_mat2Quat(model.cam_quat[camera], axes.ravel())
    model.cam_pos[camera] = view.eye
    model.cam_fovy[camera] = view.fovy


def _relight(model: Any, rng: Rng) -> None:
    """Randomise the lamps and the ambient light."""
    for lamp in range(model.nlight):
        high, way, out = rng.uniform(0.8, 2.2), rng.uniform(0, 2 * np.pi), rng.uniform(0, 1.4)
        place = np.array([out * np.cos(way), out * np.sin(way), high])
        model.light_pos[lamp] = place
        model.light_dir[lamp] = -place / np.linalg.norm(place)
        bright = rng.uniform(0.3, 0.75) if lamp == 0 else rng.uniform(0.0, 0.35)
        model.light_diffuse[lamp] = bright * rng.uniform(0.9, 1.0, 3)
        model.light_specular[lamp] = rng.uniform(0.0, 0.4)
        model.light_castshadow[lamp] = lamp == 0 and rng.random() < 0.75
    model.vis.headlight.ambient[:] = rng.uniform(0.25, 0.55)
    model.vis.headlight.diffuse[:] = rng.uniform(0.05, 0.35)
    model.vis.headlight.specular[:] = rng.uniform(0.0, 0.2)
