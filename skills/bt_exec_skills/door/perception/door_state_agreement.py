"""Agreement of observations about the door, and sentences that explain a lack of agreement.

Each sentence is one of `SENTENCES`, which the pack's ``messages.yaml`` translates. Details are in
the evidence of the estimate.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from bt_exec.observation import World
from bt_exec_skills.door.perception.observation import (
    DoorEstimate,
    DoorObservation,
    DoorUncertainty,
)
from bt_exec_skills.door.robot import DoorState
from bt_exec_skills.perception.contracts import CameraFault
from bt_exec_skills.perception.fresh_observations import YES

__all__ = [
    "CAMERA",
    "HIDDEN",
    "HIDDEN_BY_DOOR",
    "SENTENCES",
    "STALE_S",
    "agreed_state",
    "door_uncertainty",
    "picture_uncertainty",
]

STALE_S = 1.0
"""Maximum age of the newest observation while the robot moves [s]."""

_NONE_YET = "no picture has arrived yet"
_NONE_NEW = "no new picture arrives"
_NONE_SINCE = "no picture of this step has arrived yet"
_UNLIKE = "the pictures do not agree"
_UNCLEAR = "the state of the door is unclear"
HIDDEN = "part of the inside is hidden"
HIDDEN_BY_DOOR = "the closed door hides the inside"
"""Reasons why material may be behind the door although none is seen."""
CAMERA: Mapping[CameraFault, str] = MappingProxyType(
    {
        "dark": "the camera is dark",
        "frozen": "the camera is frozen",
        "noise": "the camera shows only noise",
        "occluded": "the camera is covered",
        "wrong_size": "the camera's pictures have the wrong size",
        "missing": "the camera delivers no picture",
    }
)
"""Sentences by `CameraFault`."""
_DOOR: Mapping[DoorUncertainty | None, str] = MappingProxyType(
    {
        "no_door": "no door is in view",
        "door_hidden": "too little of the door is in view",
        "not_confirmed": "the cross-checking model does not confirm the state of the door",
    }
)

_BETWEEN: Mapping[tuple[DoorState, ...], str] = MappingProxyType(
    {
        ("closed", "ajar"): "the door may be closed or just ajar",
        ("ajar", "open"): "the door may be ajar or open",
    }
)

SENTENCES = (
    _NONE_YET,
    _NONE_NEW,
    _NONE_SINCE,
    _UNLIKE,
    _UNCLEAR,
    HIDDEN,
    HIDDEN_BY_DOOR,
    *CAMERA.values(),
    *_DOOR.values(),
    *_BETWEEN.values(),
)

_DOUBTED = 4
"""Number of pictures in a row between the same two states at which the door counts as ajar."""


def agreed_state(observations: Sequence[DoorObservation]) -> DoorEstimate:
    """Return the state of the door on which the two newest observations agree, or ``uncertain``.

    A door that stays between two neighbouring states counts as ajar, because it can be both opened
    further and closed.

    Args:
        observations: Fresh observations, oldest first.
    """
    doubt: DoorState = "uncertain"
    if not observations:
        return DoorEstimate(doubt, 0.0, ("primary:not_looked_yet",))
    newest = observations[-1].door
    before = observations[-2].door if len(observations) >= YES else None
    if before is not None and before.state == newest.state != doubt:
        return newest
    if _stays_between(observations[-_DOUBTED:]):
        return replace(newest, state="ajar", between=())
    if before is None or newest.state == doubt:
        return DoorEstimate(doubt, newest.confidence, newest.evidence)
    return DoorEstimate(doubt, 0.5, (f"primary:{before.state}_then_{newest.state}",))


def _stays_between(observations: Sequence[DoorObservation]) -> bool:
    """Return True if all observations are between the same two states and one is uncertain."""
    left = [one.door.possible_states for one in observations]
    pair = frozenset().union(*left)
    return (
        len(left) == _DOUBTED
        and all(left)
        and pair in map(frozenset, _BETWEEN)
        and any(len(one) > 1 for one in left)
    )


def picture_uncertainty(world: World[DoorObservation], otherwise: str = _UNLIKE) -> str:
    """Return why the pictures are unusable, as a sentence; `otherwise` if they are usable."""
    newest = world.observation
    if newest is None:
        return _NONE_YET
    if newest.fault is not None:
        return CAMERA[newest.fault]
    if world.age_s > STALE_S:
        return _NONE_NEW
    return otherwise if world.fresh else _NONE_SINCE


def door_uncertainty(world: World[DoorObservation]) -> str:
    """Return why the state of the door is uncertain, as a sentence."""
    fresh = world.fresh
    if not fresh or fresh[-1].door.state != "uncertain":
        return picture_uncertainty(world)
    door = fresh[-1].door
    return picture_uncertainty(world, _BETWEEN.get(door.between) or _DOOR.get(door.doubt, _UNCLEAR))
