"""``bt-exec new`` creates valid files, and ``bt-exec fmt`` is idempotent."""

from __future__ import annotations

from pathlib import Path

import pytest

from bt_exec.scaffold.create import create_site, create_tree
from bt_exec.site.site import load_site
from tests.bt_exec.cli.conftest import Run


@pytest.mark.parametrize("name", ["image", "building"])
def test_new_tree_verifies_at_its_site(bt: Run, tmp_path: Path, name: str) -> None:
    create_tree("wander", tmp_path, load_site(name))
    assert bt("check", str(tmp_path / "wander.yaml"), "--site", name).code == 0


@pytest.mark.parametrize("skill", ["move_arm", "close_door"])
def test_new_tree_sets_required_arguments(bt: Run, tmp_path: Path, skill: str) -> None:
    create_tree("wander", tmp_path, load_site("door"), skill)
    assert f"do: {skill}" in (tmp_path / "wander.yaml").read_text()
    assert "UNKNOWN" not in bt("check", str(tmp_path / "wander.yaml"), "--site", "door").out


def test_new_site_loads(bt: Run, tmp_path: Path) -> None:
    create_site("lab", tmp_path, "reporter")
    assert load_site(str(tmp_path / "lab.yaml")).name == "lab"
    assert bt("check", str(create_site("other", tmp_path)[0])).code == 0


def test_command_lists_files_and_the_next_step(bt: Run, tmp_path: Path) -> None:
    ran = bt("new", "skill", "wave", "--to", str(tmp_path))
    assert ran.code == 0
    assert ran.out.splitlines() == [
        f"created {tmp_path / 'wave.py'}",
        f"created {tmp_path / 'test_wave.py'}",
        f"next: bt-exec check {tmp_path / 'wave.py'}",
    ]
    for words in (["pack", "my_lamp"], ["condition", "warm"], ["site", "lab"], ["tree", "mine"]):
        assert bt("new", *words, "--to", str(tmp_path)).code == 0
    assert bt("new", "robot", "x").code == 2


MESSY = "tree:  a\nroot:\n    retry: 2\n    do: x # why\n"
TIDY = "tree: a\nroot:\n  do: x   # why\n  retry: 2\n"


def test_formatting_is_idempotent(bt: Run, tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    file.write_text(MESSY)
    file.chmod(0o640)
    ran = bt("fmt", str(tmp_path))
    assert (ran.code, ran.out) == (0, f"formatted {file}\n1 changed, 0 in order\n")
    assert file.read_text().split() == TIDY.split()
    assert file.stat().st_mode & 0o777 == 0o640
    assert [path.name for path in tmp_path.iterdir()] == ["a.yaml"]
    assert bt("fmt", str(file)).out == "0 changed, 1 in order\n"


def test_fmt_check_changes_no_file(bt: Run, tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    file.write_text(MESSY)
    ran = bt("fmt", "--check", str(file))
    assert (ran.code, ran.out) == (2, f"would change {file}\n1 to change, 0 in order\n")
    assert file.read_text() == MESSY


def test_invalid_files_are_not_changed(bt: Run, tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    file.write_text("tree: [\n")
    ran = bt("fmt", str(file), str(tmp_path / "none.yaml"))
    assert ran.code == 2
    assert "NOT_YAML" in ran.out
    assert "UNREADABLE" in ran.out
    assert file.read_text() == "tree: [\n"


def test_fmt_and_new_write_the_schema_line_once(bt: Run, tmp_path: Path) -> None:
    assert bt("schema", "--to", str(tmp_path / "schema")).code == 0
    file = tmp_path / "rest.yaml"
    file.write_text("# why\ntree: rest\nroot:\n  do: return_home\n")
    bt("fmt", str(file))
    once = file.read_text()
    assert once.startswith("# yaml-language-server: $schema=schema/tree.schema.json\n# why\n")
    assert bt("fmt", "--check", str(file)).code == 0
    bt("new", "site", "lab", "--to", str(tmp_path))
    assert (tmp_path / "lab.yaml").read_text().startswith("# yaml-language-server: $schema=schema/")
    assert bt("check", str(file)).code == 0
