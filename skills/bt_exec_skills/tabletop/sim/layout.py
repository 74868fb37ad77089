"""Random layout of the kitchen from a seed: tables, obstacles, objects and containers."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, NamedTuple, TypeAlias

from bt_exec_skills.navigation.occupancy_grid import Slab
from bt_exec_skills.tabletop.name_attributes import SHAPES
from bt_exec_skills.tabletop.tables import Table

__all__ = ["ROOM", "By", "Item", "Layout", "WorldOptions", "draw_layout"]

By: TypeAlias = Literal["colour", "size", "shape", "mixed"]

ROOM = (3.0, 2.5)
"""Half sizes of the room [m]; its centre is the origin."""
_SLOTS = ((-1.55, 1.35), (1.55, 1.35), (0.0, -1.55))
_TABLE_HALF = (0.62, 0.3)
_RIM_M = 0.09  # minimum distance of the centre of an object from the edge of a table [m]
_CONTAINER_RIM_M = 0.16
_APART_M, _BOWL_APART_M = 0.16, 0.25
_HALF: Mapping[str, float] = MappingProxyType({"small": 0.016, "medium": 0.021, "big": 0.028})
_HOLDER = 0.14  # half width of a container [m]
_COLOURS = ("red", "blue", "green", "yellow", "purple")


class Item(NamedTuple):
    """Object or container of a layout, with its pose.

    Attributes:
        name: Name in the environment.
        form: ``cube``, ``cylinder``, ``ball``, or a kind of container.
        half: Half width [m].
        colour: Colour.
        x: Centre, room frame [m].
        y: Centre, room frame [m].
        z: Height of its underside [m].
        yaw: Rotation about z [rad].
    """

    name: str
    form: str
    half: float
    colour: str
    x: float
    y: float
    z: float
    yaw: float


@dataclass(frozen=True)
class WorldOptions:
    """Options of a random world.

    Attributes:
        seed: Seed of the random generator.
        objects: Number of objects, not counting containers; 0 draws 4..12.
        by: Attribute in which objects and containers differ; with ``mixed``, several differ.
    """

    seed: int = 0
    objects: int = 0
    by: By = "colour"


@dataclass(frozen=True)
class Layout:
    """Layout of a world.

    Attributes:
        tables: The tables.
        obstacles: Obstacles, as seen from above.
        items: Objects and containers, in the order of the environment.
    """

    tables: tuple[Table, ...]
    obstacles: tuple[Slab, ...]
    items: tuple[Item, ...]


def draw_layout(options: WorldOptions) -> Layout:
    """Return the layout for the options; equal options give equal layouts."""
    rng = random.Random(f"tabletop {options.seed} {options.objects} {options.by}")
    slots = _SLOTS if options.by == "mixed" or rng.random() < 0.5 else _SLOTS[:2]
    tables = tuple(
        Table(x + rng.uniform(-0.1, 0.1), y, *_TABLE_HALF, rng.choice((0.5, 0.56, 0.62)))
        for x, y in slots
    )
    obstacles = tuple(
        Slab(x, rng.uniform(-0.25, 0.25), rng.uniform(0.1, 0.18), rng.uniform(0.1, 0.18))
        for x in rng.sample((-1.3, 1.3), rng.randint(0, 2))
    )
    count = options.objects or rng.randint(4, 12)
    named = _objects_and_containers(rng, options.by, count)
    placer = _Placer(rng, tables)
    wanted = [(name, form, half, c) for name, form, half, c in named]
    big_first = sorted(wanted, key=lambda one: one[1] in SHAPES)  # containers need the most room
    placed = {one[0]: placer.place(*one) for one in big_first}
    return Layout(tables, obstacles, tuple(placed[name] for name, *_ in wanted))


Wanted: TypeAlias = tuple[str, str, float, str]


def _objects_and_containers(rng: random.Random, by: By, count: int) -> list[Wanted]:
    """Return name, form, half width and colour of each object and container."""
    numbers: Counter[str] = Counter()
    found: list[Wanted] = []
    for words, form, half, colour in _DRAWN[by](rng, count):
        found.append((f"object_{words}_{numbers[words]}", form, half, colour))
        numbers[words] += 1
    return found


def _by_colour(rng: random.Random, count: int) -> Iterator[Wanted]:
    colours = rng.sample(_COLOURS, rng.randint(2, 3))
    for colour in _random_values(colours, count, rng):
        yield colour, rng.choice(SHAPES), _HALF["medium"], colour
    for colour in colours:
        yield f"{colour}_bowl", "bowl", _HOLDER, colour


def _by_size(rng: random.Random, count: int) -> Iterator[Wanted]:
    sizes = ("small", "big") if rng.random() < 0.5 else ("small", "medium", "big")
    for size in _random_values(sizes, count, rng):
        colour = rng.choice(_COLOURS)
        yield f"{size}_{colour}_cube", "cube", _HALF[size], colour
    for size in sizes:
        yield f"{size}_bowl", "bowl", _HOLDER, "white"


def _by_shape(rng: random.Random, count: int) -> Iterator[Wanted]:
    shapes = rng.sample(SHAPES, rng.randint(2, 3))
    for shape in _random_values(shapes, count, rng):
        colour = rng.choice(_COLOURS)
        yield f"{colour}_{shape}", shape, _HALF["medium"], colour
    for _ in shapes:
        yield "white_plate", "plate", _HOLDER, "white"


def _mixed_objects(rng: random.Random, count: int) -> Iterator[Wanted]:
    yield "apple", "ball", 0.03, "red"
    for colour in rng.sample(_COLOURS, 2):
        yield f"{colour}_cup", "cylinder", 0.025, colour
    for n in range(max(1, count - 3)):
        size, colour = rng.choice(("small", "big")), rng.choice(_COLOURS[:3])
        yield f"{size}_{colour}_{SHAPES[n % 3]}", SHAPES[n % 3], _HALF[size], colour
    for words in ("red_bowl", "blue_bowl", "blue_plate", "tray"):
        yield words, words.split("_")[-1], _HOLDER, words.split("_")[0]


def _random_values(values: Sequence[str], count: int, rng: random.Random) -> Iterator[str]:
    """Yield `count` values: each of `values` once, then random choices."""
    for n in range(count):
        yield values[n] if n < len(values) else rng.choice(values)


_DRAWN: Mapping[By, Callable[[random.Random, int], Iterator[Wanted]]] = {
    "colour": _by_colour,
    "size": _by_size,
    "shape": _by_shape,
    "mixed": _mixed_objects,
}


class _Placer:
    """Search for free positions on tables, one item after another."""

    def __init__(self, rng: random.Random, tables: tuple[Table, ...]) -> None:
        self._rng = rng
        self._tables = tables
        self._taken: list[tuple[float, float, bool]] = []

    def place(self, name: str, form: str, half: float, colour: str) -> Item:
        """Return an item at a random free position."""
        holds = form not in SHAPES
        for attempt in range(4000):
            table = self._rng.choice(self._tables)
            rim = _CONTAINER_RIM_M if holds else _RIM_M
            x = table.x + self._rng.uniform(-1, 1) * (table.half_x - rim)
            y = table.y + self._rng.uniform(-1, 1) * (table.half_y - rim)
            tight = 1.0 if attempt < 2000 else 0.85
            if all(
                math.hypot(x - a, y - b) > tight * self._distance(holds, other)
                for a, b, other in self._taken
            ):
                break
        else:
            raise ValueError(f"no room for {name}; choose fewer objects")
        self._taken.append((x, y, holds))
        return Item(name, form, half, colour, x, y, table.height, self._rng.uniform(-1.5, 1.5))

    @staticmethod
    def _distance(one: bool, other: bool) -> float:
        if one and other:
            return 0.32
        return _BOWL_APART_M if one or other else _APART_M
