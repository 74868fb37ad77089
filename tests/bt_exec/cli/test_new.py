"""``bt-exec new``: what it creates passes ``bt-exec check``."""

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
