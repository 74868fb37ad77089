"""Command ``diff``: differences between two trees, or two plans of a mission."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from bt_exec.cli import options as opt

if TYPE_CHECKING:
    from bt_exec.drawing.tree_changes import Change
    from bt_exec.site.site import Site
    from bt_exec.spec.model import Document
    from bt_exec.tui.terminal_text import Line

__all__ = ["COMMANDS", "diff"]

_PLAN = re.compile(r"([0-9]+|last):([0-9]+)\Z")
_SIGNS = {"same": ("  ", "dim"), "added": ("+ ", "done"), "removed": ("- ", "failed")}
_WHAT = "A tree of the site, a tree or plan file, or MISSION:PLAN of the journal, such as 7:2."


def diff(
    old: Annotated[str, typer.Argument(metavar="OLD", help=_WHAT)],
    new: Annotated[
        str, typer.Argument(metavar="NEW", help="Second tree or plan, in one of these forms.")
    ],
    site: opt.SiteName = "",
    journal: opt.JournalFile = None,
    json: opt.Json = False,
) -> None:
    """Show what two trees, or two plans of a mission, do differently, node by node.

    bt-exec diff 7:1 7:2
    """
    from dataclasses import asdict

    from bt_exec.cli.output_streams import operator_painter, write_json
    from bt_exec.drawing.diagram_nodes import boxes_of
    from bt_exec.drawing.tree_changes import header_changes, tree_changes
    from bt_exec.site.site import load_site

    loaded = load_site(site)
    before, after = _find_document(old, loaded, journal), _find_document(new, loaded, journal)
    rows = tree_changes(boxes_of(before, loaded.library), boxes_of(after, loaded.library))
    header = list(header_changes(before, after))
    if json:
        nodes = [asdict(row) for row in rows if row.kind != "same"]
        fields = [{"field": field, "old": one, "new": two} for field, one, two in header]
        write_json({"fields": fields, "nodes": nodes})
        return
    painter = operator_painter()
    for field, one, two in header:
        painter.write_text(
            f"~ {field}: {_value_text(one)} {painter.glyphs.arrow} {_value_text(two)}"
        )
    painter.write_lines(_change_lines(rows))
    painter.write_text(_counts_text(rows, len(header)))


def _find_document(name: str, site: Site, journal: Path | None) -> Document:
    """Return the document called `name`: a tree, a file, or a recorded plan as MISSION:VERSION."""
    from bt_exec.cli.history_and_why import open_journal
    from bt_exec.cli.site_contents import find_document
    from bt_exec.failure import UnknownName

    found = _PLAN.match(name)
    if found is None:
        return find_document(name, site)
    record = open_journal(journal).mission(found[1])
    plans = {plan.version: plan.event.spec for plan in record.plans}
    version = int(found[2])
    if version not in plans:
        raise UnknownName("plan", found[2], map(str, plans), owner=f"mission {found[1]}")
    return plans[version]


def _change_lines(rows: Sequence[Change]) -> Iterator[Line]:
    for row in rows:
        indent = "  " * row.depth
        if row.kind == "changed":
            yield (("- ", "failed"), (f"{indent}{row.old}", ""))
            yield (("+ ", "done"), (f"{indent}{row.new}", ""))
            continue
        sign, style = _SIGNS[row.kind]
        text = row.new or row.old
        yield ((sign, style), (f"{indent}{text}", "dim" if row.kind == "same" else ""))


def _counts_text(rows: Sequence[Change], fields: int) -> str:
    kinds = [row.kind for row in rows]
    if fields == 0 and set(kinds) <= {"same"}:
        return "no difference"
    parts = [
        f"{kinds.count('changed')} changed",
        f"{kinds.count('added')} added",
        f"{kinds.count('removed')} removed",
    ]
    return ", ".join(parts) + (f"; {fields} field{'s' * (fields != 1)}" if fields else "")


def _value_text(value: object) -> str:
    text = "nothing" if value is None else str(value)
    return text if len(text) <= 60 else f"{text[:59]}…"


COMMANDS: Mapping[str, Callable[..., None]] = {"diff": diff}
