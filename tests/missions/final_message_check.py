"""Independent check of the final messages of door missions against the simulator's state.

It shares no code with the generation of messages. Sentences are recognised by their meaning in
English or Korean, and compared with the hinge and the hands of the simulated world.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

__all__ = ["BORDER_RAD", "Truth", "as_asked", "untrue"]

CLOSED_RAD, OPEN_RAD = 0.04, 1.0
"""Angles of a closed and an open door [rad]; between them the door is ajar."""
BORDER_RAD = 0.03
"""Distance to a border below which both states count as true [rad]."""


@dataclass(frozen=True)
class Truth:
    """Actual state of the world.

    Attributes:
        angle: Hinge angle [rad].
        held: Hands that hold the material.
        inside: Whether the material is behind the door.
    """

    angle: float
    held: tuple[str, ...]
    inside: bool

    @classmethod
    def of(cls, robot: Any) -> Truth:
        """Return the state of the simulated world, independent of reports of the robot."""
        world = robot.world
        held = tuple(arm for arm, limb in world.limbs.items() if limb.holds_material)
        pose = world.material_pose()
        inside = pose is not None and not held and pose[0][0] > world.layout.hinge[0]
        return cls(world.angle, held, inside)


def _open(truth: Truth) -> bool:
    return truth.angle >= OPEN_RAD - BORDER_RAD


def _closed(truth: Truth) -> bool:
    return truth.angle <= CLOSED_RAD


def _ajar(truth: Truth) -> bool:
    return CLOSED_RAD < truth.angle < OPEN_RAD + BORDER_RAD


_CLAIMS = (
    (r"door is (already )?open\b|문이 (이미 )?열려 있습니다", _open),
    (r"door is (already )?closed\b|문이 (이미 )?닫혀 있습니다", _closed),
    (r"door is (already )?ajar\b|문이 (이미 )?조금 열려 있습니다", _ajar),
    (r"right hand holds the material|오른손에 자재가 있", lambda truth: "right" in truth.held),
    (r"left hand holds the material|왼손에 자재가 있", lambda truth: "left" in truth.held),
    (r"material is already in the hand|자재가 이미 손에", lambda truth: bool(truth.held)),
    (
        r"not see the material|no material|자재가 보이지 않|자재가 없",
        lambda truth: not truth.inside,
    ),
)


def untrue(words: str, truth: Truth) -> list[str]:
    """Return the false statements in a message; predictions ("by then") are not checked."""
    found, words = [], re.sub(r"(At that point:|그때의 상태:).*", "", words)
    for pattern, holds in _CLAIMS:
        told = re.search(pattern, words, re.IGNORECASE)
        if told is not None and not holds(truth):
            found.append(told[0])
    return found


def as_asked(command: str, status: str, truth: Truth) -> bool:
    """Return True if "open", "close" or "fetch" ended as requested and was reported so."""
    done = {
        "open": truth.angle >= OPEN_RAD,
        "close": _closed(truth),
        "fetch": bool(truth.held) and _closed(truth),
    }
    return status == "satisfied" and done[command]
