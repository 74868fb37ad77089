"""Pages of the live view: details of a node, transitions, pictures."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from rich.cells import cell_len

from bt_exec.events import Asked, Observed
from bt_exec.skill import Verdict
from bt_exec.tui.paint import Painter
from bt_exec.tui.terminal_text import UNICODE, line_width, without_styles
from bt_exec.tui.view_model import ViewModel
from bt_exec.tui.view_pages import camera_lines, node_lines, transition_lines
from tests.bt_exec.tui.scripted import (
    ENGLISH,
    KOREAN,
    SLIPPED,
    FakeObservation,
    running,
    slipped,
    spoken,
)

MESSAGES = spoken()
ARM = "get_material/take_material/move_arm"


def details(model: ViewModel, path: str, now: float = 9.0) -> str:
    return without_styles(node_lines(model, model.forest.by_path[path], 100, UNICODE, now))


def test_details_show_a_running_step_and_its_conditions():
    script = running(ENGLISH, MESSAGES)
    verdict = Verdict(True, "door open 0.9", ("primary:door",), 0.3)
    script.send(Asked(8.2, 164, ARM, "while", "door_is open", verdict))
    text = details(script.model, ARM)
    assert "running · 2.6 s · began at 6.4 s" in text
    assert "reach for the material with the right arm" in text
    assert "the door is open · holds · door open, confidence 0.9 · 0.3 s old" in text
    assert "primary:door" not in text
    script.model.verbose = True
    text = details(script.model, ARM)
    assert "arm=right, object_label=material" in text
    assert "[primary:door]" in text


def test_details_of_a_retried_step_name_its_earlier_failure():
    script = running(ENGLISH, MESSAGES)
    script.node(ARM, "running", "attempt 2 of 3", SLIPPED).skill(ARM)
    text = details(script.model, ARM)
    assert "attempts" in text
    assert "failed before  The grasp failed" in text
    assert "GRASP_SLIPPED" not in text


def test_details_are_in_the_language_of_the_command():
    text = details(running(KOREAN, MESSAGES).model, ARM)
    assert "진행 중 · 2.6초 · 시작: 6.4초" in text
    assert "문 상태: 열림 · 지켜짐 · 문이 열려 있습니다" in text


def test_transitions_are_in_order_with_times_of_all_plans():
    model = slipped(ENGLISH, MESSAGES).model
    lines = without_styles(transition_lines(model, 80, UNICODE, 99)).split("\n")
    times = [float(line.split()[0]) for line in lines]
    assert times == sorted(times)
    assert len(lines) == len(model.changes)
    assert any("✗ grasp the material with the right hand: The grasp fai" in line for line in lines)
    assert without_styles(transition_lines(model, 80, UNICODE, 3)).split("\n") == lines[-3:]


def looked(*frames: Any) -> ViewModel:
    model = ViewModel()
    for number, frame in enumerate(frames):
        model.on(Observed(1.0, 1, f"pack{number}", FakeObservation(1.0, "seen", frame)))
    return model


def halves(above: int, below: int) -> Any:
    frame = np.zeros((48, 64, 3), np.uint8)
    frame[:24], frame[24:] = above, below
    return frame


@pytest.mark.parametrize(("width", "room"), [(40, 10), (80, 20), (200, 3), (20, 2)])
@pytest.mark.parametrize("colours", [True, False])
@pytest.mark.parametrize("count", [1, 2])
def test_pictures_fit_into_the_available_space(width: int, room: int, colours: bool, count: int):
    lines = camera_lines(looked(*[halves(0, 255)] * count), width, room, colours=colours)
    assert 0 < len(lines) <= room
    assert all(line_width(line) < width for line in lines)
    text = without_styles(lines)
    assert "▀" in text if colours else text.isascii()


def test_bright_and_dark_areas_of_a_picture_are_distinguishable():
    top, *_, bottom = camera_lines(looked(halves(0, 255)), 60, 10, colours=False)
    assert set(without_styles([top]).strip()) == set()
    assert set(without_styles([bottom]).strip()) == {"@"}
    top, *_, bottom = camera_lines(looked(halves(0, 255)), 60, 10, colours=True)
    assert {style for text, style in top if text.strip()} == {"#000000 on #000000"}
    assert {style for text, style in bottom if text.strip()} == {"#f8f8f8 on #f8f8f8"}


def test_view_without_a_picture_shows_a_message():
    for model in (looked(), looked(None)):
        assert without_styles(camera_lines(model, 60, 10, colours=True)) == " no picture"


def test_colours_of_a_picture_are_painted(monkeypatch, capsys):
    monkeypatch.setenv("COLORTERM", "truecolor")
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.delenv("NO_COLOR", raising=False)
    painted = Painter().paint((("▀", "#000000 on #f8f8f8"),))
    assert painted == "\x1b[38;2;0;0;0;48;2;248;248;248m▀\x1b[0m"
    assert cell_len("▀") == 1
