"""Confirmation of a plan by the operator at the terminal."""

from __future__ import annotations

import selectors
import sys
import threading
from collections.abc import Callable
from typing import TYPE_CHECKING

from bt_exec.cli.words import is_yes
from bt_exec.tui.static import document_lines

if TYPE_CHECKING:
    from bt_exec.cli.mission import Conductor
    from bt_exec.spec.model import MissionSpec
    from bt_exec.tui.paint import Painter

__all__ = ["TerminalConfirm", "can_ask", "read_line"]

_STEP_S = 0.1


def can_ask(painter: Painter) -> bool:
    """Return whether input and output are a terminal, so that the operator can be asked."""
    return sys.stdin is not None and sys.stdin.isatty() and painter.file.isatty()


class TerminalConfirm:
    """Confirmation at the terminal; implements `bt_exec.planning.confirmation.Confirm`.

    Args:
        conductor: Displays missions; its view is paused meanwhile.
    """

    def __init__(self, conductor: Conductor) -> None:
        self._conductor = conductor

    def __call__(self, spec: MissionSpec, why: str, over: threading.Event) -> bool:
        """Return whether the operator typed yes; any other answer means no."""
        conductor = self._conductor
        painter, view = conductor.painter, conductor.view
        say = conductor.model.messages.say
        if view is not None:
            view.hold()
        try:
            painter.say(why)
            lines = document_lines(spec, conductor.library, painter.width, painter.glyphs)
            painter.lines(lines)
            painter.say(say("CONFIRM_QUESTION", spec.mission.language))
            return is_yes(read_line(lambda: not over.is_set()))
        finally:
            if view is not None:
                view.again()


def read_line(waits: Callable[[], bool]) -> str:
    """Return the next line of standard input, empty at its end or if it is no longer needed.

    Args:
        waits: Called every 100 ms; returns False once the line is no longer needed.
    """
    with selectors.SelectSelector() as selector:
        try:
            selector.register(sys.stdin, selectors.EVENT_READ)
        except (AttributeError, ValueError):  # no standard input, or one without a descriptor
            return sys.stdin.readline() if sys.stdin is not None else ""
        while waits():
            if selector.select(_STEP_S):
                return sys.stdin.readline()
    return ""
