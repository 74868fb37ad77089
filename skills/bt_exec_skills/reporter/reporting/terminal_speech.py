"""Speaker on the terminal: the operator types the replies of every person.

Lines are read on a worker thread, only while the robot listens. A line typed later stays in the
input for the next reader. A cancelled read ends by itself, since the worker polls for input.
"""

from __future__ import annotations

import selectors
import sys
import threading
import time
from collections.abc import Callable
from typing import TextIO

from bt_exec.robot import Simulation
from bt_exec_skills.reporter.reporting.speech_interface import Listening, Reply

__all__ = ["Pacing", "TerminalSpeech", "is_refusal"]

_STEP_S = 0.1
_REFUSALS = frozenset(
    {
        "no",
        "no thanks",
        "refuse",
        "not now",
        "no comment",
        "아니요",
        "아니오",
        "거절",
        "거절합니다",
        "싫어요",
        "싫습니다",
        "안 돼요",
        "안돼요",
        "지금은 안 돼요",
    }
)


def is_refusal(text: str) -> bool:
    """Return True if an answer is only a refusal, such as "no thanks"."""
    return " ".join(text.casefold().strip(" .!").split()) in _REFUSALS


class _Line:
    """Pending line of input, read on a worker thread."""

    def __init__(self, source: TextIO) -> None:
        self._source = source
        self._over = threading.Event()
        self._text: str | None = None
        self._thread = threading.Thread(target=self._read, name="reporter-ears", daemon=True)
        self._thread.start()

    @property
    def reply(self) -> Reply | None:
        text = self._text
        return None if text is None else Reply(text, is_refusal(text))

    @property
    def over(self) -> bool:
        return self._over.is_set()

    def stop(self) -> None:
        self._over.set()

    def _read(self) -> None:
        with selectors.DefaultSelector() as selector:
            ready: selectors.BaseSelector | None = selector
            try:
                selector.register(self._source, selectors.EVENT_READ)
            except (PermissionError, ValueError):  # a file: reading it never blocks
                ready = None
            while not self._over.is_set() and self._text is None:
                if ready is None or ready.select(_STEP_S):
                    self._read_line()

    def _read_line(self) -> None:
        """Read a line. An empty line is ignored, and the end of input ends listening."""
        if self._over.is_set():
            return
        try:
            line = self._source.readline()
        except (OSError, ValueError):  # the source was closed in the meantime
            line = ""
        if not line:
            self._over.set()
        self._text = line.strip() or None


class TerminalSpeech:
    """Speaker that prints utterances and reads typed lines as replies.

    Args:
        write: Function that prints a line; `print` by default.
        source: Input of the replies; standard input by default.
        called: Function that returns the display name of a person for an id and a language. By
            default, the id is displayed.
    """

    patience_s = 120.0

    def __init__(
        self,
        write: Callable[[str], None] | None = None,
        source: TextIO | None = None,
        called: Callable[[str, str], str] | None = None,
    ) -> None:
        self._write = write or _print
        self._source = source
        self._called = called or (lambda person, _: person)
        self._line: _Line | None = None

    def say(self, person: str, text: str, language: str) -> None:
        """Implement `Speaker.say`."""
        self._write(f"🤖 → {self._called(person, language)}: {text}")

    def listen(self, person: str, language: str) -> Listening:
        """Implement `Speaker.listen`."""
        self.close()
        self._write(f"{self._called(person, language)} ▸")
        self._line = _Line(self._source or sys.stdin)
        return self._line

    @property
    def listening(self) -> bool:
        """Whether a typed line is awaited."""
        return self._line is not None and not self._line.over

    def close(self) -> None:
        """Stop reading lines; the terminal stays open."""
        if self._line is not None:
            self._line.stop()
            self._line = None


def _print(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


class Pacing:
    """Simulation that runs in real time while a reply is awaited, even in a fast mission.

    Otherwise the time limit of the reply would expire before the operator has read the question.
    Implements `bt_exec.robot.Simulation`.

    Args:
        simulation: The simulation.
        listening: Function that returns True while a reply is awaited.
        now: Function that returns the wall-clock time [s].
        sleep: Function that waits for a time [s].
    """

    def __init__(
        self,
        simulation: Simulation,
        listening: Callable[[], bool],
        now: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._simulation, self._listening = simulation, listening
        self._now, self._sleep = now, sleep
        self._last = now()

    @property
    def time(self) -> float:
        """Implement `Simulation.time`."""
        return self._simulation.time

    def step(self, seconds: float) -> None:
        """Implement `Simulation.step`."""
        if self._listening():
            self._sleep(max(0.0, seconds - (self._now() - self._last)))
        self._last = self._now()
        self._simulation.step(seconds)
