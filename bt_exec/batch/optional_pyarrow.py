"""Reading and writing of Parquet files with pyarrow, which an extra installs."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from bt_exec.failure import UsageError

__all__ = ["MissingExtraError", "import_pyarrow", "is_missing_package", "open_parquet"]


class MissingExtraError(UsageError):
    """Raised when a package that belongs to an extra is not installed."""


def is_missing_package(error: UsageError) -> bool:
    """Return True if an error was raised for a missing package, not for a file."""
    return isinstance(error, MissingExtraError)


def import_pyarrow(extra: str = "label") -> tuple[Any, Any]:
    """Return the modules ``pyarrow`` and ``pyarrow.parquet``.

    Args:
        extra: The extra of bt-exec that installs them, for the error message.

    Raises:
        MissingExtraError: If pyarrow is not installed.
    """
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        why = f"Parquet files need pyarrow: pip install 'bt-exec[{extra}]'"
        raise MissingExtraError(why) from None
    return pyarrow, pyarrow.parquet


@contextmanager
def open_parquet(path: Path) -> Iterator[Any]:
    """Open a Parquet file for reading; yield it.

    Raises:
        UsageError: If it cannot be read.
    """
    arrow, parquet = import_pyarrow()
    try:
        with parquet.ParquetFile(path) as file:  # does not derive partition columns from the path
            yield file
    except (OSError, arrow.ArrowException) as error:
        raise UsageError(f"{path} cannot be read: {error}") from error
