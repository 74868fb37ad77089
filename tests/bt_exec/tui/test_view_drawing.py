"""Live view as data: each file in ``screens/`` is the screen of a mission at a size.

After an intended change: ``BT_EXEC_WRITE_SCREENS=1 pytest tests/bt_exec/tui/test_view_drawing.py``.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from bt_exec.failure import Failure
from bt_exec.tui.terminal_text import Line, line_width, without_styles
from bt_exec.tui.view_drawing import draw, tree_lines
from bt_exec.tui.view_model import ViewModel
from tests.bt_exec.tui.scripted import (
    ENGLISH,
    Script,
    get_material,
    mission,
    outcome,
    running,
    slipped,
    spoken,
    wide,
)

SCREENS = Path(__file__).with_name("screens")


def looked() -> Script:
    return Script().start().at(0.1).look().at(1.4)


def thinking() -> Script:
    from bt_exec import events as ev

    return looked().send(ev.Planning(0.2, 0, "claude")).at(1.4)


def many(step: int = 1) -> Script:
    script = Script().start("work").plan(mission("\n".join(wide())))
    for group in range(3):
        script.at(group + 1.0).node(f"group {group}", "running")
        for number in range(9):
            script.node(f"group {group}/step_{group}_{number}", "done")
        script.node(f"group {group}", "done")
    script.node("group 3", "running")
    for number in range(step):
        script.node(f"group 3/step_3_{number}", "done")
    return script.node(f"group 3/step_3_{step}", "running")


def blocked() -> Script:
    script = Script().start(ENGLISH).at(0.2).look().plan(get_material(ENGLISH))
    script.node("get_material", "running").node("get_material/open_door/open_door", "running")
    script.at(4.0).node("get_material/open_door/open_door", "done")
    script.node("get_material/material_visible", "running").check(
        "get_material/material_visible", None, "1 frame of 3"
    )
    return script


def stopping() -> Script:
    from bt_exec import events as ev

    script = running()
    take = "get_material/take_material"
    return script.node(f"{take}/move_arm", "stopped").send(
        ev.Aborting(8.3, 166, "robot stop", "still moving")
    )


def guard_broken() -> Script:
    path = "get_material/take_material/move_arm"
    failure = Failure("GUARD_BROKEN", "door_is open no longer holds: door closed", path, "guard")
    return running(ENGLISH).at(9.0).node(path, "failed", failure.message, failure)


def korean() -> Script:
    return running(messages=spoken())


def korean_failed() -> Script:
    script = slipped(messages=spoken())
    path = "get_material/take_material/move_arm"
    why = "door_is open no longer holds: door closed 0.9"
    failure = Failure("GUARD_BROKEN", why, path, "guard", evidence={"why": "door closed 0.9"})
    script.at(12.0).check("get_material/material_visible", None, "the pictures do not agree")
    return script.node(path, "failed", why, failure)


CASES: dict[str, tuple[Callable[[], Script], int, int, bool]] = {
    "running_80": (running, 80, 24, False),
    "running_40": (running, 40, 24, False),
    "running_ascii_60": (lambda: running(ENGLISH), 60, 12, True),
    "running_short": (running, 80, 9, False),
    "slipped_80": (slipped, 80, 24, False),
    "slipped_40": (slipped, 40, 24, False),
    "slipped_ascii_60": (lambda: slipped(ENGLISH), 60, 12, True),
    "many_80": (many, 80, 24, False),
    "many_short": (lambda: many(7), 80, 12, False),
    "nothing_yet": (looked, 80, 24, False),
    "thinking": (thinking, 80, 24, False),
    "not_sure": (blocked, 80, 24, False),
    "stopping": (stopping, 80, 24, False),
    "guard_broken": (guard_broken, 80, 24, False),
    "korean": (korean, 80, 24, False),
    "korean_failed": (korean_failed, 80, 24, False),
    "korean_40": (korean, 40, 24, False),
}


def compare(name: str, lines: list[Line]) -> None:
    text = without_styles(lines) + "\n"
    path = SCREENS / f"{name}.txt"
    if os.environ.get("BT_EXEC_WRITE_SCREENS"):
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", CASES)
def test_screen_matches_the_stored_snapshot(name: str) -> None:
    make, width, height, ascii_only = CASES[name]
    script = make()
    compare(name, draw(script.model, width, height, ascii=ascii_only, now=script.t))


@pytest.mark.parametrize("name", ["running", "slipped"])
def test_final_tree_stays_on_the_terminal(name: str) -> None:
    from bt_exec import events as ev

    script = {"running": running, "slipped": slipped}[name]()
    script.send(ev.Finished(script.t, 1, outcome("aborted")))
    compare(f"end_{name}", tree_lines(script.model, 80))


@pytest.mark.parametrize("make", [running, slipped, many, stopping, thinking])
@pytest.mark.parametrize("width", [16, 24, 33, 40, 59, 60, 80, 200])
@pytest.mark.parametrize("ascii_only", [False, True])
def test_screen_fits_the_terminal(make: Callable[[], Script], width: int, ascii_only: bool) -> None:
    model: ViewModel = make().model
    for height in (1, 2, 3, 5, 8, 13, 24):
        for verbose in (False, True):
            lines = draw(model, width, height, ascii=ascii_only, verbose=verbose)
            assert 1 <= len(lines) <= height
            assert max(map(line_width, lines)) < width
            if ascii_only:
                assert without_styles(lines).isascii()


@pytest.mark.slow
def test_running_step_is_always_visible() -> None:
    for step in range(9):
        for height in (6, 8, 10, 16):
            assert f"step_3_{step} " in without_styles(draw(many(step).model, 80, height))


def test_clock_advances_without_events() -> None:
    wall = [10.0]
    script = Script(ViewModel(wall=lambda: wall[0]))
    script.start().at(2.0).look()
    wall[0] += 3.5
    assert "5.5 s" in without_styles(draw(script.model, 80, 24))


def test_external_text_cannot_move_the_cursor() -> None:
    script = Script().start("go \x1b[2J\x07\u202e\nhome").look("a \x1b]0;title\x07 b\r\n")
    text = without_styles(draw(script.model, 80, 24))
    assert "\x1b" not in text
    assert "\x07" not in text
    assert "go [2J home" in text
