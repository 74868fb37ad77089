"""``bt-exec show --format`` and ``bt-exec diff``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bt_exec.interchange.xml_text import parse_xml
from tests.bt_exec.cli.conftest import Run


@pytest.mark.parametrize(
    ("form", "start"),
    [("mermaid", "---\ntitle:"), ("dot", "digraph"), ("svg", "<?xml"), ("html", "<!doctype html>")],
)
def test_show_writes_pictures(bt: Run, form: str, start: str) -> None:
    ran = bt("show", "get_material", "--site", "door", "--format", form)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith(start)
    assert "move_arm" in ran.out
    closed = bt("show", "get_material", "--site", "door", "--format", form, "--closed").out
    assert "move_arm" not in closed


def test_show_refuses_unknown_formats(bt: Run) -> None:
    ran = bt("show", "get_material", "--format", "pdf")
    assert ran.code == 2
    assert "'text', 'mermaid', 'dot', 'svg', 'html'" in ran.err
    assert bt("show", "get_material", "--format", "svg", "--theme", "red").code == 2


def test_svg_is_drawn_in_the_colours_of_its_theme(bt: Run) -> None:
    out = bt("show", "get_material", "--site", "door", "--format", "svg", "--theme", "dark").out
    assert parse_xml(out).tag == "svg"
    assert "prefers-color-scheme" not in out


def test_diff_lists_the_changes_between_two_trees(bt: Run, tmp_path: Path) -> None:
    one, two = tmp_path / "one.yaml", tmp_path / "two.yaml"
    one.write_text("tree: t\nsummary: old\nroot: {sequence: [{do: open_door}, {do: grasp}]}\n")
    two.write_text("tree: t\nroot: {sequence: [{do: open_door, retry: 2}, {do: release}]}\n")
    ran = bt("diff", str(one), str(two), "--site", "door")
    assert ran.code == 0
    assert ran.out.splitlines() == [
        "~ summary: old → nothing",
        "  → sequence",
        "-   open_door",
        "+   open_door · up to 2 attempts",
        "-   grasp",
        "+   release",
        "1 changed, 1 added, 1 removed; 1 field",
    ]
    data = json.loads(bt("diff", str(one), str(two), "--site", "door", "--json").out)
    assert data["fields"] == [{"field": "summary", "old": "old", "new": None}]
    assert [row["kind"] for row in data["nodes"]] == ["changed", "removed", "added"]
    assert bt("diff", str(one), str(one), "--site", "door").out.endswith("no difference\n")


@pytest.mark.slow
def test_diff_compares_two_plans_of_one_mission(bt: Run, tmp_path: Path) -> None:
    journal = str(tmp_path / "journal.db")
    words = ["run", "get the material", "--site", "door", "--fast", "--journal", journal]
    assert bt(*words, "--fault", "grasp:1=GRASP_SLIPPED").code == 0
    ran = bt("diff", "last:1", "last:2", "--journal", journal, "--site", "door")
    assert ran.code == 0
    assert "~ mission.plan_version: 1 → 2" in ran.out
    ran = bt("diff", "last:1", "1:9", "--journal", journal, "--site", "door")
    assert ran.code == 2
    assert "mission 1 has no plan '9'; known, nearest first: 1, 2" in ran.err
