"""Generated packs, skills, conditions, trees and sites pass their own tests."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from bt_exec.failure import UnknownName, UsageError
from bt_exec.scaffold.create import (
    create_condition,
    create_pack,
    create_site,
    create_skill,
    create_tree,
)
from bt_exec.site.site import load_site

ROOT = Path(__file__).parents[3]


def run_tests(folder: Path, path: str = "") -> None:
    """Run the tests of a folder as its author would."""
    words = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-W", "error", "."]
    environment = {**os.environ, "PYTHONPATH": path}
    ran = subprocess.run(
        words, cwd=folder, env=environment, capture_output=True, text=True, timeout=240
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr


@pytest.mark.slow
def test_new_pack_is_built_installed_and_passes_its_tests(tmp_path):
    create_pack("my_lamp", tmp_path)
    folder, target = tmp_path / "my_lamp", tmp_path / "installed"
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-build-isolation", "--no-deps"]
    subprocess.run(
        [*pip, "--target", str(target), str(folder)], check=True, capture_output=True, timeout=240
    )
    assert (target / "my_lamp" / "lexicon.yaml").is_file()
    run_tests(folder / "tests", str(target))
    bt = [sys.executable, "-m", "bt_exec"]
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join((str(target), str(ROOT)))}
    for words in (["check", "my_lamp"], ["check", str(folder / "my_lamp.yaml")]):
        subprocess.run([*bt, *words], check=True, env=environment, capture_output=True, timeout=120)


@pytest.mark.slow
def test_new_skill_and_condition_pass_their_tests(tmp_path):
    create_skill("wave", tmp_path)
    create_condition("is_warm", tmp_path)
    run_tests(tmp_path)


@pytest.mark.slow
def test_new_tree_passes_its_tests(tmp_path):
    create_tree("wander", tmp_path, load_site("building"))
    run_tests(tmp_path)


def test_existing_files_are_not_overwritten(tmp_path):
    create_skill("wave", tmp_path)
    (tmp_path / "wave.py").write_text("mine")
    (tmp_path / "test_wave.py").unlink()
    with pytest.raises(UsageError, match=r"not overwritten: .*wave\.py"):
        create_skill("wave", tmp_path)
    assert (tmp_path / "wave.py").read_text() == "mine"
    assert not (tmp_path / "test_wave.py").exists()


@pytest.mark.parametrize("name", ["", "Wave", "9a", "a-b", "class", "../x", "a b", "문", "x" * 41])
def test_invalid_names_are_refused(tmp_path, name):
    for create in (create_pack, create_skill, create_condition, create_site):
        with pytest.raises(UsageError, match="is not a valid name"):
            create(name, tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_taken_names_and_unknown_parts_are_refused(tmp_path):
    site = load_site("door")
    with pytest.raises(UsageError, match="is installed already"):
        create_pack("door", tmp_path)
    with pytest.raises(UsageError, match="has a tree 'get_material' already"):
        create_tree("get_material", tmp_path, site)
    with pytest.raises(UnknownName, match="nearest first: grasp"):
        create_tree("mine", tmp_path, site, "grap")
    with pytest.raises(UnknownName, match="nearest first: door"):
        create_site("mine", tmp_path, "dor")


def test_folder_that_cannot_be_written_is_a_usage_error(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(UsageError, match="cannot be written"):
        create_skill("wave", tmp_path / "file")
