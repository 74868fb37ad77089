"""Synthetic pictures with ground truth: coloured shapes, some touching, some half hidden."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from types import MappingProxyType

import cv2
import numpy as np

SHADES = MappingProxyType({
    "red": (205, 35, 35),
    "green": (40, 150, 55),
    "blue": (35, 65, 200),
    "yellow": (240, 215, 40),
    "purple": (125, 45, 160),
    "orange": (245, 135, 20),
})  # fmt: skip
SHAPES = ("circle", "square", "triangle")
KO = MappingProxyType({
    "red": "빨간", "green": "초록색", "blue": "파란", "yellow": "노란", "purple": "보라색",
    "orange": "주황색",
    "circle": "원", "square": "정사각형", "triangle": "삼각형",
})  # fmt: skip


@dataclass(frozen=True)
class Thing:
    colour: str
    shape: str
    x: float
    y: float
    r: float

    @property
    def box(self):
        return self.x - self.r, self.y - self.r, self.x + self.r, self.y + self.r


@dataclass
class Drawn:
    picture: np.ndarray
    things: list[Thing]
    tricks: set[str] = field(default_factory=set)

    def counted(self, colour: str = "", shape: str = "", without: str = "") -> int:
        return sum(
            (not colour or one.colour == colour)
            and (not shape or one.shape == shape)
            and one.colour != without
            for one in self.things
        )


def draw(seed: int, size: tuple[int, int] = (300, 400), scale: int = 4) -> Drawn:
    """Return a picture of up to 12 objects on a plain background, with noise and uneven light.

    It is drawn at `scale` times its size and reduced, which gives soft edges.
    """
    rng = random.Random(seed)
    light = rng.random() < 0.8
    ground = rng.choice(
        [(238, 236, 230), (200, 205, 210), (250, 250, 250)] if light else [(30, 30, 34)]
    )
    things, tricks = _placed(rng, size)
    canvas = np.empty((size[0] * scale, size[1] * scale, 3), np.uint8)
    cv2.rectangle(canvas, (0, 0), canvas.shape[1::-1], ground, -1)
    for one in things:
        shade = np.clip(np.add(SHADES[one.colour], rng.randint(-12, 12)), 0, 255).tolist()
        _shape(canvas, one, shade, scale)
    picture = cv2.resize(canvas, size[::-1], interpolation=cv2.INTER_AREA).astype(np.float32)
    slope = np.linspace(1.0, rng.uniform(0.88, 1.0), size[1], dtype=np.float32)[None, :, None]
    noise = np.random.default_rng(seed).normal(0, rng.uniform(0, 4), picture.shape)
    return Drawn(np.clip(picture * slope + noise, 0, 255).astype(np.uint8), things, tricks)


def _placed(rng: random.Random, size: tuple[int, int]) -> tuple[list[Thing], set[str]]:
    things: list[Thing] = []
    tricks: set[str] = set()
    for _ in range(200):
        if len(things) >= rng.randint(0, 12):
            break
        r = rng.uniform(16, 30)
        x, y = rng.uniform(r + 6, size[1] - r - 6), rng.uniform(r + 6, size[0] - r - 6)
        one = Thing(rng.choice([*SHADES]), rng.choice(SHAPES), x, y, r)
        trick = rng.random()
        if things and trick < 0.12:  # touches the previous one, of the same colour
            last, angle = things[-1], rng.uniform(0, 2 * np.pi)
            far = (last.r + r) * 0.97
            x, y = last.x + far * np.cos(angle), last.y + far * np.sin(angle)
            one = Thing(last.colour, "circle", x, y, r)
            if last.shape == "circle" and _free(one, things[:-1], size):
                things.append(one)
                tricks.add("touching")
        elif things and trick < 0.24:  # covers a corner of the previous one, of another colour
            last = things[-1]
            x, y = last.x + last.r * 0.9 + r * 0.6, last.y + last.r * 0.8
            colour = rng.choice([name for name in SHADES if name != last.colour])
            one = Thing(colour, one.shape, x, y, r)
            if _free(one, things[:-1], size):
                things.append(one)
                tricks.add("hidden")
        elif _free(one, things, size):
            things.append(one)
    return things, tricks


def _free(one: Thing, others: list[Thing], size: tuple[int, int]) -> bool:
    x1, y1, x2, y2 = one.box
    inside = x1 > 4 and y1 > 4 and x2 < size[1] - 4 and y2 < size[0] - 4
    return inside and all(
        np.hypot(one.x - other.x, one.y - other.y) > 1.3 * (one.r + other.r) + 4 for other in others
    )


def _shape(canvas: np.ndarray, one: Thing, shade: list[int], scale: int) -> None:
    x, y, r = (round(value * scale) for value in (one.x, one.y, one.r))
    if one.shape == "circle":
        cv2.circle(canvas, (x, y), r, shade, -1)
    elif one.shape == "square":
        half = round(r * 0.85)
        cv2.rectangle(canvas, (x - half, y - half), (x + half, y + half), shade, -1)
    else:
        corners = [(x, y - r), (x - round(0.87 * r), y + r // 2), (x + round(0.87 * r), y + r // 2)]
        cv2.fillPoly(canvas, [np.array(corners, np.int32)], shade)


def questions(drawn: Drawn, seed: int) -> list[tuple[str, str, int | bool]]:
    """Return (kind, question, truth); half of them are Korean."""
    rng = random.Random(seed + 1)
    colour, shape = rng.choice([*SHADES]), rng.choice(SHAPES)
    if drawn.things and rng.random() < 0.75:
        one = rng.choice(drawn.things)
        colour, shape = one.colour, one.shape
    korean = seed % 2
    count = drawn.counted(colour, shape)
    if korean:
        return [
            ("count", f"{KO[colour]} {KO[shape]}은 몇 개야?", count),
            ("count", f"{KO[shape]}이 모두 몇 개 있어?", drawn.counted(shape=shape)),
            ("count", f"{KO[colour]} 것 말고 몇 개야?", drawn.counted(without=colour)),
            ("exists", f"{KO[colour]} {KO[shape]}이 있어?", count > 0),
        ]
    return [
        ("count", f"How many {colour} {shape}s are there?", count),
        ("count", f"How many {shape}s are there?", drawn.counted(shape=shape)),
        (
            "count",
            f"How many things are there except the {colour} ones?",
            drawn.counted(without=colour),
        ),
        ("exists", f"Is there a {colour} {shape}?", count > 0),
    ]
