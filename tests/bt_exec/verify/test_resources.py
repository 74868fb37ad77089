"""Layer 5, resources: CLAIMED_TWICE, for parallel parts."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple

import pytest

from bt_exec.pack import Catalogue, Pack
from bt_exec.skill import Running, Steps, skill
from bt_exec.spec.model import MissionSpec
from bt_exec.verify import verify_mission
from tests.bt_exec.spec.workshop import WORKSHOP
from tests.bt_exec.verify.layers import of_mission, of_tree

LEFT: dict[str, Any] = {"do": "open_lid", "with": {"arm": "left"}}
RIGHT: dict[str, Any] = {"do": "open_lid", "with": {"arm": "right"}}
LOOK: dict[str, Any] = {"do": "look"}


def test_double_claim_message_names_both_skills_and_the_resource() -> None:
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
def test_parallel_branches_that_claim_the_same_resource_are_reported(root: Any, told: int) -> None:
    found = of_mission(root)
    assert len(found) == told
    assert all(line.startswith("CLAIMED_TWICE") for line in found)


class Chosen(NamedTuple):
    arm: Literal["left", "right"]


@skill(uses={"head"})
def choose(robot: Any) -> Steps[Chosen]:
    """Choose an arm."""
    yield Running()
    return Chosen("left")


SOME: dict[str, Any] = {"do": "open_lid", "with": {"arm": "$which"}}


@pytest.mark.parametrize(
    ("children", "told"),
    [
        ([SOME, RIGHT], ["arm.right"]),
        ([RIGHT, SOME], ["arm.{arm}"]),
        ([SOME, SOME], ["arm.{arm}"]),
        ([SOME, {"do": "choose"}], []),
    ],
)
def test_argument_known_only_at_run_time_may_have_any_value(
    children: list[Any], told: list[str]
) -> None:
    catalogue = Catalogue([WORKSHOP, Pack(name="own", summary="…", skills=(choose,))])
    saved = {"do": "choose", "save": {"arm": "which"}}
    root = {"sequence": [saved, {"parallel": children}]}
    spec = MissionSpec.model_validate({"mission": {"command": "x"}, "root": root})
    found = verify_mission(spec, catalogue)
    assert [problem.code for problem in found] == ["CLAIMED_TWICE"] * len(told)
    assert [problem.found for problem in found] == told


def test_open_parameters_of_a_tree_are_checked_in_the_mission() -> None:
    both = "{do: open_lid, with: {arm: $one}}, {do: open_lid, with: {arm: $two}}"
    arms = "one: {type: Arm}, two: {type: Arm}"
    assert of_tree(f"tree: own\nparams: {{{arms}}}\nroot: {{parallel: [{both}]}}") == []
