"""Interval timers (``setitimer``, ``alarm``) that a part has left running.

The signal of such a timer could interrupt later code or end the program.
"""

from __future__ import annotations

import contextlib
import logging
import signal

__all__ = ["Timers"]

_SIGNALS = {
    getattr(signal, timer): getattr(signal, name)
    for timer, name in (
        ("ITIMER_REAL", "SIGALRM"),
        ("ITIMER_VIRTUAL", "SIGVTALRM"),
        ("ITIMER_PROF", "SIGPROF"),
    )
    if hasattr(signal, timer)
}

_log = logging.getLogger("bt_exec")


class Timers:
    """The interval timers of this process; timers that are running at creation are kept."""

    def __init__(self) -> None:
        self._watched = [timer for timer in _SIGNALS if not signal.getitimer(timer)[0]]

    def clear(self) -> str:
        """Switch off and report running timers, unless a C library handles their signal.

        On the main thread, the signal is ignored from then on.

        Returns:
            The signal of such a timer, or an empty text.
        """
        found = ""
        for timer in self._watched:
            number = _SIGNALS[timer]
            if signal.getitimer(timer)[0] and signal.getsignal(number) is not None:
                found = number.name
                with contextlib.suppress(Exception):  # its handler may still be called once
                    signal.setitimer(timer, 0)
                with contextlib.suppress(Exception):  # not possible on other threads
                    signal.signal(number, signal.SIG_IGN)  # it may already be pending
                _log.warning("a part left the timer of %s running; it is switched off", found)
        return found
