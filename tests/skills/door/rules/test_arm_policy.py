"""Arm policy of a site: it selects the arm for material, and is reported."""

import pytest

from bt_exec.site.compile_command import compile_command
from bt_exec.site.site import load_site
from bt_exec.spec.model import Do, NodeBase, Tree, walk


def arms(root: NodeBase) -> list[str]:
    return [
        f"{node.do if isinstance(node, Do) else node.tree} {node.args['arm']}"
        for node in walk(root)
        if isinstance(node, Do | Tree) and "arm" in node.args
    ]


@pytest.mark.parametrize(
    "command",
    ["왼팔로 자재 가져와", "get the material with your left arm", "자재를 왼손으로 꺼내 줘"],
)
def test_arm_that_violates_the_policy_is_refused_with_both_names(command):
    compiled = compile_command(load_site("door"), command)
    assert compiled.plan is None
    assert compiled.refusal.problems == (
        "the right arm takes the material here; the command names another"
        " (found left; allowed: right) [ARM_IS_POLICY]",
    )


@pytest.mark.parametrize(
    "command",
    ["왼팔로 문 열고 자재 가져와", "open the door with your left arm and get the material"],
)
def test_requested_arm_opens_the_door_and_the_policy_arm_takes_the_material(command):
    plan = compile_command(load_site("door"), command).plan
    assert arms(plan.root)[:2] == ["open_door left", "open_door left"]
    assert arms(plan.root)[-5:] == [
        "move_arm right",
        "grasp right",
        "shut_and_go_home right",
        "close_door right",
        "close_door right",
    ]


@pytest.mark.parametrize("command", ["자재 가져와", "get the material with your right arm"])
def test_plan_that_follows_the_arm_policy_has_no_problem(command):
    plan = compile_command(load_site("door"), command).plan
    assert plan.mission.notes == ()
