"""A layout as MJCF: the cabinet with its door, two arms, a head camera, a lamp.

Collision bits: robot 1, cabinet 2, material 4, door 8. Hands collide with all of them, arm links
with the door and the cabinet; the robot does not collide with itself. The floor supports the
material.
"""

from __future__ import annotations

from bt_exec_skills.door.robot import ARMS
from bt_exec_skills.door.sim.arm import SHOULDER, arm_actuators, arm_body
from bt_exec_skills.door.sim.cabinet import (
    DEPTH,
    cabinet_geoms,
    door_body,
    material_body,
)
from bt_exec_skills.door.sim.layout import Layout
from bt_exec_skills.simulation.mjcf import numbers, rgba

__all__ = ["TIMESTEP", "world_xml"]

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


def _camera(layout: Layout) -> str:
    """Return the head camera, level and aimed at its target point."""
    eye, target = layout.camera
    forward = [t - e for t, e in zip(target, eye, strict=True)]
    right = (forward[1], -forward[0], 0.0)  # forward x up
    up = (
        right[1] * forward[2] - right[2] * forward[1],
        right[2] * forward[0] - right[0] * forward[2],
        right[0] * forward[1] - right[1] * forward[0],
    )
    return (
        f'<camera name="head" pos="{numbers(*eye)}" xyaxes="{numbers(*right, *up)}" '
        f'fovy="{numbers(layout.fovy)}"/>'
    )


def world_xml(layout: Layout) -> str:
    """Return the whole world as MJCF; two equal layouts give the same text."""
    lamp, bright = layout.light
    wall, floor = rgba(layout.colours["wall"]), rgba(layout.colours["floor"])
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
    <light pos="{numbers(*lamp)}" dir="0.35 0 -1" diffuse="{numbers(bright, bright, bright)}"/>
    <geom name="floor" contype="0" conaffinity="4" type="plane" size="4 4 0.1" rgba="{floor}"/>
    <geom name="wall" class="look" type="plane" size="4 4 0.1"
          pos="{numbers(layout.hinge[0] + DEPTH + 0.02)} 0 0" euler="0 -1.5707963 0" rgba="{wall}"/>
    <geom name="robot/column" class="look" type="capsule" size="0.07" rgba="0.55 0.57 0.6 1"
          fromto="-0.08 0 0.1 -0.08 0 1.1"/>
    <geom name="robot/chest" class="look" type="capsule" size="0.06" rgba="0.55 0.57 0.6 1"
          fromto="-0.06 {-SHOULDER[1]} {SHOULDER[2]} -0.06 {SHOULDER[1]} {SHOULDER[2]}"/>
    {_camera(layout)}
    {cabinet_geoms(layout)}{door_body(layout)}{material_body(layout)}
    {"".join(arm_body(arm) for arm in ARMS)}
  </worldbody>
  <equality>{holds}</equality>
  <actuator>{"".join(arm_actuators(arm) for arm in ARMS)}</actuator>
</mujoco>
"""
