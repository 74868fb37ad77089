"""Fallback for signals whose handler does not run, because C code blocks or a pack replaced it.

The interpreter writes every signal to a pipe immediately (`signal.set_wakeup_fd`), even if the main
thread is blocked. A thread reads the pipe. If the handler has not run a second later, that thread
stops the mission. At the second such signal, it ends the program; the record is then complete up to
the last commit.
"""

from __future__ import annotations

import contextlib
import os
import signal
import threading
from collections.abc import Callable, Collection, Iterator

__all__ = ["SignalFallback", "signal_fallback"]

PATIENCE_S = 1.0
"""Time limit for the main thread to handle a signal [s]."""
EXIT_STOPPED = 130


class SignalFallback:
    """Counter of received and handled signals, which stops the mission if a handler does not run.

    Args:
        numbers: The signals to count.
        stop: Stops the mission and every robot, given the number of the signal.
    """

    def __init__(self, numbers: Collection[int], stop: Callable[[int], object]) -> None:
        self._numbers = numbers
        self._stop = stop
        self._arrived = 0
        self._handled = 0
        self._missed = 0
        self._ends = threading.Event()

    def mark_handled(self) -> None:
        """Count one signal as handled; called by its handler."""
        self._handled += 1

    def read(self, pipe: int) -> None:
        """Read signals until the pipe is closed; runs on a separate thread."""
        while data := self._next_signal(pipe):
            if data[0] not in self._numbers:
                continue
            self._arrived += 1
            if self._ends.wait(PATIENCE_S) or self._handled >= self._arrived:
                continue
            self._missed += 1
            self._stop(data[0])
            if self._missed > 1:
                os.write(2, b"bt-exec: a part hangs and cannot be interrupted; the program ends\n")
                os._exit(EXIT_STOPPED)
        with contextlib.suppress(OSError):
            os.close(pipe)

    def _next_signal(self, pipe: int) -> bytes:
        """Return the number of the next signal as a byte; empty if the pipe was closed."""
        try:
            return os.read(pipe, 1)
        except OSError:
            return b""

    def end(self) -> None:
        """Stop acting on signals that are not handled."""
        self._ends.set()


@contextlib.contextmanager
def signal_fallback(
    numbers: Collection[int], stop: Callable[[int], object]
) -> Iterator[SignalFallback]:
    """Run the fallback for some signals within a context; no effect outside the main thread.

    Args:
        numbers: The signals.
        stop: Stops the mission and every robot, given the number of the signal.
    """
    watched = SignalFallback(numbers, stop)
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    try:
        earlier = signal.set_wakeup_fd(writing, warn_on_full_buffer=False)
    except ValueError:  # not on the main thread: no signals arrive here
        os.close(reading)
        os.close(writing)
        yield watched
        return
    threading.Thread(target=watched.read, args=(reading,), name="signals", daemon=True).start()
    try:
        yield watched
    finally:
        watched.end()
        signal.set_wakeup_fd(earlier)
        with contextlib.suppress(OSError):
            os.close(writing)
