"""Terminal of the debugger: ``--step``, ``--break`` and ``--watch``."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TYPE_CHECKING, Any

from bt_exec.cli.confirming import read_line
from bt_exec.failure import UsageError
from bt_exec.mission.debugger import Debugger
from bt_exec.tui.text import clean

if TYPE_CHECKING:
    from bt_exec.cli.mission import Conductor
    from bt_exec.mission.session import Session

__all__ = ["debugger_of"]


def debugger_of(
    session: Session,
    conductor: Conductor,
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
    painter = conductor.painter

    def say(code: str, **facts: Any) -> str:
        words = "en" if painter.ascii else language
        return clean(session.site.messages.say(code, words, **facts))

    def hold(t: float, hits: Collection[str], alive: Callable[[], None]) -> bool:
        def waits() -> bool:
            alive()
            return True

        view = conductor.view
        if view is not None:
            view.hold()
        try:
            for name in hits:
                painter.say(say("PAUSED_BREAK", name=name))
            painter.say(say("PAUSED", t=f"{t - conductor.model.began:.1f}"))
            line = read_line(waits)
            if line.strip().casefold() == "q":
                session.abort("operator")
                alive()
            return bool(line) and not line.strip()
        finally:
            if view is not None:
                view.again()

    def report(t: float, name: str, value: Any) -> None:
        shown = "?" if value is None else str(value)
        painter.say(f"{t - conductor.model.began:8.1f} s  watch     {clean(f'{name} = {shown}')}")

    return Debugger(hold, report, step=step, breaks=breaks, watch=watch)
