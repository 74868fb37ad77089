"""Single keys of a terminal, also those that arrive together."""

from __future__ import annotations

import os
import termios
from collections.abc import Iterator
from types import SimpleNamespace

import pytest

from bt_exec.tui import keys
from bt_exec.tui.keys import Keys


@pytest.fixture
def typing(monkeypatch: pytest.MonkeyPatch) -> Iterator[int]:
    """Yield the descriptor to which a test writes the typed keys of a terminal."""
    master, slave = os.openpty()
    stdin = SimpleNamespace(fileno=lambda: slave)
    monkeypatch.setattr(keys.sys, "__stdin__", stdin)
    yield master
    os.close(master)
    os.close(slave)


def lines_and_echo(number: int) -> int:
    return int(termios.tcgetattr(number)[3]) & (termios.ICANON | termios.ECHO)


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("a?", ["a", "?"]),
        ("\x1b[B\x1b[B\x1bOA", ["down", "down", "up"]),
        ("\x1b[5~\n \x1b", ["page up", "enter", " ", "escape"]),
        ("가q", ["가", "q"]),
        ("\t\x7f", ["tab", "backspace"]),
        ("\x1b[1;5C?", ["\x1b", "?"]),
    ],
)
def test_keys_pressed_in_quick_succession_are_all_read(typing: int, typed: str, expected):
    with Keys() as pressed:
        os.write(typing, typed.encode())
        assert [pressed.read(1.0) for _ in expected] == expected
        assert pressed.read(0.0) == ""


def test_character_split_over_two_reads_is_one_key(typing: int):
    with Keys() as pressed:
        first, rest = "가".encode()[:1], "가".encode()[1:]
        os.write(typing, first)
        assert pressed.read(1.0) == ""
        os.write(typing, rest)
        assert pressed.read(1.0) == "가"


def test_terminal_mode_is_restored_afterwards(typing: int):
    slave = keys.sys.__stdin__.fileno()
    before = lines_and_echo(slave)
    pressed = Keys()
    pressed.begin()
    pressed.begin()
    assert lines_and_echo(slave) == 0
    pressed.end()
    assert lines_and_echo(slave) == before
    assert not pressed.is_available


def test_unread_input_is_left_for_the_next_reader(typing: int):
    slave = keys.sys.__stdin__.fileno()
    with Keys(read=False) as hidden:
        assert lines_and_echo(slave) == termios.ICANON
        os.write(typing, b"open the door\n")
        assert hidden.read(0.0) == ""
    assert os.read(slave, 100) == b"open the door\n"
