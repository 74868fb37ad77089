"""Passes of the door pack: labels, skips and gates."""

from __future__ import annotations

from typing import Any

import pytest

from bt_exec.observation import Situation
from bt_exec.pack import PassContext
from bt_exec.site.site import load_site
from bt_exec.spec.dump import to_data
from bt_exec.spec.expand import expand
from bt_exec.spec.load import load_text
from bt_exec.spec.model import MissionSpec
from bt_exec_skills.door.rigs import DoorSettings
from bt_exec_skills.door.rules.passes import (
    insert_door_gates,
    open_door_further,
    replace_occluded_handle,
    set_arm_by_policy,
    skip_finished_steps,
)

SITE = load_site("door")
HOME = "{do: return_home}"
REACH = "{do: move_arm, with: {arm: right, object_label: material}}"


def opens(label: str, more: str = "") -> str:
    return f"{{do: open_door, with: {{arm: left, object_label: {label}}}{more}}}"


def closes(label: str, more: str = "") -> str:
    return opens(label, more).replace("open_door", "close_door")


def spec(root: str) -> MissionSpec:
    document = load_text(f"mission: {{command: test}}\nroot: {root}").document
    assert isinstance(document, MissionSpec)
    return expand(document, SITE.library)


def context(*labels: str, command: str = "open it", **settings: Any) -> PassContext:
    return PassContext(Situation(labels), DoorSettings(**settings), command)


@pytest.mark.parametrize(
    ("labels", "before", "after"),
    [
        (("door",), opens("door-handle"), opens("door")),
        (("door",), closes("door-handle"), closes("door")),
        (("door",), opens("door"), opens("door")),
        (("door",), REACH, REACH),
        (("door",), HOME, HOME),
        (("door", "door-handle"), opens("door-handle"), opens("door-handle")),
        (("door-handle",), opens("door-handle"), opens("door-handle")),
        ((), opens("door-handle"), opens("door-handle")),  # not known yet
    ],
)
def test_door_label_is_used_when_no_handle_is_visible(labels, before, after):
    found, notes = replace_occluded_handle(spec(before), context(*labels))
    assert found == spec(after)
    name = before[5:].partition(",")[0]
    said = f"{name}: the handle is not in view, so the door itself is gripped"
    assert notes == (() if before == after else (said,))


@pytest.mark.parametrize("facts", [{}, {"at.left": "home", "at.right": "handle"}])
def test_arms_go_home_first_if_they_may_hide_the_handle_of_a_closed_door(facts):
    situation = Situation(("door",), {"door": "closed", **facts})
    hidden = PassContext(situation, DoorSettings(), "open it")
    home = "{do: return_home, skip_if: arms_home}"
    found, notes = replace_occluded_handle(spec(opens("door-handle")), hidden)
    assert found == spec(f"{{sequence: [{home}, {opens('door-handle')}]}}")
    assert notes == ("open_door: the handle is not in view, so the arms are brought home first",)
    assert replace_occluded_handle(found, hidden) == (found, ())


@pytest.mark.parametrize("door", ["closed", "open", "ajar"])
def test_door_is_gripped_instead_of_the_handle_if_arms_are_home_or_the_door_is_not_closed(door):
    place = "home" if door == "closed" else "handle"
    facts = {"door": door, "at.left": place, "at.right": place}
    found, _ = replace_occluded_handle(
        spec(opens("door-handle")),
        PassContext(Situation(("door",), facts), DoorSettings(), "open it"),
    )
    assert found == spec(opens("door"))


@pytest.mark.parametrize(
    ("before", "state"),
    [
        (opens("door"), "open"),
        (closes("door"), "closed"),
        (opens("door", ", skip_if: arms_home"), None),
        (HOME, None),
        (REACH, None),
    ],
)
def test_step_gets_a_skip_condition_for_its_goal(before, state):
    found, notes = skip_finished_steps(spec(before), context())
    if state is None:
        assert (found, notes) == (spec(before), ())
        return
    root = to_data(found)["root"]
    assert root.pop("skip_if") == {"door_is": {"state": state}}
    assert root == to_data(spec(before))["root"]
    name = before[5:].partition(",")[0]
    assert notes == (f"{name}: skipped if the door is already {state}",)


SPARED = ", skip_if: {door_is: {state: open}}"
WIDER = ", skip_if: {all: [{door_is: {state: open}}, inside_in_view]}"
LOOK = "{check: material_visible}"


@pytest.mark.parametrize(
    ("do", "then", "wider"),
    [
        (opens, REACH, True),
        (opens, LOOK, True),
        (opens, HOME, False),  # a command about the door alone
        (closes, REACH, False),
    ],
)
def test_open_door_must_not_hide_the_inside_when_material_matters(do, then, wider):
    def plan(more):
        return spec(f"{{sequence: [{do('door', more)}, {then}]}}")

    found, notes = open_door_further(plan(SPARED), context())
    assert found == plan(WIDER if wider else SPARED)
    assert notes == (("open_door: opened further if part of the inside is hidden",) * wider)
    assert open_door_further(found, context()) == (found, ())


def test_plan_that_cannot_open_the_door_further_is_unchanged():
    for more in ("", ", skip_if: arms_home"):
        plan = spec(f"{{sequence: [{opens('door', more)}, {REACH}]}}")
        assert open_door_further(plan, context()) == (plan, ())


@pytest.mark.parametrize(
    ("labels", "settings", "step", "args"),
    [
        (("door", "door-handle"), {}, HOME, ("right", "door-handle")),
        (("door",), {}, HOME, ("right", "door")),
        (("door", "door-handle"), {"door_arm": "left"}, HOME, ("left", "door-handle")),
        # the arm with which the plan opens
        (
            ("door", "door-handle"),
            {},
            f"{{fallback: [{opens('door')}, {HOME}]}}",
            ("left", "door-handle"),
        ),
    ],
)
def test_open_door_step_is_inserted_with_its_arguments(labels, settings, step, args):
    found, notes = insert_door_gates(
        spec(f"{{sequence: [{step}, {REACH}]}}"), context(*labels, **settings)
    )
    gate = to_data(found)["root"]["sequence"][1]["sequence"][0]
    assert gate == {
        "do": "open_door",
        "with": dict(zip(("arm", "object_label"), args, strict=True)),
        "skip_if": {"door_is": {"state": "open"}},
    }
    look = to_data(found)["root"]["sequence"][1]["sequence"][1]
    assert look == {"check": "material_visible", "else": "MATERIAL_NOT_VISIBLE_AFTER_OPEN"}
    assert notes == ("move_arm: open the door, look for the material first",)


def test_note_about_a_gate_names_the_kind_of_the_branch():
    branch = f"{{fallback: [{{check: {{door_is: {{state: open}}}}}}, {HOME}]}}"
    _, notes = insert_door_gates(spec(f"{{sequence: [{branch}, {REACH}]}}"), context())
    assert notes == ("fallback: open the door first", "move_arm: look for the material first")


@pytest.mark.parametrize(
    ("arm", "settings", "changed"),
    [("left", {}, True), ("right", {}, False), ("left", {"material_arm": "left"}, False)],
)
@pytest.mark.parametrize("skill", ["move_arm", "grasp"])
def test_hand_for_material_is_set_by_the_site(skill, arm, settings, changed):
    before = REACH.replace("move_arm", skill).replace("right", arm)
    found, notes = set_arm_by_policy(spec(before), context(**settings))
    assert found == spec(before.replace("left", "right") if changed else before)
    assert notes == ((f"{skill}: material is handled by the right arm",) if changed else ())


def test_arm_policy_changes_the_argument_of_the_enclosing_tree():
    take = "{tree: take_material, with: {arm: left}}"
    found, _ = set_arm_by_policy(spec(take), context())
    assert found.root.args["arm"] == "right"
    door = "{tree: open_door, with: {arm: left}}"
    assert set_arm_by_policy(spec(door), context()) == (spec(door), ())
