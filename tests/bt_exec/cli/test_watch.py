"""``bt-exec watch`` and ``history show --follow``."""

from __future__ import annotations

from tests.bt_exec.cli.conftest import Run


def test_watching_an_ended_mission_prints_its_live_output(bt: Run) -> None:
    live = bt("run", "문 열어", "--fast").out
    assert bt("watch", "1").out == live
    assert bt("history", "show", "1", "--follow").out == live


def test_mission_must_be_named_when_none_runs(bt: Run) -> None:
    ran = bt("watch")
    assert ran.code == 2
    assert "no mission is running; name one" in ran.err
