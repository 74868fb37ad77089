"""Synthetic pictures under difficult conditions, with ground truth: light, contrast, contact."""

from __future__ import annotations

import random
from dataclasses import replace

import cv2
import numpy as np

from tests.skills.image.drawn import SHADES, SHAPES, Drawn, Thing, draw

CONDITIONS = (
    "plain", "warm", "cool", "shaded", "dim", "jpeg", "gradient", "pale", "touching", "covered",
)  # fmt: skip


def conditioned(seed: int) -> tuple[str, Drawn]:
    """Return a condition and a picture under it."""
    rng = random.Random(seed * 7919 + 1)
    name = CONDITIONS[seed % len(CONDITIONS)]
    if name in ("pale", "touching", "covered"):
        return name, {"pale": _pale, "touching": _touching, "covered": _covered}[name](rng, seed)
    drawn = draw(seed)
    light = drawn.picture.astype(np.float32)
    high, wide = light.shape[:2]
    if name == "warm":
        light *= np.array([1.0, rng.uniform(0.72, 0.95), rng.uniform(0.4, 0.85)])
    elif name == "cool":
        light *= np.array([rng.uniform(0.55, 0.9), rng.uniform(0.8, 0.97), 1.0])
    elif name == "shaded":
        across = np.linspace(-1, 1, wide)[None] * rng.choice([-1, 1])
        down = np.linspace(-1, 1, high)[:, None] * rng.uniform(-1, 1)
        edge = 1 / (1 + np.exp(-(across + down) * rng.uniform(4, 40)))
        light *= (1 - (1 - rng.uniform(0.3, 0.8)) * edge)[..., None]
    elif name == "dim":
        light *= rng.uniform(0.18, 0.6)
    elif name == "gradient":
        top, bottom = (np.array([rng.uniform(0.55, 1) for _ in range(3)]) for _ in range(2))
        slope = np.linspace(0, 1, high)[:, None, None]
        light *= top * (1 - slope) + bottom * slope
    picture = np.clip(light, 0, 255).astype(np.uint8)
    if name == "jpeg":
        quality = [cv2.IMWRITE_JPEG_QUALITY, rng.randint(3, 20)]
        picture = cv2.imdecode(cv2.imencode(".jpg", picture[..., ::-1], quality)[1], 1)[..., ::-1]
    return name, replace(drawn, picture=np.ascontiguousarray(picture))


def _canvas(rng: random.Random, ground: int) -> np.ndarray:
    noise = np.random.default_rng(rng.randint(0, 10**6)).normal(0, rng.uniform(0, 2), (300, 400, 3))
    return np.clip(ground + noise, 0, 255)


def _pale(rng: random.Random, seed: int) -> Drawn:
    """Draw grey or tinted discs and squares with low contrast to a light background."""
    ground = rng.choice([255, 245, 235, 225])
    picture, things = _canvas(rng, ground).astype(np.uint8), []
    for place in range(rng.randint(1, 6)):
        x, y, r = 60 + 130 * (place % 3), 80 + 140 * (place // 3), rng.randint(18, 36)
        colour = rng.choice(["grey", *SHADES])
        full = (128, 128, 128) if colour == "grey" else SHADES[colour]
        share = rng.uniform(0.03, 0.4)
        shade = [round(ground * (1 - share) + one * share) for one in full]
        shape = rng.choice(["circle", "square"])
        if shape == "circle":
            cv2.circle(picture, (x, y), r, shade, -1, cv2.LINE_AA)
        else:
            cv2.rectangle(picture, (x - r, y - r), (x + r, y + r), shade, -1)
        things.append(Thing("pale", shape, x, y, r))
    return Drawn(picture, things, {"pale"})


def _touching(rng: random.Random, seed: int) -> Drawn:
    """Draw squares or discs of one colour, side by side or stacked, some with a visible seam."""
    picture, things = _canvas(rng, rng.choice([235, 215, 30])), []
    picture = picture.astype(np.uint8)
    colour, shape = rng.choice(["red", "green", "blue"]), rng.choice(["square", "square", "circle"])
    half = rng.randint(14, 22)
    seam = rng.choice([0, 0, 1, 2])
    for row in range(rng.randint(1, 3)):
        y = 60 + row * (90 if rng.random() < 0.6 else 2 * half)
        for place in range(rng.randint(1, 5)):
            x = 60 + place * 2 * half
            shade = np.clip(np.add(SHADES[colour], rng.randint(-14, 14)), 0, 255).tolist()
            if shape == "circle":
                cv2.circle(picture, (x, y), half, shade, -1, cv2.LINE_AA)
            else:
                corner = (x - half, y - half), (x + half - 1, y + half - 1)
                cv2.rectangle(picture, *corner, shade, -1)
                if seam:
                    dark = [one // 2 for one in shade]
                    cv2.rectangle(picture, *corner, dark, seam)
            things.append(Thing(colour, shape, x, y, half))
    return Drawn(picture, things, {"touching"})


def _covered(rng: random.Random, seed: int) -> Drawn:
    """Draw objects that are half covered by a bar of another colour, or cut off by the border."""
    picture, things = _canvas(rng, rng.choice([235, 245])).astype(np.uint8), []
    for place in range(rng.randint(2, 5)):
        x, y, r = 50 + 75 * place, rng.choice([0, 90, 200, 300]), rng.randint(20, 32)
        colour, shape = rng.choice([*SHADES]), rng.choice(["circle", "square"])
        if shape == "circle":
            cv2.circle(picture, (x, y), r, SHADES[colour], -1, cv2.LINE_AA)
        else:
            corner = (x - r, y - r), (x + r, y + r)
            cv2.rectangle(picture, *corner, SHADES[colour], -1)
        things.append(Thing(colour, shape, x, y, r))
    bar = rng.randint(80, 110)
    cv2.rectangle(picture, (0, bar), (400, bar + rng.randint(6, 20)), (60, 60, 60), -1)
    return Drawn(picture, things, {"covered"})


def questions(name: str, drawn: Drawn, seed: int) -> list[tuple[str, int | bool]]:
    """Return questions with their answers.

    Questions that the condition leaves open are left out.
    """
    rng = random.Random(seed + 5)
    shape = rng.choice(SHAPES[:2])
    if name == "pale":
        some = [("How many things are there?", len(drawn.things))]
        for one in SHAPES[:2]:
            some.append((f"How many {one}s are there?", drawn.counted(shape=one)))
        grey = "Is there a grey circle?"
        circles = [one for one in drawn.things if one.shape == "circle"]
        return [*some, (grey, False)] if not circles else some
    colour = rng.choice(drawn.things).colour if drawn.things else rng.choice([*SHADES])
    absent = [one for one in SHADES if not drawn.counted(one)]
    some = [
        (f"How many {colour} things are there?", drawn.counted(colour)),
        (f"How many {colour} {shape}s are there?", drawn.counted(colour, shape)),
        (f"Is there a {colour} {shape}?", drawn.counted(colour, shape) > 0),
    ]
    if absent:
        some.append((f"How many {absent[0]} things are there?", 0))
    if name != "covered":
        some.append((f"How many {shape}s are there?", drawn.counted(shape=shape)))
        some.append(("How many things are there?", len(drawn.things)))
    if name == "covered":
        return [some[0], *some[3:4]]
    return some
