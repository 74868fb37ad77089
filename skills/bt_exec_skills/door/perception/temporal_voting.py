"""The state of the door by two pictures that agree."""

from __future__ import annotations

from collections.abc import Sequence

from bt_exec_skills.door.perception.observation import DoorEstimate, DoorScene
from bt_exec_skills.door.robot import DoorState
from bt_exec_skills.perception.temporal_voting import YES

__all__ = ["agreed_state"]


def agreed_state(scenes: Sequence[DoorScene]) -> DoorEstimate:
    """Return the state of the door on which the two newest scenes agree.

    Args:
        scenes: Fresh scenes, oldest first.
    """
    doubt: DoorState = "uncertain"
    if not scenes:
        return DoorEstimate(doubt, 0.0, ("primary:not_looked_yet",))
    newest = scenes[-1].door
    if len(scenes) < YES or newest.state == doubt:
        return DoorEstimate(doubt, newest.confidence, newest.evidence)
    before = scenes[-2].door
    if before.state != newest.state:
        return DoorEstimate(doubt, 0.5, (f"primary:{before.state}_then_{newest.state}",))
    return newest
