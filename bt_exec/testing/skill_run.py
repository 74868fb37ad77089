"""Execution of one skill tick by tick, with its yielded values and its end."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Concatenate, Generic, Literal, overload

from bt_exec.failure import Failed
from bt_exec.observation import ObservationBuffer, World
from bt_exec.robot import Simulation
from bt_exec.skill import P, Running, Skill, Steps, T

__all__ = ["SkillRun", "run_skill"]


class SkillRun(Generic[T]):
    """A running skill, ticked by the test.

    Attributes:
        steps: All yielded values.
        outcome: ``"running"``, ``"done"``, ``"failed"`` or ``"cancelled"``.
        code: The failure code, or None.
        failed: The raised `Failed`, or None.
        result: The returned value.
    """

    def __init__(
        self,
        skill: Skill,
        steps: Steps[T],
        simulation: Simulation | None,
        period_s: float,
        before_tick: Callable[[], None] | None,
    ) -> None:
        self.skill = skill
        self.steps: list[Running] = []
        self.outcome: Literal["running", "done", "failed", "cancelled"] = "running"
        self.failed: Failed | None = None
        self.result: T | None = None
        self._generator = steps
        self._simulation = simulation
        self._period_s = period_s
        self._before_tick = before_tick

    @property
    def code(self) -> str | None:
        """Failure code, or None."""
        return self.failed.code if self.failed is not None else None

    @property
    def ticks(self) -> int:
        """Number of executed ticks."""
        return len(self.steps)

    def tick(self) -> bool:
        """Run the skill to its next yield and step the simulation; return False if it has ended.

        Raises:
            AssertionError: If the skill yields anything but `Running`, or fails with an undeclared
                code.
        """
        if self.outcome != "running":
            return False
        if self._before_tick is not None:
            self._before_tick()
        try:
            step = next(self._generator)
        except StopIteration as stop:
            self.outcome, self.result = "done", stop.value
            return False
        except Failed as failed:
            self.outcome, self.failed = "failed", failed
            if failed.code not in self.skill.fails:
                declared = sorted(self.skill.fails)
                raise AssertionError(f"{failed.code} is not declared: {declared}") from failed
            return False
        assert isinstance(step, Running), f"{self.skill.name} yielded {step!r}, not Running"
        self.steps.append(step)
        if self._simulation is not None:
            self._simulation.step(self._period_s)
        return True

    def finish(self, limit: int = 10_000) -> SkillRun[T]:
        """Tick the skill until it ends, and return this run.

        Raises:
            AssertionError: If the skill is still running after `limit` ticks.
        """
        for _ in range(limit):
            if not self.tick():
                return self
        raise AssertionError(f"{self.skill.name} is still running after {limit} ticks")

    def cancel(self) -> SkillRun[T]:
        """Cancel the skill like the executive: close the generator, so that its ``finally`` runs.

        If the skill has ended, this has no effect.
        """
        if self.outcome == "running":
            self._generator.close()
            self.outcome = "cancelled"
        return self


@overload
def run_skill(skill: Skill[P, T], /, *args: P.args, **kwargs: P.kwargs) -> SkillRun[T]: ...


@overload
def run_skill(
    skill: Skill[Concatenate[Any, World[Any], P], T],
    robot: Any,
    /,
    *args: P.args,
    **kwargs: P.kwargs,
) -> SkillRun[T]: ...


@overload
def run_skill(
    skill: Skill[..., T],
    /,
    robot: Any = None,
    *,
    simulation: Simulation,
    world: World[Any] | None = None,
    period_s: float = 0.05,
    before_tick: Callable[[], None] | None = None,
    **args: Any,
) -> SkillRun[T]: ...


@overload
def run_skill(
    skill: Skill[..., T],
    /,
    robot: Any = None,
    *,
    before_tick: Callable[[], None],
    world: World[Any] | None = None,
    **args: Any,
) -> SkillRun[T]: ...


def run_skill(skill: Skill[..., Any], /, *robot: Any, **given: Any) -> SkillRun[Any]:
    """Start one skill and return its run before the first tick.

    Type checkers check the arguments of the skill if neither `simulation` nor `before_tick` is
    given.

    Args:
        skill: The skill.
        *robot: The robot; None if not given.
        **given: The skill's arguments by name, validated as in a spec; its services by name, such
            as ``site_map=my_map`` for a parameter ``site_map: Service[SiteMap]``; and the options
            ``world``: the observations for the skill; none if not given.
            ``simulation``: stepped by ``period_s`` after every tick, if given.
            ``period_s``: time between ticks [s]; 0.05 if not given.
            ``before_tick``: called before every tick, for example to add observations.

    Raises:
        pydantic.ValidationError: If the arguments do not fit the skill.
        TypeError: If an argument is positional, or a service is missing.
    """
    return _start_skill(skill, *robot, **given)


def _start_skill(
    skill: Skill[..., Any],
    /,
    robot: Any = None,
    *,
    world: World[Any] | None = None,
    simulation: Simulation | None = None,
    period_s: float = 0.05,
    before_tick: Callable[[], None] | None = None,
    **args: Any,
) -> SkillRun[Any]:
    services = {name: args.pop(name) for name in skill.services if name in args}
    missing = sorted(skill.services.keys() - services.keys())
    if missing:
        raise TypeError(f"{skill.name} needs the service {missing[0]!r}: {missing[0]}=…")
    checked = skill.validate(args)
    if world is None:
        sim = simulation
        world = World(ObservationBuffer(lambda: sim.time if sim is not None else 0.0), 0.0)
    steps = skill(**skill.injected_arguments(robot, world, services), **checked)
    return SkillRun(skill, steps, simulation, period_s, before_tick)
