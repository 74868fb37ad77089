"""MJCF of a layout: walls, a floor for each lamp, furniture, people as mocap bodies, the base.

Geoms named ``person/WHO/…``, ``thing/N/KIND/…`` and ``barrier/…`` are not on the map of the robot.
Geoms named ``base/…`` are the robot. All other geoms are static and on the map.
"""

from __future__ import annotations

import math

from bt_exec_skills.reporter.sim.floor_plan import DOORWAYS, LIGHTS, WALL_HEIGHT, Bar, wall_pieces
from bt_exec_skills.reporter.sim.layout import Furniture, Layout, Someone, Thing
from bt_exec_skills.simulation.physics import mjcf_box, mjcf_numbers

__all__ = ["BASE_RADIUS", "TIMESTEP", "world_xml"]

TIMESTEP = 0.01
"""Physics step [s]. Only the base is moved by the physics."""
BASE_RADIUS = 0.24
"""Radius of the base [m]."""
_DIGITS = 5  # significant digits, which resolve 1 mm in coordinates of a building
_HALF_WALL = 0.06
_DOOR_HEIGHT = 2.05
_WIDEST_DOOR = 1.4  # [m]; wider gaps are closed with crates
_CRATE = 0.4  # half the width of a crate [m]


def _format_numbers(*values: float) -> str:
    return mjcf_numbers(*values, digits=_DIGITS)


def _box(name: str, middle: tuple[float, ...], half: tuple[float, ...], rgb: str, more: str) -> str:
    return mjcf_box(name, middle, half, f'rgba="{rgb} 1" {more}', digits=_DIGITS)


def _slab(name: str, bar: Bar, low: float, high: float, rgb: str, more: str = "") -> str:
    """Return a slab over `bar` between two heights [m]."""
    half_x = max((bar.x2 - bar.x1) / 2, _HALF_WALL)
    half_y = max((bar.y2 - bar.y1) / 2, _HALF_WALL)
    middle = ((bar.x1 + bar.x2) / 2, (bar.y1 + bar.y2) / 2, (low + high) / 2)
    return _box(name, middle, (half_x, half_y, (high - low) / 2), rgb, more)


def _walls_and_lights(layout: Layout) -> str:
    wall = _format_numbers(*layout.wall)
    parts = [_slab(f"wall/{k}", bar, 0.0, WALL_HEIGHT, wall) for k, bar in enumerate(wall_pieces())]
    for name, bar in DOORWAYS.items():
        if name != "restroom_front":
            parts.append(
                _slab(f"lintel/{name}", bar, _DOOR_HEIGHT, WALL_HEIGHT, wall, 'class="look"')
            )
    for name, area in LIGHTS.items():
        x, y = area.centre
        half = (area.right - area.left) / 2, (area.top - area.bottom) / 2, 0.02
        parts.append(_box(f"floor/{name}", (x, y, -0.02), half, "0.52 0.5 0.47", 'class="look"'))
        over = (x, y, WALL_HEIGHT + 0.02)
        parts.append(_box(f"ceiling/{name}", over, half, "0.9 0.9 0.88", 'class="look"'))
    for k, (x, rgb) in enumerate(((8.9, "0.35 0.5 0.75"), (10.1, "0.75 0.4 0.4"))):
        panel = Bar(x - 0.4, -2.33, x + 0.4, -2.33)
        parts.append(_slab(f"panel/{k}", panel, 0.0, _DOOR_HEIGHT, rgb, 'class="look"'))
    return "".join(parts)


def _furniture(k: int, item: Furniture) -> str:
    half = (item.half_x, item.half_y, item.height / 2)
    return _box(
        f"furniture/{k}", (item.x, item.y, item.height / 2), half, _format_numbers(*item.rgb), ""
    )


def _door_or_crates(k: int, bar: Bar) -> str:
    """Return a closed door, or crates side by side if the gap is too wide for a door."""
    along_x = bar.y1 == bar.y2
    length = (bar.x2 - bar.x1) if along_x else (bar.y2 - bar.y1)
    if length <= _WIDEST_DOOR:
        return _slab(f"barrier/{k}", bar, 0.0, _DOOR_HEIGHT, "0.45 0.3 0.2")
    count = math.ceil(length / (2 * _CRATE))
    crates = []
    for n in range(count):
        middle = (n + 0.5) * length / count
        x, y = (bar.x1 + middle, bar.y1) if along_x else (bar.x1, bar.y1 + middle)
        height = 0.35 + 0.1 * (n % 2)
        half = (length / count / 2, _CRATE, height) if along_x else (_CRATE, length / count / 2)
        size = (half[0], half[1], height)
        crates.append(_box(f"barrier/{k}/{n}", (x, y, height), size, "0.6 0.45 0.25", ""))
    return "".join(crates)


def _thing(k: int, thing: Thing) -> str:
    name = f"thing/{k}/{thing.kind}"
    at = f'pos="{_format_numbers(thing.x, thing.y, 0)}" euler="0 0 {_format_numbers(thing.yaw)}"'
    match thing.kind:
        case "spill":
            shape = (
                f'<geom name="{name}/0" class="look" type="cylinder" size="0.33 0.006" '
                'pos="0 0 0.006" rgba="0.35 0.6 0.85 1"/>'
            )
        case "box":
            shape = _box(f"{name}/0", (0, 0, 0.22), (0.22, 0.28, 0.22), "0.72 0.55 0.33", "")
        case _:
            low = 'class="look"'  # geoms that the range finder cannot detect must not stop the base
            seat = _box(f"{name}/seat", (0, 0, 0.22), (0.06, 0.22, 0.22), "0.8 0.2 0.15", "")
            back = (-0.2, 0, 0.03), (0.2, 0.2, 0.025)
            shape = seat + _box(f"{name}/back", *back, "0.8 0.2 0.15", low)
            for n, (y, z) in enumerate(((-0.18, 0.05), (0.18, 0.05), (-0.18, 0.4), (0.18, 0.4))):
                leg = (0.22, y, z), (0.2, 0.02, 0.02)
                shape += _box(f"{name}/leg{n}", *leg, "0.2 0.2 0.2", low)
    return f'<body name="{name}" {at}>{shape}</body>'


def _person(someone: Someone) -> str:
    x, y = someone.way[0]
    skin, hair = "0.85 0.65 0.53", "0.9 0.9 0.9" if someone.who == "professor" else "0.15 0.1 0.08"
    name = f"person/{someone.who}"
    return (
        f'<body name="{name}" mocap="true" pos="{_format_numbers(x, y, 0)}">'
        f'<geom name="{name}/legs" type="capsule" size="0.16" fromto="0 0 0.16 0 0 0.75" '
        'rgba="0.18 0.2 0.28 1"/>'
        f'<geom name="{name}/trunk" type="capsule" size="0.2" fromto="0 0 0.85 0 0 1.28" '
        f'rgba="{_format_numbers(*someone.clothes)} 1"/>'
        f'<geom name="{name}/head" type="sphere" size="0.12" pos="0 0 1.58" rgba="{skin} 1"/>'
        f'<geom name="{name}/hair" type="sphere" size="0.115" pos="-0.02 0 1.63" '
        f'rgba="{hair} 1"/></body>'
    )


def world_xml(layout: Layout, start: tuple[float, float]) -> str:
    """Return the MJCF of the building with the robot at `start`. Equal layouts give equal texts."""
    return f"""<mujoco model="building">
  <compiler angle="radian" autolimits="true"/>
  <option timestep="{TIMESTEP}" gravity="0 0 0"/>
  <default>
    <geom contype="0" conaffinity="1"/>
    <default class="look"><geom contype="0" conaffinity="0" group="1"/></default>
    <default class="base"><geom contype="1" conaffinity="0" friction="0.05"/></default>
  </default>
  <worldbody>
    {_walls_and_lights(layout)}
    {"".join(_furniture(k, item) for k, item in enumerate(layout.furniture))}
    {"".join(_door_or_crates(k, bar) for k, bar in enumerate(layout.barriers))}
    {"".join(_thing(k, thing) for k, thing in enumerate(layout.things))}
    {"".join(_person(someone) for someone in layout.people)}
    <body name="base" pos="{_format_numbers(*start, 0)}">
      <joint name="x" type="slide" axis="1 0 0"/>
      <joint name="y" type="slide" axis="0 1 0"/>
      <joint name="yaw" type="hinge" axis="0 0 1"/>
      <geom name="base/hull" class="base" type="cylinder" size="{BASE_RADIUS} 0.14"
            pos="0 0 0.18" mass="30" rgba="0.9 0.9 0.92 1"/>
      <geom name="base/mast" class="look" type="capsule" size="0.05" fromto="0 0 0.3 0 0 1.1"/>
    </body>
  </worldbody>
</mujoco>
"""
