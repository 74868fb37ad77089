"""Needs of a skill are checked again at each start, against the facts known then."""

from __future__ import annotations

from typing import Any

import pytest

from bt_exec.failure import Failure
from bt_exec.nodes.runtime import Runtime
from bt_exec.nodes.skill_node import unmet_need
from bt_exec.observation import ObservationBuffer
from bt_exec.pack import Catalogue, Pack
from bt_exec.rig import Rig
from bt_exec.skill import Running, Steps, skill
from bt_exec.testing import FakeObservation, ScriptedRobot, run_tree, scripted_skill


@skill(needs={"hand.{arm}": "empty", "door": "open|ajar"})
def grasp(arm: str) -> Steps:
    """Grasp."""
    yield Running()


def runtime(robot: dict[str, str], *observations: FakeObservation, acted: float = 0.0) -> Runtime:
    buffer: ObservationBuffer[Any] = ObservationBuffer(lambda: 0.0)
    for observation in observations:
        buffer.add(observation)
    rig = Rig(ScriptedRobot(), facts=lambda: robot)
    catalogue = Catalogue([Pack("p", skills=(grasp,))])
    found = Runtime(catalogue, {"p": rig}, {"p": buffer}, lambda: 0.0, lambda event: None)
    found.acted = acted
    return found


def ask(surroundings: Runtime) -> tuple[str, dict[str, Any]] | None:
    return unmet_need(grasp, {"arm": "left"}, surroundings)


SHUT = FakeObservation(t=5.0, known={"door": "closed"})


@pytest.mark.parametrize(
    ("robot", "observations", "acted"),
    [
        ({}, [], 0.0),  # unknown
        ({"hand.left": "empty", "door": "ajar"}, [], 0.0),
        ({"hand.right": "cup"}, [], 0.0),  # the other hand
        ({}, [SHUT], 5.1),  # observed before the last action
        # not contained in the newest observation
        ({}, [SHUT, FakeObservation(t=6.0, known={})], 5.0),
        (
            {"door": "closed"},
            [FakeObservation(t=6.0, known={"door": "open"})],
            0.0,
        ),  # the observation is newer
    ],
)
def test_need_that_no_fact_contradicts_is_met(robot: Any, observations: Any, acted: float) -> None:
    assert ask(runtime(robot, *observations, acted=acted)) is None


def test_contradicted_need_is_reported_with_the_allowed_values() -> None:
    assert ask(runtime({"hand.left": "cup"}, SHUT, acted=5.0)) == (
        "grasp needs hand.left to be empty, but it is cup",
        {"facts": "hand.left=cup, door=closed", "allowed": ["hand.left=empty"]},
    )
    assert ask(runtime({}, SHUT, acted=5.0)) == (
        "grasp needs door to be open or ajar, but it is closed",
        {"facts": "door=closed", "allowed": ["door=open", "door=ajar"]},
    )


def test_need_counts_as_met_if_the_facts_of_the_robot_are_unreadable(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def broken() -> dict[str, str]:
        raise OSError("gone")

    surroundings = runtime({})
    surroundings.rigs = {"arm": Rig(ScriptedRobot(), facts=broken)}
    assert ask(surroundings) is None
    assert [one.getMessage() for one in caplog.records] == ["the facts of arm could not be read"]


class Cart(ScriptedRobot):
    """Robot that is moved away during an observation."""

    def facts(self) -> dict[str, str]:
        return {"at": "home" if self.log == ["look start", "look done"] else "b"}


PARTS = [
    scripted_skill("look"),
    scripted_skill("put_b", needs={"at": "b"}, effects={"tray": "empty"}),
]


def test_skill_with_an_unmet_need_does_not_start() -> None:
    cart = Cart()
    run = run_tree(
        "tree: t\nroot: {sequence: [{do: look}, {do: put_b}]}",
        PARTS,
        robot=cart,
        world={"facts": cart.facts},
    )
    assert cart.log == ["look start", "look done"]
    assert "1 put_b failed NEED_NOT_MET" in run.trace()
    assert run.outcome.status == "blocked"
    failure = Failure.from_dict(run.outcome.failures[0])
    assert (failure.code, failure.message, failure.node, failure.retryable) == (
        "NEED_NOT_MET",
        "put_b needs at to be b, but it is home",
        "put_b",
        True,
    )
