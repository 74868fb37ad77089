"""Evaluating the estimated state of the door on training pictures."""

from __future__ import annotations

from bt_exec_skills.door.perception.calibration import Calibration, CameraPose, DoorShape
from bt_exec_skills.door.perception.contracts import DoorView
from bt_exec_skills.door.perception.learned_detector import LearnedDetector
from bt_exec_skills.door.perception.state_estimator import LearnedEstimator
from bt_exec_skills.door.robot import state_at
from bt_exec_skills.vision.evaluate import Answer
from bt_exec_skills.vision.network import Network
from bt_exec_skills.vision.sample import Picture

__all__ = ["answerer"]


def answerer(network: Network) -> Answer:
    """Return a function that gives true and estimated state of the door in a picture.

    Enlarged parts and pictures that show too little of the door have no state.
    """
    detector = LearnedDetector(network)

    def answer(picture: Picture) -> tuple[str, str] | None:
        shown = any(
            mark.label.startswith("door-") and mark.label != "door-handle" for mark in picture.marks
        )
        if picture.facts["crop"] or not shown:
            return None
        calibration = Calibration(
            CameraPose(**picture.facts["camera"]), DoorShape(**picture.facts["door"])
        )
        view = DoorView(0.0, picture.image())
        told = LearnedEstimator(calibration).estimate(view, detector.detect(view))
        return state_at(float(picture.facts["angle_rad"])), told.state

    return answer
