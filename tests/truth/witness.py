"""Actual events, read from MuJoCo, the speaker and the people, independent of reports.

Frames: the building's floor, x east, y north [m]; the door's angle is 0 when closed [rad].
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

CLOSED_RAD, OPEN_RAD = 0.04, 1.0
HOME = {
    "left": (0.25, 2.15, 0.0, -2.15, 0.0, 0.0, -0.25),
    "right": (-0.25, 2.15, 0.0, -2.15, 0.0, 0.0, 0.25),
}
NEAR_M = 1.2
POSES = {
    "basecamp": [(3.0, -1.4)],
    "professor_office": [(2.5, 3.9)],
    "corridor_center": [(9.5, 1.2), (11.5, 1.9)],
    "lounge": [(8.0, 4.4), (11.0, 5.4)],
    "break_room": [(15.6, 4.0), (17.6, 5.6)],
    "restroom_front": [(9.5, -0.5), (8.7, -0.4)],
}
AREAS = {
    "basecamp": (0.0, -4.0, 6.0, 0.0),
    "professor_office": (0.0, 2.4, 5.0, 7.4),
    "corridor_center": (0.0, 0.0, 20.0, 2.4),
    "lounge": (5.0, 2.4, 13.0, 7.4),
    "break_room": (13.0, 2.4, 20.0, 7.4),
    "restroom_front": (8.0, -2.4, 11.0, 0.0),
}
LAMPS = {"corridor_center": ("corridor_west", "corridor_center", "corridor_east")}


def door_state(angle: float) -> str:
    """Return the state for a hinge angle [rad]."""
    return "closed" if angle <= CLOSED_RAD else "ajar" if angle < OPEN_RAD else "open"


@dataclass(frozen=True)
class Looked:
    """State of a place at the end of an observation."""

    t: float
    people: int
    lights: frozenset[bool]
    things: frozenset[str]
    noise_db: float
    inside: frozenset[str]


@dataclass
class Witness:
    """Listener that reads the simulators at every event.

    Attributes:
        t: Time of the last event [s].
        angles: Door angle by time [rad].
        stood: Whether the material was in the cabinet and not held, by time.
        visits: Places within reach of the robot, by time.
        looks: Every successful observation of a place.
        drops: Number of times a hand lost the material.
    """

    session: Any = None
    t: float = 0.0
    angles: list[tuple[float, float]] = field(default_factory=list)
    stood: list[tuple[float, bool]] = field(default_factory=list)
    visits: list[tuple[float, frozenset[str]]] = field(default_factory=list)
    looks: list[tuple[str, Looked]] = field(default_factory=list)
    trays: list[tuple[float, str | None]] = field(default_factory=list)
    moved: bool = False

    def on(self, event: Any) -> None:
        """Read the world."""
        self.t = event.t
        if type(event).__name__ == "SkillStarting":
            self.moved = True
        if "door" in self.session.rigs:
            self.angles.append((event.t, self.angle))
            held = "material" in (self.held("left"), self.held("right"))
            self.stood.append((event.t, self.material_inside and not held))
        if "reporter" in self.session.rigs:
            self.visits.append((event.t, self.places))
            self.trays.append((event.t, self.tray))
            done = type(event).__name__ == "SkillEnded" and event.state == "done"
            if done and event.skill == "observe_scene":
                place = event.result["place"]
                self.looks.append((place, self._looked(place)))

    # -- the door ----------------------------------------------------------------------------

    @property
    def _door(self) -> Any:
        return self.session.rigs["door"].robot.world

    @property
    def angle(self) -> float:
        """Current hinge angle [rad]."""
        return float(self._door.data.joint("door").qpos[0])

    def states(self, since: float, until: float) -> set[str]:
        """Return the states of the door between two times [s]."""
        found = {door_state(angle) for t, angle in self.angles if since <= t <= until}
        before = [angle for t, angle in self.angles if t <= since]
        return found | ({door_state(before[-1])} if before else set())

    def held(self, arm: str) -> str | None:
        """Return the object in a hand: welded to it and between its fingers."""
        model, data = self._door.model, self._door.data
        grip = data.site(f"{arm}/grip").xpos
        for name, weld in (("material", "hold"), ("door-handle", "pull")):
            at = data.site("handle").xpos if name == "door-handle" else None
            if name == "material":
                if "material" not in [model.body(i).name for i in range(model.nbody)]:
                    continue
                at = data.body("material").xpos
            if data.eq_active[model.eq(f"{arm}/{weld}").id] and math.dist(grip, at) < 0.08:
                return name
        return None

    def home(self, arm: str) -> bool:
        """Return True if an arm is in its rest posture."""
        data = self._door.data
        joints = [float(data.joint(f"{arm}/j{i}").qpos[0]) for i in range(1, 8)]
        return max(abs(a - b) for a, b in zip(joints, HOME[arm], strict=True)) < 0.08

    @property
    def material_inside(self) -> bool:
        """Whether the material is in the cabinet."""
        model, data = self._door.model, self._door.data
        if "material" not in [model.body(i).name for i in range(model.nbody)]:
            return False
        return bool(data.body("material").xpos[0] > data.body("door").xpos[0])

    # -- the building ------------------------------------------------------------------------

    @property
    def _robot(self) -> Any:
        return self.session.rigs["reporter"].robot

    @property
    def places(self) -> frozenset[str]:
        """Places of the robot."""
        x, y, _ = self._robot.world.pose
        return frozenset(
            name
            for name, poses in POSES.items()
            if any(math.dist((x, y), pose) <= NEAR_M + 0.01 for pose in poses)
        )

    @property
    def tray(self) -> str | None:
        """Object on the tray."""
        return self._robot._tray

    @property
    def said(self) -> list[Any]:
        """Utterances with their listeners, from the log of the speaker."""
        return self.session.rigs["reporter"].services["speaker"].said

    def said_to(self, person: str, text: str) -> bool:
        """Return True if a text was said to a person."""
        return any(one.person == person and text in one.text for one in self.said)

    def was_at(self, place: str) -> bool:
        """Return True if the robot was ever at a place."""
        return any(place in places for _, places in self.visits)

    def _looked(self, place: str) -> Looked:
        world = self._robot.world
        left, bottom, right, top = AREAS[place]
        inside = frozenset(
            one.someone.who
            for one in world.walkers
            if left <= one.x <= right and bottom <= one.y <= top
        )
        things = frozenset(one.kind for one in world.layout.things if one.room == place)
        lights = frozenset(world.lights[one] for one in LAMPS.get(place, (place,)))
        return Looked(
            self.t, len(inside), lights, things, float(world.layout.noise_db[place]), inside
        )
