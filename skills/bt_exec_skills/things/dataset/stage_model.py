"""MuJoCo model of a scene: a room with a table and a set of objects.

The table top is at height 0 and centred at the origin. Every object starts out of view. Poses are
set on the compiled model, so that one model serves several pictures.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import cv2
import mujoco
import numpy as np
import numpy.typing as npt

from bt_exec_skills.things.dataset.chair_and_person_meshes import chair_parts, person_parts
from bt_exec_skills.things.dataset.fruit_meshes import FRUITS
from bt_exec_skills.things.dataset.mesh_primitives import (
    FRUIT,
    PAINT,
    Part,
    Rng,
    Shade,
    box_mesh,
    lying_rotation,
    random_colour,
    revolve_profile,
    rotate_parts,
    settled_on_ground,
    translate_part,
    tube,
    wood_colour,
)
from bt_exec_skills.things.dataset.tableware_and_solid_meshes import WARE

__all__ = ["AWAY", "Prop", "Stage", "build_stage", "random_clutter"]

AWAY = (0.0, 0.0, -50.0)
"""Position out of view."""
_STOCK, _CHAIRS, _PEOPLE, _CLUTTER, _LIMBS = 16, 3, 2, 4, 3
_CAMERA = "head"


@dataclass(frozen=True)
class Prop:
    """Object that can be placed in a picture.

    Attributes:
        body: Name of its body in the model.
        label: Class; empty for clutter.
        colour: Name of its colour; empty without a named colour.
        radius: Radius of the circle around it, seen from above [m].
        height: Height of its highest point [m].
    """

    body: str
    label: str
    colour: str
    radius: float
    height: float


@dataclass(frozen=True)
class Stage:
    """A compiled scene.

    Attributes:
        model: Model with a camera ``head``.
        things: Labelled objects for the table.
        chairs: Chairs around the table.
        people: Persons around the table.
        clutter: Unlabelled objects for the table.
        limbs: Parts of a robot's arm in front of the camera.
        owner: Index in `props` of each geom's prop; -1 for other geoms.
        props: All objects above.
    """

    model: Any
    things: tuple[Prop, ...]
    chairs: tuple[Prop, ...]
    people: tuple[Prop, ...]
    clutter: tuple[Prop, ...]
    limbs: tuple[Prop, ...]
    owner: np.ndarray[Any, np.dtype[np.int32]]

    @property
    def props(self) -> tuple[Prop, ...]:
        """All props, in the order of `owner`."""
        return (*self.things, *self.chairs, *self.people, *self.clutter, *self.limbs)


def build_stage(rng: Rng, floor_m: float) -> Stage:
    """Return a random scene; `floor_m` is the height of the table top above the floor [m]."""
    spec = mujoco.MjSpec()
    spec.visual.global_.offwidth, spec.visual.global_.offheight = 640, 640
    spec.visual.map.znear, spec.visual.map.zfar = 0.005, 8.0
    spec.visual.quality.shadowsize = 2048
    spec.stat.extent, spec.stat.center = 2.0, [0, 0, 0]
    _add_room(spec, rng, floor_m)
    things = tuple(
        _add_prop(spec, f"thing/{number}", label, colour, _made(label, colour, rng), rng)
        for number, (label, colour) in enumerate(_prop_classes(rng))
    )
    chairs = tuple(
        _add_prop(spec, f"chair/{n}", "chair", "", chair_parts(rng), rng) for n in range(_CHAIRS)
    )
    people = tuple(
        _add_prop(spec, f"person/{n}", "person", "", person_parts(rng), rng) for n in range(_PEOPLE)
    )
    rest = tuple(
        _add_prop(spec, f"clutter/{n}", "", "", random_clutter(rng), rng) for n in range(_CLUTTER)
    )
    steel = random_colour(rng) if rng.random() < 0.4 else (rng.uniform(0.3, 0.95),) * 3
    limbs = tuple(
        _add_prop(spec, f"limb/{n}", "", "", _arm_part(rng, steel), rng) for n in range(_LIMBS)
    )
    model = spec.compile()
    every = (*things, *chairs, *people, *rest, *limbs)
    names = {prop.body: place for place, prop in enumerate(every)}
    owner = [names.get(model.body(body).name, -1) for body in model.geom_bodyid]
    return Stage(model, things, chairs, people, rest, limbs, np.array([*owner, -1], np.int32))


def _prop_classes(rng: Rng) -> list[tuple[str, str]]:
    """Return a random class and colour for each object, from a few classes or from all."""
    known = [*FRUITS, *WARE]
    if rng.random() < 0.45:
        known = [str(one) for one in rng.choice(known, int(rng.integers(1, 4)), replace=False)]
    found = []
    for _ in range(_STOCK):
        label = known[int(rng.integers(len(known)))]
        colours = [*FRUIT.get(label, PAINT)]
        found.append((label, colours[int(rng.integers(len(colours)))]))
    return found


def _made(label: str, colour: str, rng: Rng) -> list[Part]:
    return (FRUITS.get(label) or WARE[label])(rng, colour)


def _add_prop(spec: Any, name: str, label: str, colour: str, parts: list[Part], rng: Rng) -> Prop:
    """Add a prop out of view, with a separate material, and return it."""
    spec.add_material(
        name=name, specular=rng.uniform(0.0, 0.7), shininess=rng.uniform(0.1, 0.9), reflectance=0
    )
    body = spec.worldbody.add_body(name=name, pos=AWAY)
    for number, part in enumerate(parts):
        mesh = f"{name}/{number}"
        spec.add_mesh(
            name=mesh,
            uservert=part.vertices.ravel(),
            userface=part.faces.ravel(),
            inertia=mujoco.mjtMeshInertia.mjMESH_INERTIA_SHELL,
        )
        body.add_geom(
            type=mujoco.mjtGeom.mjGEOM_MESH,
            meshname=mesh,
            rgba=[*part.colour, 1.0],
            material=name,
            contype=0,
            conaffinity=0,
        )
    every = np.concatenate([part.vertices for part in parts])
    radius = float(np.linalg.norm(every[:, :2], axis=1).max())
    return Prop(name, label, colour, radius, float(every[:, 2].max()))


def _add_room(spec: Any, rng: Rng, floor_m: float) -> None:
    """Add floor, walls, table (with patterned surfaces), lights and the camera to a spec."""
    world = spec.worldbody
    for name, share in (("floor", 0.6), ("wall", 0.35), ("top", 0.65)):
        picture = _random_pattern(rng, plain=rng.random() > share)
        side = picture.shape[0]
        spec.add_texture(
            name=name, type=mujoco.mjtTexture.mjTEXTURE_2D, width=side, height=side, nchannel=3,
            data=picture.ravel().tolist(),
        )  # fmt: skip
        material = spec.add_material(name=name, texuniform=True, specular=rng.uniform(0, 0.4))
        material.textures[mujoco.mjtTextureRole.mjTEXROLE_RGB] = name
        material.texrepeat = [rng.uniform(0.5, 4)] * 2
    colours: dict[str, Shade] = {name: random_colour(rng) for name in ("floor", "wall")}
    colours["top"] = wood_colour(rng) if rng.random() < 0.5 else random_colour(rng)
    half = rng.uniform(0.5, 0.8), rng.uniform(0.46, 0.6)
    flat = {"contype": 0, "conaffinity": 0}
    world.add_geom(
        name="floor", type=mujoco.mjtGeom.mjGEOM_BOX, size=[4, 4, 0.05],
        pos=[0, 0, -floor_m - 0.05], material="floor", rgba=[*colours["floor"], 1], **flat,
    )  # fmt: skip
    for number, (x, y) in enumerate(((2.8, 0), (-2.8, 0), (0, 2.8), (0, -2.8))):
        size = [0.05, 4, 1.6] if x else [4, 0.05, 1.6]
        world.add_geom(
            name=f"wall/{number}", type=mujoco.mjtGeom.mjGEOM_BOX, size=size,
            pos=[x, y, 1.6 - floor_m], material="wall", rgba=[*colours["wall"], 1], **flat,
        )  # fmt: skip
    thick = rng.uniform(0.01, 0.03)
    world.add_geom(
        name="top", type=mujoco.mjtGeom.mjGEOM_BOX, size=[*half, thick],
        pos=[0, 0, -thick], material="top", rgba=[*colours["top"], 1], **flat,
    )  # fmt: skip
    leg = wood_colour(rng)
    for x in (-1, 1):
        for y in (-1, 1):
            at = [x * (half[0] - 0.04), y * (half[1] - 0.04), -thick - floor_m / 2]
            world.add_geom(
                type=mujoco.mjtGeom.mjGEOM_BOX, size=[0.025, 0.025, floor_m / 2], pos=at,
                rgba=[*leg, 1], **flat,
            )  # fmt: skip
    for number in range(2):
        world.add_light(
            name=f"light/{number}", pos=[0, 0, 2], dir=[0, 0, -1], castshadow=number == 0,
            diffuse=[0.5] * 3, specular=[0.2] * 3, cutoff=80,
        )  # fmt: skip
    world.add_camera(name=_CAMERA, pos=[0, -1, 1])


_SIDE = 128
Frame = npt.NDArray[np.uint8]


def _random_pattern(rng: Rng, *, plain: bool) -> Frame:
    """Return a random pattern that modulates a surface's colour, shape (128, 128, 3)."""
    if plain:
        return np.full((_SIDE, _SIDE, 3), 255, np.uint8)
    kind = int(rng.integers(5))
    if kind == 0:  # grain of wood
        noise = rng.normal(0, 1, (_SIDE, _SIDE)).astype(np.float32)
        level = cv2.GaussianBlur(noise, (0, 0), sigmaX=20, sigmaY=1.2)
    elif kind == 1:  # stone, dirt
        noise = rng.normal(0, 1, (_SIDE, _SIDE)).astype(np.float32)
        level = cv2.GaussianBlur(noise, (0, 0), float(rng.uniform(1, 8)))
    elif kind == 2:  # stripes
        wave = np.sin(np.arange(_SIDE) * 2 * np.pi * int(rng.integers(2, 12)) / _SIDE)
        level = np.tile(np.where(wave > rng.uniform(-0.6, 0.6), 1.0, -1.0), (_SIDE, 1))
    elif kind == 3:  # tiles, chequers
        step = _SIDE // int(rng.choice((2, 4, 8)))
        rows, columns = np.indices((_SIDE, _SIDE)) // step
        level = np.where((rows + columns) % 2, 1.0, -1.0)
    else:  # weave
        rows, columns = np.indices((_SIDE, _SIDE))
        level = np.sin(rows * np.pi / 4) + np.sin(columns * np.pi / 4)
    level = np.asarray(level, np.float32) / (float(np.abs(level).max()) + 1e-6)
    deep = rng.uniform(0.05, 0.5)
    tint = 1.0 - deep * (0.5 - 0.5 * level)[..., None] * rng.uniform(0.4, 1.0, 3)
    return np.clip(tint * 255, 0, 255).astype(np.uint8)


def random_clutter(rng: Rng) -> list[Part]:
    """Return the parts of a random unlabelled object that stands at height 0."""
    kinds = (_book, _pencil, _ring, _cone, _tray, _spoon)
    return settled_on_ground(kinds[int(rng.integers(len(kinds)))](rng))


def _arm_part(rng: Rng, colour: Shade) -> list[Part]:
    """Return a part of a robot's arm, which is a rod with round ends centred at the origin."""
    radius, half = rng.uniform(0.02, 0.055), rng.uniform(0.08, 0.25)
    t = np.linspace(-np.pi / 2, 0, 5)
    low = [(float(np.cos(a)) * radius, float(np.sin(a)) * radius - half) for a in t]
    return [revolve_profile([*low, *((r, -z) for r, z in reversed(low))], colour)]


def _book(rng: Rng) -> list[Part]:
    x, y, z = rng.uniform(0.04, 0.11), rng.uniform(0.05, 0.14), rng.uniform(0.001, 0.012)
    return [box_mesh((x, y, z), (0, 0, z), random_colour(rng))]


def _pencil(rng: Rng) -> list[Part]:
    radius, long = rng.uniform(0.003, 0.008), rng.uniform(0.1, 0.2)
    rod = [(0.0, -0.008), (radius, 0.0), (radius, long), (0.0, long)]
    return rotate_parts([revolve_profile(rod, random_colour(rng), segments=8)], lying_rotation(rng))


def _ring(rng: Rng) -> list[Part]:
    radius, thick = rng.uniform(0.02, 0.05), rng.uniform(0.004, 0.012)
    t = np.linspace(0, 1.96 * np.pi, 22)
    path = np.stack([radius * np.cos(t), radius * np.sin(t), np.zeros(22)], 1)
    return [tube(path, thick, random_colour(rng))]


def _cone(rng: Rng) -> list[Part]:
    radius = rng.uniform(0.02, 0.045)
    high = radius * rng.uniform(1.4, 3)
    return [
        revolve_profile([(0, 0), (radius, 0), (0.1 * radius, high), (0, high)], random_colour(rng))
    ]


def _tray(rng: Rng) -> list[Part]:
    x, y, high = rng.uniform(0.08, 0.15), rng.uniform(0.08, 0.15), rng.uniform(0.01, 0.07)
    colour = random_colour(rng)
    parts = [box_mesh((x, y, 0.003), (0, 0, 0.003), colour)]
    for end in (-1, 1):
        parts.append(box_mesh((0.005, y, high / 2), (end * x, 0, high / 2), colour))
        parts.append(box_mesh((x, 0.005, high / 2), (0, end * y, high / 2), colour))
    return parts


def _spoon(rng: Rng) -> list[Part]:
    colour, long = random_colour(rng), rng.uniform(0.08, 0.13)
    t = np.linspace(-np.pi / 2, np.pi / 2, 8)
    head = revolve_profile([(float(np.cos(a)), float(np.sin(a))) for a in t], colour, segments=12)
    size = rng.uniform(0.013, 0.02)
    head = head._replace(vertices=head.vertices * [1.5 * size, size, 0.004])
    handle = box_mesh((long / 2, 0.004, 0.002), (long / 2 + size, 0, 0), colour)
    return [head, translate_part(handle, (0, 0, 0))]
