"""Makes the pack's robots from a site's settings; what a robot needs is imported only then."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from bt_exec.failure import UnknownName, UsageError
from bt_exec.robot import Rig
from bt_exec_skills.door.detect import Detector, DoorStateEstimator
from bt_exec_skills.door.robot import ARMS, DoorRobot

__all__ = ["WORLD_KEYS", "facts_of", "make_eyes", "make_sim_rig"]

WORLD_KEYS: Mapping[str, str] = MappingProxyType(
    {
        "door": "how the door stands at first: closed, ajar, open, or an angle 0..1.6 [rad]",
        "material": "whether material lies behind it: present, absent",
        "seed": "draws places, sizes, colours and light: a whole number",
        "fault": "what goes wrong: none, jammed (the hinge), slippery (the first grasp), "
        "dark or frozen (the camera)",
    }
)
"""The ``--world`` keys of the simulated door."""

_SETTINGS = ("robot", "detector", "renderer", "material_arm")
_RENDERERS = ("auto", "egl", "raycast")


def make_eyes(name: Any) -> tuple[Detector, DoorStateEstimator]:
    """Return the detector of that name and the estimator that goes with it.

    Raises:
        UnknownName: If there is no such detector.
    """
    if name == "oracle":
        from bt_exec_skills.door.oracle import OracleDetector, OracleEstimator

        return OracleDetector(), OracleEstimator()
    raise UnknownName("detector", str(name), ("oracle",))


def facts_of(robot: DoorRobot) -> dict[str, str]:
    """Return what the robot knows about itself, for the dry run."""
    facts = {f"hand.{arm}": robot.holding(arm) or "empty" for arm in ARMS}
    for arm in ARMS:
        if robot.at_home:
            facts[f"at.{arm}"] = "home"
        elif robot.at_label(arm, "material"):
            facts[f"at.{arm}"] = "material"
    return facts


def make_sim_rig(settings: Mapping[str, Any], world: Mapping[str, str]) -> Rig:
    """Return the simulated robot in front of a simulated door, with its head camera.

    Args:
        settings: The site's settings of the pack: ``detector``, ``renderer``.
        world: The ``--world`` pairs; see `WORLD_KEYS`.

    Raises:
        UsageError: If a value is not allowed; the message lists what is.
        UnknownName: If a key is none of these.
    """
    for kind, given, known in (
        ("setting of pack door", settings, _SETTINGS),
        ("world key", world, tuple(WORLD_KEYS)),
    ):
        for key in given:
            if key not in known:
                raise UnknownName(kind, key, known)
    renderer = settings.get("renderer", "auto")
    if renderer not in _RENDERERS:
        raise UnknownName("renderer", str(renderer), _RENDERERS)
    eyes = make_eyes(settings.get("detector", "oracle"))

    from bt_exec_skills.door.perception import DoorPerception
    from bt_exec_skills.door.sim.layout import WorldOptions

    values: dict[str, Any] = dict(world)
    try:
        if "seed" in values:
            values["seed"] = _whole(values["seed"])
        options = WorldOptions(**values)
    except ValueError as error:
        raise UsageError(f"--world {error}") from None

    from bt_exec_skills.door.sim.body import SimDoorRobot
    from bt_exec_skills.door.sim.camera import SimCamera
    from bt_exec_skills.door.sim.world import DoorWorld

    robot = SimDoorRobot(DoorWorld(options))
    camera = SimCamera(robot.world, renderer=renderer)
    return Rig(
        robot,
        DoorPerception(camera, *eyes),
        robot,
        lambda: facts_of(robot),
        camera.close,
    )


def _whole(text: str) -> int:
    """Return the number that `text` writes down."""
    try:
        return int(text)
    except ValueError:
        raise ValueError(f"seed={text!r}: a whole number is needed") from None
