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
    """Put files in the layout of the documentation; comments and data stay as they are."""
    from bt_exec.cli.check import files_in
    from bt_exec.cli.output import for_people
    from bt_exec.failure import SpecError
    from bt_exec.scaffold.format_yaml import format_text

    painter = for_people()
    changed = 0
    wrong: list[str] = []
    found = [path for path in files_in(files)[0] if path.suffix.lower() in (".yaml", ".yml")]
    for path in found:
        try:
            text = _read(path)
            formatted = format_text(text, str(path))
        except SpecError as error:
            wrong += map(str, error.problems)
            continue
        if formatted != text:
            changed += 1
            if not check:
                _replace(path, formatted)
            painter.say(f"{'would change' if check else 'formatted'} {path}")
    for line in wrong:
        painter.say(line)
    same = len(found) - changed - len(wrong)
    painter.say(f"{changed} {'to change' if check else 'changed'}, {same} in order")
    raise typer.Exit(2 if wrong or (check and changed) else 0)


def _read(path: Path) -> str:
    """Return the text of a file with its line ends as they are.

    Raises:
        SpecError: If it cannot be read.
    """
    from bt_exec.spec.source import read_file

    read_file(path)
    return path.read_bytes().decode("utf-8-sig")


def _replace(path: Path, text: str) -> None:
    """Write a file whole or not at all; a link stays a link."""
    import os

    from bt_exec.failure import UsageError

    target = Path(os.path.realpath(path))
    beside = target.with_name(f".{target.name}.{os.getpid()}")
    try:
        beside.write_text(text, encoding="utf-8", newline="\n")
        beside.chmod(target.stat().st_mode & 0o777)
        beside.replace(target)
    except OSError as error:
        beside.unlink(missing_ok=True)
        why = (error.strerror or str(error)).lower()
        raise UsageError(f"{path}: cannot be written: {why}") from None


COMMANDS: Mapping[str, Callable[..., None]] = {"fmt": fmt}
