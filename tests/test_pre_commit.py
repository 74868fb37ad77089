"""Hooks for pre-commit, run on files that match their pattern."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from bt_exec.spec.shipped_yaml import read_yaml

pytestmark = pytest.mark.sampled

ROOT = Path(__file__).parents[1]
HOOKS = {hook["id"]: hook for hook in read_yaml(ROOT / ".pre-commit-hooks.yaml")}
SITE = "site: lab\npacks: {door: {robot: sim, detector: oracle}}\n"


def run_hook(hook: str, folder: Path, *args: str) -> subprocess.CompletedProcess[str]:
    """Run the entry command of a hook on the matching files of a folder, like pre-commit."""
    names = sorted(str(path.relative_to(folder)) for path in folder.rglob("*.yaml"))
    files = [name for name in names if re.search(HOOKS[hook]["files"], name)]
    environment = {
        **os.environ,
        "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
        "PYTHONPATH": str(ROOT),
    }
    command = [*shlex.split(HOOKS[hook]["entry"]), *args, *files]
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, timeout=120
    )


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Return a folder with a site, a correct tree, and a YAML file of another kind."""
    for name, text in {
        "sites/lab.yaml": SITE,
        "trees/rest.yaml": "tree: rest\nroot:\n  do: return_home\n",
        "ci.yaml": "jobs: {test: {}}\n",
    }.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("hook", HOOKS)
def test_correct_files_pass_a_hook(repository: Path, hook: str) -> None:
    before = {path: path.read_text() for path in repository.rglob("*.yaml")}
    ran = run_hook(hook, repository, *(["--site", "sites/lab.yaml"] if "check" in hook else []))
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert {path: path.read_text() for path in repository.rglob("*.yaml")} == before


def test_mistake_fails_the_check_hook(repository: Path) -> None:
    (repository / "trees" / "bad.yaml").write_text("tree: bad\nroot: {do: opne_door}\n")
    ran = run_hook("bt-exec-check", repository)
    assert ran.returncode == 2
    assert "trees/bad.yaml:2:12" in ran.stdout


def test_fmt_hook_changes_files(repository: Path) -> None:
    file = repository / "trees" / "rest.yaml"
    file.write_text("tree: rest\nroot:\n    do:   return_home\n")
    run_hook("bt-exec-fmt", repository)  # pre-commit fails a hook that changed a file
    assert file.read_text() == "tree: rest\nroot:\n  do: return_home\n"
