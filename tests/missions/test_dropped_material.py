"""Dropped material: the final message reports its position as far as it is known."""

from __future__ import annotations

from typing import Any

import pytest

from tests.small_pictures import quick_session
from tests.truth.message_check import Checker
from tests.truth.random_missions import site_of
from tests.truth.witness import Witness

FELL = {
    "en": "The material fell to the floor in front of the door.",
    "ko": "자재가 문 앞 바닥에 떨어져 있습니다.",
}


def run(world: dict[str, str], *commands: str, faults: tuple[str, ...] = ()) -> list[Any]:
    """Return the outcome of each command, after checking the messages."""
    witness, ends = Witness(), []
    with quick_session(site_of("door"), world=world, listeners=[witness], faults=faults) as session:
        witness.session = session
        for command in commands:
            ends.append(session.run(command))
            assert Checker(witness, ends[-1].status).read(ends[-1].message) == []
    return ends


@pytest.mark.slow
@pytest.mark.parametrize(
    ("door", "commands", "language"),
    [
        ("closed", ("get the material and drop it",), "en"),
        ("open", ("자재를 꺼내고 문은 열어 둬", "손을 펴"), "ko"),
    ],
)
def test_material_dropped_at_the_door_is_reported_there(
    door: str, commands: Any, language: str
) -> None:
    last = run({"door": door, "seed": "2"}, *commands)[-1]
    assert last.status == "satisfied"
    assert last.message.endswith(FELL[language])


def test_dropped_material_is_known_in_the_next_mission() -> None:
    last = run(
        {"door": "open", "seed": "2"},
        "get the material and leave the door open",
        "let go of the material",
        "get the material",
    )[-1]
    assert last.status == "blocked"
    assert last.reason_code == "MATERIAL_NOT_VISIBLE_AFTER_OPEN"
    assert last.message.endswith(FELL["en"])


@pytest.mark.slow
def test_material_that_slipped_is_seen_behind_the_door() -> None:
    world = {"door": "open", "seed": "3", "fault": "slippery"}
    faults = ("grasp:2=GRASP_SLIPPED", "grasp:3=GRASP_SLIPPED")
    (last,) = run(world, "get the material", faults=faults)
    assert last.status == "blocked"
    assert "The material is behind the door." in last.message


def test_held_material_is_not_reported_as_lost() -> None:
    (last,) = run({"door": "open", "seed": "2"}, "자재를 가져와")
    assert last.message.endswith("오른손에 자재가 있습니다.")
