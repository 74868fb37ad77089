"""Command ``watch``: live view of a mission in another process or a service."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Annotated

import typer

from bt_exec.cli import options as opt
from bt_exec.cli.history_and_why import open_journal
from bt_exec.failure import UsageError

if TYPE_CHECKING:
    from bt_exec.events import Listener
    from bt_exec.journal.read import Tail
    from bt_exec.language.messages import Messages
    from bt_exec.tui.paint import Painter
    from bt_exec.tui.view_model import ViewModel

__all__ = ["COMMANDS", "follow", "watch"]

_PERIOD_S = 0.1
_VARIABLE = "BT_EXEC_TOKEN"


def watch(
    which: Annotated[
        str,
        typer.Argument(
            metavar="[ID|URL]",
            help="A mission, or http://HOST:PORT of a service; the running one by default.",
            show_default=False,
        ),
    ] = "",
    plain: opt.Plain = False,
    full: opt.Full = False,
    journal: opt.JournalFile = None,
    verbose: opt.Verbose = False,
) -> None:
    """Follow a mission of another process; leaving does not stop it.

    The token in BT_EXEC_TOKEN is sent to a service that requires one.
    """
    from bt_exec.cli.output_streams import operator_painter
    from bt_exec.journal.journal import JournalTail
    from bt_exec.tui.recorded_mission_messages import catalogue_and_messages, site_messages

    if "://" in which:
        from bt_exec.serve.event_stream_client import ServiceTail

        tail = ServiceTail(which, os.environ.get(_VARIABLE, "").strip())
        messages = site_messages(str(tail.mission.get("site", "")))
        follow(tail, messages, operator_painter(), plain=plain, full=full, verbose=verbose)
        return
    kept = open_journal(journal)
    if not which:
        running = [line for line in kept.missions(50) if line.shown_status == "running"]
        if not running:
            raise UsageError("no mission is running; name one: bt-exec watch ID|URL")
        which = running[0].id
    record = kept.mission(which)
    _, messages = catalogue_and_messages(record)
    kept_tail = JournalTail(kept, record.id)
    follow(kept_tail, messages, operator_painter(), plain=plain, full=full, verbose=verbose)


def follow(
    tail: Tail,
    messages: Messages,
    painter: Painter,
    *,
    plain: bool = False,
    full: bool = False,
    verbose: bool = False,
) -> None:
    """Show a mission live as its events arrive, until it has ended or the user leaves."""
    import time

    from bt_exec.tui.live import LiveView
    from bt_exec.tui.plain_view import PlainView
    from bt_exec.tui.view_model import ViewModel

    model = ViewModel(messages=messages, ascii=painter.is_ascii_only, verbose=verbose)
    live = painter.can_redraw and not plain
    view = LiveView(model, painter, keys=True, full=full) if live else None
    listener: Listener = model if live else PlainView(model, painter.write_text, verbose=verbose)
    with contextlib.suppress(KeyboardInterrupt), view or contextlib.nullcontext():
        while True:
            for event in tail.read():
                listener.on(event)
            model.hint = messages.say("WATCHING", _language(model))
            if tail.ended:
                break
            time.sleep(_PERIOD_S)
    _show_end(tail, model, painter, tree=live, verbose=verbose)


def _show_end(tail: Tail, model: ViewModel, painter: Painter, *, tree: bool, verbose: bool) -> None:
    from bt_exec.cli.mission_display import final_lines

    shown = tree and model.spec is not None
    painter.write_lines(final_lines(model, painter, model.outcome, tree=shown, verbose=verbose))
    if model.outcome is None and tail.ended:
        code = "WATCH_INTERRUPTED" if tail.ended == "interrupted" else "WATCH_LOST"
        painter.write_text(model.messages.say(code, _language(model)), "stopped")


def _language(model: ViewModel) -> str:
    return "en" if model.ascii else model.language


COMMANDS: Mapping[str, Callable[..., None]] = {"watch": watch}
