"""Settings of the pack in a site file, initial state of its simulated world, and its rigs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Literal

from pydantic import Field, field_validator

from bt_exec.failure import UnknownName
from bt_exec.rig import PackSettings, Rig, WorldSettings
from bt_exec_skills.door.robot import ARMS, Arm, DoorRobot

if TYPE_CHECKING:
    from bt_exec_skills.door.perception.camera_door_calibration import Calibration
    from bt_exec_skills.door.perception.ground_truth_estimator import DoorStateEstimator, DoorView
    from bt_exec_skills.perception.contracts import Detection, Detector

__all__ = ["DoorSettings", "DoorStart", "make_detector", "make_sim_rig", "robot_facts"]


class DoorSettings(PackSettings):
    """Settings of the pack ``door``.

    Attributes:
        robot: ``sim``.
        detector: ``learned`` (the shipped network), ``oracle`` (ground truth of the simulator), or
            the settings of another network; see `bt_exec_skills.door.perception.detector_factory`.
        renderer: Renderer of the simulated camera; ``auto`` uses EGL if it is available.
        material_arm: The arm that handles material. Planners cannot change it.
        door_arm: The arm that moves the door if a command names no arm.
        second_opinion: Name, or settings with a name, of a vision-language model that cross-checks
            the state of the door; None for no model.
    """

    detector: str | Mapping[str, Any] = "learned"
    renderer: Literal["auto", "egl", "raycast"] = "auto"
    material_arm: Arm = "right"
    door_arm: Arm = "right"
    second_opinion: str | Mapping[str, Any] | None = None


class DoorStart(WorldSettings):
    """Initial state of the simulated door world."""

    door: str = Field(
        "closed",
        description="initial state of the door: closed, ajar, open, or 0..1.6 [rad]",
        examples=["closed", "ajar", "open"],
    )
    material: Literal["present", "absent"] = Field(
        "present", description="whether material is behind it: present, absent"
    )
    seed: int = Field(
        0,
        ge=0,
        lt=2**31,
        description="seed of places, sizes, colours and light: a whole number",
    )
    fault: Literal["none", "jammed", "slippery", "dark", "frozen"] = Field(
        "none",
        description="fault of the world: none, jammed (the hinge), slippery (the first "
        "grasp), dark "
        "or frozen (the camera)",
    )
    camera: str = Field(
        "none",
        description="when the camera fails, and how: none, or FAULT[@START[-END]] in seconds, as "
        "noise@12 or dark@3-5, with FAULT one of dark, frozen, noise, occluded, wrong_size, "
        "missing",
    )

    @field_validator("door")
    @classmethod
    def _check_door(cls, door: str) -> str:
        from bt_exec_skills.door.sim.layout import WorldOptions

        WorldOptions(door=door)
        return door

    @field_validator("camera")
    @classmethod
    def _check_camera(cls, camera: str) -> str:
        from bt_exec_skills.perception.faulty_camera import parse_breaks

        parse_breaks(camera)
        return camera


def make_detector(
    choice: Any, calibration: Callable[[], Calibration]
) -> tuple[Detector[DoorView, Detection], DoorStateEstimator]:
    """Return the detector of a site and its state estimator.

    Args:
        choice: ``oracle``, ``learned`` (the shipped network), or the settings of another network;
            see `bt_exec_skills.door.perception.detector_factory`.
        calibration: Function that returns the calibration of camera and door; called only if
            needed.

    Raises:
        UnknownName: If the detector is unknown.
        UsageError: If its weights or settings are invalid.
    """
    if choice == "oracle":
        from bt_exec_skills.door.perception.ground_truth_estimator import (
            OracleEstimator,
            oracle_detector,
        )

        return oracle_detector(), OracleEstimator()
    if choice == "learned" or isinstance(choice, Mapping):
        from bt_exec_skills.door.perception.detector_factory import make_learned

        return make_learned({} if choice == "learned" else choice, calibration)
    raise UnknownName("detector", str(choice), ("oracle", "learned"))


def robot_facts(robot: DoorRobot) -> dict[str, str]:
    """Return the robot's own state as facts."""
    facts = {f"hand.{arm}": robot.holding(arm) or "empty" for arm in ARMS}
    for arm in ARMS:
        if robot.arm_at_home(arm):
            facts[f"at.{arm}"] = "home"
        elif robot.at_label(arm, "material"):
            facts[f"at.{arm}"] = "material"
    within = [arm for arm in ARMS if robot.in_doorway(arm)]
    facts["doorway"] = "both" if len(within) == len(ARMS) else "".join(within) or "free"
    return facts


def make_sim_rig(settings: DoorSettings, start: DoorStart) -> Rig:
    """Return the simulated robot in front of a simulated door, with its head camera.

    Raises:
        UsageError: If the detector or the second opinion is unavailable.
    """
    from bt_exec_skills.door.perception.observation import Touch
    from bt_exec_skills.door.perception.pipeline import DoorPerception, Felt
    from bt_exec_skills.door.perception.vlm_crosscheck import with_vlm_crosscheck
    from bt_exec_skills.door.sim.camera import SimCamera
    from bt_exec_skills.door.sim.layout import WorldOptions
    from bt_exec_skills.door.sim.simulated_robot import SimDoorRobot
    from bt_exec_skills.door.sim.world import DoorWorld, calibration_of
    from bt_exec_skills.perception.faulty_camera import FaultyCamera, parse_breaks

    options = WorldOptions(**start.model_dump(exclude={"camera"}))
    robot = SimDoorRobot(DoorWorld(options))
    is_oracle = settings.detector == "oracle"
    camera = SimCamera(robot.world, renderer=settings.renderer, truth=is_oracle)
    height, width = camera.size
    detector, estimator = make_detector(
        settings.detector, lambda: calibration_of(robot.world, width, height)
    )
    lens = FaultyCamera(camera, options.seed, parse_breaks(start.camera))
    estimator = with_vlm_crosscheck(estimator, settings.second_opinion)

    touch = Touch(robot)

    def measure() -> Felt:
        return Felt(robot.is_latched, robot.at_home, touch.tactile_state())

    return Rig(
        robot,
        DoorPerception(lens, detector, estimator, camera.size, measure),
        robot,
        lambda: robot_facts(robot),
        lens.close,
    )
