"""Type information of the package: mypy detects a wrong argument in a test of a skill."""

import re
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

PACK = Path(__file__).parents[1] / "data" / "lamp_pack"


@pytest.mark.parametrize("package", ["bt_exec", "bt_exec_skills", "bt_exec_llm"])
def test_package_is_marked_as_typed(package):
    spec = find_spec(package)
    assert spec is not None
    assert spec.origin is not None
    assert Path(spec.origin).with_name("py.typed").is_file()


def found_by_mypy(file, cache):
    """Return the errors of ``mypy --strict`` in a file of the pack."""
    command = [sys.executable, "-m", "mypy", "--strict", "--cache-dir", str(cache), file]
    done = subprocess.run(command, cwd=PACK, capture_output=True, text=True)
    assert done.returncode in (0, 1), done.stderr
    return {int(line) for line in re.findall(rf"^{file}:(\d+): error", done.stdout, re.M)}


@pytest.mark.slow
def test_mypy_reports_exactly_the_wrong_arguments_in_a_skill_test(tmp_path):
    assert found_by_mypy("lamp.py", tmp_path) == set()
    assert found_by_mypy("right.py", tmp_path) == set()
    lines = enumerate((PACK / "wrong.py").read_text().splitlines(), 1)
    wrong = {number for number, line in lines if line.endswith("# wrong")}
    assert len(wrong) == 12
    assert found_by_mypy("wrong.py", tmp_path) == wrong
