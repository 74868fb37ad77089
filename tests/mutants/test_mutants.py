"""Mutation tool: mutants, selected tests, results."""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from bt_exec.spec.shipped_yaml import parse_yaml
from tests.mutants.choose import chosen
from tests.mutants.groups import Known, groups
from tests.mutants.mutators import mutants_of
from tests.mutants.results import Table
from tests.mutants.trial import Result

HERE = Path(__file__).parent
ROOT = HERE.parents[1]

CHANGES = [
    ("x = a < b", ["x = a <= b", "x = a >= b"]),
    ("x = a is not b", ["x = a is b"]),
    ("x = a and (b)", ["x = a or (b)"]),
    ("x = a + 1", ["x = a - 1", "x = a + 2"]),
    ("x = not a", ["x = (a)"]),
    ("x = True", ["x = False"]),
    ("x = min(a, b)", ["x = max(a, b)"]),
    ("f(a, k=b)", ["pass", "f(a, )"]),
    ("x = a if b else c", ["x = a if True else c", "x = a if False else c"]),
    ("x = [a for a in b if c]", ["x = [a for a in b if True]"]),
    ("self.x = a", ["pass"]),
    ("x += a", ["pass"]),
    ("raise E", ["pass"]),
    ("def f(): return a", ["def f(): return None"]),
    ("while a: break", ["while False: break", "while a: continue"]),
    ("def f(k: bool = True): ...", ["def f(k: bool = False): ..."]),
    ("x: Literal[1] = a", []),
    ("@frozen(True)\nclass C: ...", []),
    ('__all__ = ["a"]', []),
    ("assert a == b", []),
    ('_log.error("a", exc_info=b)', []),
    ('"""A docstring."""', []),
]


@pytest.mark.parametrize(("source", "expected"), CHANGES, ids=[case[0] for case in CHANGES])
def test_each_kind_has_the_expected_mutants(source, expected):
    assert sorted(each.now for each in mutants_of("m.py", source)) == sorted(expected)


def test_mutant_changes_only_its_lines():
    source = "# 한국어\n\nx = f(\n    a,\n    b == c,  # why\n)\n"
    (mutant,) = mutants_of("m.py", source)
    assert (mutant.line, mutant.was, mutant.now) == (5, "b == c, # why", "b != c, # why")
    assert mutant.text == source.replace("==", "!=")


def test_nearest_tests_run_first_within_the_budget():
    seconds = {
        "tests/bt_exec/test_clock.py::test_b": 2.0,
        "tests/bt_exec/test_clock.py::test_a": 3.0,
        "tests/bt_exec/test_rig.py::test_c": 0.1,
        "tests/skills/test_clock.py::test_d": 0.2,
        "tests/skills/test_e.py::test_e": 90.0,
        "tests/skills/test_f.py::test_f": 0.3,
    }
    assert chosen(seconds, "bt_exec/clock.py", seconds, 10.0) == [
        "tests/bt_exec/test_clock.py::test_b",
        "tests/bt_exec/test_clock.py::test_a",
        "tests/bt_exec/test_rig.py::test_c",
        "tests/skills/test_clock.py::test_d",
        "tests/skills/test_f.py::test_f",
    ]


def test_fast_tests_precede_a_slow_one_at_the_same_distance():
    seconds = {
        "tests/bt_exec/test_clock.py::test_a": 12.0,
        "tests/bt_exec/test_clock.py::test_b": 2.0,
        "tests/bt_exec/test_clock.py::test_c": 1.0,
    }
    fast = ["tests/bt_exec/test_clock.py::test_c", "tests/bt_exec/test_clock.py::test_b"]
    assert chosen(seconds, "bt_exec/clock.py", seconds, 10.0) == fast
    assert chosen(seconds, "bt_exec/clock.py", seconds, 20.0) == [*fast, next(iter(seconds))]


def test_files_of_every_group_exist():
    found = groups(ROOT)
    assert [group.name for group in found] == ["kernel", "domains", "labeler"]
    assert all(len(group.files) > 20 and len(group.tests) > 20 for group in found)


def test_equivalent_mutants_are_skipped_and_obsolete_ones_listed(tmp_path):
    source = "x = a < b"
    listed = {"file": "m.py", "was": source, "now": "x = a  <= b", "reason": "they never meet"}
    old = {**listed, "was": "y = a < b"}
    (tmp_path / "list.yaml").write_text(yaml.safe_dump([listed, old]))
    known = Known(tmp_path / "list.yaml")
    assert [each.now for each in mutants_of("m.py", source) if each in known] == ["x = a <= b"]
    assert known.gone(["m.py"]) == ["m.py | y = a < b | x = a <= b"]
    assert known.gone(["other.py"]) == []


def test_equivalent_mutant_has_a_file_and_a_reason():
    listed = parse_yaml((HERE / "equivalent.yaml").read_text()) or []
    assert all((ROOT / each["file"]).exists() for each in listed)
    assert all({*each} == {"file", "was", "now", "reason"} for each in listed)


@pytest.mark.slow  # every mutant of thirty files
def test_equivalent_mutants_still_exist():
    known = Known()
    files = {each["file"] for each in parse_yaml((HERE / "equivalent.yaml").read_text())}
    sources = {file: (ROOT / file).read_text(encoding="utf-8") for file in files}
    made = [one for file in files for one in mutants_of(file, sources[file]) if one in known]
    assert made
    assert known.gone(files) == []


def test_result_file_updates_only_the_tried_groups(tmp_path):
    (mutant,) = mutants_of("m.py", "x = a is b")
    options = argparse.Namespace(sample=2, seed=7, files=None, tests=["tests/a"], budget=8.0)
    path = tmp_path / "RESULTS.md"
    for group, by in (("kernel", ""), ("domains", ""), ("kernel", "a test")):
        table = Table()
        table.begin(group, 1, 0)
        table.add(group, Result(mutant, by, 3))
        table.write(ROOT, path, options)
    head = "| group | mutants | noticed | survived | equivalent | noticed % |"
    text = re.sub(r"\d+-\d+-\d+, commit \w+", "DAY, commit X", path.read_text())
    command = "--tests tests/a --sample 2 --seed 7 --budget 8`"
    assert [line for line in text.splitlines() if line and not line.startswith("| ---")] == [
        "# Mutants",
        "## kernel",
        f"DAY, commit X: `python -m tests.mutants --group kernel {command}",
        head,
        "| kernel | 1 | 1 | 0 | 0 | 100.0 |",
        "## domains",
        f"DAY, commit X: `python -m tests.mutants --group domains {command}",
        head,
        "| domains | 1 | 0 | 1 | 0 | 0.0 |",
        "Survivors:",
        "- `m.py:1` `x = a is b` → `x = a is not b`",
    ]


MODULE = """
def bigger(a, b):
    if a > b:
        return a
    return b
"""
TESTS = """
import os, subprocess, sys
from small import bigger

def test_here():
    assert bigger(1, 2) == 2

def test_in_a_process_of_its_own():
    bigger(0, 0)
    code = "import sys; sys.path.insert(0, '.'); from small import bigger; print(bigger(3, 2))"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert said.stdout.strip() == "3"
"""
TRY = """
import sys
from pathlib import Path
from tests.mutants.mutators import mutants_of
from tests.mutants.trial import Trial
import tests.mutants.trace as trace
trace.CACHE = Path("kept")
root = Path.cwd()
trial = Trial(root, ["small.py"], ["test_small.py"], 1, 20.0)
for result in trial.run(mutants_of("small.py", Path("small.py").read_text())):
    print(result.mutant.line, result.mutant.now, "|", result.by)
"""


@pytest.mark.slow
def test_mutant_is_detected_by_in_process_and_subprocess_tests_only(tmp_path):
    (tmp_path / "small.py").write_text(MODULE)
    (tmp_path / "test_small.py").write_text(TESTS)
    (tmp_path / "pyproject.toml").write_text(
        '[tool.pytest.ini_options]\npythonpath = ["."]\nmarkers = ["slow: x"]\n'
    )
    said = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path.insert(1, {str(ROOT)!r})\n{TRY}"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=250,
    )
    found = dict(line.split(" | ") for line in said.stdout.splitlines())
    assert {change: bool(by) for change, by in found.items()} == {
        "3 if True:": True,
        "3 if False:": True,
        "3 if a >= b:": False,
        "3 if a <= b:": True,
        "4 return None": True,
        "5 return None": True,
    }, said.stderr
    assert found["3 if False:"] == "test_small.py::test_in_a_process_of_its_own"
    assert (tmp_path / "small.py").read_text() == MODULE
