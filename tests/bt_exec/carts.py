"""Test pack of a cart: two skills, a condition, a checker and a pass, trees, facts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

from bt_exec import Pack, Rig, Running, Steps, Verdict, condition, skill
from bt_exec.failure import Problem
from bt_exec.pack import Pass, PassContext
from bt_exec.spec.model import Do, MissionSpec, walk
from bt_exec.testing import FakeClock, ScriptedRobot

Place = Literal["dock", "shelf"]

TREES = """
tree: fetch
summary: Fetch the box from the shelf.
utterances: [Fetch the box., 상자를 가져와.]
otherwise: [{after: [BLOCKED], tree: wait_here}]
root: {sequence: [{do: go, with: {place: shelf}}, {do: load}, {tree: go_home}]}
---
tree: go_home
utterances: [Go home., 집에 가.]
root: {do: go, with: {place: dock}, skip_if: {at: {place: dock}}}
---
tree: wait_here
root: {do: wait, with: {seconds: 0.1}}
"""
FACTS = {"at": ("{Place}",), "load": ("empty", "box")}


@skill(fails={"BLOCKED"}, effects={"at": "{place}"}, uses={"base"})
def go(robot: ScriptedRobot, place: Place) -> Steps:
    """Drive to a place."""
    for _ in range(3):
        yield Running()
    robot.log.append(f"at {place}")


@skill(needs={"at": "shelf", "load": "empty"}, effects={"load": "box"}, uses={"base"})
def load(robot: ScriptedRobot) -> Steps:
    """Load the box."""
    robot.log.append("loaded")
    yield Running()


@condition(establishes={"at": "{place}"}, skip_reason="already there")
def at(robot: ScriptedRobot, place: Place) -> Verdict:
    """Return True if the cart is at a place."""
    here = [entry for entry in robot.log if entry.startswith("at ")][-1:] == [f"at {place}"]
    return Verdict.yes("here") if here else Verdict.no("elsewhere")


def carts(folder: Path, seen: dict[str, Any] | None = None, **more: Any) -> Pack:
    """Return the pack, whose trees are written to `folder`.

    Args:
        folder: An empty folder.
        seen: List that receives the plans and facts of checker and pass.
        more: Further fields of the pack.
    """
    for text in TREES.split("---"):
        name = text.split()[1]
        (folder / f"{name}.yaml").write_text(text, encoding="utf-8")
    seen = {} if seen is None else seen

    def checker(spec: MissionSpec, context: PassContext) -> Iterator[Problem]:
        skills = [node.do for node in walk(spec.root) if isinstance(node, Do)]
        seen.setdefault("checker", []).append((skills, dict(context.situation.facts)))
        return iter(())

    def note(spec: MissionSpec, context: PassContext) -> tuple[MissionSpec, tuple[str, ...]]:
        seen.setdefault("pass", []).append(context.meaning)
        return spec, ()

    def rig(settings: Any, world: Any) -> Rig:
        robot = ScriptedRobot()
        robot.log.append("at dock")

        def facts() -> dict[str, str]:
            places = [entry for entry in robot.log if entry.startswith("at ")]
            loaded = "box" if "loaded" in robot.log else "empty"
            return {"at": places[-1].removeprefix("at "), "load": loaded}

        return Rig(robot, simulation=FakeClock(), facts=facts)

    return Pack(
        "cart",
        skills=(go, load),
        conditions=(at,),
        types={"Place": Place},
        facts=FACTS,
        trees=folder,
        recovery="go_home",
        robots={"sim": rig},
        checkers=(checker,),
        passes=(Pass("note", note),),
        **more,
    )
