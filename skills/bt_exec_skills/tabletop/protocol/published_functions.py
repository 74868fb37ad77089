"""Robot functions of the simulator protocol, and the Python names that client code may use.

Positions are [x, y, z] in the frame of the room [m]; poses of the base are [x, y, theta] [m, m,
rad].
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

__all__ = [
    "CALLS",
    "FUNCTIONS",
    "LARGEST",
    "METHODS",
    "MODULES",
    "MOTIONS",
    "TYPES",
    "Call",
    "CodeRefused",
    "argument_name",
]


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
"""Argument names of each robot function, in order.

``get_mobile_joint_position`` and ``set_mobile_target_joint`` are from an earlier version of the
protocol.
"""

MOTIONS = frozenset(
    name for name in CALLS if name.startswith(("follow_", "set_", "pick_", "place_", "wait"))
)
"""Robot functions that take simulated time; they return True after success."""

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
"""Alternative argument names in other versions of the protocol and in existing clients."""


class Call(NamedTuple):
    """Call of a robot function in a client's code.

    Attributes:
        name: Name of the function, a key of `CALLS`.
        args: Arguments by name; `CALLS` lists the names for each function.
    """

    name: str
    args: dict[str, Any]


def argument_name(name: str, keyword: str) -> str | None:
    """Return the argument name for a keyword of a call, or None if the keyword is unknown."""
    known = CALLS[name]
    if keyword in known:
        return keyword
    return next((one for one in known if keyword in _OTHER_SPELLINGS.get(one, ())), None)


LARGEST = 1e12
"""Largest magnitude of a number in a program."""
_MOST_ROUNDS = 1000


class CodeRefused(Exception):  # noqa: N818 - a response to the client that sent the code
    """Raised for code that is not allowed or exceeds a limit."""


def _finite_float(value: Any) -> float:
    """Return `float(value)`, with infinity replaced by the largest allowed number."""
    number = float(value)
    return math.copysign(LARGEST, number) if math.isinf(number) else number


def _range(*bounds: Any) -> list[int]:
    if not 1 <= len(bounds) <= 3 or not all(type(bound) is int for bound in bounds):
        raise CodeRefused("range takes 1 to 3 integers")
    if len(found := range(*bounds)) > _MOST_ROUNDS:
        raise CodeRefused(f"range may have at most {_MOST_ROUNDS} items; found {len(found)}")
    return list(found)


FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "abs": abs,
    "bool": bool,
    "dict": dict,
    "enumerate": lambda items, start=0: [list(pair) for pair in enumerate(items, start)],
    "float": _finite_float,
    "int": int,
    "isinstance": isinstance,
    "len": len,
    "list": list,
    "max": max,
    "min": min,
    "print": lambda *parts, **ignored: None,  # noqa: ARG005 - the server prints nothing
    "range": _range,
    "round": round,
    "sorted": lambda items: sorted(items),
    "str": str,
    "sum": sum,
    "tuple": tuple,
    "zip": lambda *lists: [list(row) for row in zip(*lists, strict=False)],
}
"""Functions without side effects that code may call."""

METHODS: Mapping[str, tuple[type, ...]] = {
    "append": (list,),
    "copy": (list, dict),
    "count": (list, str),
    "endswith": (str,),
    "get": (dict,),
    "index": (list,),
    "items": (dict,),
    "keys": (dict,),
    "lower": (str,),
    "replace": (str,),
    "split": (str,),
    "startswith": (str,),
    "strip": (str,),
    "tolist": (list,),
    "values": (dict,),
}
"""Methods that code may call, with the types on which each is allowed."""

MODULES: Mapping[str, Mapping[str, Any]] = {
    "json": {"dumps": lambda value: json.dumps(value)},
    "math": {
        name: getattr(math, name)
        for name in (
            "acos",
            "asin",
            "atan",
            "atan2",
            "ceil",
            "cos",
            "degrees",
            "dist",
            "floor",
            "hypot",
            "pi",
            "radians",
            "sin",
            "sqrt",
            "tan",
        )
    },
    "time": {"sleep": "wait"},
}
"""Modules that code may import, with their functions; a string names the robot function to call."""

TYPES = {
    "bool": bool,
    "dict": dict,
    "float": float,
    "int": int,
    "list": list,
    "str": str,
    "tuple": list,  # tuples are represented as lists
}
"""Types allowed as the second argument of `isinstance`."""
