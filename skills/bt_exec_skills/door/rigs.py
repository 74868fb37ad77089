"""Creation of the pack's rigs from a site's settings; heavy imports are lazy."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from bt_exec.failure import UnknownName
from bt_exec.rig import Rig
from bt_exec_skills.door.robot import ARMS, DoorRobot
from bt_exec_skills.door.settings import DoorSettings, DoorStart

if TYPE_CHECKING:
    from bt_exec_skills.door.perception.calibration import Calibration
    from bt_exec_skills.door.perception.contracts import DoorStateEstimator, DoorView
    from bt_exec_skills.perception.contracts import Detection, Detector

__all__ = ["facts_of", "make_detector", "make_sim_rig"]


def make_detector(
    choice: Any, calibration: Callable[[], Calibration]
) -> tuple[Detector[DoorView, Detection], DoorStateEstimator]:
    """Return the detector of a site and its state estimator.

    Args:
        choice: ``oracle``, ``learned`` (the shipped network), or the settings of another one; see
            `bt_exec_skills.door.perception.detector_factory`.
        calibration: Returns the calibration of camera and door; called only if needed.

    Raises:
        UnknownName: If the detector is unknown.
        UsageError: If its weights or settings are wrong.
    """
    if choice == "oracle":
        from bt_exec_skills.door.perception.oracle import OracleEstimator, oracle_detector

        return oracle_detector(), OracleEstimator()
    if choice == "learned" or isinstance(choice, Mapping):
        from bt_exec_skills.door.perception.detector_factory import make_learned

        return make_learned({} if choice == "learned" else choice, calibration)
    raise UnknownName("detector", str(choice), ("oracle", "learned"))


def facts_of(robot: DoorRobot) -> dict[str, str]:
    """Return the robot's own state as facts for the dry run."""
    facts = {f"hand.{arm}": robot.holding(arm) or "empty" for arm in ARMS}
    for arm in ARMS:
        if robot.at_home:
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
    from bt_exec_skills.door.perception.pipeline import DoorPerception, Felt
    from bt_exec_skills.door.perception.touch import Touch
    from bt_exec_skills.door.perception.vlm_crosscheck import crosscheck
    from bt_exec_skills.door.sim.body import SimDoorRobot
    from bt_exec_skills.door.sim.camera import SimCamera
    from bt_exec_skills.door.sim.layout import WorldOptions
    from bt_exec_skills.door.sim.measure import calibration_of
    from bt_exec_skills.door.sim.world import DoorWorld
    from bt_exec_skills.perception.camera_faults import FaultyCamera, parse_breaks

    options = WorldOptions(**start.model_dump(exclude={"camera"}))
    robot = SimDoorRobot(DoorWorld(options))
    told = settings.detector == "oracle"
    camera = SimCamera(robot.world, renderer=settings.renderer, truth=told)
    height, width = camera.size
    detector, estimator = make_detector(
        settings.detector, lambda: calibration_of(robot.world, width, height)
    )
    lens = FaultyCamera(camera, options.seed, parse_breaks(start.camera))
    estimator = crosscheck(estimator, settings.second_opinion)

    touch = Touch(robot)

    def feel() -> Felt:
        return Felt(robot.latched, robot.at_home, touch.feel())

    return Rig(
        robot,
        DoorPerception(lens, detector, estimator, camera.size, feel),
        robot,
        lambda: facts_of(robot),
        lens.close,
    )
