"""``bt-exec rehearse``."""

from __future__ import annotations

import json
from pathlib import Path

from tests.bt_exec.cli.conftest import Run


def test_explore_lists_one_line_per_injected_failure(bt: Run, tmp_path: Path) -> None:
    written = tmp_path / "test_close_door.py"
    options = ("--site", "door", "--explore", "--write-tests", str(written))
    ran = bt("rehearse", "close_door", "arm=left", *options)
    assert ran.code == 0
    lines = [line.split() for line in ran.out.splitlines()]
    assert lines[0] == ["undisturbed", "done"]
    stuck = ["close_door", "#1", "fails", "DOOR_STUCK", "recovered", "plan", "2"]
    assert stuck in lines
    assert "('close_door', {'arm': 'left'}, (Disturbance(" in written.read_text()


def test_runs_are_printed_as_json(bt: Run) -> None:
    ran = bt("rehearse", "close_door", "--site", "door", "--json")
    (run,) = json.loads(ran.out)
    assert (run["ends"], run["calls"]) == ("done", ["close_door"])


def test_all_trees_of_the_site_are_rehearsed_when_none_is_named(bt: Run) -> None:
    ran = bt("rehearse", "--site", "tabletop")
    lines = [line.strip() for line in ran.out.splitlines()]
    assert [line for line in lines if "undisturbed" not in line] == [
        "move_object",
        "take_object",
        "visit_object",
    ]


def test_unknown_tree_is_a_usage_error(bt: Run) -> None:
    assert bt("rehearse", "close_dor", "--site", "door").code == 2
