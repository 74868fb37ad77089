"""``bt-exec watch`` and ``history show --follow``."""

from __future__ import annotations

from tests.bt_exec.cli.conftest import Run


def test_watching_an_ended_mission_shows_what_was_shown_live(bt: Run) -> None:
    live = bt("run", "문 열어", "--fast").out
    assert bt("watch", "1").out == live
    assert bt("history", "show", "1", "--follow").out == live


def test_without_a_running_mission_one_has_to_be_named(bt: Run) -> None:
    ran = bt("watch")
    assert ran.code == 2
    assert "no mission is running; name one" in ran.err
