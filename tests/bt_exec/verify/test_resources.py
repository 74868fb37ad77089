"""Layer 5: CLAIMED_TWICE, for what runs at once."""

from __future__ import annotations

from typing import Any

import pytest

from tests.bt_exec.verify.layers import of_mission

LEFT: dict[str, Any] = {"do": "open_lid", "with": {"arm": "left"}}
RIGHT: dict[str, Any] = {"do": "open_lid", "with": {"arm": "right"}}
LOOK: dict[str, Any] = {"do": "look"}


def test_the_message() -> None:
    assert of_mission({"parallel": [LEFT, {"tree": "open_up", "with": {"arm": "left"}}]}) == [
        "CLAIMED_TWICE root/parallel[1]: open_lid and open_lid would both use arm.left at once"
    ]


@pytest.mark.parametrize(
    ("root", "told"),
    [
        ({"parallel": [LEFT, RIGHT]}, 0),
        ({"parallel": [LEFT, LOOK, LEFT]}, 1),
        ({"parallel": [{"sequence": [LEFT, RIGHT]}, LOOK]}, 0),
        ({"parallel": [{"sequence": [LEFT, RIGHT]}, {"sequence": [LOOK, RIGHT]}]}, 1),
        ({"sequence": [LEFT, LEFT]}, 0),
        ({"parallel": [{"fallback": [LEFT, LEFT]}, RIGHT]}, 0),
        ({"parallel": [{"tree": "open_up"}, RIGHT]}, 1),
        ({"parallel": [LEFT, {"parallel": [RIGHT, RIGHT]}]}, 1),
    ],
)
def test_what_runs_at_once(root: Any, told: int) -> None:
    found = of_mission(root)
    assert len(found) == told
    assert all(line.startswith("CLAIMED_TWICE") for line in found)
