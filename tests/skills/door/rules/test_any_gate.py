"""Material gate on random plans: nothing reaches for unseen material."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from bt_exec.observation import Situation
from bt_exec.pack import PassContext
from bt_exec.spec.model import Mission, MissionSpec
from bt_exec_skills.door.rigs import DoorSettings
from bt_exec_skills.door.rules.passes import insert_door_gates
from tests.cases import some

IS_OPEN = {"door_is": {"state": "open"}}
OPEN = {"do": "open_door", "with": {"arm": "right", "object_label": "door"}}
REACH = {"do": "move_arm", "with": {"arm": "right", "object_label": "material"}}
LEAVES = (
    *(OPEN, {**OPEN, "skip_if": IS_OPEN}, {**OPEN, "skip_if": "arms_home"}),
    *(REACH, REACH, {**REACH, "skip_if": "arms_home"}, {"do": "return_home"}),
    *({"check": "material_visible"}, {"check": IS_OPEN}, {"check": "arms_home"}),
    *({"check": "material_visible", "tell": True}, {"check": IS_OPEN, "tell": True}),
)


def _branches(children: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    several = st.lists(children, min_size=2, max_size=3)
    return st.one_of(
        st.builds(
            lambda kind, inner: {kind: inner}, st.sampled_from(["sequence", "fallback"]), several
        ),
        st.builds(lambda inner: {"sequence": inner, "skip_if": "arms_home"}, several),
        st.builds(
            lambda inner, many: {"parallel": inner, "succeed_when": many},
            several,
            st.sampled_from(["all", "any"]),
        ),
        st.builds(lambda body: {"tree": "part", "body": body}, children),
    )


plans = st.recursive(st.sampled_from(LEAVES), _branches, max_leaves=9).map(
    lambda root: MissionSpec.model_validate({"mission": Mission(command=""), "root": root})
)


class World:
    """Simulated run of a plan with random results, without clock and robot."""

    def __init__(self, tosses: list[bool]) -> None:
        self.tosses: Iterator[bool] = iter(tosses)
        self.open, self.present = self.toss(), self.toss()
        self.reached: list[tuple[bool, bool]] = []
        self.situation = False

    def toss(self) -> bool:
        return next(self.tosses, True)

    def holds(self, question: Any) -> bool:
        name = question.name
        if name == "door_is":
            return self.open
        if name == "material_visible":
            self.situation = self.open and self.present
            return self.situation
        return self.toss()

    def run(self, node: Any) -> bool:
        """Return True if a node succeeds."""
        if node.skip_if is not None and self.holds(node.skip_if):
            return True
        match type(node).__name__:
            case "Do":
                return self._act(node.do)
            case "Check":
                return self.holds(node.check) or node.tell
            case "Tree":
                return self.run(node.body)
            case "Sequence":
                return all(self.run(child) for child in node.sequence)
            case "Fallback":
                return any(self.run(child) for child in node.fallback)
        return sum([self.run(child) for child in node.parallel]) >= node.needed

    def _act(self, skill: str) -> bool:
        if skill == "move_arm":
            self.reached.append((self.open, self.situation))
        works = self.toss()
        self.open = self.open or (skill == "open_door" and works)
        return works


def test_arbitrary_gated_plan_reaches_only_through_an_open_door_for_seen_material():
    reached: list[tuple[bool, bool]] = []

    @settings(max_examples=700)
    @given(plans, st.lists(st.booleans(), min_size=2, max_size=12))
    def holds(plan, tosses):
        context = PassContext(Situation(("door",), {}), DoorSettings(), "get the material")
        found, notes = insert_door_gates(plan, context)
        assert bool(notes) == (found != plan)
        assert insert_door_gates(found, context) == (found, ())
        world = World(tosses)
        world.run(found.root)
        assert set(world.reached) <= {(True, True)}
        reached.extend(world.reached)

    holds()
    some(reached, least=50)
