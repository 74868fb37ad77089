"""Ctrl-C while the program is imported: it leaves at once, without a traceback.

Only what the interpreter has imported by itself is used, so that the handler is there early. Before
that, while Python starts, a Ctrl-C is Python's own.
"""

import os
import sys

__all__ = ["is_program", "leave_on_interrupt"]

_signal = __import__("_signal")  # the builtin part of `signal`; no stub lists it

_STOPPED = 130


def is_program() -> bool:
    """Return True if this process runs the command line, not a program that imports us."""
    return sys.orig_argv[1:3] == ["-m", "bt_exec"] or sys.argv[0].endswith("/bt-exec")


def leave_on_interrupt() -> None:
    """Leave at a Ctrl-C, until the command line has its own handler."""
    if _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler:
        _signal.signal(_signal.SIGINT, _leave)


def _leave(*_: object) -> None:
    os.write(2, b"bt-exec: stopped\n")
    os._exit(_STOPPED)
