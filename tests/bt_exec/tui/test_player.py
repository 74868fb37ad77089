"""Replay player: it shows the live screen of each moment."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from bt_exec import events as ev
from bt_exec.tui.player import SPEEDS, Player
from bt_exec.tui.terminal_text import without_styles
from bt_exec.tui.view_drawing import draw
from bt_exec.tui.view_model import ViewModel
from tests.bt_exec.tui.scripted import slipped


class Wall:
    now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def events(monkeypatch: pytest.MonkeyPatch) -> list[ev.Event]:
    found: list[ev.Event] = []
    real = ViewModel.on
    monkeypatch.setattr(
        ViewModel, "on", lambda self, event: (found.append(event), real(self, event))
    )
    slipped()
    monkeypatch.undo()
    return found


def player_of(events: list[ev.Event], wall: Callable[[], float], **more: Any) -> Player:
    record: Any = SimpleNamespace(events=tuple(events), frames=Path())
    return Player(record, lambda clock: ViewModel(wall=clock), wall=wall, **more)


def screen(model: ViewModel, t: float) -> str:
    return without_styles(draw(model, 80, 30, now=t))


def live(events: list[ev.Event], count: int) -> ViewModel:
    model = ViewModel(wall=lambda: 0.0)
    for event in events[:count]:
        model.on(event)
    return model


def test_player_shows_the_live_screen_at_every_event(events: list[ev.Event]) -> None:
    player = player_of(events, Wall())
    for count in range(1, len(events) + 1):
        player.seek(count)
        assert screen(player.model, player.t) == screen(live(events, count), player.t)


@pytest.mark.parametrize("speed", [0.5, 1.0, 8.0])
def test_playback_takes_the_mission_time_divided_by_the_speed(
    events: list[ev.Event], speed: float
) -> None:
    wall = Wall()
    player = player_of(events, wall, speed=speed)
    while not player.is_over:
        wall.now += 0.05
        player.play()
        assert all(event.t <= player.t for event in events[: player.index])
    length = player.end - player.start
    assert wall.now - 100.0 == pytest.approx(length / speed, abs=0.06)
    assert screen(player.model, player.t) == screen(live(events, len(events)), player.t)


def test_pause_stops_and_resumes_at_the_same_time(events: list[ev.Event]) -> None:
    wall = Wall()
    player = player_of(events, wall)
    wall.now += 1.0
    player.play()
    t, player.paused = player.t, True
    wall.now += 50.0
    player.play()
    assert player.t == t
    player.paused = False
    wall.now += 0.5
    player.play()
    assert player.t == pytest.approx(t + 0.5)


def test_steps_forward_and_back_reach_the_same_moments(events: list[ev.Event]) -> None:
    player = player_of(events, Wall(), paused=True)
    forth = [0]
    while not player.is_over:
        player.step()
        forth.append(player.index)
    back = [player.index]
    while player.index:
        player.step(-1)
        back.append(player.index)
    assert sorted(back) == forth
    assert player.t == player.start


def test_player_never_jumps_beyond_the_record(events: list[ev.Event]) -> None:
    player = player_of(events, Wall())
    player.jump(1e6)
    assert (player.t, player.is_over) == (player.end, True)
    player.jump(-1e6)
    assert (player.t, player.index) == (player.start, 0)


def test_playback_speed_stays_within_the_listed_speeds(events: list[ev.Event]) -> None:
    player = player_of(events, Wall())
    for _ in range(20):
        player.change_speed()
    assert player.speed == SPEEDS[-1]
    for _ in range(20):
        player.change_speed(-1)
    assert player.speed == SPEEDS[0]


def test_empty_record_is_finished_at_once() -> None:
    player = player_of([], Wall())
    player.play()
    player.step()
    player.step(-1)
    assert player.is_over
