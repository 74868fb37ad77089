"""MJCF of one arm: seven joints, a palm, two fingers. The IK model and the world share it.

With all joint angles at zero, the arm points straight ahead. Joint order: shoulder yaw (z), pitch
(y), roll (x), elbow (y), forearm roll (x), wrist pitch (y), wrist yaw (z). The hand's frame: x
along the fingers, y across them, z up; its site ``grip`` lies between the finger pads.
"""

from __future__ import annotations

from bt_exec_skills.door.robot import Arm

__all__ = ["FINGER_OPEN", "HOME", "JOINTS", "SHOULDER", "arm_actuators", "arm_body", "side_of"]

SHOULDER = (0.0, 0.20, 1.05)
"""Position of the left shoulder [m]; the right one is its mirror image in y."""
UPPER, FORE, HAND = 0.40, 0.37, 0.19
"""Lengths: upper arm, forearm, wrist to grip [m]; together 0.96 m of reach."""
FINGER_OPEN = 0.042
"""Travel of each finger from the middle [m]."""

_RANGES = (
    (-2.6, 2.6),
    (-2.0, 2.7),
    (-2.8, 2.8),
    (-2.6, 0.0),
    (-2.8, 2.8),
    (-1.7, 1.7),
    (-1.7, 1.7),
)
_AXES = ("0 0 1", "0 1 0", "1 0 0", "0 1 0", "1 0 0", "0 1 0", "0 0 1")
_KP = (1500, 1500, 1000, 1000, 400, 300, 300)
_FORCE = (90, 90, 60, 60, 30, 25, 25)
_ARMATURE = (0.2, 0.2, 0.15, 0.15, 0.05, 0.03, 0.03)

JOINTS = 7
_HOME_LEFT = (0.25, 2.15, 0.0, -2.15, 0.0, 0.0, -0.25)


def side_of(arm: Arm) -> float:
    """Return +1 for the left arm, -1 for the right: the sign of y."""
    return 1.0 if arm == "left" else -1.0


def _mirror_joint_angles(values: tuple[float, ...], side: float) -> tuple[float, ...]:
    """Mirror joint angles in y: turns about z and x change sign, those about y do not."""
    return tuple(v if axis == "0 1 0" else side * v for v, axis in zip(values, _AXES, strict=True))


HOME: dict[Arm, tuple[float, ...]] = {
    "left": _HOME_LEFT,
    "right": _mirror_joint_angles(_HOME_LEFT, -1.0),
}
"""Rest posture of each arm [rad]: hands low in front of the hips, out of the camera's view."""


def _joint(arm: Arm, index: int) -> str:
    low, high = _RANGES[index]
    if side_of(arm) < 0 and _AXES[index] != "0 1 0":
        low, high = -high, -low
    return (
        f'<joint name="{arm}/j{index + 1}" axis="{_AXES[index]}" range="{low} {high}" '
        f'armature="{_ARMATURE[index]}" damping="1"/>'
    )


def _finger(arm: Arm, name: str, sign: int) -> str:
    return f"""
      <body name="{arm}/{name}" pos="{HAND - 0.015} 0 0" gravcomp="1">
        <joint name="{arm}/{name}" type="slide" axis="0 {sign} 0" range="0 {FINGER_OPEN}"
               armature="0.05" damping="2"/>
        <geom name="{arm}/{name}" class="hand" type="box" size="0.035 0.006 0.012"
              pos="0 {sign * 0.006} 0" mass="0.05" friction="1.2 0.02 0.001"
              rgba="0.15 0.15 0.17 1"/>
      </body>"""


def arm_body(arm: Arm, *, fingers: bool = True) -> str:
    """Return the arm's body tree; classes ``arm`` and ``hand`` set its collision bits.

    Args:
        arm: Left or right.
        fingers: Whether the fingers have joints; the model for inverse kinematics has rigid
            fingers.
    """
    x, y, z = SHOULDER
    grip = _finger(arm, "thumb", 1) + _finger(arm, "finger", -1) if fingers else ""
    j = [_joint(arm, index) for index in range(JOINTS)]
    return f"""
  <body name="{arm}/upper" pos="{x} {side_of(arm) * y} {z}" gravcomp="1">
    {j[0]}{j[1]}{j[2]}
    <geom name="{arm}/upper" class="arm" type="capsule" fromto="0 0 0 {UPPER} 0 0" size="0.042"
          mass="2"/>
    <body name="{arm}/fore" pos="{UPPER} 0 0" gravcomp="1">
      {j[3]}{j[4]}
      <geom name="{arm}/fore" class="arm" type="capsule" fromto="0 0 0 {FORE - 0.03} 0 0"
            size="0.034" mass="1.4"/>
      <body name="{arm}/hand" pos="{FORE} 0 0" gravcomp="1">
        {j[5]}{j[6]}
        <geom name="{arm}/wrist" class="arm" type="capsule" fromto="0 0 0 0.08 0 0" size="0.026"
              mass="0.3"/>
        <geom name="{arm}/palm" class="hand" type="box" size="0.022 0.05 0.02"
              pos="{HAND - 0.072} 0 0" mass="0.3" rgba="0.25 0.25 0.28 1"/>
        <site name="{arm}/grip" pos="{HAND} 0 0" size="0.005" group="4"/>
        {grip}
      </body>
    </body>
  </body>"""


def arm_actuators(arm: Arm) -> str:
    """Return the position servos: seven joints [rad], then thumb and finger [m]."""
    joints = "".join(
        f'<position name="{arm}/j{i + 1}" joint="{arm}/j{i + 1}" kp="{_KP[i]}" dampratio="1" '
        f'forcerange="{-_FORCE[i]} {_FORCE[i]}"/>'
        for i in range(JOINTS)
    )
    fingers = "".join(
        f'<position name="{arm}/{name}" joint="{arm}/{name}" kp="600" dampratio="1" '
        'forcerange="-15 15"/>'
        for name in ("thumb", "finger")
    )
    return joints + fingers
