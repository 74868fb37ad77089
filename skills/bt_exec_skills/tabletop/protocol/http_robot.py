"""Robot whose simulator is accessed over HTTP.

Requests run on separate threads; a tick only checks whether they have ended. If the connection or
the server fails during a motion, the motion ends when the world is at rest. Then the skill reads
the world to determine the result.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from bt_exec.failure import Failed
from bt_exec.standby_threads import STANDBY, StandbyThreads
from bt_exec_skills.tabletop.environment_state import Environment, Point
from bt_exec_skills.tabletop.protocol.client import Client

__all__ = ["HttpReading", "HttpTableRobot", "LockstepTableRobot"]

_REST_S = 0.3  # interval between two readings that must agree
_REST_M = 0.005
_REST_LIMIT_S = 20.0
_REQUESTS = StandbyThreads()  # starting a thread would delay the tick on a busy machine
_KNOWN = ("UNREACHABLE", "NO_PATH", "STUCK", "MISSED", "EMPTY", "STOPPED")


class HttpReading:
    """Pending reading; implements `bt_exec_skills.tabletop.robot.Reading`."""

    def __init__(self, client: Client, took: Callable[[Environment], None]) -> None:
        self.done = False
        self.environment: Environment | None = None
        self.failure: Failed | None = None
        self._client, self._store_reading = client, took
        _REQUESTS.run(self._run)

    def _run(self) -> None:
        try:
            self.environment = self._client.environment()
            self._store_reading(self.environment)
        except Failed as failed:
            self.failure = failed
        except Exception as error:  # noqa: BLE001 - reported by the skill
            self.failure = Failed("SIMULATOR_FAULT", f"{type(error).__name__}: {error}")
        finally:
            self.done = True


class HttpMotion:
    """Running motion; implements `bt_exec.robot.Motion`.

    Args:
        client: Client that sends the code.
        code: Code that executes the motion.
        ended: Function called when the request has ended, with or without success.
        at_rest: Function that waits until the world is at rest.
    """

    def __init__(
        self, client: Client, code: str, ended: Callable[[], None], at_rest: Callable[[], None]
    ) -> None:
        self.done = False
        self.progress = 0.0
        self.failure: Failed | None = None
        self._client, self._code = client, code
        self._count_ended_motion, self._at_rest = ended, at_rest
        self._lock = threading.Lock()
        _REQUESTS.run(self._run)

    def _run(self) -> None:
        failure: Failed | None = None
        try:
            failure = failure_in_response(self._client.run_code(self._code))
        except Failed as failed:
            failure = failed
            if failed.code == "UNCERTAIN":
                self._at_rest()
        except Exception as error:  # noqa: BLE001 - reported by the skill
            failure = Failed("SIMULATOR_FAULT", f"{type(error).__name__}: {error}")
        finally:
            self._count_ended_motion()
            self._finish(failure)

    def _finish(self, failure: Failed | None) -> None:
        with self._lock:
            if not self.done:
                self.failure, self.progress, self.done = failure, 1.0, True

    def stop(self) -> None:
        """Abandon the motion and stop the simulator. Does nothing if the motion has ended."""
        with self._lock:
            if self.done:
                return
            self.failure, self.done = Failed("STOPPED", "it was asked to stop"), True
        _request_stop(self._client)


def _request_stop(client: Client) -> None:
    """Request a stop without waiting."""

    def ask() -> None:
        try:
            client.cancel()
        except (OSError, ValueError):
            return  # a simulator without /cancel keeps moving, as `still` reports

    try:
        STANDBY.run(ask)
    except RuntimeError:  # no thread can start, so this one sends the request and waits
        ask()


def failure_in_response(answer: Any) -> Failed | None:
    """Return the failure in a response. None does not prove that the motion succeeded."""
    if not isinstance(answer, dict):
        return Failed("UNCERTAIN", f"/send_action returned {answer!r:.60}")
    result = answer.get("result")
    data = result if isinstance(result, dict) else {}
    if answer.get("status") != "success":
        code = data.get("code")
        message = data.get("message") or answer.get("message") or answer.get("error") or "no reason"
        return Failed(code if code in _KNOWN else "UNCERTAIN", f"{message}"[:200])
    if result is False or data.get("result") is False or data.get("success") is False:
        return Failed("UNCERTAIN", "the simulator reports that the motion failed")
    return None


class HttpTableRobot:
    """Tabletop robot over HTTP; implements `bt_exec_skills.tabletop.robot.TableRobot`.

    Args:
        client: The simulator.

    Attributes:
        latest: Last reading of the world.
    """

    def __init__(self, client: Client) -> None:
        self.client = client
        self.latest: Environment | None = None
        self._moving = 0
        self._lock = threading.Lock()
        self._motion: HttpMotion | None = None
        self._phase = ""
        self._reading: HttpReading | None = None
        self._asked_at = 0.0
        self._known: tuple[float, Environment] | None = None

    # -- the robot

    def stop(self) -> None:
        """Request that all motion stops, without waiting; safe from any thread."""
        if self._motion is not None:
            self._motion.stop()
        _request_stop(self.client)

    @property
    def still(self) -> bool:
        """Whether no motion request is pending; the robot may move until its response arrives."""
        return self._moving == 0

    @property
    def doing(self) -> str:
        """Implement `TableRobot.doing`."""
        return self._phase if self._motion is not None and not self._motion.done else ""

    # -- readings

    def read(self) -> HttpReading:
        """Implement `TableRobot.read`."""
        return HttpReading(self.client, self._store_reading)

    def _store_reading(self, now: Environment) -> None:
        self.latest = now

    def world_since(self, since: float, now: float) -> Environment | None:
        """Implement `TableRobot.world_since`."""
        reading = self._reading
        if reading is not None and reading.done:
            if reading.environment is not None:
                self._known = self._asked_at, reading.environment
            self._reading = reading = None
        if self._known is not None and since <= self._known[0] <= now:
            if now > self._known[0]:
                self._begin(now)  # the next caller gets a newer reading
            return self._known[1]
        if reading is None:
            self._begin(now)
        return None

    def _begin(self, now: float) -> None:
        if self._reading is None:
            self._asked_at, self._reading = now, self.read()

    # -- motions

    def goto(self, at: Point) -> HttpMotion:
        """Implement `TableRobot.goto`."""
        return self._start(
            f"path = plan_mobile_path({_point_text(at)})\nresult = follow_mobile_path(path)",
            "driving",
        )

    def pick(self, at: Point) -> HttpMotion:
        """Implement `TableRobot.pick`."""
        return self._start(f"result = pick_object({_point_text(at)}, 0.1, 0.2)", "reaching")

    def place(self, at: Point) -> HttpMotion:
        """Implement `TableRobot.place`."""
        return self._start(f"result = place_object({_point_text(at)}, 0.1, 0.2)", "reaching")

    def _start(self, code: str, phase: str) -> HttpMotion:
        if self._motion is not None:
            self._motion.stop()
        with self._lock:
            self._moving += 1
        self._phase = phase
        self._motion = HttpMotion(
            self.client, code, self._count_ended_motion, self._wait_until_at_rest
        )
        return self._motion

    def _count_ended_motion(self) -> None:
        with self._lock:
            self._moving -= 1

    def _wait_until_at_rest(self) -> None:
        """Block the calling thread until two readings agree, or until a timeout."""
        until = time.monotonic() + min(_REST_LIMIT_S, self.client.motion_s)
        before: Environment | None = None
        while time.monotonic() < until:
            try:
                now = self.client.environment()
            except Failed:
                now = None
            if now is not None and before is not None and _are_alike(before, now):
                return
            before = now
            time.sleep(_REST_S)


def _are_alike(one: Environment, other: Environment) -> bool:
    if one.objects.keys() != other.objects.keys():
        return False
    if any(p.pos.distance_to(other.objects[name].pos) > _REST_M for name, p in one.objects.items()):
        return False
    if one.base is None or other.base is None:
        return True
    return one.base.distance_to(other.base.x, other.base.y) < _REST_M


def _point_text(at: Point) -> str:
    return f"[{at.x:.4f}, {at.y:.4f}, {at.z:.4f}]"


class LockstepTableRobot(HttpTableRobot):
    """Tabletop robot over HTTP, with a simulator in lockstep; implements `RemoteSimulation`.

    Attributes:
        time: Time of the simulator after the last step [s].
    """

    def __init__(self, client: Client) -> None:
        super().__init__(client)
        self.time = client.now()
        self._steps = ThreadPoolExecutor(1, thread_name_prefix="table-step")

    def start_step(self, seconds: float) -> Future[None]:
        """Request a step of `seconds`; returns at once."""
        return self._steps.submit(self._step, seconds)

    def _step(self, seconds: float) -> None:
        self.time = self.client.step(seconds)

    def close(self) -> None:
        """End the thread that requests steps."""
        self._steps.shutdown(wait=False, cancel_futures=True)
