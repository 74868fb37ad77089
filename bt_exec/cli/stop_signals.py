r"""Handling of Ctrl-C and other stop signals, before and during a mission.

From the start of the program, every Ctrl-C is recorded, so that no mission begins afterwards even
if other code, such as an import or a callback, swallows the exception.

Every signal that would end the process stops the mission first: Ctrl-\, a closed terminal, a
``kill``. ``kill -9``, ``SIGSTOP`` and crashes of the interpreter cannot be caught; in these cases
the robot's driver must detect the loss of commands. A signal that was ignored at the start of the
program stays ignored, as ``nohup`` requires.
"""

from __future__ import annotations

import _thread
import atexit
import contextlib
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from bt_exec.cli.blocked_signal_fallback import SignalFallback, signal_fallback
from bt_exec.failure import Interrupted
from bt_exec.language.sanitize import printable

if TYPE_CHECKING:
    from bt_exec.mission.session import Session
    from bt_exec.tui.live import LiveView

__all__ = [
    "EXIT_SIGNAL",
    "clear_interrupt",
    "fatal_signals",
    "limit_exit_time",
    "record_interrupts",
    "signal_name",
    "stop_mission_on_signals",
    "stop_reason",
    "stop_service_on_signals",
    "was_interrupted",
    "was_killed",
]

_HELD_S = 1.0
"""Time after the second Ctrl-C in which a third is ignored [s].

A key that is held down therefore does not exit the program.
"""

_END_S = 5.0
"""Time limit for threads of parts when the program ends, and again for their exit functions [s]."""

_MAIN = threading.main_thread().name
_EXITS, _DONE = threading.Event(), threading.Event()
"""Events set when exit functions begin to run, and when a separate thread has run all of them."""

EXIT_SIGNAL = 128
"""Offset of exit codes: a program ended by a signal exits with this plus the signal's number."""

_ENDING = (signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT)
"""Signals that end the program after the robots were stopped and closed."""

_NOT_DEADLY = (
    *("SIGKILL", "SIGSTOP", "SIGINT", "SIGTSTP"),  # cannot be caught, or have separate handlers
    *("SIGCHLD", "SIGCONT", "SIGURG", "SIGWINCH", "SIGTTIN", "SIGTTOU", "SIGPIPE", "SIGXFSZ"),
    *("SIGSEGV", "SIGBUS", "SIGFPE", "SIGILL", "SIGABRT", "SIGTRAP", "SIGSYS"),  # sent by crashes
)
"""Signals that do not end the program, or that Python handlers cannot handle."""

_pressed = _killed = False


def record_interrupts() -> None:
    """Record every Ctrl-C from now on and raise `Interrupted`; exit cleanly when killed.

    Outside a mission, an exceeded limit of processor time (SIGXCPU) is ignored, because code of a
    pack may have set the limit. During a mission it is a stop signal.
    """
    sys.unraisablehook = _report_unraisable
    with contextlib.suppress(ValueError):  # not on the main thread, which receives no signals
        signal.signal(signal.SIGINT, _interrupt)
        for number in _catchable_signals(_ENDING):
            signal.signal(number, _exit_program)
        signal.signal(signal.SIGXCPU, lambda *_: None)


def was_interrupted() -> bool:
    """Return True if there was an unhandled Ctrl-C outside a mission."""
    return _pressed


def clear_interrupt() -> None:
    """Mark the last Ctrl-C as handled."""
    global _pressed
    _pressed = False


def was_killed() -> bool:
    """Return True if SIGTERM, SIGHUP or SIGQUIT stopped the last mission."""
    return _killed


def _interrupt(*_: object) -> None:
    global _pressed
    _pressed = True
    raise Interrupted


def _report_unraisable(what: sys.UnraisableHookArgs) -> None:
    """Report in one line an exception that Python cannot raise; a Ctrl-C is not reported.

    Examples are a skill that yields after it was closed, and an exception in ``__del__``.
    """
    if isinstance(what.exc_value, KeyboardInterrupt):
        return
    if os.environ.get("BT_EXEC_DEBUG"):
        sys.__unraisablehook__(what)
        return
    name = getattr(what.object, "__qualname__", type(what.object).__name__)
    error = f"{what.exc_type.__name__}: {what.exc_value}"
    with contextlib.suppress(OSError, ValueError, AttributeError):
        print(f"bt-exec: ignored in {name}: {printable(error)}", file=sys.stderr)


def limit_exit_time(code: int) -> None:
    """Limit the time that threads and exit functions of packs may delay the end of the program.

    Python waits for the threads, then calls the exit functions. Stop signals are ignored from now
    on.

    Args:
        code: Exit code of the program.
    """
    with contextlib.suppress(ValueError):  # not on the main thread
        for number in (signal.SIGINT, signal.SIGXCPU, *_ENDING):
            signal.signal(number, signal.SIG_IGN)  # Python removes its handlers at the end
    atexit.register(_EXITS.set)  # registered last, so called before the other exit functions

    def run_exit_functions() -> None:
        atexit._run_exitfuncs()
        _DONE.set()

    def end_process() -> None:
        if _EXITS.wait(_END_S):
            _DONE.wait(_END_S)  # normally, the program ends during this wait
            left = "exit functions of parts did not end"
        else:
            alive = threading.enumerate()
            names = [one.name for one in alive if not one.daemon and one.name != _MAIN]
            left = f"threads of parts did not end: {', '.join(map(printable, names))}"
        os.write(2, f"bt-exec: {left}; the program ends\n".encode())
        if not _EXITS.is_set():
            with contextlib.suppress(RuntimeError):
                _thread.start_new_thread(run_exit_functions, ())
                _DONE.wait(_END_S)
        os._exit(code)

    with contextlib.suppress(RuntimeError):  # without a thread, the end may take longer
        _thread.start_new_thread(
            end_process, ()
        )  # `Thread.start` may wait forever when memory is short


class ProgramExit(SystemExit):
    """Raised by a signal that ends the program outside a mission.

    Attributes:
        code: Exit code.
    """

    code: int


def _exit_program(number: int, _: object) -> None:
    """Raise `ProgramExit`, so that robots are stopped and closed before the program ends."""
    raise ProgramExit(EXIT_SIGNAL + number)


def fatal_signals() -> Iterator[int]:
    """Yield the signals, except SIGINT, that end a process by default.

    Ignored signals and signals handled by a C library are left out.
    """
    for number in sorted(signal.valid_signals()):
        if signal_name(number) not in _NOT_DEADLY:
            yield from _catchable_signals((number,))


def signal_name(number: int) -> str:
    """Return the name of a signal; most real-time signals have none."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"SIGRTMIN+{number - signal.SIGRTMIN}"


def stop_reason(number: int) -> str:
    """Return the reason for a stop by a signal: ``operator`` for SIGINT, else the signal's name."""
    return "operator" if number == signal.SIGINT else signal_name(number)


def _catchable_signals(numbers: Iterable[int]) -> Iterator[int]:
    """Yield the signals that Python can handle and that are not ignored."""
    for number in numbers:
        if signal.getsignal(number) not in (signal.SIG_IGN, None):
            yield number


@contextlib.contextmanager
def stop_service_on_signals(
    stop: Callable[[int, object], None], session: Session
) -> Iterator[None]:
    """Call `stop` for every signal that would end the program, while a service runs.

    Ctrl-Z suspends a simulation. A real robot would keep moving, so Ctrl-Z then calls `stop`, too.

    Args:
        stop: Signal handler; it interrupts the main thread at any point.
        session: The running session.
    """
    waits = all(rig.simulation is not None for rig in session.rigs.values())
    earlier: dict[int, Any] = {}
    with contextlib.suppress(ValueError):  # not on the main thread, which receives no signals
        others = () if waits else (signal.SIGTSTP,)
        for heard in (*_catchable_signals((signal.SIGINT, *others)), *fatal_signals()):
            earlier[heard] = signal.signal(heard, stop)
    try:
        if _pressed:
            raise Interrupted
        yield
    finally:
        for number, handler in earlier.items():
            signal.signal(number, handler)


@contextlib.contextmanager
def stop_mission_on_signals(
    session: Session, view: LiveView | None, *, last: bool
) -> Iterator[None]:
    """Turn Ctrl-C into a clean stop; the second stops the robot, a later one exits the program.

    Before the mission has begun, Ctrl-C prevents the start. Ctrl-Z suspends a simulation. A real
    robot would keep moving while this program is suspended, so Ctrl-Z then stops the mission like
    Ctrl-C.

    Args:
        session: Runs the mission.
        view: The live view.
        last: Whether the program ends with the mission; a repeated signal then has no effect.

    Raises:
        KeyboardInterrupt: If Ctrl-C was pressed before.
    """
    from bt_exec.rig import stop_all

    global _killed
    _killed = False
    before_it = session.missions
    watched = SignalFallback((), lambda _: session.abort())  # until the handlers are installed
    count, second = 0, 0.0
    came: set[int] = set()

    def handle_signal(number: int, _: object) -> None:
        global _killed
        nonlocal count, second
        watched.mark_handled()
        came.add(number)
        _killed = _killed or number in _ENDING
        count += 1
        if count == 2:
            second = time.monotonic()
        if count > 2 and time.monotonic() - second >= _HELD_S:
            raise Interrupted
        if not session.abort(stop_reason(number)) and session.missions == before_it:
            raise Interrupted

    def stop_after_missed_signal(number: int) -> None:
        session.abort(stop_reason(number))
        stop_all(session.rigs)

    def suspend(*_: object) -> None:
        watched.mark_handled()
        if view is not None:
            view.pause()
        signal.signal(signal.SIGTSTP, signal.SIG_DFL)
        os.kill(os.getpid(), signal.SIGTSTP)  # returns when the program is continued
        signal.signal(signal.SIGTSTP, suspend)
        if view is not None:
            view.redraw()

    waits = all(rig.simulation is not None for rig in session.rigs.values())
    earlier: dict[int, Any] = {}
    with contextlib.suppress(ValueError):  # not on the main thread, which receives no signals
        ending = dict.fromkeys((signal.SIGINT, *fatal_signals()), handle_signal)
        suspending = dict.fromkeys(
            _catchable_signals((signal.SIGTSTP,)), suspend if waits else handle_signal
        )
        for number, handler in {**ending, **suspending}.items():
            earlier[number] = signal.signal(number, handler)
    try:
        with signal_fallback(tuple(earlier), stop_after_missed_signal) as watched:
            if _pressed:
                raise Interrupted
            yield
    finally:
        for number, handler in earlier.items():
            signal.signal(number, signal.SIG_IGN if last and number in came else handler)
