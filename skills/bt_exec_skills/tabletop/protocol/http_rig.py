"""Rig of a robot whose simulator is accessed over HTTP."""

from __future__ import annotations

from dataclasses import replace

from bt_exec.failure import Failed, UsageError
from bt_exec.rig import Rig
from bt_exec_skills.tabletop.environment_state import Environment
from bt_exec_skills.tabletop.held_object_tracker import NEAR_M, HeldObjectTracker
from bt_exec_skills.tabletop.perception.observation_and_pipeline import TableObservation
from bt_exec_skills.tabletop.protocol.client import Client
from bt_exec_skills.tabletop.protocol.http_robot import HttpTableRobot, LockstepTableRobot
from bt_exec_skills.tabletop.rigs import Remote

__all__ = ["RemotePerception", "http_rig"]


class RemotePerception:
    """Perception that reads ``/env`` on a worker thread; implements `bt_exec.robot.Perception`.

    Without lockstep, the times of the simulator are not those of the mission. Observations then
    have the time 0, and skills read the world themselves.
    """

    def __init__(self, robot: HttpTableRobot, hand: HeldObjectTracker) -> None:
        self._robot, self._hand = robot, hand

    def capture(self) -> float:
        """Return the time of the observation."""
        return self._robot.time if isinstance(self._robot, LockstepTableRobot) else 0.0

    def interpret(self, capture: float) -> TableObservation:
        """Read the world and return it as an observation.

        Raises:
            Failed: If the world cannot be read.
        """
        now: Environment = self._robot.client.environment()
        self._robot.latest = now
        return TableObservation(capture, self._hand.world_with_held_object(now))


def http_rig(remote: Remote) -> Rig:
    """Return the rig of the robot at an address.

    Raises:
        UsageError: If the simulator does not respond, or its response is invalid.
    """
    client = Client(remote.http, remote.token, remote.read_s, remote.motion_s)
    try:
        hand, now = _read_hand(client, client.environment())
        robot = LockstepTableRobot(client) if remote.lockstep else HttpTableRobot(client)
    except Failed as failed:
        why = f"{failed.code}: {failed.message}"
        start = "start one with: bt-exec simulator"
        raise UsageError(f"no simulator answers at {remote.http} ({why}); {start}") from failed
    robot.latest = now

    def facts() -> dict[str, str]:
        return {} if hand.moved else hand.facts(robot.latest)

    lockstep = robot if isinstance(robot, LockstepTableRobot) else None
    return Rig(
        robot,
        RemotePerception(robot, hand),
        lockstep,
        facts,
        close=lockstep.close if lockstep is not None else None,
        services={"hand": hand},
    )


def _read_hand(client: Client, first: Environment) -> tuple[HeldObjectTracker, Environment]:
    """Return the hand, with any object that an earlier process left in it, and the world at rest.

    A motion of the earlier process may still run; then the simulator responds after its end.

    Raises:
        Failed: If the world cannot be read.
    """
    hand, base = HeldObjectTracker(), first.base
    if base is not None and not any(
        one.pos.horizontal_distance(base) <= NEAR_M for one in first.objects.values()
    ):
        return hand, first
    grip, now = client.grip(), client.environment()
    if grip.holding is False or (grip.at is None and client.infers_tables):
        return hand, now  # an object in the air may be on a table that is not reported
    hand.record_initial_object(now, grip.at)
    if client.infers_tables and hand.thing is not None:
        now = client.infer_tables(replace(now, held=hand.thing))
    return hand, now
