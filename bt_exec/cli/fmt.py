"""Command ``fmt``: one layout for tree and site files."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Annotated

import typer

__all__ = ["COMMANDS", "fmt"]


def fmt(
    files: Annotated[
        list[Path],
        typer.Argument(help="Tree, plan or site files, or folders of them.", metavar="FILE|DIR..."),
    ],
    check: Annotated[
        bool, typer.Option("--check", help="Change nothing; exit code 2 if a file would change.")
    ] = False,
) -> None:
    """Format files like the documentation; comments and data are unchanged."""
    from bt_exec.cli.check import files_in
    from bt_exec.cli.output import for_people
    from bt_exec.failure import SpecError
    from bt_exec.files import replace_file
    from bt_exec.scaffold.format_yaml import format_source
    from bt_exec.scaffold.schema_lines import with_schema_line
    from bt_exec.spec.source import read_file

    painter = for_people()
    changed = 0
    wrong: list[str] = []
    found = [path for path in files_in(files)[0] if path.suffix.lower() in (".yaml", ".yml")]
    for path in found:
        try:
            source = read_file(path)
            formatted = with_schema_line(format_source(source), path)
        except SpecError as error:
            wrong += map(str, error.problems)
            continue
        if formatted != source.text:
            changed += 1
            if not check:
                replace_file(path, formatted)
            painter.say(f"{'would change' if check else 'formatted'} {path}")
    for line in wrong:
        painter.say(line)
    same = len(found) - changed - len(wrong)
    painter.say(f"{changed} {'to change' if check else 'changed'}, {same} in order")
    raise typer.Exit(2 if wrong or (check and changed) else 0)


COMMANDS: Mapping[str, Callable[..., None]] = {"fmt": fmt}
