"""Export of recorded missions to files for other programs.

========  =========================================================================================
jsonl     one line for each event, after a line about the mission
mcap      topics for events, tree, sentences, observations, poses and pictures; opens in Foxglove
html      one page with tree, timeline, pictures and causes; only a browser is needed
========  =========================================================================================
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TypeAlias

from bt_exec.journal import Journal, MissionRecord

__all__ = ["FORMS", "Export", "find_exporter"]

Export: TypeAlias = Callable[[Journal, MissionRecord, Path], None]

FORMS: Mapping[str, str] = {"jsonl": ".jsonl", "mcap": ".mcap", "html": ".html"}
"""File name extensions by format."""


def find_exporter(form: str) -> Export:
    """Return the function that exports a mission in a format.

    Raises:
        UnknownName: If there is no such format.
        UsageError: If a package that the format needs is not installed.
    """
    from bt_exec.failure import UnknownName

    match form:
        case "jsonl":
            from bt_exec.export.json_lines import write_lines

            return write_lines
        case "mcap":
            from bt_exec.export.mcap_file import write_mcap

            return write_mcap
        case "html":
            from bt_exec.export.page import write_page

            return write_page
    raise UnknownName("form", form, FORMS)
