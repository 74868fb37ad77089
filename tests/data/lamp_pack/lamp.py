"""Third-party pack that uses only public names: skills, a service and a condition."""

from __future__ import annotations

from typing import Literal, NamedTuple, Protocol

from bt_exec import (
    Failed,
    Pack,
    Robot,
    Running,
    Observation,
    Service,
    Steps,
    Verdict,
    World,
    condition,
    skill,
)


class Lamp(Robot, Protocol):
    def shine(self, level: int) -> bool: ...


class Shone(NamedTuple):
    level: int


@skill(fails={"BROKEN"})
def shine(robot: Lamp, level: int, colour: Literal["red", "white"] = "white") -> Steps[Shone]:
    """Shine."""
    if not robot.shine(level):
        raise Failed("BROKEN")
    yield Running()
    return Shone(level)


@skill
def look(robot: Lamp, world: World[Observation], place: str) -> Steps:
    """Look."""
    yield Running()


class Shelf:
    """Bulbs in stock."""


@skill
def change_bulb(robot: Lamp, world: World[Observation], shelf: Service[Shelf], watts: int) -> Steps:
    """Take a bulb from the shelf."""
    yield Running()


@condition
def dark(world: World[Observation], below: int = 3) -> Verdict:
    """Whether it is dark."""
    return Verdict.yes()


PACK = Pack(
    "lamp", skills=(shine, look, change_bulb), conditions=(dark,), services={"shelf": Shelf}
)
