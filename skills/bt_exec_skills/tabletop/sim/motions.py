"""Motion primitives of the simulated robot: generators that advance one control period a step.

Commands follow smooth curves and are compared with the measured state, so that a blocked arm is
reported. The hand is lowered until the hand or its load has contact.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np

from bt_exec.failure import Failed
from bt_exec_skills.motion.stepped_motion import MotionSteps
from bt_exec_skills.navigation.plane_geometry import Pose
from bt_exec_skills.tabletop.environment_state import Point
from bt_exec_skills.tabletop.name_attributes import attributes_in_name
from bt_exec_skills.tabletop.sim.arm import FINGER_OPEN, HAND_DROP, HOME, REACH, ArmIK, Vector
from bt_exec_skills.tabletop.sim.layout import Item
from bt_exec_skills.tabletop.sim.path_planning import Way
from bt_exec_skills.tabletop.sim.world import CONTROL_S, TableWorld

__all__ = ["drive", "move_fingers", "move_hand", "move_joints", "pick", "place", "wait"]

_SPEED, _EASE = 0.7, 0.9  # maximum speed and acceleration of the base [m/s, m/s2]
_TURN = 1.8  # maximum turning speed [rad/s]
_JOINT = np.array([0.6, 2.2, 2.4, 3.0])  # maximum speeds of the arm [m/s, rad/s]
_TRAVEL_M = 0.80  # height of the grip above all objects on tables
_PRESS = -0.02
_OFF_M = 0.05  # maximum distance of an item from its expected position


def drive(world: TableWorld, way: Way, goal: Pose) -> MotionSteps:
    """Follow the corners of a path, turning to the goal's yaw meanwhile.

    A hand below travel height is drawn back first, because a stopped motion may have left it in a
    container.

    Raises:
        Failed: NO_PATH if the base is blocked.
    """
    if world.joints[0] < _TRAVEL_M + HAND_DROP - 0.02:
        yield from _home(world, open_hand=False)
    lengths = [math.dist(a, b) for a, b in pairwise(way)]
    total = max(sum(lengths), 1e-6)
    turn = world.unwrapped_yaw
    final = turn + math.remainder(goal.yaw - turn, math.tau)
    behind, speed = 0.0, 0.0
    while behind < total - 1e-4 or abs(final - turn) > 1e-3:
        room = math.sqrt(2 * _EASE * max(total - behind, 0.0))
        speed = min(_SPEED, speed + _EASE * CONTROL_S, room)
        behind = min(total, behind + speed * CONTROL_S)
        turn += max(-_TURN * CONTROL_S, min(_TURN * CONTROL_S, final - turn))
        x, y = _point_at_length(way, lengths, behind)
        world.command_base(x, y, turn)
        yield 0.95 * behind / total, "driving"
        if world.pose.distance_to(x, y) > 0.3:
            raise Failed("NO_PATH", f"the base is blocked at ({x:.2f}, {y:.2f})")
    for _ in range(round(0.4 / CONTROL_S)):
        yield 0.97, "driving"
    if world.pose.distance_to(goal.x, goal.y) > 0.06:
        raise Failed(
            "NO_PATH", f"stopped {world.pose.distance_to(goal.x, goal.y):.2f} m before the goal"
        )


def _point_at_length(way: Way, lengths: Sequence[float], behind: float) -> tuple[float, float]:
    for (a, b), length in zip(pairwise(way), lengths, strict=True):
        if behind <= length and length > 0:
            part = behind / length
            return a[0] + part * (b[0] - a[0]), a[1] + part * (b[1] - a[1])
        behind -= length
    return way[-1]


def _to_base_frame(world: TableWorld, at: Point) -> Vector:
    """Return a point of the room in the base's frame [m]."""
    pose = world.pose
    c, s = math.cos(pose.yaw), math.sin(pose.yaw)
    x, y = at.x - pose.x, at.y - pose.y
    return np.array([c * x + s * y, c * y - s * x, at.z])


def _move_smoothly(world: TableWorld, goal: Vector, phase: str, slow: float = 1.0) -> MotionSteps:
    """Move the arm to joint values along a smooth curve."""
    start = world.targets
    seconds = max(float((np.abs(goal - start) / (_JOINT * slow)).max()) * 1.5, 0.1)
    count = max(1, round(seconds / CONTROL_S))
    for k in range(1, count + 1):
        part = k / count
        world.command_arm(start + (goal - start) * part * part * (3 - 2 * part))
        yield part, phase


def _wait_until_reached(world: TableWorld, goal: Vector, phase: str) -> MotionSteps:
    """Wait until the arm is at its target.

    Raises:
        Failed: STUCK if the arm is blocked.
    """
    for _ in range(round(0.6 / CONTROL_S)):
        if float(np.abs(world.joints - goal).max()) < 0.02:
            return
        yield 1.0, phase
    off = world.joints - goal
    if abs(off[0]) > 0.03 or float(np.abs(off[1:]).max()) > 0.08:
        raise Failed("STUCK", "the arm is blocked")


def _joints_above(world: TableWorld, ik: ArmIK, at: Point, yaws: Sequence[float]) -> Vector:
    """Return joint values that bring the grip above `at`, with the first reachable yaw.

    Raises:
        Failed: UNREACHABLE.
    """
    local = _to_base_frame(world, at)
    away = math.hypot(local[0], local[1])
    if REACH[0] - 0.06 <= away <= REACH[1] + 0.04 and abs(math.atan2(local[1], local[0])) < 1.2:
        local[2] = max(at.z + 0.12, _TRAVEL_M)
        for yaw in yaws:
            found = ik.solve(local, yaw - world.pose.yaw, np.array(HOME))
            if found is not None:
                return found
    raise Failed(
        "UNREACHABLE", f"{away:.2f} m from the base; {REACH[0]:g}..{REACH[1]:g} is in reach"
    )


def _item_at(world: TableWorld, at: Point) -> Item | None:
    """Return the object nearest to a position, or None if none is near it."""
    now = world.environment()
    near = [
        (placed.pos.distance_to(at), name)
        for name, placed in now.objects.items()
        if placed.pos.distance_to(at) < _OFF_M
    ]
    return world.items[min(near)[1]] if near else None


def _yaws_by_room(world: TableWorld, at: Point, item: Item | None, reach: float) -> list[float]:
    """Return yaws of the hand, the one with the most room for the fingers first."""
    now = world.environment()
    names = [name for name in now.objects if item is None or name != item.name]
    near = [name for name in names if now.objects[name].pos.horizontal_distance(at) < 0.3]
    others = [(now.objects[name].pos, _rim_radius(world.items[name])) for name in near]
    if item is not None and item.form == "cube":
        turn = now.objects[item.name].ori[2]
        options = [turn, turn + math.pi / 2]
    else:
        options = [k * math.pi / 8 for k in range(8)]

    def room(yaw: float) -> float:
        least = 1.0
        for sign in (1, -1):
            x, y = at.x - sign * reach * math.sin(yaw), at.y + sign * reach * math.cos(yaw)
            least = min([least, *(abs(math.hypot(x - o.x, y - o.y) - rim) for o, rim in others)])
        return round(least, 2)

    return sorted(options, key=room, reverse=True)


def _rim_radius(item: Item) -> float:
    """Return the horizontal distance of a container's rim from its centre [m]; 0 for others."""
    return item.half if attributes_in_name(item.name).is_container else 0.0


def pick(world: TableWorld, ik: ArmIK, at: Point, lift: float, attempt: int) -> MotionSteps:
    """Lower the open hand around the object at `at`, close it and lift.

    Args:
        world: The world.
        ik: Inverse kinematics of the arm.
        at: Centre of the object.
        lift: Minimum height of the lift [m].
        attempt: Number of earlier attempts, which selects the rotation of the hand.

    Raises:
        Failed: UNREACHABLE, STUCK, or MISSED if the hand holds nothing afterwards.
    """
    item = _item_at(world, at)
    half = item.half if item is not None else 0.03
    gap = min(FINGER_OPEN, half * (1.42 if item is not None and item.form == "cube" else 1) + 0.02)
    yaws = _yaws_by_room(world, at, item, gap)
    yaws = yaws[attempt % len(yaws) :] + yaws[: attempt % len(yaws)]
    above = _joints_above(world, ik, at, yaws)
    low = max(at.z, at.z - half + 0.02)
    yield from _open(world, gap)
    yield from _raise_hand(world, at.z + 0.12)
    yield from _move_smoothly(world, above, "reaching")
    yield from _wait_until_reached(world, above, "reaching")
    down = above.copy()
    down[0] = low + HAND_DROP
    try:
        yield from _move_smoothly(world, down, "lowering")
        yield from _wait_until_reached(world, down, "lowering")
        world.command_fingers(_PRESS)
        for _ in range(round(0.4 / CONTROL_S)):
            yield 0.6, "closing"
        up = down.copy()
        up[0] = max(down[0] + lift, above[0])
        yield from _move_smoothly(world, up, "lifting", 0.7)
    except Failed:
        yield from _home(world, open_hand=True)
        raise
    held = world.held_item()
    yield from _home(world, open_hand=held is None)
    if held is None or world.held_item() is None:
        raise Failed("MISSED", "the hand closed on nothing" if held is None else "it slipped away")


def place(world: TableWorld, ik: ArmIK, at: Point, retract: float) -> MotionSteps:
    """Lower the held object at `at` until it has contact, and release it.

    Raises:
        Failed: EMPTY if the hand holds nothing; UNREACHABLE or STUCK.
    """
    held = world.held_item()
    if held is None:
        raise Failed("EMPTY", "the hand holds nothing")
    gap = world.half_gap + 0.014
    above = _joints_above(world, ik, at, _yaws_by_room(world, at, None, gap + 0.012))
    yield from _raise_hand(world, at.z + 0.2)
    yield from _move_smoothly(world, above, "reaching", 0.8)
    yield from _wait_until_reached(world, above, "reaching")
    low = above.copy()
    low[0] = at.z + HAND_DROP + 0.008
    for step in _move_smoothly(world, low, "lowering", 0.7):
        yield step
        if world.is_colliding(held):
            world.command_arm(world.joints)
            break
    here = world.joints
    world.command_arm(here)
    for k in range(round(0.3 / CONTROL_S)):
        world.command_fingers(world.half_gap + 0.004 if k < 5 else gap)
        yield 0.8, "letting go"
    up = here.copy()
    up[0] = max(here[0] + retract, above[0])
    yield from _move_smoothly(world, up, "drawing back")
    yield from _home(world, open_hand=True)


def move_joints(world: TableWorld, joints: Sequence[float]) -> MotionSteps:
    """Move the arm to joint values along a smooth curve.

    Args:
        world: The world.
        joints: Lift [m], shoulder, elbow and wrist [rad].

    Raises:
        Failed: UNREACHABLE outside the joint limits, STUCK if something blocks the arm.
    """
    goal = np.array(joints, float)
    low, high = world.joint_limits
    if bool((goal < low).any() or (goal > high).any()):
        limits = ", ".join(f"{a:.2f}..{b:.2f}" for a, b in zip(low, high, strict=True))
        raise Failed("UNREACHABLE", f"the joint limits are {limits}")
    yield from _move_smoothly(world, goal, "moving the arm")
    yield from _wait_until_reached(world, goal, "moving the arm")


def move_hand(world: TableWorld, ik: ArmIK, at: Point) -> MotionSteps:
    """Raise the hand to travel height, move it above a point and lower it onto the point.

    Raises:
        Failed: UNREACHABLE, or STUCK if something blocks the arm.
    """
    below_travel = Point(at.x, at.y, min(at.z, _TRAVEL_M - 0.12))
    above = _joints_above(
        world, ik, below_travel, [world.pose.yaw + k * math.pi / 4 for k in range(4)]
    )
    down = above.copy()
    down[0] = at.z + HAND_DROP
    above[0] = max(above[0], down[0])
    low, high = world.joint_limits
    if not low[0] <= down[0] <= high[0]:
        raise Failed("UNREACHABLE", f"the hand reaches heights up to {high[0] - HAND_DROP:.2f} m")
    yield from _raise_hand(world, at.z)
    yield from _move_smoothly(world, above, "reaching")
    yield from _wait_until_reached(world, above, "reaching")
    yield from _move_smoothly(world, down, "lowering")
    yield from _wait_until_reached(world, down, "lowering")


def move_fingers(world: TableWorld, width: float) -> MotionSteps:
    """Move the fingers until they are `width` [m] apart; they stop at an object and press on it.

    Raises:
        Failed: UNREACHABLE if the hand cannot open that far.
    """
    if width > 2 * FINGER_OPEN:
        raise Failed("UNREACHABLE", f"the hand opens to {2 * FINGER_OPEN:.3f} m")
    world.command_fingers(width / 2 if width > 0 else _PRESS)
    yield from wait(0.4)


def wait(seconds: float) -> MotionSteps:
    """Wait for `seconds` of simulated time [s]."""
    periods = round(seconds / CONTROL_S)
    for period in range(periods):
        yield period / periods, "waiting"


def _raise_hand(world: TableWorld, height: float) -> MotionSteps:
    """Lift the hand to travel height, or to `height` if that is higher."""
    now = world.joints
    wanted = max(height, _TRAVEL_M) + HAND_DROP
    if now[0] < wanted - 0.02:
        up = now.copy()
        up[0] = wanted
        yield from _move_smoothly(world, up, "lifting")


def _open(world: TableWorld, gap: float) -> MotionSteps:
    world.command_fingers(gap)
    for _ in range(round(0.2 / CONTROL_S)):
        yield 0.0, "opening"


def _home(world: TableWorld, *, open_hand: bool) -> MotionSteps:
    if open_hand:
        world.command_fingers(FINGER_OPEN)
    yield from _raise_hand(world, _TRAVEL_M)
    yield from _move_smoothly(world, np.array(HOME), "drawing back", 0.8)
