"""Option ``--bt-cov``: nodes that no test reached are printed at the end."""

from __future__ import annotations

import subprocess
import sys

import pytest

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


def test_unreached_nodes_are_listed_on_request(tmp_path):
    suite = SUITE.replace('["SLIPPED", "done"]', '["done"]')
    (tmp_path / "test_trees.py").write_text(suite)
    command = [sys.executable, "-c", TWICE]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True)
    asked, _, unasked = done.stdout.partition("AND NOW WITHOUT\n")
    assert "take: no test reached grab" in asked.splitlines()
    assert "2 passed" in unasked
    assert "bt-exec coverage" not in unasked
