"""Commands load only the packages that they need."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

REPORT = """
import sys
from bt_exec.cli.app import call
code = call(sys.argv[1:])
print(code, *sorted({name.partition(".")[0] for name in sys.modules}), file=sys.stderr)
"""
ANALYSERS = {"kiwipiepy", "simplemma"}
SIMULATOR = {"cv2", "mujoco", "daqp", "onnxruntime", "scipy"}
OTHERS = {"anthropic", "fastapi", "ray", "pyarrow", "torch", "ultralytics"}
HEAVY = ANALYSERS | SIMULATOR | OTHERS

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
    ("arguments", "code", "allowed"),
    [
        (("--help",), 0, set()),
        (("compile", "get the material"), 0, {"simplemma"}),
        (("compile", "dance the tango"), 5, {"simplemma"}),
        ((*RUN, "dance the tango"), 5, {"simplemma"}),
        ((*RUN, "what can you do?"), 0, {"simplemma"}),
        ((*RUN, "춤을 춰"), 5, {"kiwipiepy"}),
        (("trees",), 0, set()),
    ],
)
def test_command_loads_no_unneeded_package(
    arguments: tuple[str, ...], code: int, allowed: set[str]
) -> None:
    found, names = loaded(*arguments)
    assert (found, names & HEAVY - allowed) == (code, set())


def test_help_loads_neither_yaml_nor_models() -> None:
    assert loaded("--help")[1].isdisjoint({"numpy", "pydantic", "py_trees", "sqlite3", "yaml"})


@pytest.mark.slow
def test_repeated_utterance_and_checked_file_need_no_analyser(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    loaded("check", FILE)
    assert loaded("check", FILE)[1].isdisjoint(SIMULATOR | ANALYSERS)
    code, names = loaded("compile", "문 안의 자재를 가져와")
    assert (code, names & (SIMULATOR | {"kiwipiepy"})) == (0, set())
