"""Plan reuse in whole missions: a finished step is kept only while its effect holds."""

from __future__ import annotations

from typing import Any

import pytest

from bt_exec.planning.finished_step_reuse import kept_finished_paths
from bt_exec.skill import Steps, Verdict, condition, skill
from bt_exec.spec.model import Do, Fallback, Sequence
from bt_exec.spec.node_paths import nodes_with_paths
from bt_exec.testing import ScriptedRobot, run_tree, scripted_skill
from bt_exec.testing.tree_run import scripted_site

B, HOME = {"at": "b"}, {"at": "home"}
PART = """
tree: part
root:
  fallback:
    - {do: put_b}
    - sequence: [{do: go_home}, {do: put_home}]
"""


class Cart(ScriptedRobot):
    """Robot at the target of the last finished drive."""

    def facts(self) -> dict[str, str]:
        drives = [line for line in self.log if line in ("go_b done", "go_home done")]
        return {"at": "b" if drives[-1:] == ["go_b done"] else "home"}


def skills(needs: bool) -> list[Any]:
    return [
        scripted_skill("go_b", effects=B),
        scripted_skill("put_b", ["FULL", "done"], needs=B if needs else {}),
        scripted_skill("go_home", effects=HOME),
        scripted_skill("put_home", ["FULL"], needs=HOME if needs else {}),
    ]


def is_at_b(robot: Cart) -> Verdict:
    """Return True if the cart is at b."""
    here = robot.facts()["at"] == "b"
    return Verdict(here, "at b" if here else "elsewhere")


AT_B = condition(name="at_b", establishes=B, skip_reason="already there")(is_at_b)
MUTE = condition(name="at_b", skip_reason="already there")(is_at_b)

DROVE_BACK = ["go_b", "put_b", "go_home", "put_home", "go_b", "put_b"]


@pytest.mark.parametrize("knows", [True, False], ids=["known", "assumed"])
@pytest.mark.parametrize("needs", [True, False], ids=["declared", "undeclared"])
@pytest.mark.parametrize(
    "go_b",
    [
        "{do: go_b}",
        "{do: go_b, skip_if: at_b}",
        "{sequence: [{do: go_b}], skip_if: at_b}",
        "{sequence: [{do: go_b}, {check: at_b}]}",
        "{fallback: [{check: at_b}, {do: go_b}]}",
    ],
)
@pytest.mark.parametrize("at_b", [AT_B, MUTE], ids=["establishes", "mute"])
def test_cart_moved_since_the_failure_drives_back_first(
    knows: bool, needs: bool, go_b: str, at_b: Any
) -> None:
    cart = Cart()
    run = run_tree(
        f"tree: t\nroot: {{sequence: [{go_b}, {{tree: part}}]}}",
        [*skills(needs), at_b],
        trees=[PART],
        robot=cart,
        world={"facts": cart.facts} if knows else {},
    )
    assert [line.split()[0] for line in cart.log[::2]] == DROVE_BACK
    assert run.outcome.status == "satisfied"


def test_skipped_step_is_checked_again() -> None:
    """The cart was at b, so nothing was driven. Then it drove home, and put_b is tried again."""
    cart = Cart(log=["go_b start", "go_b done"])
    run = run_tree(
        "tree: t\nroot: {sequence: [{do: go_b, skip_if: at_b}, {tree: part}]}",
        [*skills(needs=True), AT_B],
        trees=[PART],
        robot=cart,
    )
    assert [line.split()[0] for line in cart.log[::2]] == DROVE_BACK
    assert run.outcome.status == "satisfied"
    assert run.outcome.skipped == ({"name": "go_b", "reason": "already there"},)


def test_effects_of_steps_in_earlier_plans_are_considered() -> None:
    """Plan 1 drives home inside the failed part. Its alternative does not use the position."""
    part = """
tree: part
otherwise: [{on: [FULL], tree: other}]
root: {sequence: [{do: go_home}, {do: put_home}]}
"""
    run = run_tree(
        "tree: t\nroot: {sequence: [{do: go_b}, {tree: part}]}",
        skills(needs=True),
        trees=[part, "tree: other\nroot: {sequence: [{do: put_b, retry: 2}]}"],
    )
    assert [line.split()[0] for line in run.robot.log[::2]] == [
        "go_b",
        "go_home",
        "put_home",
        "go_b",
        "put_b",
        "put_b",
    ]
    assert run.outcome.status == "satisfied"


@skill(needs={"hand.{arm}": "empty"})
def use_hand(robot: Any, arm: str) -> Steps:
    """Use an empty hand."""
    yield


@skill(needs={"at": "{place}|home"})
def work_at(robot: Any, place: str) -> Steps:
    """Work at a place."""
    yield


@pytest.mark.parametrize(
    ("step", "kept"),
    [
        ({"do": "use_hand", "with": {"arm": "left"}}, ("go_b",)),
        ({"do": "use_hand", "with": {"arm": "right"}}, ("drop", "go_b")),
        ({"do": "use_hand", "with": {"arm": "$which"}}, ("drop", "go_b")),
        ({"do": "work_at", "with": {"place": "b"}}, ()),  # go_b may need the effect of drop
        ({"do": "work_at", "with": {"place": "c"}}, ("drop", "go_b")),
        ({"do": "work_at", "with": {"place": "$where"}}, ("drop", "go_b")),
    ],
)
def test_need_with_an_argument_known_only_at_run_time_invalidates_no_step(
    step: Any, kept: Any
) -> None:
    """The left hand and the position have both changed since the finished steps."""
    drop = scripted_skill("drop", effects={"hand.left": "empty"})
    catalogue = scripted_site([drop, use_hand, work_at, scripted_skill("go_b", effects=B)])
    gave = {"drop": {"hand.left": "empty"}, "go_b": B}
    root = Sequence.model_validate({"sequence": [{"do": "drop"}, {"do": "go_b"}, step]})
    now = {"hand.left": "full", "at": "c"}
    assert kept_finished_paths(root, gave, now, catalogue.catalogue) == kept


@pytest.mark.parametrize(
    ("question", "now", "kept"),
    [
        ({"check": "at_b"}, {"at": "home"}, ()),
        ({"check": "at_b"}, {"at": "b"}, ("go_b",)),
        ({"check": "at_b"}, {}, ("go_b",)),  # no other step changes the fact
        ({"check": "at_b", "tell": True}, {"at": "home"}, ("go_b",)),  # either answer is accepted
        ({"check": {"not": "at_b"}}, {"at": "home"}, ("go_b",)),
        ({"sequence": [{"do": "put_b"}], "while": "at_b"}, {"at": "home"}, ()),
        ({"sequence": [{"do": "go_home"}], "skip_if": "at_b"}, {"at": "b"}, ("go_b",)),
    ],
)
def test_step_is_repeated_when_a_later_check_needs_its_effect(
    question: dict[str, Any], now: dict[str, str], kept: tuple[str, ...]
) -> None:
    catalogue = scripted_site([*skills(needs=True), AT_B]).catalogue
    root = Sequence.model_validate({"sequence": [{"do": "go_b"}, question]})
    assert kept_finished_paths(root, {"go_b": B}, now, catalogue) == kept


NEXT: list[tuple[dict[str, Any], bool]] = [
    # a step before the last branch, and whether it can still fail
    ({"do": "go_b"}, True),
    ({"sequence": [{"do": "go_b"}]}, True),
    ({"sequence": [{"do": "go_b"}, {"do": "go_home"}]}, False),
    ({"fallback": [{"do": "go_b"}, {"do": "go_home"}]}, True),
    ({"fallback": [{"do": "go_home"}, {"do": "go_b"}]}, False),
    ({"fallback": [{"sequence": [{"do": "go_b"}]}, {"do": "go_home"}]}, True),
    ({"parallel": [{"do": "go_b"}, {"do": "go_home"}]}, False),
    ({"sequence": [{"check": "at_b"}, {"do": "go_b"}]}, True),
    ({"sequence": [{"check": "at_b"}, {"do": "go_b"}, {"do": "go_home", "skip_if": "at_b"}]}, True),
    ({"sequence": [{"do": "go_b"}, {"do": "go_home", "skip_if": "at_b"}]}, True),
    ({"sequence": [{"do": "go_b", "while": "at_b"}], "while": "at_b"}, True),
    ({"sequence": [{"do": "go_b"}, {"do": "go_home"}], "while": "at_b"}, False),
]


@pytest.mark.parametrize(("first", "sure"), NEXT)
def test_next_branch_is_considered_only_if_the_previous_one_can_fail(
    first: dict[str, Any], sure: bool
) -> None:
    """If it can fail, `go_home` may have been driven in part, and the effect of `go_b` is lost."""
    catalogue = scripted_site([*skills(needs=True), AT_B]).catalogue
    root = Fallback.model_validate({"fallback": [first, {"do": "put_b"}]})
    (went,) = (
        path for path, node in nodes_with_paths(root) if isinstance(node, Do) and node.do == "go_b"
    )
    kept = kept_finished_paths(root, {went: B}, {"at": "b"}, catalogue)
    assert kept == ((went,) if sure else ())


@pytest.mark.parametrize(
    ("away", "kept"),
    [
        ({"do": "go_home"}, ("go_b",)),
        ({"sequence": [{"do": "go_home"}, {"do": "work"}]}, ("go_b",)),
        ({"sequence": [{"do": "work"}, {"do": "go_home"}]}, ()),  # work may fail before the drive
    ],
)
def test_step_is_kept_if_a_failed_drive_replaces_its_effect(
    away: dict[str, Any], kept: tuple[str, ...]
) -> None:
    parts = [*skills(needs=False), scripted_skill("work"), scripted_skill("note")]
    catalogue = scripted_site(parts).catalogue
    rest = [{"fallback": [away, {"do": "note"}]}, {"do": "put_b"}]
    root = Sequence.model_validate({"sequence": [{"do": "go_b"}, *rest]})
    assert kept_finished_paths(root, {"go_b": B}, {"at": "?"}, catalogue) == kept


@pytest.mark.parametrize(
    ("steps", "now", "kept"),
    [
        (["go_b", "go_home"], "home", ()),  # go_b runs again, so go_home must follow
        (["go_b", "go_home"], "b", ("go_b",)),
        (["go_b", "go_home", "go_b"], "b", ("go_b",)),  # go_home runs between them
    ],
)
def test_step_is_kept_only_if_the_plan_ends_with_its_effect(
    steps: list[str], now: str, kept: tuple[str, ...]
) -> None:
    catalogue = scripted_site(skills(needs=False)).catalogue
    root = Sequence.model_validate({"sequence": [{"do": step} for step in steps]})
    effect = {"go_b": B, "go_home": {"at": "home"}}
    achieved = {
        path: effect[node.do]
        for path, node in nodes_with_paths(root)
        if isinstance(node, Do) and effect[node.do]["at"] == now
    }
    found = kept_finished_paths(root, achieved, {"at": now}, catalogue)
    nodes = dict(nodes_with_paths(root))
    assert tuple(nodes[path].do for path in found) == kept
