from __future__ import annotations

import io
import re
import sys

import pytest

from bt_exec.tui.live import LiveView
from bt_exec.tui.paint import Painter
from bt_exec.tui.screen import draw
from bt_exec.tui.text import plain
from tests.bt_exec.tui.scripted import running, slipped


class Terminal(io.StringIO):
    """A terminal of ours: understands what the view writes, nothing else."""

    encoding = "utf-8"  # type: ignore[assignment]

    def isatty(self) -> bool:
        return True

    def screen(self) -> list[str]:
        rows: list[str] = [""]
        row = column = 0
        for token in re.findall(r"\x1b\[\??[\d;]*[A-Za-z]|.|\n|\r", self.getvalue(), re.DOTALL):
            if token == "\n":
                row += 1
            elif token == "\r":
                column = 0
            elif token.startswith("\x1b["):
                if token[-1] == "A":
                    row -= int(token[2:-1])
                    assert row >= 0, "moved above the screen"
                elif token[-1] == "K":
                    rows[row] = rows[row][:column]
                elif token[-1] == "J":
                    rows[row:] = [""]
                else:
                    assert token[-1] in "mlh", token
            else:
                rows[row] = rows[row][:column].ljust(column) + token + rows[row][column + 1 :]
                column += 1
            rows += [""] * (row + 1 - len(rows))
        return [line.rstrip() for line in rows]


@pytest.fixture
def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("LINES", "24")
    monkeypatch.delenv("NO_COLOR", raising=False)
    return Terminal()


def test_frames_only_change_what_changed(terminal: Terminal) -> None:
    script = running()
    view = LiveView(script.model, Painter(terminal))
    view.frame()
    first = len(terminal.getvalue())
    assert terminal.screen()[:-1] == plain(draw(script.model, 80, 23)).split("\n")
    view.frame()
    assert len(terminal.getvalue()) == first, "an unchanged frame writes nothing"
    script.at(8.25).progress("get_material/take_material/move_arm", 0.7, "reaching")
    view.frame()
    assert len(terminal.getvalue()) - first < first / 2
    assert terminal.screen()[:-1] == plain(draw(script.model, 80, 23)).split("\n")


def test_a_shorter_frame_leaves_nothing_behind(terminal: Terminal) -> None:
    script = slipped()
    view = LiveView(script.model, Painter(terminal))
    view.frame()
    script.model.past.clear()
    view.frame()
    assert terminal.screen()[:-1] == plain(draw(script.model, 80, 23)).split("\n")


def test_what_others_print_stands_above(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdout", terminal)
    monkeypatch.setattr(sys, "stderr", terminal)
    script = running()
    view = LiveView(script.model, Painter(terminal))
    with view:
        view.frame()
        print("a warning")
        print("half", end="")
        view.frame()
        assert terminal.screen()[0] == "a warning"
        assert terminal.screen()[1] == plain(draw(script.model, 80, 23)).split("\n")[0]
    assert sys.stdout is terminal
    assert terminal.screen() == ["a warning", "half", ""]
    assert terminal.getvalue().endswith("\x1b[?25h"), "the cursor is shown again"


def test_a_terminal_that_is_gone_does_not_end_the_mission(terminal: Terminal) -> None:
    view = LiveView(running().model, Painter(terminal))
    with view:
        terminal.close()
        view._thread.join(60.0)
        assert not view._thread.is_alive()


def test_a_resize_starts_a_clean_frame(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    script = running()
    view = LiveView(script.model, Painter(terminal))
    view.frame()
    monkeypatch.setenv("COLUMNS", "100")
    view.painter.console._environ["COLUMNS"] = "100"  # type: ignore[index]
    view.painter.console._width = 100
    view.frame()
    assert terminal.screen()[:-1] == plain(draw(script.model, 100, 23)).split("\n")


@pytest.mark.parametrize(
    ("term", "live"), [("xterm", True), ("dumb", False), ("", False), ("unknown", False)]
)
def test_a_dumb_terminal_gets_lines(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch, term: str, live: bool
) -> None:
    monkeypatch.setenv("TERM", term)
    assert Painter(terminal).live is live


def test_no_colour_where_none_is_wanted(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    line = (("✗ ", "failed"), ("grasp", ""))
    assert Painter(terminal).paint(line) == "\x1b[1;31m✗ \x1b[0mgrasp"
    monkeypatch.setenv("NO_COLOR", "1")
    assert Painter(terminal).paint(line) == "\x1b[1m✗ \x1b[0mgrasp"
    assert Painter(io.StringIO()).paint(line) == "✗ grasp"
