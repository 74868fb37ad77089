"""Client of the simulator protocol, with validation of every response.

Every call blocks and must be made on a worker thread. A response is not proof that a motion
succeeded; skills determine that from the world.
"""

from __future__ import annotations

import json
import math
import re
import time
import urllib.error
from collections.abc import Callable, Mapping, Set
from dataclasses import replace
from typing import Any, NamedTuple

from bt_exec.failure import Failed
from bt_exec_skills.navigation.plane_geometry import Pose
from bt_exec_skills.tabletop.environment_state import Environment, Placed, Point
from bt_exec_skills.tabletop.protocol.timed_request import Asked, open_directly
from bt_exec_skills.tabletop.tables import Table, infer_tables

__all__ = ["Client", "Grip", "parse_environment", "parse_pose"]

_MOST_BYTES = 4_000_000
_TRIES = 3
_WAIT_S = 0.2
_BUSY_TRIES = 20
_REST_TRIES = 150
_NAME_CHARS = 60
_MOST_DIGITS = 300  # whole numbers with more digits may be too large for a float
_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_\-]{0,59}")


class Grip(NamedTuple):
    """Reported state of the hand.

    Attributes:
        at: Position in the frame of the room or of the robot [m]; None if unknown.
        holding: Whether the hand holds an object; None if unknown.
    """

    at: Point | None
    holding: bool | None


class Client:
    """Client of one simulator.

    Args:
        address: URL of the simulator, such as ``http://127.0.0.1:8800``.
        token: Bearer token; empty for none.
        read_s: Time limit of a reading [s].
        motion_s: Time limit of a motion [s].
    """

    def __init__(self, address: str, token: str, read_s: float, motion_s: float) -> None:
        self._address = address.rstrip("/")
        self._token = token
        self.read_s = read_s
        self.motion_s = motion_s
        self._no_state = False
        self._unplaced: set[str] = set()  # objects whose positions are always invalid
        self._seen: Set[str] = frozenset()  # objects of the last reading
        self._tables: Mapping[str, Table] = {}

    @property
    def infers_tables(self) -> bool:
        """Whether tables are inferred from the objects, because the simulator reports none."""
        return bool(self._tables)

    def environment(self) -> Environment:
        """Return the current world. A reading is tried up to three times.

        A reading is also repeated if an object's position has become invalid, or if an object of
        the last reading is missing, because simulators sometimes omit objects for a moment. If a
        simulator reports no tables, they are inferred from its first response only, because a table
        remains when its last object is removed.

        Raises:
            Failed: SIMULATOR_UNREACHABLE or SIMULATOR_FAULT.
        """
        for _ in range(_TRIES):
            found = self._with_retries(lambda: self._get("/env"))
            now = parse_environment(found, self._state())
            unplaced = set(found["objects"]) - now.objects.keys() - self._unplaced
            if not unplaced and self._seen <= now.objects.keys():
                break
        self._unplaced |= unplaced
        self._seen = now.objects.keys()
        if now.reported_tables:
            return now
        return (
            replace(now, reported_tables=self._tables) if self._tables else self.infer_tables(now)
        )

    def grip(self) -> Grip:
        """Return the reported state of the hand; a running motion is awaited first."""
        try:
            answer = self.run_code("RESULT = get_ee_position()", _REST_TRIES)
            state = self._get("/state")
        except (Failed, OSError, ValueError):
            return Grip(None, None)
        result = answer.get("result") if isinstance(answer, dict) else None
        return Grip(_point_in(result), _parse_holding(state))

    def infer_tables(self, now: Environment) -> Environment:
        """Return the world with tables inferred from its objects; later readings use them too."""
        self._tables = infer_tables(
            placed.pos for name, placed in now.objects.items() if name != now.held
        )
        return replace(now, reported_tables=self._tables)

    def run_code(self, code: str, tries: int = _BUSY_TRIES) -> Any:
        """Send code and return the response, which arrives when the motion has ended.

        Args:
            code: The code.
            tries: Maximum number of requests while another motion runs.

        Raises:
            Failed: UNCERTAIN if the connection or the server failed, so that the motion may have
                taken place; SIMULATOR_UNREACHABLE if the code was not sent; SIMULATOR_FAULT if
                the simulator refused the request or is busy.
        """
        body = {"action": {"type": "run_code", "payload": {"code": code}}}
        for _ in range(tries):
            try:
                return self._request("/send_action", body, self.motion_s)
            except urllib.error.HTTPError as error:
                if error.code == 409:  # busy with another motion
                    time.sleep(_WAIT_S)
                    continue
                if error.code < 400 or error.code in (401, 403, 404, 405, 413, 415, 422):
                    why = f"/send_action returned {error.code}"
                    raise Failed("SIMULATOR_FAULT", why) from error
                raise Failed("UNCERTAIN", f"/send_action returned {error.code}") from error
            except (OSError, ValueError) as error:
                if isinstance(getattr(error, "reason", error), ConnectionRefusedError):
                    raise Failed("SIMULATOR_UNREACHABLE", _why(error)) from error
                raise Failed("UNCERTAIN", _why(error)) from error
        raise Failed("SIMULATOR_FAULT", "another motion is in progress on the simulator")

    def cancel(self) -> None:
        """Request a stop. Simulators other than the simulator of bt-exec may not support it.

        Raises:
            OSError: If the request fails.
        """
        self._request("/cancel", {}, 1.0)

    def step(self, seconds: float) -> float:
        """Advance the simulator in lockstep and return its time.

        Raises:
            OSError: If the simulator is unreachable.
            ValueError: If the response is invalid.
        """
        found = self._request("/step", {"seconds": seconds}, max(self.read_s, 10.0))
        try:
            time_s = _parse_time(found["result"]["time"])
        except (KeyError, TypeError) as error:
            raise ValueError(f"/step returned {found!r:.80}") from error
        if time_s is None:
            raise ValueError(f"/step returned {found!r:.80}")
        return time_s

    def now(self) -> float:
        """Return the time of the simulator [s].

        Raises:
            Failed: SIMULATOR_FAULT if the simulator reports no time; SIMULATOR_UNREACHABLE.
        """
        found = self._with_retries(lambda: self._get("/env"))
        time_s = _parse_time(found.get("time")) if isinstance(found, dict) else None
        if time_s is None:
            raise Failed("SIMULATOR_FAULT", "/env reports no time: lockstep is not supported")
        return time_s

    # -- requests

    def _state(self) -> Any:
        """Return the reported state of the robot; None if the simulator does not report it."""
        if self._no_state:
            return None
        try:
            return self._get("/state")
        except urllib.error.HTTPError as error:
            self._no_state = error.code in (404, 405)
            return None
        except (OSError, ValueError):
            return None

    def _with_retries(self, call: Callable[[], Any]) -> Any:
        problem = Failed("SIMULATOR_UNREACHABLE", "nothing was asked")
        for attempt in range(_TRIES):
            if attempt:
                time.sleep(_WAIT_S)
            try:
                return call()
            except urllib.error.HTTPError as error:
                problem = Failed("SIMULATOR_FAULT", f"it answers {error.code}")
            except ValueError as error:
                problem = Failed("SIMULATOR_FAULT", _why(error))
            except OSError as error:
                problem = Failed("SIMULATOR_UNREACHABLE", _why(error))
        raise problem

    def _get(self, path: str) -> Any:
        return self._request(path, None, self.read_s)

    def _request(self, path: str, body: Any, limit_s: float) -> Any:
        data = None if body is None else json.dumps(body).encode()
        headers = {"Content-Type": "application/json"} if data is not None else {}
        if self._token:
            headers["Authorization"] = f"Bearer {self._token}"
        asked = Asked(self._address + path, data, headers, limit_s)
        try:
            with asked, open_directly(asked) as answer:
                raw = answer.read(_MOST_BYTES + 1)
        except urllib.error.HTTPError as error:
            error.close()
            raise
        except (OSError, ValueError):
            raise
        except Exception as error:  # errors of http.client, such as an incomplete response
            raise ConnectionResetError(_why(error)) from error
        if len(raw) > _MOST_BYTES:
            raise ValueError(f"{path} returned more than {_MOST_BYTES} bytes")
        try:
            return json.loads(raw, parse_int=_parse_whole_number)
        except RecursionError as error:
            raise ValueError(f"{path} returned JSON that is nested too deeply") from error


def _parse_whole_number(digits: str) -> int | float:
    """Return a whole number as int, or as float (perhaps infinite) if it has too many digits."""
    return int(digits) if len(digits) <= _MOST_DIGITS else float(digits)


def _why(error: BaseException) -> str:
    reason = getattr(error, "reason", None)
    return f"{type(error).__name__}: {reason or error}"[:200]


def _parse_holding(state: Any) -> bool | None:
    """Return whether the hand holds an object, as in a response of ``/state``; None if unknown."""
    gripper = state.get("gripper") if isinstance(state, dict) else None
    holding = gripper.get("holding") if isinstance(gripper, dict) else None
    return holding if isinstance(holding, bool) else None


def parse_environment(found: Any, state: Any) -> Environment:
    """Return the world in a response of ``/env``, without objects that have invalid positions.

    Args:
        found: The response.
        state: Response of ``/state``, or None.

    Raises:
        Failed: SIMULATOR_FAULT if the response is not an environment.
    """
    objects = found.get("objects") if isinstance(found, dict) else None
    if not isinstance(objects, dict):
        raise Failed("SIMULATOR_FAULT", '/env must return {"objects": {…}}')
    placed: dict[str, Placed] = {}
    for number, (name, one) in enumerate(objects.items()):
        at = _parse_numbers(one.get("pos") if isinstance(one, dict) else None)
        if at is None or not name[:1].isalpha() or len(name) > _NAME_CHARS:
            continue
        turned = _parse_numbers(one.get("ori")) or (0.0, 0.0, 0.0)
        own = one.get("id")
        placed[name] = Placed(own if type(own) is int else number, Point(*at), turned)
    return Environment(
        _parse_time(found.get("time")) or 0.0,
        placed,
        parse_pose(state),
        _parse_tables(found.get("tables"), placed),
        grips=_parse_holding(state),
    )


def _parse_tables(found: Any, placed: Mapping[str, Placed]) -> dict[str, Table]:
    """Return the valid tables of a response, except tables with the name of an object."""
    tables: dict[str, Table] = {}
    for name, one in found.items() if isinstance(found, dict) else ():
        at = _parse_numbers(one.get("pos") if isinstance(one, dict) else None)
        size = (
            _parse_numbers([*one["size"], 0.0])
            if at and isinstance(one.get("size"), list)
            else None
        )
        if at is None or size is None or not (0 < size[0] < 20 and 0 < size[1] < 20):
            continue
        if _NAME.fullmatch(name) and name not in placed:
            tables[name] = Table(at[0], at[1], size[0] / 2, size[1] / 2, at[2])
    return tables


def _point_in(found: Any) -> Point | None:
    """Return the first ``[x, y, z]`` in a result, which may be nested in lists or objects."""
    inner = list(found.values()) if isinstance(found, dict) else found
    if not isinstance(inner, list):
        return None
    numbers = _parse_numbers(inner)
    if numbers is not None:
        return Point(*numbers)
    return next(filter(None, map(_point_in, inner)), None)


def parse_pose(found: Any) -> Pose | None:
    """Return the pose of the base in a response of ``/state``; None if it has no valid pose."""
    mobile = found.get("mobile") if isinstance(found, dict) else None
    if not isinstance(mobile, dict):
        return None
    numbers = _parse_numbers([mobile.get("x"), mobile.get("y"), mobile.get("theta", 0.0)])
    return Pose(*numbers) if numbers is not None else None


def _parse_time(value: Any) -> float | None:
    """Return a time [s]; None if it is invalid."""
    return float(value) if type(value) in (int, float) and math.isfinite(value) else None


def _parse_numbers(value: Any) -> tuple[float, float, float] | None:
    """Return `value` as three finite numbers; None if it is anything else."""
    if not isinstance(value, list | tuple) or len(value) != 3:
        return None
    if any(type(one) not in (int, float) or not math.isfinite(one) for one in value):
        return None
    first, second, third = (float(one) for one in value)
    return first, second, third
