"""Simulator behind the server: one world, one thread that advances time, one program at a time.

Requests come from other threads. They are processed on the world's thread between two steps, so
that every reading shows the world after a complete step.
"""

from __future__ import annotations

import itertools
import logging
import math
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

from bt_exec.failure import Failed
from bt_exec_skills.motion.stepped_motion import SteppedMotion
from bt_exec_skills.navigation.occupancy_grid import Grid
from bt_exec_skills.navigation.plane_geometry import Pose
from bt_exec_skills.tabletop.environment_state import Placed, Point
from bt_exec_skills.tabletop.protocol.published_functions import MOTIONS, Call
from bt_exec_skills.tabletop.protocol.submitted_code_parser import (
    CodeRefused,
    Program,
    parse_program,
)
from bt_exec_skills.tabletop.sim.simulated_robot import SimTableRobot
from bt_exec_skills.tabletop.sim.world import CONTROL_S

__all__ = ["Busy", "ProgramFailed", "ServedWorld"]

T = TypeVar("T")
_MOST_STEP_S = 10.0
_COARSER = 2
"""Cell size of the map for clients, in cells of the internal map."""
_log = logging.getLogger("bt_exec")


class Busy(Exception):  # noqa: N818 - an answer
    """Raised if code is sent while other code runs."""


class ProgramFailed(Exception):  # noqa: N818 - an answer
    """Raised if a program ended early, because a motion failed or was cancelled.

    Args:
        failed: Failure that ended the program.
    """

    def __init__(self, failed: Failed) -> None:
        super().__init__(f"{failed.code}: {failed.message}")
        self.failed = failed


class _Job:
    """Running program of a client, with its current motion."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.answer: Future[dict[str, Any]] = Future()
        self.motion: SteppedMotion[tuple[float, str]] | None = None


class ServedWorld:
    """Simulated world with a thread that serves requests of clients.

    Args:
        robot: Robot in its world.
        lockstep: Whether time advances only in `step`; otherwise it follows the wall clock.
        fast: Whether motions run faster than the wall clock.
    """

    def __init__(self, robot: SimTableRobot, *, lockstep: bool = False, fast: bool = False) -> None:
        self.robot = robot
        self.fast = fast
        self.lockstep = lockstep
        self._asked: SimpleQueue[tuple[Callable[[], Any], Future[Any]] | None] = SimpleQueue()
        self._job: _Job | None = None
        self._goal: Point | None = None
        self._thread = threading.Thread(target=self._run, name="table-world", daemon=True)
        self._thread.start()

    # -- for any thread

    @property
    def busy(self) -> bool:
        """Whether a program is running."""
        return self._job is not None

    def run_on_world_thread(self, function: Callable[[], T]) -> Future[T]:
        """Run a function on the world's thread, and return a future of its result."""
        answer: Future[T] = Future()
        self._asked.put((function, answer))
        return answer

    def run_code(self, code: str) -> Future[Future[dict[str, Any]]]:
        """Start a program. The outer future ends when it starts, the inner one with its variables.

        Parsing raises `CodeRefused`. The outer future raises `Busy`, the inner one `ProgramFailed`
        or `CodeRefused`.
        """
        program = parse_program(code)
        return self.run_on_world_thread(lambda: self._start_program(program))

    def step(self, seconds: float) -> Future[float]:
        """Advance time in lockstep and return it.

        Raises:
            ValueError: Without lockstep, or if the step is too long.
        """
        if not self.lockstep:
            raise ValueError("time advances in real time here; start the simulator with --lockstep")
        if not 0.0 <= seconds <= _MOST_STEP_S:
            raise ValueError(f"seconds must be 0..{_MOST_STEP_S:g}; found {seconds:g}")
        return self.run_on_world_thread(lambda: self._advance_time(seconds))

    def cancel(self) -> Future[bool]:
        """Stop the robot and the running program; the result is True if a program was running."""
        return self.run_on_world_thread(self._cancel)

    def close(self) -> None:
        """Stop the robot and end the thread."""
        self._asked.put(None)
        self._thread.join(5.0)

    # -- on the world's thread

    def _run(self) -> None:
        due = time.monotonic()
        while True:
            try:
                item = self._asked.get(timeout=self._waiting_time(due))
            except Empty:
                self._advance_time(CONTROL_S)
                due = max(due + CONTROL_S, time.monotonic() - 0.5)
                continue
            if item is None:
                self._cancel()
                return
            function, answer = item
            if not answer.set_running_or_notify_cancel():
                continue
            try:
                answer.set_result(function())
            except Exception as error:  # noqa: BLE001 - raised in the requesting thread
                answer.set_exception(error)

    def _waiting_time(self, due: float) -> float | None:
        """Return how long to wait for a request before the next step [s]; None without limit."""
        if self.lockstep:
            return None
        return 1e-6 if self.fast and self._job is not None else max(1e-6, due - time.monotonic())

    def _start_program(self, program: Program) -> Future[dict[str, Any]]:
        if self._job is not None:
            raise Busy("another motion is under way; wait for its end, or POST /cancel")
        self._job = _Job(program)
        job = self._job
        self._resume_program(None)
        return job.answer

    def _advance_time(self, seconds: float) -> float:
        robot = self.robot
        left = seconds
        while left > 1e-9:
            part = min(left, CONTROL_S)
            robot.step(part)
            left -= part
            if self._job is not None and self._job.motion is not None and self._job.motion.done:
                failure = self._job.motion.failure
                self._job.motion = None
                if failure is not None:
                    self._fail_program(ProgramFailed(failure))
                else:
                    self._resume_program(True)
        if seconds == 0.0:
            robot.step(0.0)
        return robot.time

    def _resume_program(self, value: Any) -> None:
        """Send a value into the program and answer its calls until it starts a motion or ends."""
        job = self._job
        assert job is not None
        try:
            while True:
                call = job.program.send(value)
                if call.name in MOTIONS:
                    job.motion = self._start_motion(call)
                    return
                value = self._answer_call(call)
        except StopIteration as stop:
            self._job = None
            job.answer.set_result(stop.value)
        except (CodeRefused, ProgramFailed) as error:
            self._fail_program(error)
        except Failed as failed:
            self._fail_program(ProgramFailed(failed))
        except Exception as error:  # noqa: BLE001 - an error of one program must not end the world
            _log.exception("the code of a client could not be evaluated")
            self._fail_program(
                ProgramFailed(Failed("INTERNAL_ERROR", f"{type(error).__name__}: {error}"))
            )

    def _fail_program(self, error: Exception) -> None:
        job, self._job = self._job, None
        assert job is not None
        job.program.close()
        job.answer.set_exception(error)

    def _cancel(self) -> bool:
        self.robot.stop()
        self.robot.step(0.0)
        if self._job is None:
            return False
        self._fail_program(ProgramFailed(Failed("STOPPED", "it was cancelled")))
        return True

    def _start_motion(self, call: Call) -> SteppedMotion[tuple[float, str]]:
        robot, args = self.robot, call.args
        match call.name:
            case "follow_mobile_path":
                if args.get("path") is None:
                    raise ProgramFailed(Failed("NO_PATH", "follow_mobile_path was given None"))
                way = [parse_point([*_pair(at), 0.0]) for at in _listed(args["path"])]
                return robot.follow_path([(at.x, at.y) for at in way], self._goal)
            case "set_mobile_target_position" | "set_mobile_target_joint":
                x, y, *theta = _parse_numbers(
                    args.get("position"), "position", (2, 3), "[x, y, theta]"
                )
                return robot.drive_to(Pose(x, y, theta[0] if theta else robot.world.pose.yaw))
            case "set_arm_target_joint":
                joints = "[lift in m, shoulder, elbow, wrist in rad]"
                return robot.move_joints(_parse_numbers(args.get("joints"), "joints", (4,), joints))
            case "set_ee_target_position":
                return robot.move_hand(parse_point(args.get("position")))
            case "set_target_gripper_width":
                return robot.move_fingers(_number_argument(args, "width", None))
            case "wait":
                return robot.wait(_number_argument(args, "seconds", None, most=60.0))
            case "pick_object":
                at = parse_point(args.get("position"))
                return robot.pick(at, _number_argument(args, "lift_height", 0.2))
        at = parse_point(args.get("position"))
        return robot.place(at, _number_argument(args, "retract_height", 0.3))

    def _answer_call(self, call: Call) -> Any:
        world = self.robot.world
        match call.name:
            case "get_object_positions":
                now = world.environment()
                return {name: object_data(placed) for name, placed in now.objects.items()}
            case "get_grid_map":
                return _coarse_map(self.robot.floor_map())
            case "get_mobile_position" | "get_mobile_joint_position":
                return list(world.pose)
            case "get_arm_joint_position":
                return [float(value) for value in world.joints]
            case "get_ee_position":
                yaw = world.pose.yaw + float(world.joints[1:].sum())
                return [list(world.grip), [0.0, 0.0, math.remainder(yaw, math.tau)]]
            case "get_gripper_width":
                return 2 * world.half_gap
        at = parse_point([*_pair(call.args.get("position")), 0.6])
        self._goal = at
        way = self.robot.plan_path(at)
        return None if way is None else _waypoints(way)


def _waypoints(corners: Sequence[tuple[float, float]]) -> list[list[float]]:
    """Return poses ``[x, y, theta]`` at the corners of a path, each facing the next corner."""
    legs = itertools.pairwise(corners)
    turns = [math.atan2(y2 - y1, x2 - x1) for (x1, y1), (x2, y2) in legs] or [0.0]
    return [[*at, theta] for at, theta in zip(corners, [*turns, turns[-1]], strict=False)]


def _coarse_map(grid: Grid) -> list[list[int]]:
    """Return the map for clients: rows from south to north with 0 for free and 1 for occupied."""
    rows, columns = (-(-count // _COARSER) for count in grid.shape)
    return [
        [int(grid.solid[_block(row), _block(column)].any()) for column in range(columns)]
        for row in range(rows)
    ]


def _block(index: int) -> slice:
    return slice(index * _COARSER, (index + 1) * _COARSER)


def parse_point(value: Any) -> Point:
    """Return the point that a client sent as ``[x, y, z]``.

    Raises:
        CodeRefused: If the value is not a point in this form.
    """
    return Point(*_parse_numbers(value, "a position", (3,), "[x, y, z] in metres"))


def _pair(value: Any) -> list[Any]:
    return _parse_numbers(value, "a position", (2, 3), "[x, y] or [x, y, z] in metres")[:2]


def _parse_numbers(value: Any, name: str, counts: tuple[int, ...], form: str) -> list[float]:
    """Return the numbers of a client's list, each at most 1000 in magnitude."""
    numbers = _listed(value)
    if len(numbers) not in counts or any(type(one) not in (int, float) for one in numbers):
        raise CodeRefused(f"{name} must be {form}; found {value!r:.60}")
    if not all(abs(one) <= 1000 for one in numbers):
        raise CodeRefused(f"{name} must be within 1000 m of the origin; found {value!r:.60}")
    return [float(one) for one in numbers]


def _listed(value: Any) -> list[Any]:
    if not isinstance(value, list | tuple) or not value or len(value) > 1000:
        raise CodeRefused(f"expected a list; found {value!r:.60}")
    return list(value)


def _number_argument(
    args: dict[str, Any], name: str, default: float | None, most: float = 1.0
) -> float:
    value: Any = args.get(name, default)
    if type(value) not in (int, float) or not 0.0 <= value <= most:
        raise CodeRefused(f"{name} must be a number from 0 to {most:g}; found {value!r:.40}")
    return float(value)


def object_data(placed: Placed) -> dict[str, Any]:
    """Return an object in the format of ``/env`` and ``get_object_positions``."""
    return {"id": placed.id, "pos": list(placed.pos), "ori": list(placed.ori)}


def pose_data(pose: Pose) -> dict[str, float]:
    """Return a pose in the format of ``/state``."""
    return {"x": pose.x, "y": pose.y, "theta": pose.yaw}
