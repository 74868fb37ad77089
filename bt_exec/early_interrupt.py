"""Handler for Ctrl-C and SIGTERM during the imports: exits at once, without a traceback.

It uses only modules that the interpreter has already imported, so that it can be installed before
any other import. Until then, while Python starts, a Ctrl-C is handled by Python.
"""

import os
import sys

__all__ = ["exit_if_command_line", "exit_on_interrupt", "is_command_line"]

_signal = __import__("_signal")  # C module behind `signal`; type stubs do not list it

_SIGNAL = 128
"""Offset of the exit code for a signal: the code is 128 plus the signal's number."""


def is_command_line() -> bool:
    """Return True if this process runs the command line, False if a program imports bt_exec."""
    return sys.orig_argv[1:3] == ["-m", "bt_exec"] or sys.argv[0].endswith("/bt-exec")


def exit_if_command_line() -> None:
    """Exit after a Ctrl-C if this process runs the command line."""
    if is_command_line():
        _leave()


def exit_on_interrupt() -> None:
    """Exit on Ctrl-C and SIGTERM until the command line installs its own handlers."""
    if _signal.getsignal(_signal.SIGINT) is _signal.default_int_handler:
        _signal.signal(_signal.SIGINT, _leave)
    if _signal.getsignal(_signal.SIGTERM) == _signal.SIG_DFL:
        _signal.signal(_signal.SIGTERM, _leave)


def _leave(number: int = _signal.SIGINT, *_: object) -> None:
    said = b"stopped" if number == _signal.SIGINT else b"stopped by the signal SIGTERM"
    os.write(2, b"bt-exec: " + said + b"\n")
    os._exit(_SIGNAL + number)
