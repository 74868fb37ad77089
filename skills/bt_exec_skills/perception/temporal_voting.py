"""Judging by several pictures: one frame may flicker, two that agree may be believed."""

from __future__ import annotations

from collections.abc import Sequence

from bt_exec_skills.door.perception.observation import DoorEstimate, DoorScene
from bt_exec_skills.door.robot import DoorState

__all__ = ["SIGHT_PATIENCE_S", "agreed_state", "seen"]

SIGHT_PATIENCE_S = 3.0
"""How long fresh pictures are waited for [s]."""
_YES, _NO = 2, 3


def seen(scenes: Sequence[DoorScene], label: str) -> bool | None:
    """Return whether `label` is in view: True after two fresh pictures of it, False after three
    without it, whichever the newer ones settle first; None while it is open.

    Args:
        scenes: Fresh scenes, oldest first. Those of a faulty camera do not count.
        label: Of the thing. What is doubted (`Detection.doubt`) does not count as found.
    """
    found = missing = 0
    for scene in reversed(scenes):
        if scene.fault is not None:
            continue
        if scene.confirms(label):
            found += 1
        else:
            missing += 1
        if found == _YES:
            return True
        if missing == _NO:
            return False
    return None


def agreed_state(scenes: Sequence[DoorScene]) -> DoorEstimate:
    """Return the state of the door on which the two newest scenes agree.

    Args:
        scenes: Fresh scenes, oldest first.
    """
    doubt: DoorState = "uncertain"
    if not scenes:
        return DoorEstimate(doubt, 0.0, ("primary:not_looked_yet",))
    newest = scenes[-1].door
    if len(scenes) < _YES or newest.state == doubt:
        return DoorEstimate(doubt, newest.confidence, newest.evidence)
    before = scenes[-2].door
    if before.state != newest.state:
        return DoorEstimate(doubt, 0.5, (f"primary:{before.state}_then_{newest.state}",))
    return newest
