"""Mission view as plain data: rows of the terminal view, subgoals and their states."""

from __future__ import annotations

import json

import pytest

from bt_exec import events as ev
from bt_exec.failure import Failure
from bt_exec.serve.page_rows import Part, page_view, plan_parts
from bt_exec.spec.load import load_text
from bt_exec.spec.model import MissionSpec
from bt_exec.tui.view_model import ViewModel
from tests.bt_exec.tui.scripted import get_material


def spec_of(header: str, root: str) -> MissionSpec:
    document = load_text(f"mission: {{command: x{header}}}\nroot: {root}\n").document
    assert isinstance(document, MissionSpec)
    return document


def started(spec: MissionSpec) -> ViewModel:
    model = ViewModel()
    model.on(ev.MissionStarted(10.0, 0, "2026-01-01-0001", "x", "en", "site"))
    model.on(ev.Planned(10.0, 0, spec, 1))
    return model


@pytest.mark.parametrize(
    ("header", "root", "parts"),
    [
        ("", "{do: a}", [("a", "a")]),
        ("", "{sequence: [{do: a}, {name: then, do: b}]}", [("a", "a"), ("then", "then")]),
        (", subgoals: [one]", "{do: a}", [("one", "a")]),
        (", subgoals: [one, two]", "{sequence: [{do: a}, {do: b}]}", [("one", "a"), ("two", "b")]),
        (", subgoals: [one, two]", "{do: a}", [("one · two", "a")]),
        (
            ", subgoals: [red, blue]",
            "{sequence: [{name: red, sequence: [{do: a}]}, {name: blue, do: b}, {check: c}]}",
            [("red", "red"), ("blue", "blue")],
        ),
        (
            ", subgoals: [red, blue]",
            "{sequence: [{name: blue, do: b}, {check: c}]}",
            [("red", None), ("blue", "blue")],
        ),
        (
            ", subgoals: [same, same]",
            "{sequence: [{name: same, do: a}, {name: same, do: b}]}",
            [("same", "same"), ("same", "same#2")],
        ),
    ],
)
def test_plan_has_a_part_for_each_subgoal(header: str, root: str, parts: list) -> None:
    assert plan_parts(spec_of(header, root)) == [Part(*part) for part in parts]


def test_state_of_a_subgoal_follows_its_actions() -> None:
    root = "{sequence: [{name: red, sequence: [{do: a}, {do: b}]}, {name: blue, do: c}]}"
    model = started(spec_of(", subgoals: [red, blue, green]", root))

    def states() -> list[str]:
        return [one["state"] for one in page_view(model)["subgoals"]]

    assert states() == ["", "", "failed"]  # green was left out of the plan
    model.on(ev.NodeChanged(10.1, 1, "red", "running"))
    model.on(ev.NodeChanged(10.1, 1, "red/a", "running"))
    assert states()[:2] == ["running", ""]
    model.on(ev.NodeChanged(10.2, 2, "red", "done"))
    model.on(ev.NodeChanged(10.2, 2, "blue", "failed", "", Failure("LOST", "gone", "blue")))
    assert states()[:2] == ["done", "failed"]


def test_subgoals_that_are_not_in_the_plan_are_left_out() -> None:
    model = started(
        spec_of(", subgoals: [look around, look around]", "{sequence: [{do: a}, {do: b}]}")
    )
    assert page_view(model)["subgoals"] == []


def test_rows_match_those_of_the_terminal_view() -> None:
    model = started(get_material())
    path = "get_material/open_door/open_door"
    model.on(ev.SkillStarting(10.0, 1, path, "open_door", {}, 1))
    model.on(ev.Progress(10.5, 10, path, 0.25, "pulling"))
    view = page_view(model)
    assert (view["seconds"], view["tick"], view["plan"], view["state"]) == (0.5, 10, 1, "running")
    row = next(row for row in view["rows"] if row["label"] == "open_door")
    assert (row["state"], row["progress"], row["doing"]) == ("running", 0.25, "pulling")
    assert row["seconds"] == 0.5
    waiting = next(row for row in view["rows"] if row["label"] == "material_visible")
    assert waiting["state"] == "waiting"
    assert "progress" not in waiting
    json.dumps(view)


def test_failure_has_a_code_in_its_row_and_a_note_below() -> None:
    model = started(spec_of("", "{sequence: [{do: a}, {do: b}]}"))
    model.on(ev.NodeChanged(10.2, 2, "a", "failed", "", Failure("SLIPPED", "by 3 mm", "a")))
    rows = page_view(model)["rows"]
    assert rows[0]["code"] == "SLIPPED"
    assert rows[1] == {"kind": "note", "depth": 0, "text": "by 3 mm"}


def test_view_without_a_plan_is_empty() -> None:
    model = ViewModel()
    model.on(ev.MissionStarted(0.0, 0, "m", "x", "en", "site"))
    model.on(ev.Planning(0.0, 0, "offline"))
    view = page_view(model)
    assert (view["rows"], view["subgoals"], view["plan"]) == ([], [], 0)
    assert view["planning"] == "offline"


def test_unreached_rows_of_a_long_plan_are_folded() -> None:
    steps = ", ".join(f"{{name: part{n}, sequence: [{{do: a}}, {{do: b}}]}}" for n in range(30))
    model = started(spec_of("", f"{{sequence: [{steps}]}}"))
    model.on(ev.NodeChanged(10.1, 1, "part3", "running"))
    rows = page_view(model)["rows"]
    assert [row["label"] for row in rows[3:7]] == ["part3", "a", "b", "part4"]
    assert len(rows) == 32
    assert rows[6]["about"] == "2 steps"
