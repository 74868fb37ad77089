"""Settings of the pack in a site file, initial state of its simulated kitchen, and its rigs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from pydantic import Field

from bt_exec.failure import UsageError
from bt_exec.mission.robot_lock import network_identity
from bt_exec.rig import PackSettings, Rig, WorldSettings
from bt_exec.spec.user_data_validation import UserData
from bt_exec_skills.tabletop.held_object_tracker import HeldObjectTracker
from bt_exec_skills.tabletop.sim.layout import By, WorldOptions

if TYPE_CHECKING:
    from bt_exec_skills.tabletop.environment_state import Environment
    from bt_exec_skills.tabletop.sim.simulated_robot import SimTableRobot

__all__ = [
    "Remote",
    "TableSettings",
    "TableStart",
    "http_identity",
    "make_http_rig",
    "make_sim_rig",
    "robot_in_its_kitchen",
]


class Remote(UserData):
    """Simulator that is accessed over HTTP.

    Attributes:
        http: URL of the simulator, such as ``http://127.0.0.1:8800``.
        token: Bearer token, if the simulator requires one.
        read_s: Time limit of a request to ``/env`` [s].
        motion_s: Time limit of a motion [s].
        lockstep: Whether time in the simulator advances only on request (``/step``): ``true`` for
            ``bt-exec simulator --lockstep``, ``false`` for other simulators.
    """

    http: str = Field(pattern=r"^https?://[^\s/]+(/\S*)?$")
    token: str = ""
    read_s: float = Field(5.0, gt=0, le=600)
    motion_s: float = Field(120.0, gt=0, le=3600)
    lockstep: bool = False


class TableSettings(PackSettings):
    """Settings of the pack ``tabletop``.

    Attributes:
        robot: ``sim`` (kitchen in this process) or ``http`` (simulator over HTTP).
        remote: The simulator for ``robot: http``.
        detector: Detector of objects in pictures of ``robot: sim``: ``learned`` (the shipped
            network), ``oracle`` (ground truth of the simulator), or the settings of another
            network; see
            `bt_exec_skills.tabletop.perception.object_detectors`.
        picture_every_s: Minimum interval between pictures of the head camera [s]; with 0, no
            pictures are taken.
    """

    remote: Remote | None = None
    detector: str | Mapping[str, Any] = "learned"
    picture_every_s: float = Field(5.0, ge=0)


class TableStart(WorldSettings):
    """Initial state of the simulated kitchen."""

    seed: int = Field(0, ge=0, lt=2**31, description="seed of the whole scene: a whole number")
    objects: int = Field(0, ge=0, le=20, description="number of objects: 1..20, 0 draws 4..12")
    by: By = Field(
        "colour", description="attribute in which objects differ: colour, size, shape, mixed"
    )

    def options(self) -> WorldOptions:
        """Return these settings as options of the simulated world."""
        return WorldOptions(self.seed, self.objects, self.by)


# width and height of the camera's pictures [px]; a network needs the larger size
_COARSE, _FINE = (160, 120), (480, 360)


def robot_in_its_kitchen(start: TableStart) -> SimTableRobot:
    """Return the simulated robot in its kitchen, after all objects have come to rest.

    Raises:
        UsageError: If there is no room for so many objects.
    """
    from bt_exec_skills.tabletop.sim.simulated_robot import SimTableRobot
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
    from bt_exec_skills.tabletop.perception.object_detectors import make_finder
    from bt_exec_skills.tabletop.perception.observation_and_pipeline import TablePerception
    from bt_exec_skills.tabletop.sim.camera import HeadCamera

    robot, hand = robot_in_its_kitchen(start), HeldObjectTracker()
    world = robot.world
    camera, finder = None, make_finder("oracle")
    if settings.picture_every_s > 0:
        finder = make_finder(settings.detector)
        camera = HeadCamera(world, *(_COARSE if settings.detector == "oracle" else _FINE))

    def read() -> Environment:
        return hand.world_with_held_object(robot.read().environment)

    perception = TablePerception(read, camera, finder, settings.picture_every_s)

    def facts() -> dict[str, str]:
        return hand.facts(robot.read().environment)

    return Rig(robot, perception, robot, facts, services={"hand": hand})


def make_http_rig(settings: TableSettings, start: TableStart) -> Rig:
    """Return the rig of a robot whose simulator is accessed over HTTP.

    Raises:
        UsageError: If no address is set, `start` contains a setting, or the simulator does not
            respond.
    """
    remote = _remote(settings)
    if start.model_fields_set:
        given = ", ".join(sorted(start.model_fields_set))
        raise UsageError(f"the world of a remote simulator cannot be chosen here (found {given})")
    from bt_exec_skills.tabletop.protocol.http_rig import http_rig

    return http_rig(remote)


def http_identity(settings: TableSettings) -> str:
    """Return the identity of a remote simulator, which is made from its address.

    Raises:
        UsageError: If no address is set.
    """
    return network_identity(_remote(settings).http)


def _remote(settings: TableSettings) -> Remote:
    if settings.remote is None:
        raise UsageError("robot: http needs its address: 'remote: {http: http://127.0.0.1:8800}'")
    return settings.remote
