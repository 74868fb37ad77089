"""Gates of material: reaching requires an open door and visible material."""

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
from bt_exec_skills.door.rules.passes import insert_door_gates

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
    """Return a tree in short form: names of steps, kinds of branches."""
    for kind in ("sequence", "fallback", "parallel"):
        if kind in node:
            children = [_shown(child) for child in node[kind]]
            return children if kind == "sequence" else {kind: children}
    if "check" in node:
        check = node["check"]
        if isinstance(check, dict) and "not" in check:
            return f"not {_shown({'check': check['not']})}"
        return check if isinstance(check, str) else "door_is"
    return node.get("do") or _shown(node["body"])


def _gated(*steps: str) -> list[Any]:
    spec, notes = insert_door_gates(_spec(*steps), CONTEXT)
    again, more = insert_door_gates(spec, CONTEXT)
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
def test_plan_with_its_own_blocking_checks_gets_no_gate(steps):
    assert insert_door_gates(_spec(*steps, REACH, TAKE), CONTEXT)[1] == ()
    _gated(*steps, REACH, TAKE)


@pytest.mark.parametrize(
    ("steps", "gated"),
    [
        ((), [BOTH, "grasp"]),
        ((LOOK,), ["material_visible", ["open_door", "move_arm"], "grasp"]),
        ((f"{OPEN}}}",), ["open_door", ["material_visible", "move_arm"], "grasp"]),
        # reported, but not decisive
        (
            (f"{{check: {IS_OPEN}, tell: true}}", "{check: material_visible, tell: true}"),
            ["door_is", "material_visible", BOTH, "grasp"],
        ),
        # another state of the door
        (
            ("{check: {door_is: {state: ajar}}}", LOOK),
            ["door_is", "material_visible", ["open_door", "move_arm"], "grasp"],
        ),
        ((f"{{check: {{not: {IS_OPEN}}}}}",), ["not door_is", BOTH, "grasp"]),
        # skipped for another reason than an open door
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
        # this parallel succeeds without the look
        (
            (f"{{parallel: [{LOOK}, {HOME}], succeed_when: any}}",),
            [{"parallel": ["material_visible", "return_home"]}, BOTH, "grasp"],
        ),
    ],
)
def test_checks_that_cannot_block_do_not_replace_a_gate(steps, gated):
    assert _gated(*steps, REACH, TAKE) == gated


def test_gate_is_inserted_before_a_branch_that_checks_too_late():
    """Otherwise its alternative would run although the gate should have stopped it."""
    steps = (f"{{fallback: [{ASK}, {HOME}]}}", f"{{fallback: [{LOOK}, {HOME}]}}")
    assert _gated(*steps, REACH, TAKE) == [
        ["open_door", {"fallback": ["door_is", "return_home"]}],
        ["material_visible", {"fallback": ["material_visible", "return_home"]}],
        "move_arm",
        "grasp",
    ]


def test_material_is_searched_for_only_behind_an_open_door():
    """A branch that checks for the material gets the step that opens the door before the check."""
    assert _gated(f"{{fallback: [{LOOK}, {HOME}]}}", REACH, TAKE) == [
        ["open_door", "material_visible", {"fallback": ["material_visible", "return_home"]}],
        "move_arm",
        "grasp",
    ]


@pytest.mark.parametrize(
    ("steps", "gated"),
    [
        # the alternative is the last branch: a failing gate in it stops the fallback
        (
            (f"{{fallback: [{ASK}, {REACH}]}}", TAKE),
            [{"fallback": ["door_is", BOTH]}, ["material_visible", "grasp"]],
        ),
        # another alternative would run
        (
            (f"{{fallback: [{REACH}, {HOME}]}}",),
            [["open_door", "material_visible", {"fallback": ["move_arm", "return_home"]}]],
        ),
        # a gate inserted before the branch is not inserted again inside
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
def test_failing_gate_stops_the_alternative(steps, gated):
    assert _gated(*steps) == gated


def test_fallback_over_door_states_gets_no_gate_in_front():
    take = f"{{tree: t, body: {{sequence: [{LOOK}, {REACH}, {TAKE}]}}}}"
    no = f"{{check: {{not: {IS_OPEN}}}}}"
    ways = f"{{fallback: [{{sequence: [{ASK}, {HOME}]}}, {{sequence: [{no}, {take}]}}]}}"
    (found,) = _gated(ways)
    assert list(found) == ["fallback"]


def test_gates_are_inserted_into_subtrees():
    take = "{tree: take_material, with: {arm: right}}"
    (inner,) = _gated(take)
    assert inner[0] == BOTH
    assert _gated(f"{OPEN}}}", LOOK, take)[2][0] == "move_arm"


def test_every_branch_that_reaches_for_material_contains_the_gates():
    assert _gated(f"{{fallback: [{REACH}, {REACH}]}}", TAKE) == [
        {"fallback": [BOTH, BOTH]},
        "grasp",
    ]


def test_plan_without_material_is_not_changed():
    spec = _spec(f"{{fallback: [{ASK}, {HOME}]}}")
    assert insert_door_gates(spec, CONTEXT) == (spec, ())


def test_gate_opens_with_the_arm_of_the_plan():
    spec, notes = insert_door_gates(
        _spec(f"{OPEN}, skip_if: arms_home}}", LOOK, REACH, TAKE), CONTEXT
    )
    gate = to_data(spec)["root"]["sequence"][2]["sequence"][0]
    assert gate == {
        "do": "open_door",
        "with": {"arm": "left", "object_label": "door-handle"},
        "skip_if": {"door_is": {"state": "open"}},
    }
    assert notes == ("move_arm: open the door first",)


@pytest.mark.parametrize("turned", [False, True])
def test_fallback_over_material_opens_the_door_and_gets_no_gate_in_front(turned):
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


def test_branch_for_missing_material_is_reachable():
    """The search for the material is inserted into the first branch, not before both."""
    none = "{check: {not: material_visible}}"
    get = f"{{sequence: [{REACH}, {TAKE}]}}"
    (shown,) = _gated(f"{{fallback: [{get}, {{sequence: [{none}, {HOME}]}}]}}")
    opened, found = shown
    assert opened == "open_door"
    assert found == {"fallback": [[["material_visible", "move_arm"], "grasp"],
                                  ["not material_visible", "return_home"]]}  # fmt: skip
