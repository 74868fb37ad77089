"""Confirmation of a plan at the terminal: only "yes" confirms."""

from __future__ import annotations

import io
import os
import threading

import pytest

from bt_exec.cli.confirming import TerminalConfirm, can_ask
from bt_exec.cli.mission import Conductor
from bt_exec.site.site import load_site
from bt_exec.spec.model import MissionSpec
from bt_exec.tui.paint import Painter

SPEC = MissionSpec.model_validate(
    {
        "mission": {"command": "x", "language": "en", "plan_version": 1, "compiler": "claude"},
        "root": {"tree": "open_door"},
    }
)


def asked(monkeypatch, typed: str | None) -> tuple[bool, str]:
    """Return the answer and the printed text for a typed line; None means end of input."""
    read, write = os.pipe()
    over, screen = threading.Event(), io.StringIO()
    if typed is None:
        over.set()
    else:
        os.write(write, typed.encode())
    site = load_site("door")
    conductor = Conductor(Painter(screen), plain=True)
    conductor.model.messages, conductor.library = site.messages, site.library
    with os.fdopen(read) as keyboard:
        monkeypatch.setattr("sys.stdin", keyboard)
        answer = TerminalConfirm(conductor)(SPEC, "Only the model says so.", over)
    os.close(write)
    return answer, screen.getvalue()


@pytest.mark.parametrize("typed", ["y\n", "Yes.\n", " 네\n", "ok\n"])
def test_yes_confirms(monkeypatch, typed):
    answer, shown = asked(monkeypatch, typed)
    assert answer
    assert "Only the model says so." in shown
    assert "open_door" in shown
    assert "Run this plan? [y/N]" in shown


@pytest.mark.parametrize("typed", ["\n", "n\n", "yesterday\n", "아니요\n", None])
def test_any_other_answer_rejects(monkeypatch, typed):
    assert not asked(monkeypatch, typed)[0]


def test_question_is_not_asked_without_a_terminal():
    assert not can_ask(Painter(io.StringIO()))
