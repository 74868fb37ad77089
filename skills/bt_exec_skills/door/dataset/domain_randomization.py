"""Domain randomisation of training pictures: colours, light, camera, clutter, persons, sensor.

Everything that does not define a class is randomised, so that a network learns the defining
features: the material is orange, a door is a panel in the cabinet's front, a person has a body with
a head and hands.
"""

from __future__ import annotations

import colorsys
from typing import Any

import cv2
import mujoco
import numpy as np
import numpy.typing as npt

from bt_exec_skills.door.perception.camera_door_calibration import CameraPose
from bt_exec_skills.door.sim.layout import Layout

__all__ = [
    "Rng",
    "add_hidden_extras",
    "enlarge",
    "random_colour",
    "random_wood",
    "randomize_world",
    "through_sensor",
]

Rng = np.random.Generator
_ORANGE = (0.0, 0.14)  # hues that only the material has


def random_colour(rng: Rng, *, orange: bool = False) -> list[float]:
    """Return a random RGB colour, 0..1: grey or vivid, but orange only if `orange` is set."""
    if orange:
        hue, vivid, value = rng.uniform(0.055, 0.1), rng.uniform(0.8, 0.98), rng.uniform(0.75, 1.0)
    else:
        hue = rng.uniform(_ORANGE[1], 0.97)
        vivid = rng.uniform(0.0, 0.2) if rng.random() < 0.6 else rng.uniform(0.2, 0.9)
        value = rng.uniform(0.08, 1.0)
    return list(colorsys.hsv_to_rgb(hue, vivid, value))


def random_wood(rng: Rng) -> list[float]:
    """Return a random RGB colour of wood, 0..1."""
    return [rng.uniform(0.45, 0.75), rng.uniform(0.32, 0.55), rng.uniform(0.15, 0.35)]


_CLUTTER = tuple(f"clutter/{i}" for i in range(5))
_SHAPES = (mujoco.mjtGeom.mjGEOM_BOX, mujoco.mjtGeom.mjGEOM_CYLINDER, mujoco.mjtGeom.mjGEOM_SPHERE)


def add_hidden_extras(spec: Any, rng: Rng) -> None:
    """Add clutter and one person to a world's spec, out of view; `randomize_world` places them."""
    for name in _CLUTTER:
        shape = _SHAPES[int(rng.integers(len(_SHAPES)))]
        spec.worldbody.add_geom(
            name=name, type=shape, size=[0.02, 0.02, 0.02], pos=_AWAY, contype=0, conaffinity=0
        )
    for name in _PERSON:
        ball = name.endswith(("head", "hand"))
        spec.worldbody.add_geom(
            name=name,
            type=mujoco.mjtGeom.mjGEOM_SPHERE if ball else mujoco.mjtGeom.mjGEOM_CAPSULE,
            size=[0.1, 0.2, 0.0],
            pos=_AWAY,
            contype=0,
            conaffinity=0,
        )


def randomize_world(model: Any, layout: Layout, rng: Rng) -> CameraPose:
    """Randomise colours, light, camera, clutter and person of a compiled world in place.

    The world must contain the objects of `add_hidden_extras`.

    Returns:
        Pose of the randomised camera.
    """
    if rng.random() < 0.6:
        _recolour(model, rng)
    material = _geoms(model, "material")
    for geom in material:
        model.geom_rgba[geom, :3] = random_colour(rng, orange=True)
    eye, target = (np.array(part) for part in layout.camera)
    camera = model.cam("head").id
    model.cam_pos[camera] = eye + rng.normal(0.0, 0.012, 3)
    target = target + rng.normal(0.0, 0.015, 3)
    roll = float(rng.normal(0.0, 0.015))
    _look_at(model, camera, target, roll)
    model.cam_fovy[camera] = layout.fovy + rng.normal(0.0, 1.0)
    model.light_pos[0] = np.array(layout.light[0]) + rng.normal(0.0, 0.3, 3)
    model.light_diffuse[0] = rng.uniform(0.3, 0.9)
    model.vis.headlight.ambient[:] = rng.uniform(0.2, 0.5)
    model.vis.headlight.diffuse[:] = rng.uniform(0.1, 0.45)
    _place_clutter(model, layout, rng)
    _place_person(model, layout, rng, present=rng.random() < 0.22)
    place, point = _point(model.cam_pos[camera]), _point(target)
    return CameraPose(place, point, float(model.cam_fovy[camera]), roll_rad=roll)


def _point(values: npt.NDArray[np.float64]) -> tuple[float, float, float]:
    x, y, z = (float(value) for value in values)
    return x, y, z


def _recolour(model: Any, rng: Rng) -> None:
    panel = random_wood(rng) if rng.random() < 0.4 else random_colour(rng)
    handle = [rng.uniform(0.02, 0.25)] * 3 if rng.random() < 0.6 else [rng.uniform(0.8, 1.0)] * 3
    parts: dict[str, list[float]] = {
        "wall": random_colour(rng),
        "floor": random_colour(rng),
        "cabinet/": panel if rng.random() < 0.25 else random_colour(rng),
        "interior/": random_wood(rng) if rng.random() < 0.2 else random_colour(rng),
        "interior/tray": random_colour(rng),
        "door/": panel,
        "door/handle": handle,
        "door/post": handle,
    }
    for start, colour in parts.items():
        for geom in _geoms(model, start):
            model.geom_rgba[geom, :3] = colour
    arm, hand = random_colour(rng), random_colour(rng)
    for side in ("left/", "right/"):
        for geom in _geoms(model, side):
            is_hand = model.geom(geom).name.endswith(("palm", "thumb", "finger"))
            model.geom_rgba[geom, :3] = hand if is_hand else arm


def _geoms(model: Any, start: str) -> list[int]:
    return [i for i in range(model.ngeom) if model.geom(i).name.startswith(start)]


def _look_at(model: Any, camera: int, target: npt.NDArray[np.float64], roll: float) -> None:
    back = model.cam_pos[camera] - target
    back /= np.linalg.norm(back)
    right = np.cross([0.0, np.sin(roll), np.cos(roll)], back)
    right /= np.linalg.norm(right)
    axes = np.stack([right, np.cross(back, right), back], axis=1)
    mujoco.mju_mat2Quat(model.cam_quat[camera], axes.ravel())


def _place_clutter(model: Any, layout: Layout, rng: Rng) -> None:
    """Place some clutter in front of the cabinet or inside it."""
    x, y, z = layout.centre
    shown = int(rng.integers(0, len(_CLUTTER)))
    for number, name in enumerate(_CLUTTER):
        geom = model.geom(name)
        if number >= shown:
            geom.pos[:] = _AWAY
            continue
        geom.size[:] = rng.uniform(0.012, 0.05, 3)
        geom.rgba[:3] = random_colour(rng)
        if rng.random() < 0.4:  # inside the cabinet, near the material
            low, high = (x + 0.05, y - 0.12, z - 0.07), (x + 0.2, y + 0.12, z - 0.03)
        else:
            low, high = (x - 0.35, y - 0.55, z - 0.45), (x - 0.02, y + 0.55, z + 0.35)
        geom.pos[:] = rng.uniform(low, high)
        turn = np.zeros(4)
        mujoco.mju_euler2Quat(turn, rng.uniform(-3.1, 3.1, 3), "xyz")
        geom.quat[:] = turn


def through_sensor(image: npt.NDArray[np.uint8], rng: Rng) -> npt.NDArray[np.uint8]:
    """Return the picture with the effects of a random camera: gain, blur, noise."""
    seen = image.astype(np.float32) * float(rng.uniform(0.75, 1.2))
    if rng.random() < 0.15:
        seen = np.asarray(cv2.GaussianBlur(seen, (3, 3), 0), np.float32)
    if rng.random() < 0.4:
        seen += rng.normal(0.0, rng.uniform(1.0, 6.0), image.shape).astype(np.float32)
    taken: npt.NDArray[np.uint8] = np.clip(seen, 0, 255).astype(np.uint8)
    return taken


def enlarge(part: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    """Return a picture with twice its width and height."""
    height, width = part.shape[:2]
    return np.asarray(cv2.resize(part, (2 * width, 2 * height)), np.uint8)


_PERSON = ("person/body", "person/head", "person/arm", "person/hand", "person/legs")
"""Names of the geoms that form the person."""
_AWAY = (0.0, 0.0, -5.0)
"""Position under the floor, out of view."""


def _place_person(model: Any, layout: Layout, rng: Rng, *, present: bool) -> None:
    """Place the person near the cabinet with one arm stretched out, or out of view."""
    if not present:
        for name in _PERSON:
            model.geom(name).pos[:] = _AWAY
        return
    x, y, z = layout.centre
    side = 1.0 if rng.random() < 0.5 else -1.0
    foot = np.array([x - rng.uniform(0.05, 0.4), y + side * rng.uniform(0.26, 0.6), 0.0])
    tall = rng.uniform(1.15, 1.75)
    skin = list(
        colorsys.hsv_to_rgb(
            rng.uniform(0.03, 0.08), rng.uniform(0.25, 0.6), rng.uniform(0.35, 0.95)
        )
    )
    shirt, trousers = random_colour(rng), random_colour(rng)
    sleeve = shirt if rng.random() < 0.6 else skin
    chest = foot + np.array([0.0, 0.0, 0.66 * tall])
    shoulder = foot + np.array([0.0, -side * 0.13, 0.78 * tall])
    hand = np.array(
        [
            x - rng.uniform(-0.02, 0.2),
            y + side * rng.uniform(-0.1, 0.25),
            z + rng.uniform(-0.25, 0.2),
        ]
    )
    reach = hand - shoulder
    hand = shoulder + reach * min(1.0, 0.62 / float(np.linalg.norm(reach)))
    _move_body(model, "person/body", chest, (0.13, 0.16 * tall, 0.0), shirt)
    knee = foot + np.array([0.0, 0.0, 0.25 * tall])
    _move_body(model, "person/legs", knee, (0.11, 0.22 * tall, 0.0), trousers)
    face = foot + np.array([0.0, 0.0, 0.94 * tall])
    _move_body(model, "person/head", face, (0.1, 0.0, 0.0), skin)
    _move_body(model, "person/hand", hand, (0.042, 0.0, 0.0), skin)
    _move_body(
        model,
        "person/arm",
        (shoulder + hand) / 2,
        (0.045, float(np.linalg.norm(hand - shoulder)) / 2, 0.0),
        sleeve,
    )
    turn = np.zeros(4)
    mujoco.mju_quatZ2Vec(turn, (hand - shoulder) / np.linalg.norm(hand - shoulder))
    model.geom("person/arm").quat[:] = turn


def _move_body(model: Any, name: str, place: Any, size: Any, colour: Any) -> None:
    geom = model.geom(name)
    geom.pos[:], geom.size[:], geom.rgba[:3] = place, size, colour
