"""Confirmation of a plan at the terminal: only "yes" confirms."""

from __future__ import annotations

import io
import json
import os
import re
import sys
import threading
from types import SimpleNamespace
from typing import Any

import pytest

from bt_exec.cli.mission_display import MissionDisplay
from bt_exec.cli.terminal_confirmation_and_debugger import TerminalConfirm, terminal_debugger
from bt_exec.cli.typed_lines import can_ask_operator
from bt_exec.failure import UsageError
from bt_exec.rig import Rig
from bt_exec.site.site import load_site
from bt_exec.spec.model import MissionSpec
from bt_exec.tui.paint import Painter
from tests.bt_exec.cli.conftest import Run


def spec_in(language: str, **root: Any) -> MissionSpec:
    """Return a plan whose command was given in a language."""
    header = {"command": "x", "language": language, "plan_version": 1, "compiler": "claude"}
    return MissionSpec.model_validate({"mission": header, "root": root})


SPEC = spec_in("en", do="open_door", **{"with": {"arm": "left"}})


class Screen(io.StringIO):
    """Output that shows any character."""

    encoding = "utf-8"


def asked(monkeypatch, typed: str | None, spec: MissionSpec = SPEC) -> tuple[bool, str]:
    """Return the answer and the printed text for a typed line; None means end of input."""
    read, write = os.pipe()
    over, screen = threading.Event(), Screen()
    if typed is None:
        over.set()
    else:
        os.write(write, typed.encode())
    site = load_site("door")
    display = MissionDisplay(Painter(screen), plain=True)
    display.model.messages, display.library = site.messages, site.library
    with os.fdopen(read) as keyboard:
        monkeypatch.setattr("sys.stdin", keyboard)
        answer = TerminalConfirm(display)(spec, "Only the model says so.", over)
    os.close(write)
    return answer, screen.getvalue()


@pytest.mark.parametrize("typed", ["y\n", "Yes.\n", " 네\n", "ok\n"])
def test_answer_yes_confirms_the_plan(monkeypatch, typed):
    answer, shown = asked(monkeypatch, typed)
    assert answer
    assert "Only the model says so." in shown
    assert "open the door with the left arm" in shown
    assert "open_door" not in shown
    assert "Run this plan? [y/N]" in shown


@pytest.mark.parametrize("typed", ["\n", "n\n", "yesterday\n", "아니요\n", None])
def test_any_other_answer_rejects_the_plan(monkeypatch, typed):
    assert not asked(monkeypatch, typed)[0]


def test_plan_is_shown_in_the_language_of_its_command(monkeypatch):
    steps = [
        {"do": "open_door", "with": {"arm": "left"}, "skip_if": {"door_is": {"state": "open"}}},
        {"do": "grasp", "with": {"arm": "right", "object": "material"}, "repeat": 3},
    ]
    _, shown = asked(monkeypatch, "n\n", spec_in("ko", sequence=steps))
    assert "왼팔로 문 열기\n" in shown
    assert "건너뛰는 조건: 문 상태: 열림" in shown
    assert "3번" in shown
    assert not re.search("[a-z]{2}", shown.partition("x\n")[2].partition("[y/N]")[0])


def test_question_is_not_asked_without_a_terminal():
    assert not can_ask_operator(Painter(io.StringIO()))


WAIT = ("do", "wait", "seconds=0.5", "--fast", "--no-journal")


def ticks(ran: Any) -> Any:
    return json.loads(ran.out)["ticks"]


def test_pauses_do_not_change_the_ticks(bt: Run) -> None:
    plain = bt(*WAIT, "--json")
    stepped = bt(*WAIT, "--json", "--step", stdin="\n\n\n")
    assert ticks(plain) == ticks(stepped) > 1
    assert "Paused at 0.0 s." in stepped.err
    assert "Paused" not in plain.err


def test_end_of_input_continues_a_paused_mission(bt: Run) -> None:
    ran = bt(*WAIT, "--step")
    assert (ran.code, ran.out.count("Paused")) == (0, 1)


def test_q_stops_the_mission_at_a_breakpoint(bt: Run) -> None:
    ran = bt(*WAIT, "--break", "wait", stdin="q\n")
    assert ran.code == 130
    assert "Breakpoint wait reached." in ran.out


def test_typed_stop_stops_the_mission_at_a_breakpoint(bt: Run) -> None:
    assert bt(*WAIT, "--break", "wait", stdin="stop it\n").code == 130


def test_unreached_breakpoints_are_reported_with_the_nearest_name(bt: Run) -> None:
    ran = bt(*WAIT, "--break", "wiat", "--watch", "dor")
    assert ran.code == 0
    assert "--break wiat: not reached in this mission (nearest name: wait)." in ran.out
    assert "--watch dor: not reached in this mission (nearest name: door, doorway)." in ran.out


def test_watched_fact_is_printed(bt: Run) -> None:
    assert "watch     door = closed" in bt(*WAIT, "--watch", "door").out


def test_real_robots_are_never_paused() -> None:
    session: Any = SimpleNamespace(rigs={"arm": Rig(robot=object())})
    display = MissionDisplay(Painter(sys.stderr), plain=True)
    with pytest.raises(UsageError, match="arm is real and would keep moving"):
        terminal_debugger(session, display, "en", step=True, breaks=(), watch=())
    assert terminal_debugger(session, display, "en", step=False, breaks=(), watch=["door"])
