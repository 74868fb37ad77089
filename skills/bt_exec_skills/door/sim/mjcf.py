"""MJCF of the scene: the room, the robot, and a cabinet with a door and material in front of it.

Collision bits: robot 1, cabinet 2, material 4, door 8. Hands collide with all of them, arm links
with the door and the cabinet; the robot does not collide with itself. The floor supports the
material.
"""

from __future__ import annotations

import math

from bt_exec_skills.door.robot import ARMS
from bt_exec_skills.door.sim.arm_mjcf import SHOULDER, arm_actuators, arm_body
from bt_exec_skills.door.sim.layout import DOOR_HEIGHT, DOOR_MAX_RAD, DOOR_WIDTH, Layout
from bt_exec_skills.simulation.physics import mjcf_box, mjcf_colour, mjcf_numbers

__all__ = [
    "DEPTH",
    "HANDLE_STANDOFF",
    "TIMESTEP",
    "cabinet_geoms",
    "door_body",
    "material_body",
    "world_xml",
]

HANDLE_STANDOFF = 0.055
"""Distance of the handle's bar from the panel's centre plane [m]."""
DEPTH = 0.24
"""Depth of the cabinet behind the door's plane [m]."""
_PANEL_HALF = 0.01
_SHELF_DROP = 0.10  # depth of the shelf's top below the centre of the door [m]
_TRAY_HALF = 0.004


def _static_box(name: str, low: tuple[float, ...], high: tuple[float, ...], look: str) -> str:
    """Return a static box between two corners [m]; `look` holds its class and colour."""
    half = [(h - lo) / 2 for lo, h in zip(low, high, strict=True)]
    middle = [(h + lo) / 2 for lo, h in zip(low, high, strict=True)]
    return mjcf_box(name, middle, half, look)


def cabinet_geoms(layout: Layout) -> str:
    """Return the cabinet around the opening, its shelf and its tray."""
    hx, left, z = layout.hinge
    right, top, bottom = left - DOOR_WIDTH, z + DOOR_HEIGHT / 2, z - DOOR_HEIGHT / 2
    front, back, shelf = hx - _PANEL_HALF, hx + DEPTH, z - _SHELF_DROP
    outside = f'class="env" rgba="{mjcf_colour(layout.colours["cabinet"])}"'
    inside = f'class="env" rgba="{mjcf_colour(layout.colours["interior"])}"'
    tray = f'class="env" rgba="{mjcf_colour(layout.colours["tray"])}"'
    gap, wide = 0.004, 0.35
    return "\n    ".join(
        (
            _static_box(
                "cabinet/left", (front, left + gap, bottom), (back, left + wide, top), outside
            ),
            _static_box(
                "cabinet/right", (front, right - wide, bottom), (back, right - gap, top), outside
            ),
            _static_box(
                "cabinet/top",
                (front, right - wide, top + gap),
                (back, left + wide, top + 0.2),
                outside,
            ),
            _static_box(
                "cabinet/bottom",
                (front, right - wide, 0.0),
                (back, left + wide, bottom - gap),
                outside,
            ),
            _static_box(
                "interior/back",
                (back, right - 0.05, bottom - 0.05),
                (back + 0.01, left + 0.05, top + 0.05),
                inside,
            ),
            _static_box(
                "interior/shelf",
                (front + 2 * _PANEL_HALF, right, shelf - 0.02),
                (back - 0.01, left, shelf),
                inside,
            ),
            _static_box(
                "interior/tray",
                (hx + 0.025, right + 0.03, shelf),
                (hx + 0.16, left - 0.03, shelf + 2 * _TRAY_HALF),
                tray,
            ),
        )
    )


def door_body(layout: Layout) -> str:
    """Return the hinged panel with its bar handle; the panel lies along -y when closed."""
    reach, half = layout.handle_r, layout.handle_half
    low, high = 0.0, DOOR_MAX_RAD
    if layout.jammed:
        low, high = layout.angle, layout.angle + 0.005
    look = f'class="door" rgba="{mjcf_colour(layout.colours["handle"])}"'
    posts = "".join(
        f'<geom name="door/post{i}" type="capsule" size="0.005" mass="0.02" {look} '
        f'fromto="{mjcf_numbers(-_PANEL_HALF, -reach, z, -HANDLE_STANDOFF, -reach, z)}"/>'
        for i, z in enumerate((layout.handle_z - half, layout.handle_z + half))
    )
    return f"""
    <body name="door" pos="{mjcf_numbers(*layout.hinge)}">
      <joint name="door" axis="0 0 -1" range="{mjcf_numbers(low, high)}" damping="0.6"
             frictionloss="0.25" armature="0.01" solreflimit="0.004 1"/>
      <geom name="door/panel" class="door" type="box" mass="2" rgba="{
        mjcf_colour(layout.colours["door"])
    }"
            size="{mjcf_numbers(_PANEL_HALF, DOOR_WIDTH / 2 - 0.002, DOOR_HEIGHT / 2 - 0.002)}"
            pos="{mjcf_numbers(0, -DOOR_WIDTH / 2, 0)}"/>
      <geom name="door/handle" type="capsule" size="0.009" mass="0.1" {look}
            fromto="{
        mjcf_numbers(
            -HANDLE_STANDOFF,
            -reach,
            layout.handle_z - half,
            -HANDLE_STANDOFF,
            -reach,
            layout.handle_z + half,
        )
    }"/>
      {posts}
      <site name="handle" pos="{
        mjcf_numbers(-HANDLE_STANDOFF, -reach, layout.handle_z)
    }" size="0.005" group="4"/>
    </body>"""


def material_body(layout: Layout) -> str:
    """Return the material box on a freejoint on the tray; empty without material."""
    if not layout.material:
        return ""
    x, y, z = layout.centre
    dx, dy = layout.material_xy
    floor = z - _SHELF_DROP + 2 * _TRAY_HALF
    place = (x + dx, y + dy, floor + layout.material_half[2] + 0.0005)
    half = layout.material_yaw / 2
    turn = mjcf_numbers(math.cos(half), 0, 0, math.sin(half))
    return f"""
    <body name="material" pos="{mjcf_numbers(*place)}" quat="{turn}">
      <freejoint name="material"/>
      <geom name="material" class="thing" type="box" mass="0.12"
            size="{mjcf_numbers(*layout.material_half)}"
            rgba="{mjcf_colour(layout.colours["material"])}" friction="1 0.02 0.001"/>
    </body>"""


TIMESTEP = 0.002
"""Physics step [s]; with twice this value half of the grasps fail."""

_DEFAULTS = """
  <default>
    <geom solref="0.004 1" condim="4"/>
    <default class="arm"><geom contype="1" conaffinity="10" rgba="0.75 0.76 0.8 1"/></default>
    <default class="hand"><geom contype="1" conaffinity="14"/></default>
    <default class="env"><geom contype="2" conaffinity="5"/></default>
    <default class="door"><geom contype="8" conaffinity="5"/></default>
    <default class="thing"><geom contype="4" conaffinity="11"/></default>
    <default class="look"><geom contype="0" conaffinity="0"/></default>
  </default>"""


def _head_camera(layout: Layout) -> str:
    """Return the head camera, level and aimed at its target point."""
    eye, target = layout.camera
    forward = [t - e for t, e in zip(target, eye, strict=True)]
    right = (forward[1], -forward[0], 0.0)  # cross product of forward and up
    up = (
        right[1] * forward[2] - right[2] * forward[1],
        right[2] * forward[0] - right[0] * forward[2],
        right[0] * forward[1] - right[1] * forward[0],
    )
    return (
        f'<camera name="head" pos="{mjcf_numbers(*eye)}" xyaxes="{mjcf_numbers(*right, *up)}" '
        f'fovy="{mjcf_numbers(layout.fovy)}"/>'
    )


def world_xml(layout: Layout) -> str:
    """Return the whole world as MJCF; two equal layouts give the same text."""
    lamp, bright = layout.light
    wall, floor = mjcf_colour(layout.colours["wall"]), mjcf_colour(layout.colours["floor"])
    holds = "".join(
        f'<connect name="{arm}/pull" site1="{arm}/grip" site2="handle" active="false" '
        'solref="0.02 1"/>'
        + (
            f'<weld name="{arm}/hold" body1="{arm}/hand" body2="material" active="false" '
            'solref="0.01 1"/>'
            if layout.material
            else ""
        )
        for arm in ARMS
    )
    return f"""<mujoco model="door">
  <compiler angle="radian" autolimits="true"/>
  <option timestep="{TIMESTEP}" integrator="implicitfast" cone="elliptic" impratio="10"/>
  <visual>
    <global offwidth="640" offheight="480"/>
    <quality offsamples="0" shadowsize="0" numslices="16" numstacks="8"/>
    <headlight ambient="0.35 0.35 0.35" diffuse="0.3 0.3 0.3" specular="0 0 0"/>
    <map znear="0.02" zfar="20"/>
  </visual>{_DEFAULTS}
  <worldbody>
    <light pos="{mjcf_numbers(*lamp)}" dir="0.35 0 -1"
           diffuse="{mjcf_numbers(bright, bright, bright)}"/>
    <geom name="floor" contype="0" conaffinity="4" type="plane" size="4 4 0.1" rgba="{floor}"/>
    <geom name="wall" class="look" type="plane" size="4 4 0.1"
          pos="{mjcf_numbers(layout.hinge[0] + DEPTH + 0.02)} 0 0" euler="0 -1.5707963 0"
          rgba="{wall}"/>
    <geom name="robot/column" class="look" type="capsule" size="0.07" rgba="0.55 0.57 0.6 1"
          fromto="-0.08 0 0.1 -0.08 0 1.1"/>
    <geom name="robot/chest" class="look" type="capsule" size="0.06" rgba="0.55 0.57 0.6 1"
          fromto="-0.06 {-SHOULDER[1]} {SHOULDER[2]} -0.06 {SHOULDER[1]} {SHOULDER[2]}"/>
    {_head_camera(layout)}
    {cabinet_geoms(layout)}{door_body(layout)}{material_body(layout)}
    {"".join(arm_body(arm) for arm in ARMS)}
  </worldbody>
  <equality>{holds}</equality>
  <actuator>{"".join(arm_actuators(arm) for arm in ARMS)}</actuator>
</mujoco>
"""
