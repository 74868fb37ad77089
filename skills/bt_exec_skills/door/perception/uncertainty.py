"""Why nobody can tell what is seen, in sentences that exist in both languages.

The details stay in the evidence; a sentence is one of `SENTENCES`, and the pack's ``messages.yaml``
says it in the other language.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from bt_exec.observation import World
from bt_exec_skills.door.perception.observation import DoorDoubt, DoorScene
from bt_exec_skills.perception.contracts import CameraFault

__all__ = ["CAMERA", "SENTENCES", "STALE_S", "door_doubt", "sight_doubt"]

STALE_S = 1.0
"""A robot that moves must have seen something not longer ago than this [s]."""

_NONE_YET = "no picture has come yet"
_NONE_NEW = "no new picture comes"
_UNLIKE = "the pictures do not agree"
_UNCLEAR = "it cannot be told how the door stands"
CAMERA: Mapping[CameraFault, str] = MappingProxyType(
    {
        "dark": "the camera is dark",
        "frozen": "the camera is frozen",
        "noise": "the camera shows nothing but noise",
        "occluded": "the camera is covered",
        "wrong_size": "the camera's pictures have the wrong size",
        "missing": "the camera gives no picture",
    }
)
"""By `CameraFault`."""
_DOOR: Mapping[DoorDoubt | None, str] = MappingProxyType(
    {
        "no_door": "no door is in view",
        "door_hidden": "too little of the door is in view",
        "not_confirmed": "the second opinion on the door does not confirm it",
    }
)

SENTENCES = (_NONE_YET, _NONE_NEW, _UNLIKE, _UNCLEAR, *CAMERA.values(), *_DOOR.values())


def sight_doubt(world: World[DoorScene], otherwise: str = _UNLIKE) -> str:
    """Return what is wrong with camera and pictures; `otherwise` if they are good and new."""
    newest = world.observation
    if newest is None:
        return _NONE_YET
    if newest.fault is not None:
        return CAMERA[newest.fault]
    return _NONE_NEW if world.age_s > STALE_S or not world.fresh else otherwise


def door_doubt(world: World[DoorScene]) -> str:
    """Return why the state of the door cannot be told."""
    fresh = world.fresh
    if not fresh or fresh[-1].door.state != "uncertain":
        return sight_doubt(world)
    return sight_doubt(world, _DOOR.get(fresh[-1].door.doubt, _UNCLEAR))
