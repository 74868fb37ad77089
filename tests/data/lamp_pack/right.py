"""Tests of the pack without type errors."""

from __future__ import annotations

from bt_exec import Observation, World
from bt_exec.testing import FakeClock, check_pack, run_skill, run_tree

from lamp import PACK, Lamp, Shelf, change_bulb, dark, look, shine


def test_shine(lamp: Lamp, world: World[Observation]) -> None:
    check_pack(PACK)
    shone = run_skill(shine, lamp, level=3, colour="red").finish().result
    assert shone is not None
    assert shone.level == 3
    run_skill(shine, lamp, simulation=FakeClock(), level=3)
    run_skill(look, lamp, place="here").cancel()
    run_skill(look, lamp, world=world, place="here")
    run_skill(change_bulb, lamp, shelf=Shelf(), watts=40)
    dark(world, below=4)
    next(shine(lamp, 3))
    outcome = run_tree("tree: t\nroot: {do: shine, with: {level: 3}}", [shine]).outcome
    assert outcome is not None
    assert outcome.reason_code == "OK"
