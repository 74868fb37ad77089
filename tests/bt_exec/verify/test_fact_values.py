"""Fact values created by arguments of a tree: UNKNOWN_FACT_VALUE if they are not declared."""

from __future__ import annotations

from bt_exec import Running, Steps, Verdict, condition, skill
from bt_exec.pack import Catalogue, Pack
from bt_exec.spec.library import Library
from bt_exec.spec.load import load_text
from bt_exec.verify import verify_file


@skill(effects={"door": "{state}"})
def turn(state: str) -> Steps:
    """Turn."""
    yield Running()


@condition(establishes={"door": "{state}"})
def door_is(state: str) -> Verdict:
    """Whether the door is in a state."""
    return Verdict.yes()


def problems(root, facts):
    catalogue = Catalogue([Pack("p", skills=(turn,), conditions=(door_is,), facts=facts)])
    loaded = load_text(f"tree: t\nparams: {{s: {{type: text}}}}\nroot: {root}\n", "t.yaml")
    found = verify_file(loaded, catalogue, Library())
    return [(p.code, p.place, p.found, p.allowed) for p in found if p.code != "UNUSED_PARAMETER"]


DOOR = {"door": ("open", "closed")}


def test_undeclared_values_are_reported_at_the_argument():
    assert problems("{do: turn, with: {state: opne}}", DOOR) == [
        ("UNKNOWN_FACT_VALUE", "root/with/state", "opne", ("open", "closed"))
    ]
    assert problems(
        "{do: turn, with: {state: open}, skip_if: {door_is: {state: clsed}}}", DOOR
    ) == [("UNKNOWN_FACT_VALUE", "root/skip_if/door_is/state", "clsed", ("closed", "open"))]
    assert problems("{check: {not: {door_is: {state: x}}}}", DOOR)[0][0] == "UNKNOWN_FACT_VALUE"


def test_valid_unknown_and_open_values_are_accepted():
    assert problems("{do: turn, with: {state: open}}", DOOR) == []
    assert problems("{do: turn, with: {state: '?'}}", DOOR) == []
    assert problems("{do: turn, with: {state: $s}}", DOOR) == []
    assert problems("{do: turn, with: {state: opne}}", {}) == []
    assert problems("{do: turn, with: {state: opne}}", {"lid": ("a",)}) == []
