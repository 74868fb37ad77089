"""``bt-exec replay`` on the command line."""

from __future__ import annotations

import dataclasses
import json
import os
import pty
import select
import subprocess
import sys
from pathlib import Path

import pytest

from bt_exec.cli.history_and_why import open_journal
from bt_exec.cli.output_streams import operator_painter
from bt_exec.cli.replay import _show_end, _view_models
from bt_exec.events import Finished
from bt_exec.tui.player import Player
from tests.bt_exec.cli.conftest import Run


@pytest.fixture
def mission(bt: Run) -> Run:
    assert bt("run", "open the door", "--fast", "--fault", "open_door:1=DOOR_STUCK").code == 0
    return bt


def test_replay_prints_the_output_of_the_mission(bt: Run) -> None:
    live = bt("run", "문 열어", "--fast").out
    assert bt("replay").out == live
    assert bt("replay", "--plain", "--speed", "0").out == live


@pytest.mark.slow
def test_verify_reports_a_repeatable_mission(mission: Run) -> None:
    ran = mission("replay", "1", "--verify")
    assert (ran.code, ran.out.startswith("The mission ran again exactly as recorded")) == (0, True)
    data = json.loads(mission("replay", "--verify", "--json").out)
    assert (data["same"], data["difference"]) == (True, None)


@pytest.mark.slow
def test_exported_test_passes(mission: Run, tmp_path: Path) -> None:
    file = tmp_path / "test_recorded.py"
    assert mission("replay", "--to", "pytest", str(file)).out == f"Wrote {file}.\n"
    scope: dict[str, object] = {}
    exec(compile(file.read_text(encoding="utf-8"), str(file), "exec"), scope)
    test = next(value for name, value in scope.items() if name.startswith("test_mission_"))
    test()  # type: ignore[operator]
    again = mission("replay", "--to", "pytest", str(file))
    assert (again.code, again.err) == (2, f"bt-exec: {file} already exists; choose another file\n")


@pytest.mark.slow
def test_unknown_test_format_lists_the_known_ones(mission: Run, tmp_path: Path) -> None:
    ran = mission("replay", "--to", "pytset", str(tmp_path / "x"))
    assert ran.code == 2
    assert "pytest" in ran.err


@pytest.mark.slow
def test_keys_navigate_the_record(mission: Run, tmp_path: Path) -> None:
    parent, child = pty.openpty()
    env = {**os.environ, "TERM": "xterm-256color", "LINES": "30", "PYTHONUTF8": "1"}
    command = [sys.executable, "-m", "bt_exec", "replay", "1", "--step"]
    with subprocess.Popen(command, stdin=child, stdout=child, stderr=child, env=env) as process:
        os.close(child)

        def until(text: str) -> str:
            shown = ""
            while text not in shown:
                ready, _, _ = select.select([parent], [], [], 30)
                assert ready, shown
                shown += os.read(parent, 65536).decode("utf-8", "replace")
            return shown

        until("paused")
        os.write(parent, b"\x1b[F")  # End key: the last moment of the mission
        until("7.5 s of 7.5 s")
        os.write(parent, b"\x1b[H")
        until("0.0 s of 7.5 s")
        os.write(parent, b"q")
        until("\x1b[?25h")
        assert process.wait(30) == 0
    os.close(parent)


@pytest.mark.parametrize(("left", "end"), [(True, ""), (False, "The record ends here.\n")])
def test_replay_reports_the_end_of_an_interrupted_record_unless_the_operator_quits(
    bt: Run, capsys: pytest.CaptureFixture[str], *, left: bool, end: str
) -> None:
    bt("run", "open the door", "--fast")
    record = open_journal(None).mission("last")
    events = tuple(event for event in record.events if not isinstance(event, Finished))
    interrupted = dataclasses.replace(record, events=events, outcome=None)
    painter = operator_painter()
    player = Player(interrupted, _view_models(interrupted, painter, False))
    player.seek(len(events) // 2 if left else len(events))
    _show_end(interrupted, player.model, painter, tree=False, left=left)
    assert capsys.readouterr().out == end
