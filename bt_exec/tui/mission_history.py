"""Display of past missions: a table, and the final state of one mission, plan by plan."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from rich.table import Table
from rich.text import Text

from bt_exec.events import Finished, Planned
from bt_exec.journal import MissionRecord, MissionSummary, record_argument
from bt_exec.language.messages import Messages
from bt_exec.tui.node_text import duration_text
from bt_exec.tui.summary import SIGNS, summary_lines
from bt_exec.tui.terminal_text import ASCII, COLOURS, Glyphs, Line, safe_line, wrap
from bt_exec.tui.view_drawing import tree_lines
from bt_exec.tui.view_model import ViewModel
from bt_exec.tui.visible_rows import NARROW

__all__ = [
    "history_table",
    "mission_entry_data",
    "record_data",
    "record_lines",
    "status_word",
]


def status_word(status: str) -> str:
    """Return the word with which a mission's status is shown to operators."""
    return "stopped" if status == "aborted" else status


def mission_entry_data(line: MissionSummary) -> dict[str, Any]:
    """Return the list entry of a mission as plain data."""
    return {
        "mission_id": line.id,
        "command": line.command,
        "language": line.language,
        "site": line.site,
        "status": line.shown_status,
        "reason_code": line.reason_code,
        "message": line.message,
        "started_at": line.started_at.isoformat(timespec="seconds"),
        "ended_at": None if line.ended_at is None else line.ended_at.isoformat(timespec="seconds"),
    }


def history_table(
    lines: Sequence[MissionSummary],
    glyphs: Glyphs,
    width: int,
    translate: Callable[[str], str] = safe_line,
) -> Table:
    """Return missions as a table; commands are shortened or wrapped to fit.

    Args:
        lines: The missions.
        glyphs: Signs of the terminal's character set.
        width: Maximum width [cells].
        translate: Translates statuses and headings.
    """
    table = Table(box=None, pad_edge=False, show_header=True, header_style="dim", width=width - 1)
    table.add_column("")
    table.add_column(translate("no."), justify="right", no_wrap=True)
    wide = width >= NARROW
    table.add_column(translate("when"), no_wrap=wide, max_width=None if wide else len("11-22"))
    if wide:
        table.add_column(translate("site"), no_wrap=True, overflow="ellipsis", max_width=12)
    table.add_column(
        translate("command"), no_wrap=wide, overflow="ellipsis" if wide else "fold", ratio=1
    )
    table.add_column(translate("ended"), no_wrap=True, overflow="ellipsis")
    for line in lines:
        status = line.shown_status
        sign = SIGNS[status]
        took = "" if line.seconds is None else translate(duration_text(line.seconds))
        shown = translate(status_word(status))
        ended = [shown, took if wide else ""]
        when = f"{line.started_at:%m-%d %H:%M}"
        cells = [
            glyphs.states[sign],
            record_argument(line.id),
            when,
            *([line.site] if wide else []),
            line.command,
            f" {glyphs.dot} ".join(filter(None, ended)),
        ]
        texts = [Text(glyphs.text(safe_line(cell))) for cell in cells]
        texts[0].style = texts[-1].style = COLOURS[sign]
        table.add_row(*texts)
    return table


def record_lines(
    record: MissionRecord, messages: Messages, width: int, glyphs: Glyphs, *, verbose: bool = False
) -> list[Line]:
    """Return the final state of a mission: each plan's tree, then the summary."""
    ascii_only = glyphs is ASCII
    model = ViewModel(messages=messages, wall=lambda: 0.0, ascii=ascii_only, verbose=verbose)
    when = f"{record.line.started_at:%Y-%m-%d %H:%M}"
    lines: list[Line] = _heading(
        f"{safe_line(record.command)} · {record.line.site} · {when}", width
    )
    for event in record.events:
        if isinstance(event, Planned) and model.spec is not None:
            lines += _tree(model, width, ascii_only, verbose)
        model.on(event)
        if isinstance(event, Planned):
            number = event.spec.mission.plan_version
            by = safe_line(event.spec.mission.compiler) if verbose else ""
            made = [model.translated_text(f"plan {number}"), by]
            made += [past.change for past in model.past]
            lines += _heading(" · ".join(filter(None, made)), width)
            model.past.clear()
    lines += _tree(model, width, ascii_only, verbose)
    if record.outcome is not None:
        lines += summary_lines(
            record.outcome, width, model=model, ascii=ascii_only, verbose=verbose
        )
    else:
        status = record.line.shown_status
        sign = SIGNS[status]
        lines.append(((f" {glyphs.states[sign]} {model.translated_text(status)}", sign),))
    return [tuple((glyphs.text(text), style) for text, style in line) for line in lines]


def _heading(text: str, width: int) -> list[Line]:
    return [((f" {line}", "strong"),) for line in wrap(text, width - 2)]


def _tree(model: ViewModel, width: int, ascii_only: bool, verbose: bool) -> list[Line]:
    if model.spec is None:
        return []
    return tree_lines(model, width, ascii=ascii_only, verbose=verbose)


def record_data(record: MissionRecord) -> dict[str, Any]:
    """Return a mission as plain data: list entry, and plans with the states of all nodes."""
    finished = any(isinstance(event, Finished) for event in record.events)
    return {
        **mission_entry_data(record.line),
        "program": record.program,
        "settings": dict(record.settings),
        "plans": [
            {
                "plan": plan.version,
                "compiler": plan.event.spec.mission.compiler,
                "digest": plan.digest,
                "states": record.node_states(plan.version),
            }
            for plan in record.plans
        ],
        "failures": [failure.to_dict() for failure in record.failures],
        "outcome": None if record.outcome is None else record.outcome.to_dict(),
        "complete": finished and not record.unreadable,
        "incomplete": list(record.unreadable),
    }
