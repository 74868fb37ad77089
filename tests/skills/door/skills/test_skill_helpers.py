"""Motions stop after two bad pictures in a row, or without pictures for too long."""

from __future__ import annotations

import pytest

from bt_exec.observation import ObservationBuffer, World
from bt_exec_skills.door.perception.observation import DoorEstimate, DoorObservation
from bt_exec_skills.door.skills.skill_helpers import STALE_S, _perception_loss_reason


@pytest.mark.parametrize(
    ("faults", "age_s", "lost"),
    [
        ([None], 0.1, False),
        (["dark"], 0.1, False),  # one bad picture is tolerated
        ([None, "dark"], 0.1, False),
        (["dark", None], 0.1, False),
        (["dark", "frozen"], 0.1, True),
        ([None, "dark", "dark"], 0.1, True),
        (["dark", "dark", None], 0.1, False),
        ([None], STALE_S + 0.1, True),
        ([], STALE_S - 0.1, False),  # before the first picture
        ([], STALE_S + 0.1, True),
    ],
)
def test_motion_continues_while_pictures_are_good(faults, age_s, lost):
    now = [0.0]
    buffer: ObservationBuffer[DoorObservation] = ObservationBuffer(lambda: now[0])
    world = World(buffer, 0.0)
    for fault in faults:
        now[0] += 0.1
        buffer.add(DoorObservation(now[0], (), DoorEstimate("open", 0.9), fault=fault))
    now[0] += age_s
    assert bool(_perception_loss_reason(world)) is lost
