"""Command ``resume`` and "go on": continuation of an interrupted or failed mission."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import typer

from bt_exec.cli import options as opt
from bt_exec.cli.history_and_why import MissionName, open_journal
from bt_exec.failure import UsageError

if TYPE_CHECKING:
    from bt_exec.cli.mission_display import MissionDisplay
    from bt_exec.journal import Journal, MissionRecord, MissionSummary
    from bt_exec.mission.session import Session
    from bt_exec.mission_outcome import Outcome

__all__ = ["COMMANDS", "continue_mission", "mission_to_continue", "resume"]


def resume(
    which: MissionName = "",
    fast: opt.Fast = False,
    plain: opt.Plain = False,
    full: opt.Full = False,
    json: opt.Json = False,
    turns: opt.Turns = None,
    frames: opt.KeepFrames = False,
    journal: opt.JournalFile = None,
    verbose: opt.Verbose = False,
) -> None:
    """Resume a mission that was interrupted, stopped or failed; the last one by default.

    Finished steps whose effects still hold are kept. A simulated world is restored from the record;
    a real robot is observed afresh. The new mission is linked to the old one.
    """
    from bt_exec.cli.mission_setup import Options, open_stage
    from bt_exec.cli.output_streams import write_json

    kept = open_journal(journal)
    record = mission_to_continue(kept, which)
    options = Options(
        site=_site_of(record),
        fast=fast,
        plain=plain,
        full=full,
        json=json,
        turns=turns,
        keep_frames=frames,
        journal=kept.path,
        verbose=verbose,
        last=True,
        languages=(record.line.language,),
        interrupted=False,
        compiler=_selected_compiler(record),
    )
    with open_stage(options) as stage:
        outcome = continue_mission(stage.session, stage.display, record)
        if json:
            write_json(outcome.to_dict())
    raise typer.Exit(outcome.exit_code)


def mission_to_continue(journal: Journal, which: str, site: str = "") -> MissionRecord:
    """Return the mission to continue.

    Args:
        journal: The journal.
        which: Number or identifier of the mission; empty for the last unfinished one.
        site: Site of the last unfinished mission, used if `which` is empty; "" for any site.

    Raises:
        UsageError: If there is none, if it was finished, or if it is still running.
    """
    from bt_exec.cli.output_streams import reader_language
    from bt_exec.language.messages import executive_sentence
    from bt_exec.mission_outcome import FINISHED

    line: MissionSummary | None = None
    if which:
        line = journal.mission(which).line
    else:
        lines = [journal.last_unfinished(site) for site in ([site] if site else journal.sites())]
        found = sorted((one for one in lines if one is not None), key=lambda one: one.started_at)
        line = found[-1] if found else None
    if line is None:
        raise UsageError(executive_sentence("RESUME_NOTHING", reader_language()).rstrip("."))
    code = {"running": "RESUME_STILL_RUNNING", "waiting": "RESUME_STILL_RUNNING"}.get(
        line.shown_status, "RESUME_NOTHING_LEFT" if line.status in FINISHED else ""
    )
    if code:
        raise UsageError(
            executive_sentence(code, reader_language(), command=line.command).rstrip(".")
        )
    return journal.mission(line.id)


def _site_of(record: MissionRecord) -> str:
    from bt_exec.site.shipped_data import site_names

    file = str(record.setup.get("file", ""))
    name = record.line.site
    known = site_names()
    return name if name in known and not file.startswith("/") else file or name


def _selected_compiler(record: MissionRecord) -> str | None:
    """Return the name of the mission's recorded compiler; None if it is not installed."""
    from bt_exec.planning.compiler import compiler_names

    name = record.setup.get("compiler", {}).get("name", "")
    return name if name in compiler_names() else None


def continue_mission(
    session: Session, display: MissionDisplay, record: MissionRecord, language: str = ""
) -> Outcome:
    """Restore the world of a mission as far as possible, and continue the mission.

    Args:
        session: The session.
        display: Displays the mission.
        record: The mission.
        language: Language of the reports; the mission's language if empty.
    """
    language = "en" if display.painter.is_ascii_only else language or record.line.language
    say = session.site.messages.say
    when = f"{record.line.started_at:%Y-%m-%d %H:%M}"
    display.painter.write_text(say("RESUMING", language, command=record.command, when=when))
    lost = False
    if record.session != session.world_id:
        lost, said = _restore_world(session, display, record, language)
        display.painter.write_text(said, "dim")
    return display.show_mission(
        session, lambda: session.resume(record, lost=lost, language=language)
    )


def _restore_world(
    session: Session, display: MissionDisplay, record: MissionRecord, language: str
) -> tuple[bool, str]:
    """Restore the world of a mission; return whether that failed, and a message about it.

    Raises:
        KeyboardInterrupt: If the operator pressed Ctrl-C; the session then has a new world.
    """
    from bt_exec.language.korean_errors import korean_message
    from bt_exec.mission.rerun import restore_world
    from bt_exec.tui.node_text import duration_text

    def say(code: str, **facts: str) -> str:
        return session.site.messages.say(code, language, **facts)

    def localized_duration(value: float) -> str:
        return session.site.messages.fixed_word(duration_text(value), language)

    if not session.simulated:
        return False, say("WORLD_IS_REAL")
    assert session.journal is not None
    try:
        with display.preparation_line(say("RESTORING", mission=record.id)):
            found = restore_world(session, session.journal, record)
    except KeyboardInterrupt:
        session.reset(record.settings.get("world", {}))
        display.painter.write_text(say("RESTORE_STOPPED"))
        raise
    except UsageError as error:
        why = korean_message(error) if language == "ko" else str(error)
        return True, say("WORLD_NOT_RESTORED", why=why)
    start = record.events[0].t if record.events else 0.0
    if found.difference is not None:
        at = localized_duration(found.difference.t - start)
        session.reset(record.settings.get("world", {}))
        return True, say("WORLD_NOT_RESTORED", why=say("WORLD_WENT_ANOTHER_WAY", at=at))
    end = max((event.t for event in record.events), default=start)
    return False, say("WORLD_RESTORED", at=localized_duration(end - start))


COMMANDS: Mapping[str, Callable[..., None]] = {"resume": resume}
