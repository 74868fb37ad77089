"""Robot interface of the gantry, and a simulated one above a bench with blocks and bins."""

from __future__ import annotations

from typing import Any, Literal, Protocol, get_args

import numpy as np

from bt_exec import Failed, Robot
from bt_exec.robot import Motion
from bt_exec_skills.motion.abstract_simulated_robot import SimulatedBody
from bt_exec_skills.motion.stepped_motion import MotionSteps
from bt_exec_skills.simulation.physics import Physics

__all__ = ["BINS", "BLOCKS", "Bench", "Bin", "Block", "Gantry", "SimGantry"]

Block = Literal["red_block", "blue_block"]
Bin = Literal["left_bin", "right_bin"]
BLOCKS: tuple[Block, ...] = get_args(Block)
BINS: tuple[Bin, ...] = get_args(Bin)

_BIN_X = {"left_bin": -0.25, "right_bin": 0.25}
_BIN_Y, _BIN_HALF = 0.2, 0.08
_HIGH, _SPEED, _TOP = 0.25, 0.3, 0.05
_COLOUR = {"red_block": "0.85 0.1 0.1 1", "blue_block": "0.1 0.2 0.85 1"}
_PERIOD_S = 0.02


class Gantry(Robot, Protocol):
    """Robot interface that the skills of this pack use."""

    doing: str

    @property
    def held(self) -> str | None:
        """The block at the suction cup."""

    def where(self, block: str) -> str:
        """Return the bin that holds a block, ``bench`` or ``cup``."""

    def pick(self, block: str) -> Motion:
        """Lower the cup onto a block and lift the block; fails with LOST if it drops."""

    def place(self, bin_name: str) -> Motion:
        """Carry the held block over a bin and release it."""


class Bench(Physics):
    """Simulated world: two blocks on a bench, two bins, a cup on three axes, a camera above.

    Args:
        seed: Seed of the positions of the blocks.
        weak: Whether the cup drops every block that it lifts.
    """

    def __init__(self, seed: int = 0, *, weak: bool = False) -> None:
        rng = np.random.default_rng(seed)
        xs = rng.permutation([-0.2, 0.05, 0.2])[: len(BLOCKS)]
        ys = rng.uniform(-0.2, -0.05, len(BLOCKS))
        super().__init__(_world(xs, ys), _PERIOD_S)
        self.weak = weak


def _world(xs: Any, ys: Any) -> str:
    blocks = "".join(
        f'<body name="{name}" pos="{x} {y} 0.025"><freejoint/><geom name="{name}/box" type="box" '
        f'size="0.025 0.025 0.025" mass="0.1" rgba="{_COLOUR[name]}"/></body>'
        for name, x, y in zip(BLOCKS, xs, ys, strict=True)
    )
    walls = "".join(
        f'<geom type="box" name="{name}/{side}" pos="{x + dx} {_BIN_Y + dy} 0.02" '
        f'size="{half_x} {half_y} 0.02" rgba="0.5 0.4 0.3 1"/>'
        for name, x in _BIN_X.items()
        for side, (dx, dy, half_x, half_y) in enumerate(
            (
                (_BIN_HALF, 0, 0.005, 0.08),
                (-_BIN_HALF, 0, 0.005, 0.08),
                (0, _BIN_HALF, 0.08, 0.005),
                (0, -_BIN_HALF, 0.08, 0.005),
            )
        )
    )
    axes = "".join(
        f'<joint name="{name}" type="slide" axis="{axis}" damping="40"/>'
        for name, axis in (("x", "1 0 0"), ("y", "0 1 0"), ("z", "0 0 1"))
    )
    motors = "".join(f'<position joint="{name}" kp="800" kv="60"/>' for name in "xyz")
    welds = "".join(
        f'<weld name="{name}" body1="cup" body2="{name}" active="false"/>' for name in BLOCKS
    )
    return f"""<mujoco><option timestep="0.004" integrator="implicitfast"/><worldbody>
      <light pos="0 0 2"/><camera name="head" pos="0 0 1.3" fovy="50"/>
      <geom name="bench" type="plane" size="1 1 0.1" rgba="0.8 0.8 0.78 1"/>{blocks}{walls}
      <body name="cup" pos="0 0 {_HIGH}" gravcomp="1">{axes}<geom name="cup/tip" type="cylinder"
        size="0.012 0.01" mass="0.5" contype="0" conaffinity="0" rgba="0.2 0.2 0.2 1"/></body>
      </worldbody><actuator>{motors}</actuator><equality>{welds}</equality></mujoco>"""


class SimGantry(SimulatedBody[tuple[float, str]]):
    """The simulated gantry."""

    world: Bench

    def __init__(self, world: Bench) -> None:
        super().__init__(world, _PERIOD_S)
        self.held: str | None = None

    def freeze(self) -> None:
        """Hold the cup at its current position."""
        self.world.data.ctrl[:] = self.world.body_position("cup") - (0, 0, _HIGH)

    @property
    def moving(self) -> bool:
        """Whether the cup moves."""
        return float(np.abs(self.world.data.qvel[-3:]).max()) > 0.02

    def where(self, block: str) -> str:
        """Implement `Gantry.where`."""
        if block == self.held:
            return "cup"
        x, y, _ = self.world.body_position(block)
        inside = (n for n, bx in _BIN_X.items() if max(abs(x - bx), abs(y - _BIN_Y)) < _BIN_HALF)
        return next(inside, "bench")

    def pick(self, block: str) -> Motion:
        """Implement `Gantry.pick`."""
        return self.start(self._pick(block), 3)

    def place(self, bin_name: str) -> Motion:
        """Implement `Gantry.place`."""
        return self.start(self._place(bin_name), 2)

    def _pick(self, block: str) -> MotionSteps:
        x, y, _ = self.world.body_position(block)
        yield from self._go((x, y, _HIGH), "moving")
        yield from self._go((x, y, _TOP + 0.01), "lowering")
        self.world.attach(block)
        yield from self._go((x, y, _HIGH), "lifting")
        if self.world.weak:
            self.world.detach(block)
            yield from self._go((x, y, _HIGH), "lifting")
        if self.world.body_position(block)[2] < _HIGH - 0.1:
            raise Failed("LOST", f"{block} fell")
        self.held = block

    def _place(self, bin_name: str) -> MotionSteps:
        yield from self._go((_BIN_X[bin_name], _BIN_Y, _HIGH), "carrying")
        yield from self._go((_BIN_X[bin_name], _BIN_Y, 0.09), "lowering")
        if self.held is not None:
            self.world.detach(self.held)
        self.held = None
        yield from self._go((_BIN_X[bin_name], _BIN_Y, _HIGH), "lifting")

    def _go(self, to: tuple[float, float, float], phase: str) -> MotionSteps:
        """Move the cup in a straight line."""
        begin, goal = self.world.body_position("cup"), np.array(to)
        count = max(1, round(float(np.linalg.norm(goal - begin)) / _SPEED / _PERIOD_S))
        for k in range(count + 15):
            share = min(1.0, (k + 1) / count)
            self.world.data.ctrl[:] = begin + share * (goal - begin) - (0, 0, _HIGH)
            yield share, phase
