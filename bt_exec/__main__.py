"""Entry point of ``python -m bt_exec``, the same as ``bt-exec``.

A Ctrl-C while it is imported finds nothing begun; see `bt_exec.early_interrupt`.
"""

from __future__ import annotations

import os
from typing import NoReturn

from bt_exec.early_interrupt import leave_on_interrupt

__all__ = ["main"]

_LINEAR_ALGEBRA = "OPENBLAS_NUM_THREADS"
"""One thread is enough for matrices of our size; more of them spin and take a core from the loop.
It is read when numpy is imported."""


def main() -> NoReturn:
    """Run the command line of this process and leave with its exit code."""
    leave_on_interrupt()
    os.environ.setdefault(_LINEAR_ALGEBRA, "1")
    from bt_exec.cli.app import main as run

    run()


if __name__ == "__main__":
    main()
