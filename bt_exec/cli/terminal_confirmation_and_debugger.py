"""Questions to the operator at the terminal: confirmation of a plan, and the debugger."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Any

from bt_exec.failure import UsageError
from bt_exec.language.closed_classes import is_yes
from bt_exec.mission.debugger import Debugger
from bt_exec.mission.self_questions import asks_to_stop
from bt_exec.tui.terminal_text import pad, safe_line
from bt_exec.tui.view_drawing import plan_lines

if TYPE_CHECKING:
    from bt_exec.cli.mission_display import MissionDisplay
    from bt_exec.mission.session import Session
    from bt_exec.spec.model import MissionSpec

__all__ = ["TerminalConfirm", "terminal_debugger"]


class TerminalConfirm:
    """Confirmation at the terminal; implements `bt_exec.planning.confirmation.Confirm`.

    Args:
        display: Displays missions; its view is paused while the question is open.
    """

    def __init__(self, display: MissionDisplay) -> None:
        self._display = display

    def __call__(self, spec: MissionSpec, why: str, over: threading.Event) -> bool:
        """Return True if the operator types yes; any other answer means no."""
        display = self._display
        painter, view = display.painter, display.view
        say = display.model.messages.say
        if view is not None:
            view.suspend_drawing()
        try:
            painter.write_text(why)
            painter.write_lines(
                plan_lines(
                    spec,
                    display.model.messages,
                    painter.width,
                    ascii=painter.is_ascii_only,
                    verbose=display.verbose,
                )
            )
            painter.write_text(say("CONFIRM_QUESTION", spec.mission.language))
            return is_yes(display.typed.ask(lambda: not over.is_set()))
        finally:
            if view is not None:
                view.redraw()


def terminal_debugger(
    session: Session,
    display: MissionDisplay,
    language: str,
    *,
    step: bool,
    breaks: Collection[str],
    watch: Collection[str],
) -> Debugger:
    """Return a debugger of a session that reads commands from standard input.

    Raises:
        UsageError: If the mission would be paused while a real robot moves.
    """
    if step or breaks:
        real = sorted(
            name
            for name, rig in session.rigs.items()
            if rig.robot is not None and rig.simulation is None
        )
        if real:
            raise UsageError(
                f"--step and --break need simulated robots; {', '.join(real)} is real and would "
                "keep moving during a pause. Use --watch, or a site with a simulation"
            )
    painter = display.painter

    def say(code: str, **facts: Any) -> str:
        words = "en" if painter.is_ascii_only else language
        return safe_line(session.site.messages.say(code, words, **facts))

    def pause(t: float, hits: Collection[str], alive: Callable[[], None]) -> bool:
        def waits() -> bool:
            alive()
            return True

        view = display.view
        if view is not None:
            view.suspend_drawing()
        try:
            for name in hits:
                painter.write_text(say("PAUSED_BREAK", name=name))
            painter.write_text(say("PAUSED", t=f"{t - display.model.began:.1f}"))
            line = display.typed.ask(waits)
            if line.strip().casefold() == "q" or asks_to_stop(line):
                session.abort("operator")
                alive()
            return bool(line) and not line.strip()
        finally:
            if view is not None:
                view.redraw()

    def print_watched_value(t: float, name: str, value: Any) -> None:
        shown = "?" if value is None else str(value)
        word = pad(display.model.fixed_word("watch"), 8)
        painter.write_text(
            f"{t - display.model.began:8.1f} s  {word}  {safe_line(f'{name} = {shown}')}"
        )

    return Debugger(pause, print_watched_value, step=step, breaks=breaks, watch=watch)
