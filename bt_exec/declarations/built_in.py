"""Built-in skills and conditions, available at every site: a pause and comparisons of values.

They are declared like those of packs. Arguments marked with `SameType` must have the type of
another argument; verification checks that.
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from bt_exec.observation import World
from bt_exec.skill import Condition, Running, SameType, Skill, Steps, Verdict, condition, skill

__all__ = ["CONDITIONS", "LONGEST_WAIT_S", "SKILLS"]

LONGEST_WAIT_S = 600.0
"""Longest pause [s]; the timeout of `wait` is a little longer."""


@skill(timeout_s=LONGEST_WAIT_S + 60.0)
def wait(world: World[Any], seconds: Annotated[float, Field(ge=0.0, le=LONGEST_WAIT_S)]) -> Steps:
    """Do nothing for a time on the mission's clock.

    Args:
        world: Provides the clock.
        seconds: Duration [s], at most 600.
    """
    began = world.now
    while (passed := world.now - began) < seconds:
        yield Running(passed / seconds)


@condition(name="is")
def equals(value: Any, equals: Annotated[Any, SameType("value")]) -> Verdict:
    """Whether a value is equal to another of the same type."""
    same = value == equals and isinstance(value, bool) is isinstance(equals, bool)
    return Verdict(same, str(value))


@condition
def one_of(value: Any, options: Annotated[list[Any], SameType("value")]) -> Verdict:
    """Whether a value is one of several values of the same type."""
    return Verdict(any(equals(value=value, equals=one).holds for one in options), str(value))


@condition
def at_least(value: float, limit: float) -> Verdict:
    """Whether a number is at least a limit."""
    return Verdict(value >= limit, f"{value:g}")


@condition
def at_most(value: float, limit: float) -> Verdict:
    """Whether a number is at most a limit."""
    return Verdict(value <= limit, f"{value:g}")


SKILLS: tuple[Skill, ...] = (wait,)
CONDITIONS: tuple[Condition, ...] = (equals, one_of, at_least, at_most)
