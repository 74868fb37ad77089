"""Camera poses and light of training pictures."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import mujoco
import numpy as np
import numpy.typing as npt

from bt_exec_skills.things.dataset.colours import Rng

__all__ = ["View", "ViewName", "aim", "draw_view", "relight"]

ViewName = Literal["close", "mast", "room"]


class View(NamedTuple):
    """A camera pose.

    Attributes:
        name: ``close``: a photo of a table; ``mast``: a robot's view from above; ``room``: a room
            with the table in it.
        eye: Position [m].
        target: Point in the centre of the view [m].
        fovy: Vertical field of view [degrees].
        roll: Rotation about the optical axis [rad].
    """

    name: ViewName
    eye: npt.NDArray[np.float64]
    target: npt.NDArray[np.float64]
    fovy: float
    roll: float


def draw_view(name: ViewName, spread: float, floor_m: float, rng: Rng) -> View:
    """Return a view of objects within `spread` [m] of the table's centre."""
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
    return View(name, eye, target, float(fovy), roll)


def aim(model: Any, view: View) -> None:
    """Set the model's camera."""
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


def relight(model: Any, rng: Rng) -> None:
    """Redraw lamps and ambient light."""
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
