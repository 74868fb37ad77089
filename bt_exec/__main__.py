"""Entry point of ``python -m bt_exec``, the same as ``bt-exec``.

A Ctrl-C during the imports exits at once; see `bt_exec.early_interrupt`.
"""

from __future__ import annotations

import gc
import os
from typing import NoReturn

from bt_exec.early_interrupt import exit_on_interrupt

__all__ = ["main"]

_LINEAR_ALGEBRA = "OPENBLAS_NUM_THREADS"
"""Environment variable for the number of BLAS threads; one suffices for our small matrices.

More threads would busy-wait and take a core from the tick loop. numpy reads the variable on import.
"""

_COLLECTIONS = 10_000, 20, 100
"""Thresholds of the garbage collector. Full scans are rare, because they find no garbage during
the start.
"""


def main() -> NoReturn:
    """Run the command line of this process and exit with its code."""
    exit_on_interrupt()
    gc.set_threshold(*_COLLECTIONS)
    os.environ.setdefault(_LINEAR_ALGEBRA, "1")
    from bt_exec.cli.app import main as run

    run()


if __name__ == "__main__":
    main()
