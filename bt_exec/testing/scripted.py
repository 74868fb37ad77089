"""Scripted stand-ins: skills, conditions, a robot, an observation, a clock."""

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
    """A simulation without physics: time passes when it is stepped.

    Attributes:
        time: The present [s].
    """

    time: float = 0.0

    def step(self, seconds: float) -> None:
        """Let `seconds` pass."""
        self.time = round(self.time + seconds, 9)


@dataclass
class ScriptedRobot:
    """A robot that only notes that it was stopped.

    Attributes:
        still: What it says of itself.
        stops: How often it was stopped.
        log: A place for scripted skills to note what they did.
        calls: The name and the arguments of every call of a scripted skill, in order.
    """

    still: bool = True
    stops: int = 0
    log: list[str] = field(default_factory=list)
    calls: list[tuple[str, dict[str, Any]]] = field(default_factory=list)

    def stop(self) -> None:
        """Note the stop."""
        self.stops += 1
        self.still = True


@dataclass(frozen=True)
class FakeObservation:
    """An observation that says what it is told to."""

    t: float = 0.0
    detected: tuple[str, ...] = ()
    known: Mapping[str, str] = field(default_factory=dict)
    frame: Any = None

    def labels(self) -> tuple[str, ...]:
        """Return the labels it was given."""
        return self.detected

    def facts(self) -> Mapping[str, str]:
        """Return the facts it was given."""
        return self.known

    def describe(self, language: str) -> str:
        """Return the labels in one line."""
        del language
        return ", ".join(self.detected) or "nothing"

    def record(self) -> dict[str, Any]:
        """Return plain data."""
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
    """Return a skill that does what `script` says, one entry per call, the last one ever after.

    An entry is ``"done"``, a failure code, ``"crash"``, or a number of ticks to run before it:
    ``("3", "GRASP_SLIPPED")``; ``("forever",)`` never ends. The robot's ``log``, if it has one,
    gets ``"name start"`` and ``"name done"``, a code, or ``"name stopped"``; its ``calls`` get the
    name and the arguments.

    Args:
        name: Its name in the tree language; that of `like` if not given.
        script: What each call does.
        like: The skill it stands in for: its arguments, results and all that it declares, unless
            it is given here. Codes of the script must be among those it declares.
        result: The fields that it returns when it is done.
        needs: As for `bt_exec.skill.skill`.
        effects: As for `bt_exec.skill.skill`.
        uses: As for `bt_exec.skill.skill`.
        fails: Codes it declares besides those of the script; not with `like`.
        timeout_s: Its own time limit [s]; 60 s if not given.

    Raises:
        ValueError: If neither a name nor a skill is given, the script holds another word, or it or
            `result` names what `like` does not declare.
    """
    name = name or (like.name if like is not None else "")
    if not name:
        raise ValueError("a scripted skill needs a name, or a skill that it is like")
    calls = [(entry,) if isinstance(entry, str) else tuple(entry) for entry in script]
    words = {word for call in calls for word in call}
    codes = {word for word in words if word.isupper() and not word.isdigit()}
    for word in sorted(words - codes - {"done", "crash", "forever"}):
        if not word.isdigit():
            raise ValueError(f"{name}: {word!r} is no 'done', 'crash', 'forever', CODE or ticks")
    count = iter(range(10**9))

    def steps(robot: Any, **args: Any) -> Steps[Any]:
        """Do what the script says."""
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
    steps.__signature__ = inspect.signature(like.function)  # type: ignore[attr-defined] # its arguments
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
    """Refuse a script that the skill it stands in for could not follow."""
    if unknown := sorted(codes - like.fails):
        declared = ", ".join(sorted(like.fails)) or "nothing"
        raise ValueError(f"{like.name} does not fail with {unknown[0]}; it declares {declared}")
    if missing := sorted(set(like.results) ^ set(result or like.results)):
        known = ", ".join(like.results) or "nothing"
        raise ValueError(f"the result of {like.name} has {known}; {missing[0]!r} is not in both")


def scripted_condition(
    name: str | None = None,
    verdicts: Iterable[bool | Verdict | None] = (True,),
    *,
    like: Condition | None = None,
    patience_s: float = 1.0,
    unknown: str = "UNCERTAIN",
    skip_reason: str = "",
    notes: bool = False,
) -> Condition:
    """Return a condition that gives `verdicts` one after another, the last one ever after.

    Args:
        name: Its name in the tree language; that of `like` if not given.
        verdicts: What it says; True, False and None stand for verdicts.
        like: The condition it stands in for: its arguments and all that it declares.
        patience_s: As for `bt_exec.skill.condition`; not with `like`.
        unknown: As for `bt_exec.skill.condition`; not with `like`.
        skip_reason: As for `bt_exec.skill.condition`; not with `like`.
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
        """Give the next verdict of the script."""
        del args
        return script[min(next(count), len(script) - 1)]

    if like is not None:
        ask.__signature__ = inspect.signature(like.function)  # type: ignore[attr-defined] # its arguments
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
        notes=notes,
    )
