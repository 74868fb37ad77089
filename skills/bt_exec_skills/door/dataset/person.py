"""A person in training pictures: capsules and balls beside or before the cabinet."""

from __future__ import annotations

import colorsys
from typing import Any

import mujoco
import numpy as np

from bt_exec_skills.door.dataset.colours import Rng, some_colour
from bt_exec_skills.door.sim.layout import Layout

__all__ = ["AWAY", "PERSON", "stand"]

PERSON = ("person/body", "person/head", "person/arm", "person/hand", "person/legs")
"""Parts of the person, as geoms of the world."""
AWAY = (0.0, 0.0, -5.0)
"""Position under the floor, out of view."""


def stand(model: Any, layout: Layout, rng: Rng, *, present: bool) -> None:
    """Place the person beside or before the cabinet with one arm stretched out, or out of view."""
    if not present:
        for name in PERSON:
            model.geom(name).pos[:] = AWAY
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
    shirt, trousers = some_colour(rng), some_colour(rng)
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
    _put(model, "person/body", chest, (0.13, 0.16 * tall, 0.0), shirt)
    knee = foot + np.array([0.0, 0.0, 0.25 * tall])
    _put(model, "person/legs", knee, (0.11, 0.22 * tall, 0.0), trousers)
    face = foot + np.array([0.0, 0.0, 0.94 * tall])
    _put(model, "person/head", face, (0.1, 0.0, 0.0), skin)
    _put(model, "person/hand", hand, (0.042, 0.0, 0.0), skin)
    _put(
        model,
        "person/arm",
        (shoulder + hand) / 2,
        (0.045, float(np.linalg.norm(hand - shoulder)) / 2, 0.0),
        sleeve,
    )
    turn = np.zeros(4)
    mujoco.mju_quatZ2Vec(turn, (hand - shoulder) / np.linalg.norm(hand - shoulder))
    model.geom("person/arm").quat[:] = turn


def _put(model: Any, name: str, place: Any, size: Any, colour: Any) -> None:
    geom = model.geom(name)
    geom.pos[:], geom.size[:], geom.rgba[:3] = place, size, colour
