"""Root cause of a mission's end: the first failure that was never recovered."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from bt_exec.failure import Failure
from bt_exec.pack import Catalogue
from bt_exec.planning.assumed_facts_and_first_cause import DoneAction, first_cause
from bt_exec.skill import Steps, skill
from bt_exec.testing.tree_run import scripted_site


@skill(effects={"door": "open"})
def push(arm: str) -> Steps:
    """Push the door open."""
    yield


@skill(effects={"door": "open"})
def pull(arm: str) -> Steps:
    """Pull the door open."""
    yield


@skill(effects={"hand.{arm}": "cup"})
def take(arm: str) -> Steps:
    """Take the cup."""
    yield


@skill
def wave(arm: str) -> Steps:
    """Wave."""
    yield


CATALOGUE = scripted_site([push, pull, take, wave]).catalogue


def failed(node: str, arm: str = "left", cause: Failure | None = None) -> Failure:
    return Failure(node.upper(), path=f"x/{node}", node=node, args={"arm": arm}, cause=cause)


def done(skill: str, arm: str = "left") -> DoneAction:
    return DoneAction(skill, {"arm": arm})


JAM, SLIP, NO_GRIP = failed("push"), failed("take"), failed("pull")


@pytest.mark.parametrize(
    ("failures", "expected"),
    [
        ([], None),
        ([(JAM, [])], (0, JAM)),
        # the door jams, and the alternative fails for another reason
        ([(JAM, []), (NO_GRIP, [])], (0, JAM)),
        ([(JAM, [done("wave")]), (NO_GRIP, [done("wave")]), (NO_GRIP, [])], (0, JAM)),
        # the grip slipped, then held: the later jam is the cause
        ([(SLIP, [done("take")]), (JAM, [])], (1, JAM)),
        # done by the other hand
        ([(JAM, [done("push", "right")]), (SLIP, [])], (1, SLIP)),
        # done by another skill
        ([(JAM, [done("pull")]), (SLIP, [])], (1, SLIP)),
        # the other hand took another cup, which is not the requested one
        ([(SLIP, [done("take", "right")]), (JAM, [])], (0, SLIP)),
        # an action without effects can only be recovered by itself
        ([(failed("wave"), [done("take")]), (JAM, [])], (0, failed("wave"))),
        ([(failed("wave"), [done("wave")]), (JAM, [])], (1, JAM)),
        # a name that no pack has any more
        ([(failed("gone"), [done("take")]), (JAM, [])], (0, failed("gone"))),
        ([(JAM, [done("gone")]), (SLIP, [])], (0, JAM)),
        # an earlier attempt, an earlier branch
        ([(failed("pull", cause=failed("take", cause=JAM)), [])], (0, JAM)),
        # the last failure ended the mission, whatever was done after it
        ([(JAM, [done("push")])], (0, JAM)),
    ],
)
def test_first_unrecovered_failure_is_the_cause(
    failures: Sequence[tuple[Failure, list[DoneAction]]], expected: tuple[int, Failure] | None
) -> None:
    assert first_cause(failures, CATALOGUE) == expected


@pytest.mark.parametrize(
    ("after", "expected"), [(done("push"), (1, SLIP)), (done("pull"), (0, JAM))]
)
def test_without_a_catalogue_only_the_same_action_recovers_a_failure(
    after: DoneAction, expected: tuple[int, Failure]
) -> None:
    nobody: Catalogue | None = None
    assert first_cause([(JAM, [after]), (SLIP, [])], nobody) == expected
