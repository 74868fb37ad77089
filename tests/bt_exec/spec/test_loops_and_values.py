"""Expansion of lists, optional parameters and texts with values; the table of modifiers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from bt_exec.failure import SpecError
from bt_exec.spec.dump import to_data
from bt_exec.spec.expand import expand
from bt_exec.spec.library import Library
from bt_exec.spec.load import load_text
from bt_exec.spec.model import MissionSpec, NodeBase
from bt_exec.spec.modifier_table import MODIFIERS, modifier_table
from bt_exec.spec.text_template import fill_template

HEAD = "tree: t\nparams:\n  n: {type: integer, min: 1, max: 3, optional: true}\n  "


def expanded(text: str, args: dict[str, Any]) -> Any:
    """Return the nodes of a tree once its parameters are bound."""
    library = Library([load_text(text)])
    root = {"tree": "t", "with": args} if args else {"tree": "t"}
    spec = MissionSpec.model_validate({"mission": {"command": "go"}, "root": root})
    once = expand(spec, library)
    assert expand(once, library) == once
    return to_data(once)["root"]["body"]


@pytest.mark.parametrize(
    ("body", "args", "expected"),
    [
        (
            "root: {do: go, with: {place: $p}, for_each: {p: $places}}",
            {"places": ["a", "b"]},
            {
                "sequence": [
                    {"do": "go", "with": {"place": "a"}},
                    {"do": "go", "with": {"place": "b"}},
                ]
            },
        ),
        (
            "root: {do: go, with: {count: $n}, repeat: $n, name: rounds}",
            {"places": []},
            {"do": "go", "name": "rounds", "repeat": 1},
        ),
        (
            "root: {do: go, with: {count: $n}, repeat: $n}",
            {"places": [], "n": 2},
            {"do": "go", "with": {"count": 2}, "repeat": 2},
        ),
        (
            "root: {do: say, with: {text: '$\"go to {p}, {{now}}\"'}, for_each: {p: $places}}",
            {"places": ["$$5", "{x}"]},
            {
                "sequence": [
                    {"do": "say", "with": {"text": "go to $5, {now}"}},
                    {"do": "say", "with": {"text": "go to {x}, {now}"}},
                ]
            },
        ),
        (
            "root: {do: go, with: {place: $p}, for_each: {p: $places}}",
            {"places": []},
            {"do": "go", "with": {"place": "$p"}, "for_each": {"p": []}},
        ),
    ],
)
def test_loops_and_values_of_a_tree_are_expanded(
    body: str, args: dict[str, Any], expected: Any
) -> None:
    assert expanded(f"{HEAD}places: {{type: text, many: true}}\n{body}\n", args) == expected


def test_loop_over_a_saved_list_is_kept_with_unique_names() -> None:
    text = (
        "tree: t\nroot:\n  sequence:\n    - {do: find, save: {all: found}}\n"
        "    - {do: take, with: {thing: $one}, for_each: {one: $found, at_most: 5}}\n"
        "    - {do: say, with: {text: '$\"{found}\"'}}\n"
    )
    twice = {"sequence": [{"tree": "t"}, {"tree": "t"}]}
    spec = MissionSpec.model_validate({"mission": {"command": "go"}, "root": twice})
    first, second = to_data(expand(spec, Library([load_text(text)])))["root"]["sequence"]
    assert first["body"]["sequence"][1]["for_each"] == {"one": "$found", "at_most": 5}
    assert second["body"]["sequence"][1]["for_each"] == {"one_2": "$found_2", "at_most": 5}
    assert second["body"]["sequence"][1]["with"] == {"thing": "$one_2"}
    assert second["body"]["sequence"][2]["with"] == {"text": '$"{found_2}"'}


@pytest.mark.parametrize("value", [0, 4])
def test_argument_outside_bounds_is_refused(value: int) -> None:
    with pytest.raises(SpecError, match="'n' must be at least 1 and at most 3"):
        expanded(f"{HEAD}x: {{type: text, default: a}}\nroot: {{do: go}}\n", {"n": value})


@pytest.mark.parametrize(
    ("template", "values", "expected"),
    [
        ('$"{n} left"', {"n": 3}, "3 left"),
        ('$"{n} m"', {"n": 0.5}, "0.5 m"),
        ('$"{{n}}"', {}, "{n}"),
        ('$"{price}"', {"price": "$$5"}, "$$5"),
        ('$"{a} and {b}"', {"a": "$seen", "b": "x{y}"}, '$"{seen} and x{{y}}"'),
        ('$"<{a}>"', {"a": '$"{b}!"'}, '$"<{b}!>"'),
    ],
)
def test_text_template_is_filled_with_values(
    template: str, values: dict[str, Any], expected: str
) -> None:
    assert fill_template(template, values.__getitem__) == expected


def test_documentation_contains_the_table_of_modifiers() -> None:
    text = (Path(__file__).parents[3] / "docs" / "trees.md").read_text(encoding="utf-8")
    assert modifier_table() in text


def test_table_names_every_modifier() -> None:
    fields = {info.alias or name for name, info in NodeBase.model_fields.items()} - {"name"}
    assert {one.name for one in MODIFIERS} == fields
