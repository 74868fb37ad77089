"""Small pack for tests of the language, with every form of argument, result and declaration."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple, TypeAlias

from pydantic import Field

from bt_exec.pack import Catalogue, Pack
from bt_exec.skill import Label, Running, Steps, Verdict, condition, skill
from bt_exec.spec.library import Library

DATA = Path(__file__).parents[2] / "data"

Arm: TypeAlias = Literal["left", "right"]
Thing: TypeAlias = Annotated[Literal["cup", "lid", "box"], Label()]


@dataclass(frozen=True)
class Seen:
    thing: Thing
    distance_m: float
    count: int


class Grip:
    """Type without a representation in documents."""


class Held(NamedTuple):
    grip: Grip


@skill(
    fails={"UNREACHABLE"},
    needs={"hand.{arm}": "empty", "lid": "open|ajar"},
    effects={"hand.{arm}": "{thing}"},
    uses={"arm.{arm}"},
)
def take(robot: Any, arm: Arm, thing: Thing = "cup") -> Steps[Held]:
    """Take a thing.

    Args:
        arm: The arm that
            takes it.
        thing (Thing): What is taken.
    """
    yield Running()
    return Held(Grip())


@skill(effects={"lid": "open"}, uses={"arm.{arm}"}, timeout_s=20)
def open_lid(robot: Any, arm: Arm) -> Steps:
    """Open the lid of the box."""
    yield Running()


@skill(effects={"hand.{arm}": "?"}, uses={"arm.{arm}"})
def put(
    robot: Any,
    arm: Arm,
    grip: Grip,
    force_n: Annotated[float, Field(gt=0, description="How hard [N].")] = 5.0,
    gently: bool = True,
) -> Steps:
    """Put down the held object."""
    yield Running()


@skill()
def look(robot: Any, camera: str = "front") -> Steps[Seen]:
    """Search for objects."""
    yield Running()
    return Seen("cup", 1.0, 1)


@skill()
def rest(robot: Any, count: int) -> Steps:
    """Wait for some ticks."""
    yield Running()


@skill(timeout_s=3600)
def follow(robot: Any, points: list[float], limits: dict[str, float] | None = None) -> Steps:
    """Follow a path through points."""
    yield Running()


@condition(establishes={"lid": "{state}"}, skip_reason="already {state}")
def lid_is(robot: Any, state: Literal["open", "ajar", "closed"]) -> Verdict:
    """Whether the lid is in a state."""
    return Verdict.yes()


@condition()
def lit(robot: Any) -> Verdict:
    """Whether there is light."""
    return Verdict.yes()


@condition(establishes={"hand.{arm}": "empty"})
def hand_empty(robot: Any, arm: Arm = "right") -> Verdict:
    """Whether a hand is empty."""
    return Verdict.yes()


@condition()
def near(robot: Any, thing: Thing, within_m: float = 1.0) -> Verdict:
    """Whether an object is near."""
    return Verdict.yes()


WORKSHOP = Pack(
    name="workshop",
    skills=(take, open_lid, put, look, rest, follow),
    conditions=(lid_is, lit, hand_empty, near),
    types={"Arm": Arm, "Thing": Thing},
    trees=DATA / "workshop",
)


def catalogue() -> Catalogue:
    return Catalogue([WORKSHOP])


def library() -> Library:
    return Library.load([DATA / "workshop"])
