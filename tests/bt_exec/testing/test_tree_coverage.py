"""Option ``--bt-cov``: nodes that no test reached are printed at the end."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytestmark = pytest.mark.sampled

SUITE = """
from bt_exec.testing import run_tree, scripted_condition, scripted_skill

TAKE = "tree: take\\nroot: {sequence: [{do: reach}, {fallback: [{do: hold}, {do: grab}]}]}"
LOOK = "tree: look\\nroot: {sequence: [{tree: take, while: {lit: {}, else: DARK}}, {do: go}]}"
PARTS = [
    scripted_skill("reach", fails={"TOO_FAR"}),
    scripted_skill("hold", ["SLIPPED", "done"], fails={"GONE"}),
    scripted_skill("grab"),
    scripted_skill("go"),
    scripted_condition("lit"),
]

def test_look():
    assert run_tree(LOOK, PARTS, trees=[TAKE]).outcome.ok

def test_take():
    assert run_tree(TAKE, PARTS).outcome.ok
"""


@pytest.mark.parametrize("more", [[], pytest.param(["-n", "2"], marks=pytest.mark.slow)])
def test_unreached_nodes_are_printed(tmp_path, more):
    (tmp_path / "test_trees.py").write_text(SUITE)
    command = [sys.executable, "-m", "pytest", "-q", "--bt-cov", "-p", "no:cacheprovider", *more]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    lines = done.stdout.splitlines()
    first = next(n for n, line in enumerate(lines) if "bt-exec coverage" in line) + 1
    # the first test to run detects the error; each worker has its own scripts
    assert "hold: no test made it fail with GONE" in lines[first:]
    assert "look/take: no test made it fail with DARK" in lines[first:]
    assert "reach: no test made it fail with TOO_FAR" in lines[first:]
    assert "reached 6 of 6 nodes, 1 of 4 failure codes" in lines[first:]


TWICE = """
import pytest
pytest.main(["-q", "-p", "no:cacheprovider", "--bt-cov"])
print("AND NOW WITHOUT")
pytest.main(["-q", "-p", "no:cacheprovider"])
"""


@pytest.mark.slow
def test_unreached_nodes_are_listed_on_request(tmp_path):
    suite = SUITE.replace('["SLIPPED", "done"]', '["done"]')
    (tmp_path / "test_trees.py").write_text(suite)
    command = [sys.executable, "-c", TWICE]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    asked, _, unasked = done.stdout.partition("AND NOW WITHOUT\n")
    assert "take: no test reached grab" in asked.splitlines()
    assert "2 passed" in unasked
    assert "bt-exec coverage" not in unasked


OWN = """
from dataclasses import replace
from pathlib import Path

from bt_exec import Failed, Running, Steps, skill
from bt_exec.spec.library import Library
from bt_exec.testing import run_skill, run_tree, tree_run

@skill(fails={"EMPTY", "LOST"})
def pour(robot) -> Steps:
    "Pour."
    raise Failed("EMPTY")
    yield Running()

@skill(fails={"STUCK"})
def drive(robot) -> Steps:
    "Drive."
    yield Running()

def test_pour():
    assert run_skill(pour, None).finish().code == "EMPTY"

def test_wait(monkeypatch):
    site = tree_run.scripted_site([pour, drive])
    library = Library.load([Path(__file__).parent / "trees"])
    monkeypatch.setattr(tree_run, "scripted_site", lambda *a, **b: replace(site, library=library))
    assert run_tree("tree: rest\\nroot: {do: wait, with: {seconds: 0.1}}").outcome.ok
"""


@pytest.mark.slow
def test_coverage_includes_all_trees_and_single_skills_of_a_project(tmp_path):
    trees = tmp_path / "trees"
    trees.mkdir()
    (trees / "rest.yaml").write_text("tree: rest\nroot: {do: wait, with: {seconds: 0.1}}\n")
    (trees / "go.yaml").write_text("tree: go\nroot: {sequence: [{tree: rest}, {do: drive}]}\n")
    (tmp_path / "test_own.py").write_text(OWN)
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    command = [sys.executable, "-m", "pytest", "-q", "--bt-cov", "-p", "no:cacheprovider"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout
    lines = done.stdout.partition("bt-exec coverage")[2].splitlines()[1:5]
    assert lines == [
        "go: no test reached rest, drive",
        "drive: no test made it fail with STUCK",
        "pour: no test made it fail with LOST",
        "reached 1 of 3 nodes, 1 of 3 failure codes",
    ]
