"""Stand-ins that do what a script says: skills, conditions, a robot, a scene, a clock."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from bt_exec.failure import Failed
from bt_exec.skill import Condition, Running, Skill, Steps, Verdict, condition, skill

__all__ = ["FakeClock", "FakeScene", "ScriptedRobot", "scripted_condition", "scripted_skill"]


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
    """

    still: bool = True
    stops: int = 0
    log: list[str] = field(default_factory=list)

    def stop(self) -> None:
        """Note the stop."""
        self.stops += 1
        self.still = True


@dataclass(frozen=True)
class FakeScene:
    """A scene that says what it is told to."""

    t: float = 0.0
    situation: tuple[str, ...] = ()
    known: Mapping[str, str] = field(default_factory=dict)
    frame: Any = None

    def labels(self) -> tuple[str, ...]:
        """Return the labels it was given."""
        return self.situation

    def facts(self) -> Mapping[str, str]:
        """Return the facts it was given."""
        return self.known

    def describe(self, language: str) -> str:
        """Return the labels in one line."""
        del language
        return ", ".join(self.situation) or "nothing"

    def record(self) -> dict[str, Any]:
        """Return plain data."""
        return {"t": self.t, "seen": list(self.situation), "known": dict(self.known)}


def scripted_skill(
    name: str,
    script: Iterable[str | Sequence[str]] = ("done",),
    *,
    needs: Mapping[str, str] | None = None,
    effects: Mapping[str, str] | None = None,
    uses: Iterable[str] = (),
    fails: Iterable[str] = (),
    timeout_s: float = 60.0,
) -> Skill:
    """Return a skill that does what `script` says, one entry per call, the last one ever after.

    An entry is ``"done"``, a failure code, ``"crash"``, or a number of ticks to run before it:
    ``("3", "GRASP_SLIPPED")``; ``("forever",)`` never ends. The robot's ``log``, if it has one,
    gets ``"name start"`` and ``"name done"``, a code, or ``"name stopped"``.

    Args:
        name: Its name in the tree language.
        script: What each call does.
        needs: As for `bt_exec.skill.skill`.
        effects: As for `bt_exec.skill.skill`.
        uses: As for `bt_exec.skill.skill`.
        fails: Codes it declares besides those of the script.
        timeout_s: Its own time limit [s].
    """
    calls = [(entry,) if isinstance(entry, str) else tuple(entry) for entry in script]
    words = {word for call in calls for word in call}
    codes = {word for word in words if word.isupper() and not word.isdigit()}
    count = iter(range(10**9))

    def steps(robot: Any) -> Steps:
        """Do what the script says."""
        log = getattr(robot, "log", [])
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

    declare = skill(
        fails={*codes, *fails},
        needs=needs,
        effects=effects,
        uses=uses,
        timeout_s=timeout_s,
        name=name,
    )
    return declare(steps)


def scripted_condition(
    name: str,
    verdicts: Iterable[bool | Verdict | None] = (True,),
    *,
    patience_s: float = 1.0,
    unknown: str = "UNCERTAIN",
    skip_reason: str = "",
) -> Condition:
    """Return a condition that gives `verdicts` one after another, the last one ever after."""
    script = [v if isinstance(v, Verdict) else Verdict(v, f"{name} is {v}") for v in verdicts]
    count = iter(range(10**9))

    def ask() -> Verdict:
        """Give the next verdict of the script."""
        return script[min(next(count), len(script) - 1)]

    declare = condition(patience_s=patience_s, unknown=unknown, skip_reason=skip_reason, name=name)
    return declare(ask)
