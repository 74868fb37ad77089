"""Handler for Ctrl-C during the imports: exits at once, without a traceback.

It uses only modules that the interpreter has already imported, so that it can be installed first.
Before that, while Python starts, a Ctrl-C is handled by Python.
"""

import os
import sys

__all__ = ["is_program", "leave_if_program", "leave_on_interrupt"]

_signal = __import__("_signal")  # the builtin part of `signal`; no stub lists it

_STOPPED = 130


def is_program() -> bool:
    """Return True if this process runs the command line, False if a program imports bt_exec."""
    return sys.orig_argv[1:3] == ["-m", "bt_exec"] or sys.argv[0].endswith("/bt-exec")


def leave_if_program() -> None:
    """Exit after a Ctrl-C if this process runs the command line."""
    if is_program():
        _leave()


def leave_on_interrupt() -> None:
    """Exit on Ctrl-C until the command line installs its own handler."""
    if _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler:
        _signal.signal(_signal.SIGINT, _leave)


def _leave(*_: object) -> None:
    os.write(2, b"bt-exec: stopped\n")
    os._exit(_STOPPED)
