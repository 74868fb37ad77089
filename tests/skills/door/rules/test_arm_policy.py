"""Who handles material is the site's policy: plans obey, and say so when they start."""

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
    ("command", "said"),
    [
        ("왼팔로 자재 가져와", "자재는 오른팔이 다룹니다"),
        ("get the material with your left arm", "material is handled by the right arm"),
    ],
)
def test_an_arm_asked_for_opens_and_the_policy_takes(command, said):
    plan = compile_command(load_site("door"), command).plan
    assert arms(plan.root) == [
        "get_material left",
        "open_door left",
        "open_door left",
        "take_material right",
        "move_arm right",
        "grasp right",
        "shut_and_go_home right",
        "close_door right",
        "close_door right",
    ]
    assert plan.mission.notes == (
        f"arm_policy: move_arm: {said}",
        f"arm_policy: grasp: {said}",
    )


@pytest.mark.parametrize("command", ["자재 가져와", "get the material with your right arm"])
def test_a_plan_that_obeys_says_nothing(command):
    plan = compile_command(load_site("door"), command).plan
    assert plan.mission.notes == ()
