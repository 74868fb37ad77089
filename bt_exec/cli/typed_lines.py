"""Lines typed at the terminal: at the prompt, and during a mission.

During a mission, a line is an answer, a request to stop, or a command for later.
"""

from __future__ import annotations

import contextlib
import os
import queue
import selectors
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from bt_exec.mission.self_questions import asks_to_stop, only_stops

if TYPE_CHECKING:
    from bt_exec.tui.paint import Painter

__all__ = ["TypedLines", "can_ask_operator", "configure_line_editing"]

_STEP_S = 0.1
_LARGEST = 65_536
_HISTORY = 1000


def can_ask_operator(painter: Painter) -> bool:
    """Return True if input and output are a terminal, so that the operator can be asked."""
    return sys.stdin is not None and sys.stdin.isatty() and painter.file.isatty()


class TypedLines:
    """Reader of standard input while the main thread runs a mission.

    A line answers the open question, stops the mission, or is kept as a later command. A line that
    asks for a stop and more ("stop and come back") stops the mission and is kept as well.

    Attributes:
        kept: Commands for later, as typed.
        ended: Whether the operator has ended the input (Ctrl-D).
        begun: Beginning of a line that has not ended yet.
    """

    def __init__(self) -> None:
        self.kept: deque[str] = deque()
        self.ended = False
        self.begun = b""
        self._stale: int | None = None  # number of kept lines typed before a typed stop
        self._reading = False
        self._answers: queue.SimpleQueue[str] | None = None

    @contextlib.contextmanager
    def background_reading(
        self, stop: Callable[[], bool], report: Callable[[str], None]
    ) -> Iterator[None]:
        """Read lines from the terminal on another thread while the context is open.

        If no thread can be started, lines stay in the terminal for the next reader.

        Args:
            stop: Called for a line that asks to stop, on the thread; returns False if there is
                nothing to stop.
            report: Called with every line that is kept, on the thread.
        """
        self._stale = None  # forget a stop that came too late for the last mission
        done, wake = os.pipe()
        arguments = (sys.stdin.fileno(), done, stop, report)
        thread = threading.Thread(
            target=self._read_lines, args=arguments, name="typed", daemon=True
        )
        try:
            with contextlib.suppress(RuntimeError):
                thread.start()
                self._reading = True
            yield
        finally:
            os.close(wake)
            if self._reading:
                thread.join()
            self._reading = False
            os.close(done)

    def take_lines_before_stop(self) -> tuple[str, ...]:
        """Remove and return the kept lines typed before a stop; later ones remain.

        If the stop was not typed, all kept lines are returned.
        """
        stale = len(self.kept) if self._stale is None else self._stale
        self._stale = None
        return tuple(self.kept.popleft() for _ in range(stale))

    def next_line(self, prompt: str, say: Callable[[str], None]) -> str:
        """Return the first kept line; without one, read a line that the operator types.

        Args:
            prompt: The prompt.
            say: Called with the prompt and a kept line, to print them.

        Raises:
            EOFError: If the operator ends the input.
            KeyboardInterrupt: If the operator presses Ctrl-C.
        """
        kept, begun = "", ""
        if self.kept:
            kept = self.kept.popleft()
            say(f"{prompt}{kept}")
        elif self.ended:
            raise EOFError
        else:
            begun, self.begun = self.begun.decode(errors="ignore"), b""
        with contextlib.suppress(ImportError):
            import readline

            if kept:
                readline.add_history(kept)
            readline.set_startup_hook((lambda: readline.insert_text(begun)) if begun else None)
        return kept or input(prompt)

    def ask(self, waits: Callable[[], bool]) -> str:
        """Return the next typed line; "" at the end of input or once no line is needed.

        Args:
            waits: Called every 100 ms; returns False once no line is needed any more.
        """
        if not self._reading:
            return _read_line(waits)
        self._answers = queue.SimpleQueue()
        try:
            while waits() and not self.ended:
                with contextlib.suppress(queue.Empty):
                    return self._answers.get(timeout=_STEP_S)
            return ""
        finally:
            self._answers = None

    def _read_lines(
        self, number: int, done: int, stop: Callable[[], bool], report: Callable[[str], None]
    ) -> None:
        with selectors.SelectSelector() as selector:
            selector.register(number, selectors.EVENT_READ)
            selector.register(done, selectors.EVENT_READ)
            while done not in [key.fd for key, _ in selector.select()]:
                try:
                    data = os.read(number, _LARGEST)
                except OSError:  # the terminal was closed
                    data = b""
                if not data:
                    self.ended = True
                    return
                # several lines may have been typed before this thread began to read
                *lines, self.begun = (self.begun + data).split(b"\n")
                for line in lines:
                    self._handle_line(line.decode(errors="replace"), stop, report)

    def _handle_line(
        self, line: str, stop: Callable[[], bool], report: Callable[[str], None]
    ) -> None:
        answers = self._answers
        if answers is not None:
            answers.put(line)
            return
        text = line.strip()
        stopped = asks_to_stop(text) and stop()
        if stopped and self._stale is None:
            self._stale = len(self.kept)
        if text and not (stopped and only_stops(text)):
            self.kept.append(text)
            report(text)


def _read_line(waits: Callable[[], bool]) -> str:
    with selectors.SelectSelector() as selector:
        try:
            selector.register(sys.stdin, selectors.EVENT_READ)
        except (AttributeError, ValueError):  # no standard input, or one without a descriptor
            return sys.stdin.readline() if sys.stdin is not None else ""
        while waits():
            if selector.select(_STEP_S):
                return sys.stdin.readline()
    return ""


@contextlib.contextmanager
def configure_line_editing(utterances: list[str]) -> Iterator[None]:
    """Provide history and completion at the prompt, if readline is available."""
    try:
        import readline
    except ImportError:
        yield
        return
    import platformdirs

    path = Path(platformdirs.user_state_path("bt-exec", appauthor=False)) / "history"
    with contextlib.suppress(OSError):
        readline.read_history_file(path)
    readline.set_history_length(_HISTORY)

    def complete(text: str, state: int) -> str | None:
        folded = text.casefold()
        found = [said for said in utterances if said.casefold().startswith(folded)]
        return found[state] if state < len(found) else None

    readline.set_completer_delims("\n")
    readline.set_completer(complete)
    readline.parse_and_bind("tab: complete")
    for setting in ("input-meta on", "output-meta on", "convert-meta off"):
        readline.parse_and_bind(f"set {setting}")  # for Korean input with the C locale
    try:
        yield
    finally:
        readline.set_completer(None)
        with contextlib.suppress(OSError):
            path.parent.mkdir(parents=True, exist_ok=True)
            readline.write_history_file(path)
