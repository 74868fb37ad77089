"""Makes the pack's robots from a site's settings; what a robot needs is imported only then."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from bt_exec.failure import UnknownName, UsageError
from bt_exec.rig import Rig
from bt_exec_skills.door.perception.contracts import DoorStateEstimator, DoorView
from bt_exec_skills.door.robot import ARMS, DoorRobot
from bt_exec_skills.perception.contracts import Detection, Detector

if TYPE_CHECKING:
    from bt_exec_skills.door.perception.calibration import Calibration

__all__ = ["WORLD_KEYS", "facts_of", "make_eyes", "make_sim_rig"]

WORLD_KEYS: Mapping[str, str] = MappingProxyType(
    {
        "door": "how the door stands at first: closed, ajar, open, or an angle 0..1.6 [rad]",
        "material": "whether material lies behind it: present, absent",
        "seed": "draws places, sizes, colours and light: a whole number",
        "fault": "what goes wrong: none, jammed (the hinge), slippery (the first grasp), "
        "dark or frozen (the camera)",
        "camera": "when the camera fails, and how: none, or FAULT[@START[-END]] in seconds, as "
        "noise@12 or dark@3-5, with FAULT one of dark, frozen, noise, occluded, wrong_size, "
        "missing",
    }
)
"""The ``--world`` keys of the simulated door."""

_SETTINGS = ("robot", "detector", "renderer", "material_arm", "second_opinion")
_RENDERERS = ("auto", "egl", "raycast")


def make_eyes(
    choice: Any, calibration: Callable[[], Calibration]
) -> tuple[Detector[DoorView, Detection], DoorStateEstimator]:
    """Return the detector that a site chooses and the estimator that goes with it.

    Args:
        choice: ``oracle``, ``learned`` (the shipped network), or the settings of another one; see
            `bt_exec_skills.door.perception.detector_factory`.
        calibration: Gives camera and door; asked for only if needed.

    Raises:
        UnknownName: If there is no such detector.
        UsageError: If its weights or settings are wrong.
    """
    if choice == "oracle":
        from bt_exec_skills.door.perception.oracle import OracleEstimator, oracle_detector

        return oracle_detector(), OracleEstimator()
    if choice == "learned" or isinstance(choice, Mapping):
        from bt_exec_skills.door.perception.detector_factory import learned_eyes

        return learned_eyes({} if choice == "learned" else choice, calibration)
    raise UnknownName("detector", str(choice), ("oracle", "learned"))


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

    from bt_exec_skills.door.perception.pipeline import DoorPerception
    from bt_exec_skills.door.perception.vlm_crosscheck import second_opinion
    from bt_exec_skills.door.sim.layout import WorldOptions
    from bt_exec_skills.door.sim.measure import calibration_of
    from bt_exec_skills.perception.camera_faults import Lens, parse_breaks

    values: dict[str, Any] = dict(world)
    breaks = parse_breaks(values.pop("camera", "none"))
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
    choice = settings.get("detector", "learned")
    detector, judge = make_eyes(choice, lambda: calibration_of(robot.world))
    judge = second_opinion(judge, settings.get("second_opinion"))
    camera = Lens(SimCamera(robot.world, renderer=renderer), options.seed, breaks)
    return Rig(
        robot,
        DoorPerception(camera, detector, judge, size=(240, 320)),
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
