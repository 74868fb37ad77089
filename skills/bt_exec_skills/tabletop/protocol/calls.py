"""Calls of the published simulator protocol.

Positions are [x, y, z] in the frame of the room [m], poses of the base [x, y, theta] [m, m, rad].
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

__all__ = ["CALLS", "MOTIONS", "Call", "bind"]

_PICK = ("position", "approach_height", "lift_height", "return_to_home", "timeout", "verbose")
_PLACE = ("position", "approach_height", "retract_height", "return_to_home", "timeout", "verbose")

CALLS: Mapping[str, tuple[str, ...]] = {
    "get_object_positions": (),
    "get_grid_map": (),
    "get_mobile_position": (),
    "get_mobile_joint_position": (),
    "get_arm_joint_position": (),
    "get_ee_position": (),
    "get_gripper_width": (),
    "plan_mobile_path": ("position", "simplify", "grid_size"),
    "follow_mobile_path": ("path", "timeout_per_waypoint", "verbose"),
    "set_mobile_target_position": ("position", "timeout", "verbose"),
    "set_mobile_target_joint": ("position", "timeout", "verbose"),
    "set_arm_target_joint": ("joints", "timeout", "verbose"),
    "set_ee_target_position": ("position", "timeout", "verbose"),
    "set_target_gripper_width": ("width", "timeout", "verbose"),
    "pick_object": _PICK,
    "place_object": _PLACE,
    "wait": ("seconds",),
}
"""Argument names of each call, in order.

The joint calls of the base are those of an earlier version of the protocol.
"""

MOTIONS = frozenset(
    name for name in CALLS if name.startswith(("follow_", "set_", "pick_", "place_", "wait"))
)
"""Calls that take simulated time. They return True when they have succeeded."""

_OTHER_SPELLINGS: Mapping[str, frozenset[str]] = {
    "position": frozenset(
        {
            "pos",
            "target",
            "target_position",
            "target_pos",
            "target_joint",
            "object_position",
            "object_pos",
            "place_pos",
            "goal",
            "mobile_target_position",
            "ee_target_position",
        }
    ),
    "joints": frozenset({"arm_target_joint", "arm_target_position", "target_joint", "joint"}),
    "width": frozenset({"target_width", "gripper_width"}),
    "path": frozenset({"path_world", "waypoints"}),
}
"""Alternative argument names in versions and clients of the protocol."""


class Call(NamedTuple):
    """Call of the robot.

    Attributes:
        name: Key of `CALLS`.
        args: Values by the names of `CALLS`.
    """

    name: str
    args: dict[str, Any]


def bind(name: str, keyword: str) -> str | None:
    """Return the argument of a call for a keyword, or None."""
    known = CALLS[name]
    if keyword in known:
        return keyword
    return next((one for one in known if keyword in _OTHER_SPELLINGS.get(one, ())), None)
