"""Commands load only the packages that they need."""

from __future__ import annotations

import subprocess
import sys

import pytest

REPORT = """
import sys
from bt_exec.cli.app import run_command_line
code = run_command_line(sys.argv[1:])
print(code, *sorted({name.partition(".")[0] for name in sys.modules}), file=sys.stderr)
"""
SIMULATOR = {"cv2", "mujoco", "daqp", "onnxruntime", "scipy"}
OTHERS = {"anthropic", "fastapi", "ray", "pyarrow", "torch", "ultralytics"}
HEAVY = SIMULATOR | OTHERS

RUN = ("run", "--fast", "--no-journal")
FILE = "trees/door/get_material.yaml"


def loaded(*arguments: str) -> tuple[int, set[str]]:
    """Return the exit code of a command line and the packages that it loaded."""
    command = [sys.executable, "-c", REPORT, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    code, *names = done.stderr.splitlines()[-1].split()
    return int(code), set(names)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("--help",), 0),
        (("compile", "get the material"), 0),
        (("compile", "dance the tango"), 5),
        ((*RUN, "dance the tango"), 5),
        ((*RUN, "what can you do?"), 0),
        ((*RUN, "춤을 춰"), 5),
        (("compile", "문 안의 자재를 가져와"), 0),
        (("check", FILE), 0),
        (("trees",), 0),
    ],
)
def test_command_loads_no_unneeded_package(arguments: tuple[str, ...], code: int) -> None:
    found, names = loaded(*arguments)
    assert (found, names & HEAVY) == (code, set())


def test_help_loads_neither_yaml_nor_models() -> None:
    assert loaded("--help")[1].isdisjoint({"numpy", "pydantic", "py_trees", "sqlite3", "yaml"})


@pytest.mark.slow
def test_question_about_a_closed_door_loads_no_package_for_pictures() -> None:
    code, names = loaded(*RUN, "is the door open?")
    assert (code, "mujoco" in names, "cv2" in names) == (0, True, False)
