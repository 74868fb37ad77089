"""Combination of vision with the latch contact, which reports a closed door.

Pictures do not show a narrow gap: below about 0.1 rad a door looks closed. The contact measures
only whether the door is latched. It therefore decides between closed and ajar where vision leaves
both, and is ignored where vision shows a wider gap.
"""

from __future__ import annotations

from dataclasses import replace

from bt_exec_skills.door.perception.observation import DoorEstimate
from bt_exec_skills.door.robot import DoorState

__all__ = ["with_latch"]


def with_latch(seen: DoorEstimate, *, latched: bool) -> DoorEstimate:
    """Return the door state from vision and latch contact combined.

    Args:
        seen: State estimated by vision. An unknown state stays unknown.
        latched: Whether the contact reports a latched door.
    """
    left = seen.possible
    if latched and left and "closed" not in left:  # one of the two is wrong
        between: tuple[DoorState, ...] = ("closed", "ajar") if "ajar" in left else ()
        evidence = (*seen.evidence, "proxy:latched")
        return replace(seen, state="uncertain", confidence=0.3, evidence=evidence, between=between)
    settled: DoorState = "closed" if latched else "ajar"
    if "closed" not in left or seen.state == settled:
        return seen
    evidence = (*seen.evidence, "proxy:latched" if latched else "proxy:not_latched")
    sure = max(seen.confidence, 0.7)
    return replace(seen, state=settled, confidence=sure, evidence=evidence, between=())
