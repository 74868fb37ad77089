"""Pack with a gate that swings by itself, and a compiler with a fixed list of commands.

For tests that need a separate ``bt-exec`` process: it starts in a third of the time of a site with
a simulator, a grammar and a dictionary. `tests.bt_exec.cli.conftest.gate` installs it.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import Field

from bt_exec import (
    Pack,
    PackSettings,
    Rig,
    Running,
    Steps,
    Verdict,
    WorldSettings,
    condition,
    skill,
)
from bt_exec.failure import Refusal
from bt_exec.planning.compiler import Plan, Request
from bt_exec.spec.load import load_text
from bt_exec.spec.model import Mission, MissionSpec

SWING_S = 4.0
"""Time to open or close the gate [s]."""
STEP_S = 0.05
"""Duration of a tick [s]."""


class Gate:
    """Gate that is both robot and simulation. It moves when it is stepped."""

    def __init__(self, angle: float) -> None:
        self.time = 0.0
        self.angle = angle
        self.still = True

    def step(self, seconds: float) -> None:
        """Advance the simulation by `seconds`."""
        self.time += seconds

    def stop(self) -> None:
        """Stop the motion."""
        self.still = True

    def swing(self, to: float) -> Steps:
        """Swing to an angle, 0 closed and 1 open."""
        self.still = False
        try:
            while abs(to - self.angle) > 1e-6:
                way = to - self.angle
                self.angle += max(-STEP_S / SWING_S, min(STEP_S / SWING_S, way))
                yield Running(1 - abs(to - self.angle), "swinging")
        finally:
            self.still = True


class Seen:
    """State of the gate as an observation."""

    frame = None

    def __init__(self, gate: Gate) -> None:
        self.t = gate.time
        self.state = "open" if gate.angle > 0.9 else "closed"

    def labels(self) -> tuple[str, ...]:
        """Return the visible labels."""
        return ("gate",)

    def facts(self) -> Mapping[str, str]:
        """Return the state."""
        return {"gate": self.state}

    def describe(self, language: str) -> str:
        """Return the state in one line."""
        korean = "문이 열려 있습니다." if self.state == "open" else "문이 닫혀 있습니다."
        return korean if language == "ko" else f"The gate is {self.state}."

    def record(self) -> dict[str, Any]:
        """Return the state as plain data."""
        return {"t": self.t, "gate": self.state}


class Eyes:
    """Camera that observes the gate."""

    def __init__(self, gate: Gate) -> None:
        self.gate = gate

    def capture(self) -> Seen:
        """Capture the state."""
        return Seen(self.gate)

    def interpret(self, capture: Seen) -> Seen:
        """Return the observation."""
        return capture


@skill
def open_gate(robot: Gate) -> Steps:
    """Swing the gate open."""
    yield from robot.swing(1.0)


@skill
def close_gate(robot: Gate) -> Steps:
    """Swing the gate shut."""
    yield from robot.swing(0.0)


@condition(skip_reason="already open")
def gate_open(robot: Gate) -> Verdict:
    """Return True if the gate is open."""
    return Verdict(robot.angle > 0.9, f"{robot.angle:.1f}")


@skill
def jam(robot: Gate) -> Steps:
    """Hang without reacting to interruptions."""
    while robot.angle < 2.0:
        with contextlib.suppress(BaseException):
            time.sleep(600)
    yield from robot.swing(0.3)


class Start(WorldSettings):
    """Initial state of the gate."""

    gate: float = Field(0.0, ge=0, le=1, description="0 closed, 1 open")


def make_gate(settings: PackSettings, start: Start) -> Rig:
    """Return the rig of the gate, which is robot, camera and simulation in one."""
    del settings  # the site sets only the name of this robot
    gate = Gate(start.gate)
    return Rig(gate, Eyes(gate), gate)


OPEN, CLOSE = "{tree: open_the_gate}", "{do: close_gate}"
COMMANDS = {
    "open the gate": OPEN,
    "문을 열어": OPEN,
    "close the gate": CLOSE,
    "jam the gate": "{do: jam}",
}


class ByHeart:
    """Compiler that knows `COMMANDS`."""

    name = "by_heart"

    def compile(self, request: Request) -> Plan | Refusal:
        """Return the plan of a command."""
        if request.command not in COMMANDS:
            return Refusal("NOT_UNDERSTOOD", "I know no such thing.", tuple(COMMANDS))
        root = load_text(f"tree: gate\nroot: {COMMANDS[request.command]}").document.root
        header = Mission(command=request.command, language=request.language, compiler=self.name)
        return Plan(MissionSpec(mission=header, root=root))


def by_heart(settings: Mapping[str, Any]) -> ByHeart:
    """Return the compiler."""
    del settings
    return ByHeart()


PACK = Pack(
    name="gate",
    summary="A gate that swings by itself.",
    skills=(open_gate, close_gate, jam),
    conditions=(gate_open,),
    trees=Path(__file__).parent / "gate_trees",
    robots={"swing": make_gate},
    world=Start,
)
