"""Nothing reaches for material before gates that can stop it: door open, material in view."""

from __future__ import annotations

from typing import Any

import pytest

from bt_exec.observation import Situation
from bt_exec.planning.passes import PassContext
from bt_exec.site.site import load_site
from bt_exec.spec.dump import to_data
from bt_exec.spec.expand import expand
from bt_exec.spec.load import load_text
from bt_exec.spec.model import MissionSpec
from bt_exec_skills.door.rules.passes import door_gate
from bt_exec_skills.door.settings import DoorSettings

SITE = load_site("door")
IS_OPEN = "{door_is: {state: open}}"
OPEN = "{do: open_door, with: {arm: left, object_label: door-handle}"
ASK, LOOK = f"{{check: {IS_OPEN}}}", "{check: material_visible}"
HOME = "{do: return_home}"
REACH = "{do: move_arm, with: {arm: right, object_label: material}}"
TAKE = "{do: grasp, with: {arm: right, object_label: material}}"
CONTEXT = PassContext(Situation(("door", "door-handle"), {}), DoorSettings(), "get the material")


def _spec(*steps: str) -> MissionSpec:
    text = f"mission: {{command: test}}\nroot: {{sequence: [{', '.join(steps)}]}}"
    document = load_text(text).document
    assert isinstance(document, MissionSpec)
    return expand(document, SITE.library)


def _shown(node: Any) -> Any:
    """Return a tree in short: names of steps, kinds of branches."""
    for kind in ("sequence", "fallback", "parallel"):
        if kind in node:
            children = [_shown(child) for child in node[kind]]
            return children if kind == "sequence" else {kind: children}
    if "check" in node:
        return str(node["check"]) if isinstance(node["check"], str) else "door_is"
    return node.get("do") or _shown(node["body"])


def _gated(*steps: str) -> list[Any]:
    spec, notes = door_gate(_spec(*steps), CONTEXT)
    again, more = door_gate(spec, CONTEXT)
    assert (again, more) == (spec, ()), "a pass is idempotent"
    shown = _shown(to_data(spec)["root"])
    assert bool(notes) == (shown != _shown(to_data(_spec(*steps))["root"]))
    assert isinstance(shown, list)
    return shown


BOTH = ["open_door", "material_visible", "move_arm"]


@pytest.mark.parametrize(
    "steps",
    [
        (f"{OPEN}}}", LOOK),
        (f"{OPEN}, skip_if: {IS_OPEN}}}", LOOK),
        (f"{OPEN}, skip_if: {{all: [{IS_OPEN}, inside_in_view]}}}}", LOOK),
        (ASK, LOOK),
        (f"{{check: {{all: [{IS_OPEN}, material_visible]}}}}",),
        (f"{{sequence: [{OPEN}}}, {LOOK}]}}",),
        ("{tree: open_door}", LOOK),
        (f"{{fallback: [{ASK}, {OPEN}}}]}}", LOOK),
        (f"{{parallel: [{OPEN}}}, {HOME}]}}", LOOK),
    ],
)
def test_gates_that_can_stop_it_are_enough(steps):
    assert door_gate(_spec(*steps, REACH, TAKE), CONTEXT)[1] == ()
    _gated(*steps, REACH, TAKE)


@pytest.mark.parametrize(
    ("steps", "gated"),
    [
        ((), [BOTH, "grasp"]),
        ((LOOK,), ["material_visible", ["open_door", "move_arm"], "grasp"]),
        ((f"{OPEN}}}",), ["open_door", ["material_visible", "move_arm"], "grasp"]),
        # told, not decided
        (
            (f"{{check: {IS_OPEN}, tell: true}}", "{check: material_visible, tell: true}"),
            ["door_is", "material_visible", BOTH, "grasp"],
        ),
        # another state of the door
        (
            ("{check: {door_is: {state: ajar}}}", LOOK),
            ["door_is", "material_visible", ["open_door", "move_arm"], "grasp"],
        ),
        ((f"{{check: {{not: {IS_OPEN}}}}}",), ["door_is", BOTH, "grasp"]),
        # skipped for another reason than that the door is open
        (
            (f"{OPEN}, skip_if: {{any: [{IS_OPEN}, door_known]}}}}", LOOK),
            ["open_door", "material_visible", ["open_door", "move_arm"], "grasp"],
        ),
        (
            (f"{OPEN}}}", "{check: material_visible, skip_if: arms_home}"),
            ["open_door", "material_visible", ["material_visible", "move_arm"], "grasp"],
        ),
        (
            (f"{{sequence: [{OPEN}}}, {LOOK}], skip_if: arms_home}}",),
            [["open_door", "material_visible"], BOTH, "grasp"],
        ),
        # one of several is enough
        (
            (f"{{parallel: [{LOOK}, {HOME}], succeed_when: any}}",),
            [{"parallel": ["material_visible", "return_home"]}, BOTH, "grasp"],
        ),
    ],
)
def test_gates_that_cannot_stop_it_do_not_count(steps, gated):
    assert _gated(*steps, REACH, TAKE) == gated


def test_a_branch_that_asks_in_vain_gets_the_gate_before_it():
    """Else what it does instead would be done behind a gate that ought to have stopped it."""
    steps = (f"{{fallback: [{ASK}, {HOME}]}}", f"{{fallback: [{LOOK}, {HOME}]}}")
    assert _gated(*steps, REACH, TAKE) == [
        ["open_door", {"fallback": ["door_is", "return_home"]}],
        ["material_visible", {"fallback": ["material_visible", "return_home"]}],
        "move_arm",
        "grasp",
    ]


def test_material_is_looked_for_behind_an_open_door_only():
    """A branch that asks for the material gets the opening before the question, too."""
    assert _gated(f"{{fallback: [{LOOK}, {HOME}]}}", REACH, TAKE) == [
        ["open_door", "material_visible", {"fallback": ["material_visible", "return_home"]}],
        "move_arm",
        "grasp",
    ]


@pytest.mark.parametrize(
    ("steps", "gated"),
    [
        # what is done instead is the last: a gate that fails in it stops the branch
        (
            (f"{{fallback: [{ASK}, {REACH}]}}", TAKE),
            [{"fallback": ["door_is", BOTH]}, ["material_visible", "grasp"]],
        ),
        # something else would be done instead
        (
            (f"{{fallback: [{REACH}, {HOME}]}}",),
            [["open_door", "material_visible", {"fallback": ["move_arm", "return_home"]}]],
        ),
        # what was put in before the branch is not put in again inside
        (
            (f"{{fallback: [{LOOK}, {REACH}, {HOME}]}}",),
            [
                [
                    "open_door",
                    "material_visible",
                    {"fallback": ["material_visible", "move_arm", "return_home"]},
                ]
            ],
        ),
    ],
)
def test_a_gate_that_fails_stops_what_would_be_done_instead(steps, gated):
    assert _gated(*steps) == gated


def test_choice_by_the_door_gets_no_gate_in_front():
    take = f"{{tree: t, body: {{sequence: [{LOOK}, {REACH}, {TAKE}]}}}}"
    no = f"{{check: {{not: {IS_OPEN}}}}}"
    ways = f"{{fallback: [{{sequence: [{ASK}, {HOME}]}}, {{sequence: [{no}, {take}]}}]}}"
    (found,) = _gated(ways)
    assert list(found) == ["fallback"]


def test_gates_are_put_into_subtrees():
    take = "{tree: take_material, with: {arm: right}}"
    (inner,) = _gated(take)
    assert inner[0] == BOTH
    assert _gated(f"{OPEN}}}", LOOK, take)[2][0] == "move_arm"


def test_every_branch_that_reaches_for_material_has_its_gates():
    assert _gated(f"{{fallback: [{REACH}, {REACH}]}}", TAKE) == [
        {"fallback": [BOTH, BOTH]},
        "grasp",
    ]


def test_a_plan_that_leaves_the_material_alone_is_left_alone():
    spec = _spec(f"{{fallback: [{ASK}, {HOME}]}}")
    assert door_gate(spec, CONTEXT) == (spec, ())


def test_the_gate_opens_with_the_arm_that_the_plan_opens_with():
    spec, notes = door_gate(_spec(f"{OPEN}, skip_if: arms_home}}", LOOK, REACH, TAKE), CONTEXT)
    gate = to_data(spec)["root"]["sequence"][2]["sequence"][0]
    assert gate == {
        "do": "open_door",
        "with": {"arm": "left", "object_label": "door-handle"},
        "skip_if": {"door_is": {"state": "open"}},
    }
    assert notes == ("move_arm: open_door comes first",)


@pytest.mark.parametrize("turned", [False, True])
def test_choice_about_material_opens_and_does_not_stop_in_front(turned):
    none = "{check: {not: material_visible}}"
    get = f"{{sequence: [{LOOK}, {REACH}, {TAKE}]}}"
    other = f"{{sequence: [{none}, {HOME}]}}"
    shown = _gated(
        f"{{fallback: [{other}, {get}]}}" if turned else f"{{fallback: [{get}, {other}]}}"
    )
    first = shown[0]
    assert isinstance(first, list)
    assert first[0] == "open_door"
    assert list(first[1]) == ["fallback"]
