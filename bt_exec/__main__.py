"""Entry point of ``python -m bt_exec``, the same as ``bt-exec``.

The command line takes a while to be imported. A Ctrl-C meanwhile finds nothing begun: the program
leaves at once, without a traceback.
"""

from __future__ import annotations

import os
import signal
from typing import NoReturn

__all__ = ["main"]

_STOPPED = 130
_LINEAR_ALGEBRA = "OPENBLAS_NUM_THREADS"
"""One thread is enough for matrices of our size; more of them spin and take a core from the loop.
It is read when numpy is imported."""


def _leave(*_: object) -> None:
    os.write(2, b"bt-exec: stopped\n")
    os._exit(_STOPPED)


def main() -> NoReturn:
    """Run the command line of this process and leave with its exit code."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _leave)  # until the command line has its own
    os.environ.setdefault(_LINEAR_ALGEBRA, "1")
    from bt_exec.cli.app import main as run

    run()


if __name__ == "__main__":
    main()
