"""Fixtures to run the command line in this process."""

from __future__ import annotations

import io
import os
import signal
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from bt_exec.cli.app import run_command_line
from tests.small_pictures import small_pictures


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
) -> Iterator[Run]:
    """Yield a function that runs a command line in separate folders, at site `door` by default.

    A command that ends the program ignores signals from then on; their handlers are restored here.
    """
    handlers = {number: signal.getsignal(number) for number in signal.valid_signals()}
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setenv("BT_EXEC_SITE", door)
    monkeypatch.setenv("COLUMNS", "80")
    for name in ("FORCE_COLOR", "NO_COLOR"):
        monkeypatch.delenv(name, raising=False)

    def run(*arguments: str, stdin: str = "") -> Ran:
        monkeypatch.setattr(sys, "stdin", io.StringIO(stdin))
        code = run_command_line(arguments)
        out, err = capsys.readouterr()
        assert "Traceback" not in out + err
        return Ran(code, out, err)

    with small_pictures():
        yield run
    for number, handler in handlers.items():
        if handler is not None and signal.getsignal(number) is not handler:
            signal.signal(number, handler)


@pytest.fixture(scope="session")
def door(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the file of a door site with a cheap camera, for tests without perception."""
    file = tmp_path_factory.mktemp("site") / "door.yaml"
    file.write_text("site: door\npacks: {door: {robot: sim, detector: oracle}}\n")
    return str(file)


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with `gate_pack` installed as by pip, and a site for it."""
    folder = tmp_path_factory.mktemp("installed")
    info = folder / "bt_exec_gate-0.1.0.dist-info"
    info.mkdir()
    pack = "tests.bt_exec.cli.gate_pack"
    points = (
        f"[bt_exec.packs]\ngate = {pack}:PACK\n[bt_exec.compilers]\nby_heart = {pack}:by_heart\n"
    )
    (info / "entry_points.txt").write_text(points)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: bt-exec-gate\nVersion: 0.1.0\n")
    site = "site: gate\npacks: {gate: {robot: swing}}\ncompiler: {name: by_heart}\n"
    (folder / "gate.yaml").write_text(site)
    return folder


@pytest.fixture
def gate(installed: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """Return the site file for programs that a test starts; see `gate_pack`."""
    given = [os.environ["PYTHONPATH"]] if os.environ.get("PYTHONPATH") else []
    root = str(Path(__file__).parents[3])
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(installed), root, *given]))
    return str(installed / "gate.yaml")
