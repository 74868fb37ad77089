"""Reading and writing of Parquet files, if the extra for it is installed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bt_exec.failure import UsageError

__all__ = ["MissingExtraError", "needs_extra", "needs_parquet", "opened"]


class MissingExtraError(UsageError):
    """Raised when a package of an extra is not installed."""


def needs_extra(error: UsageError) -> bool:
    """Return True if an error concerns the installation and not a file."""
    return isinstance(error, MissingExtraError)


def needs_parquet(extra: str = "label") -> tuple[Any, Any]:
    """Return the modules that read and write Parquet.

    Args:
        extra: The extra of bt-exec that installs them.

    Raises:
        MissingExtraError: If it is not installed.
    """
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        why = f"Parquet files need pyarrow: pip install 'bt-exec[{extra}]'"
        raise MissingExtraError(why) from None
    return pyarrow, pyarrow.parquet


@contextmanager
def opened(path: Path) -> Iterator[Any]:
    """Yield a Parquet file.

    Raises:
        UsageError: If it cannot be read.
    """
    arrow, parquet = needs_parquet()
    try:
        with parquet.ParquetFile(path) as file:  # without partitions derived from its path
            yield file
    except (OSError, arrow.ArrowException) as error:
        raise UsageError(f"{path} cannot be read: {error}") from error
