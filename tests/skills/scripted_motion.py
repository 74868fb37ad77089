"""A scripted motion, a clock, and the loop that runs one skill, for the tests of packs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from bt_exec.failure import Failed
from bt_exec.skill import Running, Skill, Steps


@dataclass
class Clock:
    t: float = 0.0

    def __call__(self) -> float:
        return self.t


@dataclass
class ScriptedMotion:
    """Motion that ends after some reads of `done`, with or without a reason."""

    reason: str = ""
    most: int = 2
    looks: int = 0
    stops: int = 0
    progress: float = 0.0

    @property
    def done(self) -> bool:
        self.looks += 1
        return self.looks > self.most

    @property
    def failure(self) -> Failed | None:
        code, _, why = self.reason.partition(": ")
        return Failed(code, why) if code else None

    def stop(self) -> None:
        self.stops += 1


class Ended(NamedTuple):
    """End of a skill: OK, the code of its failure, or TIMEOUT."""

    code: str
    result: Any = None
    failed: Failed | None = None


def run_to_end(
    skill: Skill, steps: Steps[Any], most: int, tick: Callable[[int, Running], object]
) -> Ended:
    """Run the steps of a skill, with `tick` after each of at most `most` steps."""
    for count in range(most):
        try:
            running = next(steps)
        except StopIteration as stop:
            return Ended("OK", stop.value)
        except Failed as failed:
            known = failed.code in skill.fails
            return Ended(failed.code if known else f"undeclared {failed.code}", failed=failed)
        assert running.progress is None or 0.0 <= running.progress <= 1.0
        tick(count, running)
    steps.close()
    return Ended("TIMEOUT")
