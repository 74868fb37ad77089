"""Estimation of the door's state from detections; two sources of evidence must agree.

*primary*: the network's score of each state. Usually one is by far the highest; near the border of
two states, both remain.

*proxy*: the angle that fits the boxes of door and handle. It leaves one state possible, or two near
a border.

A state is returned if it is the only one that both sources consider possible. If two neighbouring
states remain, or each source allows a different one of two neighbours, the state is uncertain
*between* the two; moving the door resolves this. If the sources contradict each other otherwise, or
one has no result, the state is uncertain without candidates.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from bt_exec_skills.door.perception.angle_fit import AngleFit, AngleFitter
from bt_exec_skills.door.perception.camera_door_calibration import Calibration
from bt_exec_skills.door.perception.ground_truth_estimator import DoorView
from bt_exec_skills.door.perception.learned_detector import DoorDetection
from bt_exec_skills.door.perception.observation import DoorEstimate
from bt_exec_skills.door.robot import CLOSED_RAD, OPEN_RAD, DoorState
from bt_exec_skills.perception.contracts import Detection

__all__ = [
    "LearnedEstimator",
    "likely_states",
    "neighbouring_states",
    "possible_states",
    "with_latch_contact",
]

_LEAST = 0.4  # minimum score of the best state of a door
_RIVAL = 0.6  # fraction of the best score above which another state remains possible
_ERROR_PX = 3.0  # maximum mean error of a usable fit
_SLACK_RAD = 0.02  # maximum angle error of a good fit
_INTERIOR = 0.3  # share of the visible opening above which the inside is in view
_NEIGHBOURS: tuple[tuple[DoorState, ...], ...] = (("closed", "ajar"), ("ajar", "open"))


def likely_states(door: DoorDetection) -> tuple[DoorState, ...]:
    """Return the states that remain possible by a door's scores, best first."""
    if not door.states or door.states[0][1] < _LEAST:
        return ()
    best = door.states[0][1]
    return tuple(state for state, score in door.states if score > _RIVAL * best)


def possible_states(fit: AngleFit) -> tuple[DoorState, ...]:
    """Return the states that are possible within the angle range of a fit."""
    low, high = fit.angle - _SLACK_RAD, fit.angle + _SLACK_RAD
    ranges: tuple[tuple[DoorState, float, float], ...] = (
        ("closed", -1.0, CLOSED_RAD),
        ("ajar", CLOSED_RAD, OPEN_RAD),
        ("open", OPEN_RAD, 10.0),
    )
    return tuple(state for state, start, end in ranges if low <= end and high > start)


def neighbouring_states(states: Collection[DoorState]) -> tuple[DoorState, ...]:
    """Return `states` in order if they are two neighbouring states, otherwise an empty tuple."""
    return next((pair for pair in _NEIGHBOURS if set(pair) == set(states)), ())


class LearnedEstimator:
    """Estimator of the state from scores and boxes; implements `DoorStateEstimator`.

    Args:
        calibration: Camera and door.
    """

    def __init__(self, calibration: Calibration) -> None:
        self._fitter = AngleFitter(calibration)

    def fit_angle(self, detections: tuple[Detection, ...]) -> AngleFit | None:
        """Return the angle that fits the boxes of door and handle; None if neither is detected."""
        door, handle = (
            _first_with_label(detections, "door"),
            _first_with_label(detections, "door-handle"),
        )
        return self._fitter.fit(
            None if door is None else door.bbox, None if handle is None else handle.bbox
        )

    def estimate(
        self,
        view: DoorView,  # noqa: ARG002 - boxes and scores are enough for this estimator
        detections: tuple[Detection, ...],
    ) -> DoorEstimate:
        """Implement `DoorStateEstimator.estimate`."""
        door = _first_with_label(detections, "door")
        if not isinstance(door, DoorDetection):
            nothing = ("primary:no_door_in_view",)
            return DoorEstimate("uncertain", 0.0, nothing, "no_door", inside=0.0)
        fit = self.fit_angle(detections)
        if fit is None or fit.error_px > _ERROR_PX:
            unfit = (_score_evidence(door), "proxy:boxes_fit_no_angle")
            return DoorEstimate("uncertain", 0.2, unfit, inside=0.0)
        return replace(_agreed_on(door, fit), inside=fit.interior)


def _agreed_on(door: DoorDetection, fit: AngleFit) -> DoorEstimate:
    """Return the state on which the scores and a good fit agree."""
    measured = f"hinge_at_{fit.angle:.2f}_rad"
    possible = possible_states(fit)
    sure = 1.0 - fit.error_px / (2 * _ERROR_PX)
    if not door.states and len(possible) == 1:  # the network does not distinguish the states
        return DoorEstimate(possible[0], round(0.8 * sure, 2), (f"primary:{measured}",))
    evidence = [_score_evidence(door), f"proxy:{measured}"]
    left = [state for state in likely_states(door) if state in possible]
    if len(left) != 1:
        between = neighbouring_states({*left} or {*likely_states(door), *possible})
        sure = 0.4 if left else 0.3
        return DoorEstimate("uncertain", sure, tuple(evidence), between=between)
    state = left[0]
    score = dict(door.states)[state]
    if fit.interior > _INTERIOR:
        evidence.append("proxy:interior_visible")
    elif state == "closed":
        evidence.append("proxy:no_interior")
    return DoorEstimate(state, round(min(score, sure), 2), tuple(evidence))


def _first_with_label(detections: tuple[Detection, ...], label: str) -> Detection | None:
    return next((found for found in detections if found.label == label), None)


def _score_evidence(door: DoorDetection) -> str:
    """Return the evidence from the network's scores of a door, as text."""
    if not door.states:
        return "primary:state_not_told_apart"
    return "primary:looks_" + ("_or_".join(likely_states(door)) or "unlike_any_state")


def with_latch_contact(seen: DoorEstimate, *, latched: bool) -> DoorEstimate:
    """Return the state of the door from vision and the latch contact.

    Pictures do not show a narrow gap: below about 0.1 rad a door looks closed. The contact measures
    only whether the door is latched. If the door looks closed, or between closed and ajar, the
    contact determines the state. If vision shows a wider gap, an open contact is ignored, and a
    latched one makes the state uncertain.

    Args:
        seen: State estimated by vision. An unknown state stays unknown.
        latched: Whether the contact reports a latched door.
    """
    left = seen.possible_states
    if latched and left and "closed" not in left:  # vision or the contact is wrong
        between: tuple[DoorState, ...] = ("closed", "ajar") if "ajar" in left else ()
        evidence = (*seen.evidence, "proxy:latched")
        return replace(seen, state="uncertain", confidence=0.3, evidence=evidence, between=between)
    settled: DoorState = "closed" if latched else "ajar"
    if "closed" not in left or seen.state == settled:
        return seen
    evidence = (*seen.evidence, "proxy:latched" if latched else "proxy:not_latched")
    sure = max(seen.confidence, 0.7)
    return replace(seen, state=settled, confidence=sure, evidence=evidence, between=())
