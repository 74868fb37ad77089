"""Progress bar on the terminal for long commands."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["progress_bar"]


@contextmanager
def progress_bar(title: str, total: int) -> Iterator[Callable[..., None]]:
    """Show a bar with count, rate and time left; nothing where there is no terminal.

    Args:
        title: What is counted.
        total: How many there are.

    Yields:
        What moves it: how many are done, words to be shown beside it, and the total if it changed.
    """
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.fields[beside]}"),
    )
    console = Console(file=sys.stderr)
    with Progress(*columns, console=console, disable=not console.is_terminal) as progress:
        task = progress.add_task(title, total=total, beside="")

        def move(done: int, beside: str = "", of: int | None = None) -> None:
            progress.update(task, completed=done, beside=beside, total=of)

        yield move
