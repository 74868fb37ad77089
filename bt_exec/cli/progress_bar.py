"""Progress bar on the terminal for long commands."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

__all__ = ["progress_bar"]


@contextmanager
def progress_bar(title: str, total: int) -> Iterator[Callable[..., None]]:
    """Show a bar with count, rate and remaining time; nothing without a terminal.

    Args:
        title: Name of the counted items.
        total: Their number.

    Yields:
        Function to update the bar: count, an optional text next to it, and a changed total.
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
