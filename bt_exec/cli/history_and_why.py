"""Commands ``history`` and ``why``: queries to the journal."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from bt_exec.cli import options as opt
from bt_exec.failure import UnknownName

if TYPE_CHECKING:
    from bt_exec.journal import Journal, MissionSummary
    from bt_exec.tui.paint import Painter

__all__ = [
    "COMMANDS",
    "HISTORY",
    "MissionName",
    "open_journal",
    "report_interrupted_mission",
    "why",
]

MissionName: TypeAlias = Annotated[
    str,
    typer.Argument(
        metavar="[ID]",
        help="Mission: its number within the day (7), its full id, or last.",
        show_default=False,
    ),
]
_File: TypeAlias = Annotated[
    Path | None,
    typer.Option(
        "--journal", metavar="FILE", help="Journal file to use instead of the default one."
    ),
]

HISTORY = typer.Typer(
    help="List recorded missions, or show how one of them ended.",
    invoke_without_command=True,
    no_args_is_help=False,
)


@HISTORY.callback()
def history(
    context: typer.Context,
    failed: Annotated[
        bool, typer.Option("--failed", help="Only missions that did not end satisfied.")
    ] = False,
    today: Annotated[bool, typer.Option("--today", help="Only missions of today.")] = False,
    site: opt.SiteName = "",
    status: Annotated[
        str,
        typer.Option("--status", metavar="NAME", help="Only missions with this status: blocked, …"),
    ] = "",
    command: Annotated[
        str, typer.Option("--command", metavar="TEXT", help="Only commands that contain TEXT.")
    ] = "",
    search: Annotated[
        str,
        typer.Option(
            "--search",
            metavar="WORDS",
            help="Only missions with WORDS in command, sentence or code.",
        ),
    ] = "",
    count: Annotated[
        int,
        typer.Option(
            "-n", min=0, metavar="N", help="Number of missions, the newest first; 0 for all."
        ),
    ] = 20,
    journal: _File = None,
    json: opt.Json = False,
) -> None:
    """List missions, the newest last."""
    if context.invoked_subcommand is not None:
        context.obj = journal
        return
    from datetime import date

    from bt_exec.cli.output_streams import operator_painter, reader_language, write_json
    from bt_exec.journal.search import STATUSES, Wanted
    from bt_exec.language.messages import LANGUAGES, OWN_MESSAGES, Messages
    from bt_exec.tui.mission_history import history_table, mission_entry_data, status_word

    messages = Messages.load([OWN_MESSAGES])
    for each in STATUSES:
        if status in (messages.fixed_word(status_word(each), language) for language in LANGUAGES):
            status = each
    if status and status not in STATUSES:
        raise UnknownName("status", status, STATUSES)
    kept = open_journal(journal)
    wanted = Wanted(
        site=_resolve_site_name(kept, site) if site else "",
        day=date.today() if today else None,
        status=status,
        failed=failed,
        command=command,
        text=search,
    )
    lines = list(reversed(kept.find(wanted, count or None)))
    if json:
        for line in lines:
            write_json(mission_entry_data(line), lines=True)
        return
    painter = operator_painter()
    language = "en" if painter.is_ascii_only else reader_language()
    if lines:
        table = history_table(
            lines, painter.glyphs, painter.width, lambda text: messages.fixed_word(text, language)
        )
        painter.console.print(table)
    else:
        none = "no mission yet" if wanted == Wanted() else "no mission matches"
        painter.write_text(messages.fixed_word(none, language))


@HISTORY.command("show")
def show(
    context: typer.Context,
    which: MissionName = "last",
    journal: _File = None,
    json: opt.Json = False,
    verbose: opt.Verbose = False,
    following: Annotated[
        bool,
        typer.Option("--follow", help="Print the changes line by line until the mission ends."),
    ] = False,
) -> None:
    """Show how a mission ended: its trees, plan by plan, and its summary."""
    from bt_exec.cli.output_streams import operator_painter, write_json
    from bt_exec.tui.mission_history import record_data, record_lines
    from bt_exec.tui.recorded_mission_messages import catalogue_and_messages

    kept = open_journal(journal or context.obj)
    record = kept.mission(which)
    if json:
        write_json(record_data(record))
        return
    painter = operator_painter()
    _, messages = catalogue_and_messages(record)
    if following:
        from bt_exec.cli.watch import follow
        from bt_exec.journal.journal import JournalTail

        follow(JournalTail(kept, record.id), messages, painter, plain=True, verbose=verbose)
        return
    painter.write_lines(
        record_lines(record, messages, painter.width, painter.glyphs, verbose=verbose)
    )


@HISTORY.command("export")
def export(
    context: typer.Context,
    which: MissionName = "last",
    to: Annotated[
        str, typer.Option("--to", metavar="FORM", help="Format: jsonl, mcap (Foxglove) or html.")
    ] = "html",
    file: Annotated[
        Path | None,
        typer.Option(
            "--file", "-o", metavar="FILE", help="Output file; named after the mission by default."
        ),
    ] = None,
    journal: _File = None,
) -> None:
    """Export a mission to a file for other programs."""
    from bt_exec.cli.output_streams import operator_painter
    from bt_exec.export import FORMS, find_exporter
    from bt_exec.failure import UsageError
    from bt_exec.files import expand_home, file_errors
    from bt_exec.tui.recorded_mission_messages import catalogue_and_messages

    write = find_exporter(to)
    kept = open_journal(journal or context.obj)
    record = kept.mission(which)
    path = expand_home(file) if file is not None else Path(f"{record.id}{FORMS[to]}")
    if str(path) == "-":
        _export_to_stdout(lambda path: write(kept, record, path), to)
        return
    if path.exists():
        raise UsageError(f"{path} already exists; choose another file with --file")
    with file_errors(path, "written"):
        write(kept, record, path)
    _, messages = catalogue_and_messages(record)
    operator_painter().write_text(messages.say("FILE_WRITTEN", record.line.language, path=path))


def _export_to_stdout(write: Callable[[Path], None], form: str) -> None:
    """Write an export to standard output.

    Raises:
        UsageError: If the format is binary.
    """
    import tempfile

    from bt_exec.cli.output_streams import write_data as write_text
    from bt_exec.failure import UsageError

    if form == "mcap":
        raise UsageError("mcap is a binary format; name a file with --file")
    with tempfile.TemporaryDirectory(prefix="bt-exec-export-") as folder:
        path = Path(folder) / "mission"
        write(path)
        write_text(path.read_text(encoding="utf-8"))


@HISTORY.command("prune")
def prune(
    context: typer.Context,
    older: Annotated[
        str,
        typer.Option(
            "--older", metavar="90d", help="Remove missions that began longer ago than this."
        ),
    ] = "",
    larger: Annotated[
        str,
        typer.Option(
            "--larger",
            metavar="2G",
            help="Remove the oldest missions until the journal has at most this size.",
        ),
    ] = "",
    site: opt.SiteName = "",
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="List what would be removed, and remove nothing.")
    ] = False,
    journal: _File = None,
    json: opt.Json = False,
) -> None:
    """Remove the oldest missions beyond the limits of the options or of the site's `keep`.

    Running missions are kept.
    """
    from bt_exec.cli.output_streams import localized, operator_painter, write_json
    from bt_exec.failure import UsageError
    from bt_exec.journal.maintenance import Retention
    from bt_exec.site.site import load_site

    kept = open_journal(journal or context.obj)
    retention = Retention(
        _parse_amount(older, "--older", {"d": 1.0, "w": 7.0, "y": 365.0}),
        _parse_amount(larger, "--larger", {"M": 1.0, "G": 1e3, "T": 1e6}),
    )
    if not older and not larger:
        retention = Retention(**load_site(site).keep.model_dump())
        if retention == Retention():
            raise UsageError(
                "specify a limit: --older 90d, --larger 2G, or keep: {days: 90} in the site file"
            )
    name = _resolve_site_name(kept, site) if site else ""
    done = kept.prune(retention, site=name, dry_run=dry_run)
    if json:
        write_json({"missions": list(done.missions), "freed_bytes": done.freed_bytes})
        return
    count, size = len(done.missions), f"{done.freed_bytes / 1e6:.1f} MB"
    what = f"{count} mission{'' if count == 1 else 's'}"
    operator_painter().write_text(
        localized(f"{what} {'would be removed' if dry_run else 'removed'}, {size}")
    )


def _parse_amount(text: str, option: str, units: Mapping[str, float]) -> float | None:
    """Return an amount such as ``90d`` as a number; None for an empty text.

    Args:
        text: Number and unit.
        option: Name of the option, for the error message.
        units: Factor by which the number is multiplied, by unit.

    Raises:
        UsageError: If the text does not have this form.
    """
    from bt_exec.failure import UsageError

    if not text:
        return None
    number, unit = text[:-1], text[-1:]
    if unit in units and number.replace(".", "", 1).isdecimal():
        return float(number) * units[unit]
    known = ", ".join(f"90{unit}" for unit in units)
    raise UsageError(f"{option} {text}: write a number with a unit: {known}")


@HISTORY.command("check")
def check(
    context: typer.Context,
    repair: Annotated[
        bool, typer.Option("--repair", help="Remove orphaned rows and complete recorded ends.")
    ] = False,
    journal: _File = None,
    json: opt.Json = False,
) -> None:
    """Check the journal: integrity, orphaned rows and frames, unfinished missions."""
    from dataclasses import asdict

    from bt_exec.cli.output_streams import localized, operator_painter, write_json

    kept = open_journal(journal or context.obj)
    found = kept.check(repair=repair)
    open_ones = [one for one in found if not one.repaired and one.kind != "unfinished"]
    if json:
        write_json([asdict(one) for one in found])
    else:
        painter = operator_painter()
        for one in found:
            style = "done" if one.repaired else "skipped"
            said = localized(f"{one.kind}: {one.what}")
            painter.write_text(localized(f"{said} (repaired)") if one.repaired else said, style)
        if not found:
            painter.write_text(localized(f"{kept.path} is in order"))
    raise typer.Exit(4 if open_ones else 0)


def why(
    which: MissionName = "last",
    journal: _File = None,
    json: opt.Json = False,
    verbose: opt.Verbose = False,
) -> None:
    """Explain how a mission ended: the first cause, its evidence, and further attempts."""
    from bt_exec.cli.output_streams import operator_painter, write_json
    from bt_exec.tui.recorded_mission_messages import mission_explanation

    kept = open_journal(journal)
    record = kept.mission(which)
    painter = operator_painter()
    language = "en" if painter.is_ascii_only and not json else ""
    before = kept.mission_summary(record.continues)
    said = mission_explanation(record, language, verbose=verbose, continued=before)
    if json:
        write_json(said.data())
        return
    painter.write_lines(said.lines(painter.width, painter.glyphs))


def _resolve_site_name(journal: Journal, name: str) -> str:
    """Return the recorded name of a site that is given by name or file.

    Raises:
        UnknownName: If neither an installed site nor a recorded mission has that name.
    """
    from bt_exec.site.shipped_data import site_names
    from bt_exec.site.site import load_site

    known = dict.fromkeys((*site_names(), *journal.sites()))
    if name in known:
        return name
    if name.endswith((".yaml", ".yml")):
        return load_site(name).name
    raise UnknownName("site", name, known)


def open_journal(path: Path | None) -> Journal:
    """Open a journal and report rows that are still in side files.

    Raises:
        UsageError: If it cannot be read.
    """
    from bt_exec.cli.output_streams import operator_painter
    from bt_exec.journal import Journal

    journal = Journal.open(path)
    for text in journal.waiting:
        operator_painter(beside=True).write_text(f"bt-exec: {text}")
    return journal


def report_interrupted_mission(
    painter: Painter, journal: Journal, *, prompt: bool = False, language: str = ""
) -> str:
    """Report an interrupted mission in one line, with the objects that the robot may still hold.

    Each interrupted mission is reported only once.

    Args:
        painter: The output.
        journal: The journal.
        prompt: Whether the operator types the next commands at the prompt.
        language: Language of the report; the mission's language if empty.

    Returns:
        The command of the mission; empty if there is nothing to report.
    """
    from bt_exec.journal import record_argument
    from bt_exec.tui.recorded_mission_messages import mission_explanation

    line: MissionSummary | None = journal.next_interrupted()
    if line is None:
        return ""
    said = mission_explanation(journal.mission(line.id), language)
    number = record_argument(line.id, None if prompt else journal.path)
    when = f"{line.started_at:%Y-%m-%d %H:%M}"
    parts = [said.say("INTERRUPTED", command=line.command, when=when), said.cause()]
    for label, state in said.unended_mission_lines():
        if state:
            word = said.word(label)
            parts.append(f"{word[:1].upper()}{word[1:]}: {state}")
    program = "" if prompt else "bt-exec "
    ways = (f"{program}{command} {number}" for command in ("why", "resume"))
    painter.write_text(" · ".join((" ".join(parts), *ways)), "skipped")
    return line.command


COMMANDS: Mapping[str, Callable[..., None]] = {"why": why}
