"""Lines typed during a mission: a stop, answers to questions, and commands for later."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator

import pytest

from bt_exec.cli.typed_lines import TypedLines

pytest.importorskip("pty", reason="pseudo-terminals are of Unix")


class Mission:
    """A running mission, and the lines that were reported as kept."""

    def __init__(self) -> None:
        self.runs = True
        self.stops = 0
        self.reported: list[str] = []

    def stop(self) -> bool:
        self.stops += self.runs
        return self.runs


@pytest.fixture
def mission() -> Mission:
    return Mission()


@pytest.fixture
def keyboard(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    """Return a function that types at the terminal of standard input."""
    typing, terminal = os.openpty()
    with os.fdopen(terminal) as stdin:
        monkeypatch.setattr("sys.stdin", stdin)
        yield lambda text: os.write(typing, text.encode())
    os.close(typing)


def until(holds: Callable[[], object]) -> None:
    limit = time.monotonic() + 10
    while not holds():
        assert time.monotonic() < limit
        time.sleep(0.005)


def test_lines_are_kept_in_order_and_reported(mission, keyboard):
    typed = TypedLines()
    with typed.background_reading(mission.stop, mission.reported.append):
        keyboard("open the door\n\n문 닫아\n")
        until(lambda: len(typed.kept) == 2)
    assert [*typed.kept] == mission.reported == ["open the door", "문 닫아"]
    assert mission.stops == 0


def test_lines_that_arrive_together_are_separate(mission, monkeypatch):
    """A terminal delivers all lines together that were typed before its line mode was on."""
    typed, (read, write) = TypedLines(), os.pipe()
    with os.fdopen(read) as stdin:
        monkeypatch.setattr("sys.stdin", stdin)
        with typed.background_reading(mission.stop, mission.reported.append):
            os.write(write, "open the door\nstop\n문 닫아\ncome".encode())
            until(lambda: typed.begun)
    os.close(write)
    assert (mission.stops, typed.begun) == (1, b"come")
    assert typed.take_lines_before_stop() == ("open the door",)
    assert [*typed.kept] == ["문 닫아"]


def test_every_typed_stop_word_stops_the_mission(mission, keyboard):
    typed = TypedLines()
    with typed.background_reading(mission.stop, mission.reported.append):
        keyboard("stop!\n멈춰\n")
        until(lambda: mission.stops == 2)
    assert not typed.kept


def test_only_commands_typed_before_the_stop_are_dropped(mission, keyboard):
    typed = TypedLines()
    with typed.background_reading(mission.stop, mission.reported.append):
        keyboard("close the door\nstop and come back\nsay hello\nstop\n")
        until(lambda: mission.stops == 2)
    assert typed.take_lines_before_stop() == ("close the door",)
    assert [*typed.kept] == ["stop and come back", "say hello"]
    assert typed.take_lines_before_stop() == ("stop and come back", "say hello")


def test_stop_typed_in_an_earlier_mission_drops_no_lines_of_the_next(mission, keyboard):
    """A mission may end well just before a typed stop takes effect."""
    typed = TypedLines()
    with typed.background_reading(mission.stop, mission.reported.append):
        keyboard("open the door\nstop\n")
        until(lambda: mission.stops)
    assert typed.kept.popleft() == "open the door"
    with typed.background_reading(mission.stop, mission.reported.append):
        keyboard("a\nb\n")
        until(lambda: len(typed.kept) == 2)
    assert typed.take_lines_before_stop() == ("a", "b")


def test_stop_without_a_running_mission_is_kept_for_the_prompt(mission, keyboard):
    typed, mission.runs = TypedLines(), False
    with typed.background_reading(mission.stop, mission.reported.append):
        keyboard("stop\n")
        until(lambda: typed.kept)
    assert [*typed.kept] == ["stop"]


def test_earlier_lines_do_not_answer_a_question(mission, keyboard):
    typed, asks = TypedLines(), threading.Event()

    def waits() -> bool:
        if not asks.is_set():
            asks.set()
            keyboard("no\n")
        return True

    with typed.background_reading(mission.stop, mission.reported.append):
        keyboard("yes\n")
        until(lambda: typed.kept)
        assert typed.ask(waits) == "no"
    assert [*typed.kept] == ["yes"]


def test_question_at_the_end_of_input_gets_an_empty_answer(mission, keyboard):
    typed = TypedLines()
    with typed.background_reading(mission.stop, mission.reported.append):
        keyboard("\x04")
        until(lambda: typed.ended)
        assert typed.ask(lambda: True) == ""


def test_lines_stay_in_the_terminal_while_no_thread_can_be_started(mission, keyboard, monkeypatch):
    typed = TypedLines()

    def fail(_: threading.Thread) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr(threading.Thread, "start", fail)
    with typed.background_reading(mission.stop, mission.reported.append):
        keyboard("y\n")
        assert typed.ask(lambda: True) == "y\n"
    assert not typed.kept


def test_open_pipe_does_not_block_an_abort(monkeypatch: pytest.MonkeyPatch) -> None:
    read, write = os.pipe()
    typed, asked = TypedLines(), list[int]()
    with os.fdopen(read) as keyboard:
        monkeypatch.setattr("sys.stdin", keyboard)
        assert typed.ask(lambda: asked.append(1) or len(asked) < 3) == ""
        os.write(write, b"c\n")
        assert typed.ask(lambda: True) == "c\n"
        os.close(write)
        assert typed.ask(lambda: True) == ""
