"""The simulator behind the server: one world, one thread that lets its time pass, one motion.

Requests come from other threads. What they ask is done on the world's own thread between two steps,
so nobody reads a world that is half way through one.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

from bt_exec.failure import Failed
from bt_exec_skills.motion.stepped import SteppedMotion
from bt_exec_skills.navigation.geometry import Pose
from bt_exec_skills.tabletop.environment import Point
from bt_exec_skills.tabletop.protocol.code import Call, CodeRefused, Program, program_of
from bt_exec_skills.tabletop.sim.body import SimTableRobot
from bt_exec_skills.tabletop.sim.world import CONTROL_S

__all__ = ["Busy", "Ended", "Engine"]

T = TypeVar("T")
_MOTIONS = ("follow_mobile_path", "pick_object", "place_object")
_MOST_STEP_S = 10.0


class Busy(Exception):  # noqa: N818 - an answer
    """Raised when a motion is asked for while another one is under way."""


class Ended(Exception):  # noqa: N818 - an answer
    """Raised when a motion did not reach its goal.

    Args:
        failed: Why.
    """

    def __init__(self, failed: Failed) -> None:
        super().__init__(f"{failed.code}: {failed.message}")
        self.failed = failed


class _Job:
    """A program that runs, with the motion it waits for."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.answer: Future[dict[str, Any]] = Future()
        self.motion: SteppedMotion[tuple[float, str]] | None = None


class Engine:
    """Runs a world for clients.

    Args:
        robot: In its world.
        lockstep: Whether time stands still until `step` is called; else it is the wall's.
        fast: Whether motions do not wait for the wall.
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
        """Whether code that was sent is under way."""
        return self._job is not None

    def ask(self, what: Callable[[], T]) -> Future[T]:
        """Have something done on the world's thread."""
        answer: Future[T] = Future()
        self._asked.put((what, answer))
        return answer

    def run_code(self, code: str) -> Future[Future[dict[str, Any]]]:
        """Start a piece of code; its own future ends with its variables.

        The inner future raises `Ended`, `CodeRefused`; the outer one `Busy` or `CodeRefused`.
        """
        program = program_of(code)
        return self.ask(lambda: self._begin(program))

    def step(self, seconds: float) -> Future[float]:
        """Let time pass in lockstep; returns the time after it.

        Raises:
            ValueError: If time passes by itself, or that is too much at once.
        """
        if not self.lockstep:
            raise ValueError("time passes by itself here; start the simulator with --lockstep")
        if not 0.0 <= seconds <= _MOST_STEP_S:
            raise ValueError(f"seconds is 0..{_MOST_STEP_S:g}; found {seconds:g}")
        return self.ask(lambda: self._pass(seconds))

    def cancel(self) -> Future[bool]:
        """Stop the motion under way; tells whether there was one."""
        return self.ask(self._cancel)

    def close(self) -> None:
        """Stop the robot and end the thread."""
        self._asked.put(None)
        self._thread.join(5.0)

    # -- on the world's thread

    def _run(self) -> None:
        due = time.monotonic()
        while True:
            try:
                item = self._asked.get(timeout=self._wait(due))
            except Empty:
                self._pass(CONTROL_S)
                due = max(due + CONTROL_S, time.monotonic() - 0.5)
                continue
            if item is None:
                self._cancel()
                return
            what, answer = item
            if not answer.set_running_or_notify_cancel():
                continue
            try:
                answer.set_result(what())
            except Exception as error:  # noqa: BLE001 - it is raised where it was asked
                answer.set_exception(error)

    def _wait(self, due: float) -> float | None:
        """Return how long to wait for somebody to ask [s]; None for ever."""
        if self.lockstep:
            return None
        return 1e-6 if self.fast and self._job is not None else max(1e-6, due - time.monotonic())

    def _begin(self, program: Program) -> Future[dict[str, Any]]:
        if self._job is not None:
            raise Busy("another motion is under way; wait for its end, or POST /cancel")
        self._job = _Job(program)
        job = self._job
        self._go_on(None)
        return job.answer

    def _pass(self, seconds: float) -> float:
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
                    self._end(Ended(failure))
                else:
                    self._go_on(True)
        if seconds == 0.0:
            robot.step(0.0)
        return robot.time

    def _go_on(self, value: Any) -> None:
        """Send a value into the program, and do what it asks next, up to a motion or its end."""
        job = self._job
        assert job is not None
        try:
            while True:
                call = job.program.send(value)
                if call.name in _MOTIONS:
                    job.motion = self._start(call)
                    return
                value = self._answer(call)
        except StopIteration as stop:
            self._job = None
            job.answer.set_result(stop.value)
        except (CodeRefused, Ended) as error:
            self._end(error)
        except Failed as failed:
            self._end(Ended(failed))

    def _end(self, error: Exception) -> None:
        job, self._job = self._job, None
        assert job is not None
        job.program.close()
        job.answer.set_exception(error)

    def _cancel(self) -> bool:
        self.robot.stop()
        self.robot.step(0.0)
        if self._job is None:
            return False
        self._end(Ended(Failed("STOPPED", "it was cancelled")))
        return True

    def _start(self, call: Call) -> SteppedMotion[tuple[float, str]]:
        robot, args = self.robot, call.args
        if call.name == "follow_mobile_path":
            if args.get("path") is None:
                raise Ended(Failed("NO_PATH", "follow_mobile_path was given None"))
            way = [point_of([*_pair(at), 0.0]) for at in _listed(args["path"])]
            return robot.follow([(at.x, at.y) for at in way], self._goal)
        at = point_of(args.get("position"))
        if call.name == "pick_object":
            return robot.pick(at, _number(args, "lift_height", 0.2))
        return robot.place(at, _number(args, "retract_height", 0.3))

    def _answer(self, call: Call) -> Any:
        world = self.robot.world
        match call.name:
            case "get_object_positions":
                now = world.environment()
                return {name: list(placed.pos) for name, placed in now.objects.items()}
            case "get_mobile_position":
                return list(world.pose)
            case "get_arm_joint_position":
                return [float(value) for value in world.joints]
            case "get_ee_position":
                return [list(world.grip), [0.0, 0.0, 0.0]]
            case _:
                at = point_of([*_pair(call.args.get("position")), 0.6])
                self._goal = at
                way = self.robot.plan(at)
                return None if way is None else [list(corner) for corner in way]


def point_of(value: Any) -> Point:
    """Return a point that a client sent.

    Raises:
        CodeRefused: If it is none.
    """
    numbers = _listed(value)
    if len(numbers) != 3 or any(type(one) not in (int, float) for one in numbers):
        raise CodeRefused(f"a position is three numbers [x, y, z] in metres; found {value!r:.60}")
    if any(abs(one) > 1000 or one != one for one in numbers):
        raise CodeRefused(f"a position lies within 1000 m; found {value!r:.60}")
    return Point(*(float(one) for one in numbers))


def _pair(value: Any) -> list[Any]:
    numbers = _listed(value)
    if len(numbers) not in (2, 3):
        raise CodeRefused(f"a position is [x, y] or [x, y, z] in metres; found {value!r:.60}")
    return list(numbers[:2])


def _listed(value: Any) -> list[Any]:
    if not isinstance(value, list | tuple) or not value or len(value) > 1000:
        raise CodeRefused(f"a list is needed; found {value!r:.60}")
    return list(value)


def _number(args: dict[str, Any], name: str, default: float) -> float:
    value = args.get(name, default)
    if type(value) not in (int, float) or not 0.0 <= value <= 1.0:
        raise CodeRefused(f"{name} is a height of 0..1 m; found {value!r:.40}")
    return float(value)


def pose_of(pose: Pose) -> dict[str, float]:
    """Return a pose as ``/state`` tells it."""
    return {"x": pose.x, "y": pose.y, "theta": pose.yaw}
