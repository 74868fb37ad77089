"""The command line, in process."""

from __future__ import annotations

import io
import sys
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from bt_exec.cli.app import call


class Ran(NamedTuple):
    code: int
    out: str
    err: str


Run = Callable[..., Ran]


@pytest.fixture
def bt(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
    door: str,
) -> Run:
    """Run a command line in folders of its own; where it names no site, at `door`."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("BT_EXEC_SITE", door)
    monkeypatch.setenv("COLUMNS", "80")
    for name in ("FORCE_COLOR", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)

    def run(*arguments: str, stdin: str = "") -> Ran:
        monkeypatch.setattr(sys, "stdin", io.StringIO(stdin))
        code = call(arguments)
        out, err = capsys.readouterr()
        assert "Traceback" not in out + err
        return Ran(code, out, err)

    return run


@pytest.fixture(scope="session")
def door(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the file of a door site whose eyes cost little, where eyes do not matter."""
    file = tmp_path_factory.mktemp("site") / "door.yaml"
    file.write_text("site: door\npacks: {door: {robot: sim, detector: oracle}}\n")
    return str(file)
