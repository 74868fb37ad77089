from __future__ import annotations

import io
import re
import sys
import time
from collections.abc import Callable

import pytest

from bt_exec.events import Aborting
from bt_exec.tui.live import LiveView
from bt_exec.tui.paint import Painter
from bt_exec.tui.terminal_text import without_styles
from bt_exec.tui.view_drawing import draw
from tests.bt_exec.tui.scripted import running, slipped


class Terminal(io.StringIO):
    """Terminal emulator that supports the sequences used by the view."""

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
                elif token[-1] == "H":
                    row = column = 0
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


def test_frame_writes_only_changed_parts(terminal: Terminal) -> None:
    script = running()
    view = LiveView(script.model, Painter(terminal))
    view.draw_if_changed()
    first = len(terminal.getvalue())
    assert terminal.screen()[:-1] == without_styles(draw(script.model, 80, 23)).split("\n")
    view.draw_if_changed()
    assert len(terminal.getvalue()) == first, "an unchanged frame writes nothing"
    script.at(8.25).progress("get_material/take_material/move_arm", 0.7, "reaching")
    view.draw_if_changed()
    assert len(terminal.getvalue()) - first < first / 2
    assert terminal.screen()[:-1] == without_styles(draw(script.model, 80, 23)).split("\n")


def test_shorter_frame_clears_the_rest(terminal: Terminal) -> None:
    script = slipped()
    view = LiveView(script.model, Painter(terminal))
    view.draw_if_changed()
    script.model.past.clear()
    view.draw_if_changed()
    assert terminal.screen()[:-1] == without_styles(draw(script.model, 80, 23)).split("\n")


def test_other_output_appears_above_the_view(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdout", terminal)
    monkeypatch.setattr(sys, "stderr", terminal)
    script = running()
    view = LiveView(script.model, Painter(terminal))
    with view:
        view.draw_if_changed()
        print("a warning")
        print("half", end="")
        view.draw_if_changed()
        assert terminal.screen()[0] == "a warning"
        assert terminal.screen()[1] == without_styles(draw(script.model, 80, 23)).split("\n")[0]
    assert sys.stdout is terminal
    assert terminal.screen() == ["a warning", "half", ""]
    assert terminal.getvalue().endswith("\x1b[?25h"), "the cursor is shown again"


def test_lost_terminal_does_not_end_the_mission(terminal: Terminal) -> None:
    view = LiveView(running().model, Painter(terminal))
    with view:
        terminal.close()
        view._thread.join(60.0)
        assert not view._thread.is_alive()


def test_resize_starts_a_clean_frame(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    script = running()
    view = LiveView(script.model, Painter(terminal))
    view.draw_if_changed()
    monkeypatch.setenv("COLUMNS", "100")
    view.painter.console._environ["COLUMNS"] = "100"  # type: ignore[index]
    view.painter.console._width = 100
    view.draw_if_changed()
    assert terminal.screen()[:-1] == without_styles(draw(script.model, 100, 23)).split("\n")


@pytest.mark.parametrize(
    ("term", "live"), [("xterm", True), ("dumb", False), ("", False), ("unknown", False)]
)
def test_dumb_terminal_gets_plain_lines(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch, term: str, live: bool
) -> None:
    monkeypatch.setenv("TERM", term)
    assert Painter(terminal).can_redraw is live


def test_colours_can_be_disabled(terminal: Terminal, monkeypatch: pytest.MonkeyPatch) -> None:
    line = (("✗ ", "failed"), ("grasp", ""))
    assert Painter(terminal).paint(line) == "\x1b[1;31m✗ \x1b[0mgrasp"
    monkeypatch.setenv("NO_COLOR", "1")
    assert Painter(terminal).paint(line) == "\x1b[1m✗ \x1b[0mgrasp"
    assert Painter(io.StringIO()).paint(line) == "✗ grasp"


def pressed(terminal: Terminal, *keys: str) -> tuple[LiveView, list[str]]:
    """Return the view of a running mission after some keys, and its rows."""
    view = LiveView(running().model, Painter(terminal))
    view.draw_if_changed()
    for key in keys:
        view.handle_key(key)
        view.draw_if_changed()
    return view, terminal.screen()[:-1]


def clear(terminal: Terminal) -> None:
    terminal.seek(0)
    terminal.truncate()


def test_key_opens_finished_parts_and_folds_them_again(terminal: Terminal) -> None:
    script = running().at(9.0)
    script.node("get_material/take_material/move_arm", "done")
    script.node("get_material/take_material", "done")
    view = LiveView(script.model, Painter(terminal))
    shown = []
    for key in ("", "a", "a"):
        clear(terminal)
        view.handle_key(key)
        view.redraw()
        view.draw_if_changed()
        shown.append(terminal.screen())
    assert "grasp" in "\n".join(shown[1])
    assert len(shown[1]) > len(shown[0])
    assert shown[2] == shown[0]


def test_key_shows_details_and_hides_them_again(terminal: Terminal) -> None:
    before = pressed(terminal)[1]
    clear(terminal)
    assert "move_arm" in "\n".join(pressed(terminal, "d")[1])
    clear(terminal)
    assert pressed(terminal, "d", "d")[1] == before


def test_full_screen_mode_is_restored_at_the_end(
    terminal: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stdout", terminal)
    view = LiveView(running().model, Painter(terminal), full=True)
    with view:
        view.draw_if_changed()
        shown = terminal.screen()
        print("a warning")
        view.draw_if_changed()
        assert terminal.screen()[-2].strip().startswith("a warning"), "shown in the last line"
    assert len(shown) == 24, "the view fills the screen"
    written = terminal.getvalue()
    assert written.startswith("\x1b[?1049h")
    assert written.endswith("\x1b[?1049la warning\n"), "and kept for the main screen"


def test_full_screen_mode_is_left_during_a_question(terminal: Terminal) -> None:
    view = LiveView(running().model, Painter(terminal), full=True)
    for leave in (view.suspend_drawing, view.pause):
        clear(terminal)
        leave()
        assert terminal.getvalue().endswith("\x1b[?1049l")
        view.redraw()
        assert "\x1b[?1049h" in terminal.getvalue()


class Typed:
    """Keys that were pressed already."""

    is_available = True

    def __init__(self, *keys: str) -> None:
        self.left = list(keys)

    def read(self, _: float) -> str:
        return self.left.pop(0) if self.left else ""

    def begin(self) -> None:
        pass

    end = begin


def until(holds: Callable[[], object]) -> None:
    for _ in range(2000):
        if holds():
            return
        time.sleep(0.005)
    raise AssertionError("it did not come to hold")


def test_paused_view_is_not_redrawn_until_the_mission_is_stopped(terminal: Terminal) -> None:
    script = running()
    view = LiveView(script.model, Painter(terminal))
    view._keys = keys = Typed(" ")  # type: ignore[assignment]
    with view:
        until(lambda: not keys.left and "view paused" in terminal.getvalue())
        frames = view.frames
        script.at(8.25).progress("get_material/take_material/move_arm", 0.7, "reaching")
        time.sleep(0.3)
        assert view.frames == frames
        script.model.on(Aborting(9.0, 180, "clean", "operator"))
        until(lambda: "stopping" in terminal.getvalue())


def test_keys_are_not_read_at_a_prompt(terminal: Terminal) -> None:
    view = LiveView(running().model, Painter(terminal))
    view.draw_if_changed()
    assert "keys" not in "\n".join(terminal.screen())
    assert not view._keys.is_available
