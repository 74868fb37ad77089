"""Tracking of the object in the hand: a lifted object that follows the base."""

from __future__ import annotations

import math
from dataclasses import replace

from bt_exec_skills.navigation.plane_geometry import Pose
from bt_exec_skills.tabletop.environment_state import Environment, Point

__all__ = ["NEAR_M", "HeldObjectTracker"]

NEAR_M = 1.1
"""Reach of the hand from the base [m]."""
_LIFTED_M = 0.05
"""Minimum height difference of a lifted object [m]."""

_AT_HAND_M = 0.05
"""Maximum distance of a held object from the hand [m]."""
_BESIDE_M = 0.15
"""Distance within which the fingers may close on another object than the requested one [m]."""
_FOLLOWS_M = 0.15
"""Tolerance of the position of a held object in the robot's frame [m]."""


class HeldObjectTracker:
    """Tracker of the object in the hand, from readings of the world.

    If the simulator reports the pose of the base, a held object must stay at the same position
    relative to the base. Otherwise an object that stays at its lifted height is assumed to be held.

    Attributes:
        thing: Last picked object, until it is put down; None if the hand is empty.
        origin: Position of `thing` before the pick [m]; None if the hand is empty.
        origins: Position of each object before the last mission that moved it [m].
        returnable: Objects that the last mission with a pick moved.
        moved: Whether the hand has started to take or release an object since the last reading of
            the world. The content of the hand is then unknown.
    """

    def __init__(self) -> None:
        self.thing: str | None = None
        self.origin: Point | None = None
        self.moved = False
        self.origins: dict[str, Point] = {}
        self.returnable: list[str] = []
        self._in_new_mission = True
        self._reached: tuple[str, Point] | None = None
        self._from_base: tuple[float, float] | None = None
        self._height = 0.0

    @property
    def moved_now(self) -> tuple[str, ...]:
        """Objects that the current mission has moved so far."""
        return () if self._in_new_mission else tuple(self.returnable)

    def begin_mission(self) -> None:
        """Record that a mission starts."""
        self._in_new_mission = True

    def record_pick_start(self, thing: str, at: Point) -> None:
        """Record that the hand starts to take `thing` at `at`."""
        self.thing, self.moved, self._reached = None, True, (thing, at)

    def record_release_start(self) -> None:
        """Record that the hand starts to release its object."""
        self.moved = True

    def record_held_object(self, now: Environment) -> str | None:
        """Record and return the held object in `now`, which was read after the last motion."""
        held = self.held_object(now)
        if held is None:
            self.record_empty()
        elif self._reached is not None:
            self._record_grasp(held, now)
        self.moved = False
        return held

    def record_initial_object(self, now: Environment, at: Point | None) -> None:
        """Record the object that was in the hand before this process began, if there is one.

        The position where it was picked up is unknown.

        Args:
            now: The world at rest.
            at: Position of the hand in the frame of the room or of the robot. If it is None and
                only one object within reach is in the air, that object is assumed to be held.
        """
        found = _unsupported_objects(now) if at is None else _object_at_position(now, at)
        if len(found) == 1:
            self._record_grasp(found[0], now)

    def _record_grasp(self, thing: str, now: Environment) -> None:
        at = now.position_of(thing)
        assert at is not None
        if self._reached is not None:
            self.origin = self._reached[1]
            self._record_origin(thing, self.origin)
        self.thing, self._reached = thing, None
        self._height = at.z
        self._from_base = _in_frame_of_base(now.base, at) if now.base is not None else None

    def _record_origin(self, thing: str, origin: Point) -> None:
        if self._in_new_mission:
            self.returnable, self._in_new_mission = [], False
        if thing not in self.returnable:  # a swap moves an object twice: keep its first position
            self.origins[thing] = origin
            self.returnable.append(thing)

    def record_empty(self) -> None:
        """Record that the hand is empty."""
        self.origin = None
        self.thing, self.moved, self._reached = None, False, None

    def held_object(self, now: Environment) -> str | None:
        """Return the object that is held in `now`; None if the hand is empty or the object fell.

        A low object is only known to be held if the robot reports contact of the fingers: the hand
        may have been stopped before it lifted the object, or before it released it.
        """
        if now.grips and self._may_be_gripped(now):
            return self._reached[0] if self._reached is not None else self.thing
        if self._reached is not None:
            thing, before = self._reached
            return thing if _is_lifted(before, now.position_of(thing), now) else None
        at = now.position_of(self.thing) if self.thing is not None else None
        if at is None or at.z < self._height - _FOLLOWS_M:
            return None
        if self._from_base is not None and now.base is not None:
            x, y = _in_frame_of_base(now.base, at)
            if math.hypot(x - self._from_base[0], y - self._from_base[1]) > _FOLLOWS_M:
                return None
        return self.thing

    def _may_be_gripped(self, now: Environment) -> bool:
        """Return True if the object that the fingers touch is the last one they closed on."""
        thing, at = self.thing, None
        if self._reached is not None:  # the fingers may have closed on an object beside it
            thing, at = self._reached
            others = (placed.pos for name, placed in now.objects.items() if name != thing)
            if any(at.distance_to(other) < _BESIDE_M for other in others):
                return False
        at = now.position_of(thing) if thing is not None else None
        if at is None or now.is_on_floor(thing or ""):
            return False
        return now.base is None or at.horizontal_distance(now.base) <= NEAR_M

    def world_with_held_object(self, now: Environment) -> Environment:
        """Return `now` with its fields `held` and `taken` set."""
        taken = self._reached[0] if self._reached is not None else None
        return replace(now, held=self.held_object(now), taken=taken)

    def facts(self, now: Environment | None) -> dict[str, str]:
        """Return facts for planners: the held object, and earlier positions of moved objects."""
        before = {f"origin.{name}": _text(at) for name, at in self.origins.items()}
        if self.returnable:
            before["returnable"] = " ".join(self.returnable)
        held = self.held_object(now) if now is not None else None
        if held is None:
            return {"hand": "empty", **before}
        facts = {"hand": held, f"spot.{held}": "hand", **before}
        origin = self._reached[1] if self._reached is not None else self.origin
        if origin is not None:
            facts["origin"] = _text(origin)
        return facts


def _text(at: Point) -> str:
    return " ".join(f"{value:.3f}" for value in at)


def _unsupported_objects(now: Environment) -> list[str]:
    """Return the objects within reach that nothing supports."""
    base = now.base
    return [
        one.name
        for one in now.object_attributes()
        if base is not None
        and not one.is_container
        and now.place_of(one.name) is None
        and not now.is_on_floor(one.name)
        and now.objects[one.name].pos.horizontal_distance(base) <= NEAR_M
    ]


def _object_at_position(now: Environment, at: Point) -> list[str]:
    """Return a list with the object nearest to a position; empty if it cannot be in the hand.

    The position may be in the frame of the room or of the robot.
    """
    places = [at] if now.base is None else [at, Point(*_in_room(now.base, at), at.z)]
    away = {
        one.name: min(now.objects[one.name].pos.distance_to(place) for place in places)
        for one in now.object_attributes()
        if not one.is_container
    }
    return [name for name in sorted(away, key=away.__getitem__)[:1] if away[name] <= _AT_HAND_M]


def _is_lifted(before: Point, after: Point | None, now: Environment) -> bool:
    """Return True if an object is in the air beside the robot."""
    if after is None or after.z < before.z + _LIFTED_M:
        return False
    return now.base is None or after.horizontal_distance(now.base) <= NEAR_M


def _in_room(base: Pose, at: Point) -> tuple[float, float]:
    c, s = math.cos(base.yaw), math.sin(base.yaw)
    return base.x + c * at.x - s * at.y, base.y + s * at.x + c * at.y


def _in_frame_of_base(base: Pose, at: Point) -> tuple[float, float]:
    c, s = math.cos(base.yaw), math.sin(base.yaw)
    x, y = at.x - base.x, at.y - base.y
    return c * x + s * y, c * y - s * x
