"""``bt-exec rehearse``."""

from __future__ import annotations

import json
from pathlib import Path

from tests.bt_exec.cli.conftest import Run


def test_tree_is_rehearsed_with_everything_that_can_go_wrong(bt: Run, tmp_path: Path) -> None:
    written = tmp_path / "test_close_door.py"
    options = ("--site", "door", "--explore", "--write-tests", str(written))
    ran = bt("rehearse", "close_door", "arm=left", *options)
    assert ran.code == 0
    lines = [line.split() for line in ran.out.splitlines()]
    assert lines[0] == ["undisturbed", "done"]
    stuck = ["close_door", "#1", "fails", "DOOR_STUCK", "recovered", "plan", "2"]
    assert stuck in lines
    assert "rehearse('close_door', load_site('door'), {'arm': 'left'}" in written.read_text()


def test_runs_are_printed_as_data(bt: Run) -> None:
    ran = bt("rehearse", "close_door", "--site", "door", "--json")
    (run,) = json.loads(ran.out)
    assert (run["ends"], run["calls"]) == ("done", ["close_door"])


def test_unknown_tree_is_a_usage_error(bt: Run) -> None:
    assert bt("rehearse", "close_dor", "--site", "door").code == 2
