"""Rigs of the pack from the settings of a site. The simulator is imported on demand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bt_exec.failure import UsageError
from bt_exec.mission.robot_lock import network_identity
from bt_exec.rig import Rig
from bt_exec_skills.tabletop.hand import Hand
from bt_exec_skills.tabletop.settings import Remote, TableSettings, TableStart

if TYPE_CHECKING:
    from bt_exec_skills.tabletop.environment import Environment
    from bt_exec_skills.tabletop.sim.body import SimTableRobot

__all__ = ["http_identity", "make_http_rig", "make_sim_rig", "robot_in_its_kitchen"]


# size of its pictures [px]; a network needs the larger ones
_COARSE, _FINE = (160, 120), (480, 360)


def robot_in_its_kitchen(start: TableStart) -> SimTableRobot:
    """Return the simulated robot in a kitchen in which all objects are at rest.

    Raises:
        UsageError: If there is no room for so many objects.
    """
    from bt_exec_skills.tabletop.sim.body import SimTableRobot
    from bt_exec_skills.tabletop.sim.world import TableWorld

    try:
        world = TableWorld(start.options())
    except ValueError as error:
        raise UsageError(str(error)) from error
    robot = SimTableRobot(world)
    robot.step(0.5)
    return robot


def make_sim_rig(settings: TableSettings, start: TableStart) -> Rig:
    """Return the simulated robot in its kitchen, in this process.

    Raises:
        UsageError: If there is no room for so many objects, or the detector cannot be used.
    """
    from bt_exec_skills.tabletop.perception.finder import make_finder
    from bt_exec_skills.tabletop.perception.pipeline import TablePerception
    from bt_exec_skills.tabletop.sim.camera import HeadCamera

    robot, hand = robot_in_its_kitchen(start), Hand()
    world = robot.world
    camera, finder = None, make_finder("oracle")
    if settings.picture_every_s > 0:
        finder = make_finder(settings.detector)
        camera = HeadCamera(world, *(_COARSE if settings.detector == "oracle" else _FINE))

    def read() -> Environment:
        return hand.seen_in(world.environment())

    perception = TablePerception(read, camera, finder, settings.picture_every_s)

    def facts() -> dict[str, str]:
        return hand.facts(world.environment())

    return Rig(robot, perception, robot, facts, services={"hand": hand})


def make_http_rig(settings: TableSettings, start: TableStart) -> Rig:
    """Return a robot whose simulator is accessed over HTTP.

    Raises:
        UsageError: If no address is set, or there is no response.
    """
    remote = _remote(settings)
    if start.model_fields_set:
        given = ", ".join(sorted(start.model_fields_set))
        raise UsageError(f"the world of a remote simulator cannot be chosen here (found {given})")
    from bt_exec_skills.tabletop.protocol.rig import http_rig

    return http_rig(remote)


def http_identity(settings: TableSettings) -> str:
    """Return the identity of a remote simulator: its address.

    Raises:
        UsageError: If no address is set.
    """
    return network_identity(_remote(settings).http)


def _remote(settings: TableSettings) -> Remote:
    if settings.remote is None:
        raise UsageError("robot: http needs its address: 'remote: {http: http://127.0.0.1:8800}'")
    return settings.remote
