"""Tests of the pack with a type error in every marked line."""

from __future__ import annotations

import bt_exec
from bt_exec import Observation, World
from bt_exec.testing import run_skill

from lamp import Lamp, Shelf, change_bulb, dark, look, shine


def test_shine(lamp: Lamp, world: World[Observation]) -> None:
    run_skill(shine, lamp, level="3")  # wrong
    run_skill(shine, lamp, levle=3)  # wrong
    run_skill(shine, lamp, level=3, colour="blue")  # wrong
    run_skill(look, lamp, place=3)  # wrong
    run_skill(change_bulb, lamp, shelf="shelf", watts=40)  # wrong
    run_skill(change_bulb, lamp, shelf=Shelf(), watts="40")  # wrong
    run_skill(change_bulb, lamp, watts=40)  # wrong
    shine(lamp, "3")  # wrong
    shine(lamp)  # wrong
    dark(world, below="x")  # wrong
    shone = run_skill(shine, lamp, level=3).finish().result
    assert shone is not None
    assert shone.colour  # wrong
    print(bt_exec.no_such_name)  # wrong
