"""Content of the hand, inferred from the world: an object that follows the base."""

from __future__ import annotations

import math

from bt_exec_skills.navigation.geometry import Pose
from bt_exec_skills.tabletop.environment import Environment, Point

__all__ = ["NEAR_M", "Hand"]

NEAR_M = 1.1
"""How far from the base the hand reaches [m]."""
_LIFTED_M = 0.05
"""How much higher than it lay a thing is that was lifted [m]."""

_FOLLOWS_M = 0.15
"""How far from where it was in the robot's frame a held thing may be [m]."""


class Hand:
    """A note of what was picked, and where it was relative to the base when it was lifted.

    A simulator that tells where its base is lets us see that the thing follows it; with another
    one, a thing that is still as high as it was lifted is taken to be held.

    Attributes:
        thing: What was picked last and not put down since; None if nothing.
        origin: Where it lay before it was picked [m]; None if the hand is empty.
        moved: Whether it began to take or to put down something, and nobody has looked since:
            what it holds is not known from what was seen before.
    """

    def __init__(self) -> None:
        self.thing: str | None = None
        self.origin: Point | None = None
        self.moved = False
        self._reached: tuple[str, Point] | None = None
        self._from_base: tuple[float, float] | None = None
        self._height = 0.0

    def reach(self, thing: str, at: Point) -> None:
        """Note that it begins to take `thing`, which lies at `at`."""
        self.thing, self.moved, self._reached = None, True, (thing, at)

    def release(self) -> None:
        """Note that it begins to put down what it holds."""
        self.moved = True

    def look(self, now: Environment) -> str | None:
        """Note and return what it holds in a world that was read after its last motion."""
        held = self.holds(now)
        if held is None:
            self.let_go()
        elif self._reached is not None:
            self._took(held, now)
        self.moved = False
        return held

    def _took(self, thing: str, now: Environment) -> None:
        at = now.at(thing)
        assert at is not None
        if self._reached is not None:
            self.origin = self._reached[1]
        self.thing, self._reached = thing, None
        self._height = at.z
        self._from_base = _local(now.base, at) if now.base is not None else None

    def let_go(self) -> None:
        """Note that the hand is empty."""
        self.origin = None
        self.thing, self.moved, self._reached = None, False, None

    def holds(self, now: Environment) -> str | None:
        """Return what the hand holds in this world; None if nothing, or if it fell."""
        if self._reached is not None:
            thing, before = self._reached
            return thing if _lifted(before, now.at(thing), now) else None
        at = now.at(self.thing) if self.thing is not None else None
        if at is None or at.z < self._height - _FOLLOWS_M:
            return None
        if self._from_base is not None and now.base is not None:
            x, y = _local(now.base, at)
            if math.hypot(x - self._from_base[0], y - self._from_base[1]) > _FOLLOWS_M:
                return None
        return self.thing

    def facts(self, now: Environment | None) -> dict[str, str]:
        """Return the facts for planners: what the hand holds, and where that was taken from."""
        held = self.holds(now) if now is not None else None
        if held is None:
            return {"hand": "empty"}
        facts = {"hand": held, f"spot.{held}": "hand"}
        origin = self._reached[1] if self._reached is not None else self.origin
        if origin is not None:
            facts["origin"] = " ".join(f"{value:.3f}" for value in origin)
        return facts


def _lifted(before: Point, after: Point | None, now: Environment) -> bool:
    """Return whether a thing is up in the air beside the robot."""
    if after is None or after.z < before.z + _LIFTED_M:
        return False
    return now.base is None or after.flat(now.base) <= NEAR_M


def _local(base: Pose, at: Point) -> tuple[float, float]:
    c, s = math.cos(base.yaw), math.sin(base.yaw)
    x, y = at.x - base.x, at.y - base.y
    return c * x + s * y, c * y - s * x
