"""Test doubles: scripted skills and conditions, a robot, an observation, a clock."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from bt_exec.failure import Failed
from bt_exec.skill import Condition, Running, Skill, Steps, Verdict

__all__ = ["FakeClock", "FakeObservation", "ScriptedRobot", "scripted_condition", "scripted_skill"]


@dataclass
class FakeClock:
    """Simulation without physics, in which only time advances.

    Attributes:
        time: Current time [s].
    """

    time: float = 0.0

    def step(self, seconds: float) -> None:
        """Advance the time by `seconds`."""
        self.time = round(self.time + seconds, 9)


@dataclass
class ScriptedRobot:
    """A robot that only records stops and calls.

    Attributes:
        still: Whether the robot reports that it is not moving.
        stops: Number of calls of `stop`.
        log: Actions of scripted skills.
        calls: Name and arguments of every call of a scripted skill, in order.
    """

    still: bool = True
    stops: int = 0
    log: list[str] = field(default_factory=list)
    calls: list[tuple[str, dict[str, Any]]] = field(default_factory=list)

    def stop(self) -> None:
        """Record the stop."""
        self.stops += 1
        self.still = True


@dataclass(frozen=True)
class FakeObservation:
    """An observation with given labels and facts."""

    t: float = 0.0
    detected: tuple[str, ...] = ()
    known: Mapping[str, str] = field(default_factory=dict)
    frame: Any = None

    def labels(self) -> tuple[str, ...]:
        """Return the given labels."""
        return self.detected

    def facts(self) -> Mapping[str, str]:
        """Return the given facts."""
        return self.known

    def describe(self, language: str) -> str:
        """Return the labels on one line."""
        del language
        return ", ".join(self.detected) or "nothing"

    def record(self) -> dict[str, Any]:
        """Return the observation as plain data."""
        return {"t": self.t, "seen": list(self.detected), "known": dict(self.known)}


def scripted_skill(
    name: str | None = None,
    script: Iterable[str | Sequence[str]] = ("done",),
    *,
    like: Skill | None = None,
    result: Mapping[str, Any] | None = None,
    needs: Mapping[str, str] | None = None,
    effects: Mapping[str, str] | None = None,
    uses: Iterable[str] = (),
    fails: Iterable[str] = (),
    timeout_s: float | None = None,
) -> Skill:
    """Return a skill that follows `script`, one entry per call; the last entry repeats.

    An entry is ``"done"``, a failure code or ``"crash"``. A tuple delays it by a number of ticks,
    as in ``("3", "GRASP_SLIPPED")``; ``("forever",)`` never ends. If the robot has a ``log``, the
    skill appends ``"name start"`` to it and, at its end, its name with ``done``, ``stopped`` or a
    code. If the robot has ``calls``, the skill appends its name and arguments to them.

    Args:
        name: Name in the tree language; that of `like` if not given.
        script: Entries, one for each call.
        like: The skill to replace: arguments, results and declarations are copied unless given
            here. It must declare the codes of the script.
        result: Fields of the skill's result.
        needs: As for `bt_exec.skill.skill`.
        effects: As for `bt_exec.skill.skill`.
        uses: As for `bt_exec.skill.skill`.
        fails: Further declared failure codes besides those of the script; not with `like`.
        timeout_s: Time limit [s]; 60 s if not given.

    Raises:
        ValueError: If neither a name nor a skill is given, the script has an invalid entry, or the
            script or `result` uses names that `like` does not declare.
    """
    name = name or (like.name if like is not None else "")
    if not name:
        raise ValueError("a scripted skill needs a name, or a skill that it is like")
    calls = [(entry,) if isinstance(entry, str) else tuple(entry) for entry in script]
    words = {word for call in calls for word in call}
    codes = {word for word in words if word.isupper() and not word.isdigit()}
    for word in sorted(words - codes - {"done", "crash", "forever"}):
        if not word.isdigit():
            raise ValueError(f"{name}: {word!r} is not 'done', 'crash', 'forever', CODE or ticks")
    count = iter(range(10**9))

    def steps(robot: Any, **args: Any) -> Steps[Any]:
        """Follow the script."""
        log = getattr(robot, "log", [])
        getattr(robot, "calls", []).append((name, args))
        log.append(f"{name} start")
        ended = "stopped"
        try:
            for word in calls[min(next(count), len(calls) - 1)]:
                while word == "forever":
                    yield Running(None, "running")
                for tick in range(int(word) if word.isdigit() else 0):
                    yield Running(tick / int(word), "running")
                if word == "crash":
                    ended = "crash"
                    raise RuntimeError("made to crash")
                if word in codes:
                    ended = word
                    raise Failed(word, "as the script says")
            ended = "done"
        finally:
            log.append(f"{name} {ended}")
        return dict(result) if result is not None else None

    if like is None:
        return Skill(
            name,
            steps,
            "Do what the script says.",
            "Do what the script says.",
            {},
            frozenset(),
            frozenset({"robot"}),
            {},
            frozenset({*codes, *fails}),
            needs or {},
            effects or {},
            frozenset(uses),
            timeout_s or 60.0,
            dict.fromkeys(result or (), Any),
        )
    _check_like(like, codes, result)
    steps.__signature__ = inspect.signature(like.function)  # type: ignore[attr-defined]
    return replace(
        like,
        name=name,
        function=steps,
        injected=frozenset({"robot"}),
        needs=like.needs if needs is None else needs,
        effects=like.effects if effects is None else effects,
        uses=frozenset(uses) or like.uses,
        timeout_s=timeout_s or like.timeout_s,
    )


def _check_like(like: Skill, codes: set[str], result: Mapping[str, Any] | None) -> None:
    """Raise ValueError if the replaced skill does not declare a code or result of the script."""
    if unknown := sorted(codes - like.fails):
        declared = ", ".join(sorted(like.fails)) or "nothing"
        raise ValueError(f"{like.name} does not fail with {unknown[0]}; it declares {declared}")
    if missing := sorted(set(like.results) ^ set(result or like.results)):
        known = ", ".join(like.results) or "nothing"
        raise ValueError(
            f"the result must have the fields of {like.name}: {known}; check {missing[0]!r}"
        )


def scripted_condition(
    name: str | None = None,
    verdicts: Iterable[bool | Verdict | None] = (True,),
    *,
    like: Condition | None = None,
    patience_s: float = 1.0,
    unknown: str = "UNCERTAIN",
    skip_reason: str = "",
    establishes: Mapping[str, str] | None = None,
    notes: bool = False,
) -> Condition:
    """Return a condition that returns `verdicts` one after another; the last verdict repeats.

    Args:
        name: Name in the tree language; that of `like` if not given.
        verdicts: The verdicts; True, False and None are converted to `Verdict`.
        like: The condition to replace: arguments and declarations are copied.
        patience_s: As for `bt_exec.skill.condition`; not with `like`.
        unknown: As for `bt_exec.skill.condition`; not with `like`.
        skip_reason: As for `bt_exec.skill.condition`; not with `like`.
        establishes: As for `bt_exec.skill.condition`; not with `like`.
        notes: As for `bt_exec.skill.condition`; not with `like`.

    Raises:
        ValueError: If neither a name nor a condition is given.
    """
    name = name or (like.name if like is not None else "")
    if not name:
        raise ValueError("a scripted condition needs a name, or a condition that it is like")
    script = [v if isinstance(v, Verdict) else Verdict(v, f"{name} is {v}") for v in verdicts]
    count = iter(range(10**9))

    def ask(**args: Any) -> Verdict:
        """Return the next verdict of the script."""
        del args
        return script[min(next(count), len(script) - 1)]

    if like is not None:
        ask.__signature__ = inspect.signature(like.function)  # type: ignore[attr-defined]
        return replace(like, name=name, function=ask, injected=frozenset(), services={})
    return Condition(
        name,
        ask,
        "Give the next verdict of the script.",
        "Give the next verdict of the script.",
        {},
        frozenset(),
        frozenset(),
        {},
        patience_s,
        unknown,
        skip_reason,
        establishes or {},
        notes=notes,
    )
