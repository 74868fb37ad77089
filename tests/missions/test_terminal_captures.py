"""Captures of missions in the documentation equal the current output.

After an intended change: ``BT_EXEC_WRITE_SCREENS=1 pytest
tests/missions/test_terminal_captures.py``.
"""

from __future__ import annotations

import io
import os
import re
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from rich.cells import cell_len
from rich.console import Console
from rich.terminal_theme import DEFAULT_TERMINAL_THEME, SVG_EXPORT_THEME
from rich.text import Text

from bt_exec.events import Event
from bt_exec.mission.session import Session
from bt_exec.site.site import load_site
from bt_exec.tui.summary import summary_lines
from bt_exec.tui.terminal_text import COLOURS, Line, without_styles
from bt_exec.tui.view_drawing import draw, tree_lines
from bt_exec.tui.view_model import ViewModel

DOCS = Path(__file__).parents[2] / "docs"
PAGE = DOCS / "terminal.md"
PICTURES = {"live_dark.svg": SVG_EXPORT_THEME, "live_light.svg": DEFAULT_TERMINAL_THEME}
"""Pictures of the live view of the README, with their colours."""
WEB_FONT = re.compile(r"@font-face \{.*?\}\s*", re.DOTALL)
WIDTHS = (40, 80, 120)
CAPTURE = r"(?<=<!-- {name} -->\n```\n)[^`]*(?=```\n)"


class Case(NamedTuple):
    """Mission, and the times at which it is captured [s]."""

    command: str
    world: dict[str, str]
    faults: tuple[Any, ...] = ()
    running: float | None = None
    stopped: float | None = None


SLOW = pytest.mark.slow
MISSIONS = {
    "clean": Case("get the material", {"seed": "2"}, (), 9.0),
    "recovery": Case("get the material", {"seed": "2"}, ("grasp:1=GRASP_SLIPPED",)),
    "stop": Case("문 안의 자재를 가져와", {"seed": "2"}, stopped=3.1),
    "blocked": Case("get the material", {"seed": "2", "fault": "jammed"}),
}


class _Shot:
    """Listener that draws the live view once, at a given time."""

    def __init__(self, model: ViewModel, at: float | None) -> None:
        self.drawn: dict[int, list[Line]] = {}
        self._model, self._at = model, at

    def on(self, event: Event) -> None:
        """Draw the view at its time."""
        model, at = self._model, self._at
        if at is not None and not self.drawn and event.t - model.began >= at:
            self.drawn = {width: draw(model, width, 24, now=event.t) for width in WIDTHS}


def picture(lines: list[Line], theme: Any) -> str:
    """Return lines of a terminal as an SVG, without the external fonts of rich."""
    console = Console(record=True, width=WIDTHS[1], file=io.StringIO(), color_system="truecolor")
    for line in lines:
        spans = [(text, COLOURS[style]) for text, style in line]
        console.print(Text.assemble(*spans), highlight=False)
    svg = console.export_svg(title='bt-exec run "get the material"', theme=theme, unique_id="live")
    return WEB_FONT.sub("", svg)


def captured(name: str, folder: Path) -> dict[str, str]:
    """Run a mission, and return its captures by name and pictures by file name."""
    case = MISSIONS[name]
    file = folder / "door.yaml"
    file.write_text("site: door\npacks: {door: {robot: sim, detector: oracle}}\n")
    site = load_site(str(file))
    model = ViewModel(wall=lambda: 0.0, messages=site.messages)
    shot = _Shot(model, case.running)
    with Session(
        site, world=case.world, fast=True, faults=case.faults, listeners=[model, shot]
    ) as session:
        session.clock.call_at(case.stopped, session.abort)
        outcome = session.run(case.command)
    captures = {f"running {width}": without_styles(lines) for width, lines in shot.drawn.items()}
    if shot.drawn:
        captures |= {file: picture(shot.drawn[80], theme) for file, theme in PICTURES.items()}
    for width in WIDTHS:
        lines = [*tree_lines(model, width), *summary_lines(outcome, width, model=model)]
        captures[f"{name} {width}"] = without_styles(lines)
    return captures


@pytest.mark.parametrize(
    "name", [name if name == "stop" else pytest.param(name, marks=SLOW) for name in MISSIONS]
)
def test_captures_in_documentation_are_current(name: str, tmp_path: Path) -> None:
    captures = captured(name, tmp_path)
    for title in PICTURES.keys() & captures.keys():
        if os.environ.get("BT_EXEC_WRITE_SCREENS"):
            (DOCS / title).write_text(captures[title], encoding="utf-8")
        assert (DOCS / title).read_text(encoding="utf-8") == captures[title]
    for title in captures.keys() - PICTURES.keys():
        width, text = int(title.split()[1]), captures[title]
        assert all(cell_len(line) <= width for line in text.splitlines())
        page = PAGE.read_text(encoding="utf-8")
        place = re.compile(CAPTURE.format(name=title))
        if os.environ.get("BT_EXEC_WRITE_SCREENS"):
            page = place.sub(lambda _, text=text: f"{text}\n", page)
            PAGE.write_text(page, encoding="utf-8")
        (shown,) = place.findall(page)
        assert shown == f"{text}\n"
