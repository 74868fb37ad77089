"""``history`` and ``why``: what happened, asked of the journal."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from bt_exec.cli import options as opt

if TYPE_CHECKING:
    from bt_exec.journal import Journal, MissionLine
    from bt_exec.tui.paint import Painter

__all__ = ["COMMANDS", "HISTORY", "open_journal", "tell_interrupted", "why"]

_Which: TypeAlias = Annotated[
    str,
    typer.Argument(
        metavar="[ID]", help="A number of the day (7), a whole name, or last.", show_default=False
    ),
]
_File: TypeAlias = Annotated[
    Path | None, typer.Option("--journal", metavar="FILE", help="Another record than yours.")
]

HISTORY = typer.Typer(
    help="What was done: a list of missions, or one of them as it ended.",
    invoke_without_command=True,
    no_args_is_help=False,
)


@HISTORY.callback()
def history(
    context: typer.Context,
    failed: Annotated[
        bool, typer.Option("--failed", help="Only those that did not end satisfied.")
    ] = False,
    today: Annotated[bool, typer.Option("--today", help="Only those of today.")] = False,
    site: opt.SiteName = "",
    count: Annotated[
        int, typer.Option("-n", min=0, metavar="N", help="The newest N; 0 for all.")
    ] = 20,
    journal: _File = None,
    json: opt.Json = False,
) -> None:
    """List missions, the newest last."""
    if context.invoked_subcommand is not None:
        context.obj = journal
        return
    from datetime import date

    from bt_exec.cli.output import for_people, to_json
    from bt_exec.tui.history import history_table, line_data, shown_status

    kept = open_journal(journal)
    found = kept.missions(None, site=site or None, day=date.today() if today else None)
    well = ("satisfied", "running", "waiting")  # or not badly, so far
    lines = [one for one in found if not failed or shown_status(one) not in well]
    lines = list(reversed(lines[:count] if count else lines))
    if json:
        for line in lines:
            typer.echo(to_json(line_data(line)))
        return
    painter = for_people()
    if lines:
        painter.console.print(history_table(lines, painter.glyphs, painter.width))
    else:
        painter.say("no such mission" if found or failed or today or site else "no mission yet")


@HISTORY.command("show")
def show(
    context: typer.Context,
    which: _Which = "last",
    journal: _File = None,
    json: opt.Json = False,
    verbose: opt.Verbose = False,
) -> None:
    """Show a mission as it ended: its trees, plan by plan, and its last words."""
    from bt_exec.cli.output import emit, for_people
    from bt_exec.tui.history import record_data, record_lines
    from bt_exec.tui.voices import voices

    record = open_journal(journal or context.obj).mission(which)
    if json:
        emit(record_data(record))
        return
    painter = for_people()
    _, messages = voices(record)
    painter.lines(record_lines(record, messages, painter.width, painter.glyphs, verbose=verbose))


def why(
    which: _Which = "last",
    journal: _File = None,
    json: opt.Json = False,
) -> None:
    """Say why a mission ended as it did: the first cause, its evidence, and what was tried."""
    from bt_exec.cli.output import emit, for_people
    from bt_exec.tui.voices import why_of

    record = open_journal(journal).mission(which)
    painter = for_people()
    said = why_of(record, "en" if painter.ascii and not json else "")
    if json:
        emit(said.data())
        return
    painter.lines(said.lines(painter.width, painter.glyphs))


def open_journal(path: Path | None) -> Journal:
    """Open a journal and tell which rows still wait beside it.

    Raises:
        UsageError: If it cannot be read.
    """
    from bt_exec.cli.output import for_people
    from bt_exec.journal import Journal

    journal = Journal.open(path)
    for text in journal.waiting:
        for_people(beside=True).say(f"bt-exec: {text}")
    return journal


def tell_interrupted(painter: Painter, journal: Journal) -> None:
    """Say once, in one line, which mission was interrupted and what may still be in a hand."""
    from bt_exec.tui.voices import why_of

    line: MissionLine | None = journal.interrupted()
    if line is None:
        return
    said = why_of(journal.mission(line.id))
    number = line.id.rpartition("-")[2].lstrip("0")
    when = f"{line.started_at:%Y-%m-%d %H:%M}"
    parts = [said.say("INTERRUPTED", command=line.command, when=when), said.cause()]
    for label, facts in (("last known", said.known.facts), ("perhaps", said.known.possible)):
        if state := said.state(facts):
            parts.append(f"{said.word(label)}: {' '.join(state)}")
    painter.say(f"{' '.join(parts)} · bt-exec why {number}", "skipped")


COMMANDS: Mapping[str, Callable[..., None]] = {"why": why}
