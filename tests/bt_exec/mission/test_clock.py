"""Two clocks, the same ticks."""

import pytest

from bt_exec.mission.clock import Clock
from bt_exec.testing import FakeClock


def test_simulated_time_passes_only_between_ticks():
    simulation = FakeClock()
    clock = Clock([simulation], 0.05, fast=True)
    assert clock.now() == 0.0
    clock.advance()
    assert clock.now() == 0.05


def test_real_time_waits_for_the_deadline_and_steps_the_same():
    simulation = FakeClock()
    clock = Clock([simulation], 0.01)
    clock.begin()
    for _ in range(3):
        clock.advance()
    assert round(clock.now(), 6) == 0.03


def test_without_a_simulation_it_is_never_fast():
    assert Clock([], 0.05, fast=True).fast is False


def test_a_whole_tick_late_is_an_overrun_and_is_not_caught_up():
    clock = Clock([], 1e-9)
    clock.begin()
    clock.advance()
    clock.advance()
    assert clock.overruns >= 1


def test_a_stop_that_was_asked_for_while_time_stood_still_comes_before_what_is_next():
    steps = []

    class Noting(FakeClock):
        def step(self, seconds: float) -> None:
            steps.append(seconds)
            super().step(seconds)

    Clock([Noting()], 0.05, fast=True).begin()
    assert steps == [0.0]


class Wall:
    """A wall clock that goes on only while somebody sleeps, or is late."""

    def __init__(self) -> None:
        self.time = 100.0
        self.slept: list[float] = []

    def monotonic(self) -> float:
        return self.time

    def sleep(self, seconds: float) -> None:
        assert seconds > 0
        self.slept.append(round(seconds, 6))
        self.time += seconds


@pytest.fixture
def wall(monkeypatch) -> Wall:
    wall = Wall()
    monkeypatch.setattr("bt_exec.mission.clock.time", wall)
    return wall


def test_without_a_simulation_time_counts_from_the_start(wall):
    clock = Clock([], 0.5)
    wall.time += 2.0
    assert clock.now() == 2.0
    clock.advance()
    assert (clock.now(), clock.overruns) == (2.0, 1)


def test_of_several_simulations_all_are_stepped_and_the_first_gives_the_time(wall):
    first, second = FakeClock(3.0), FakeClock(7.0)
    clock = Clock([first, second], 0.5)
    clock.begin()
    clock.advance()
    assert (first.time, second.time, clock.now()) == (3.5, 7.5, 3.5)


@pytest.mark.parametrize(
    ("late", "slept", "overruns"),
    [
        ([0, 0, 0], [1.0, 1.0, 1.0], 0),
        ([0.25, 0, 0], [0.75, 1.0, 1.0], 0),
        ([1.0, 0, 0], [1.0, 1.0], 0),  # just in time: nothing is waited for
        ([1.5, 0, 0], [0.5, 1.0], 0),  # lateness does not add up: the next wait is shorter
        ([2.0, 0, 0], [1.0], 0),  # a whole tick late, to the moment: still caught up
        ([2.5, 0, 0], [1.0, 1.0], 1),  # later than that: it goes on from there
        ([2.5, 0, 2.5], [1.0], 2),
    ],
)
def test_deadlines_on_the_wall(wall, late, slept, overruns):
    """Periods of 1 s; before each wait the loop took `late` seconds."""
    clock = Clock([FakeClock()], 1.0)
    wall.time += 5.0  # a pause before the first tick
    clock.begin()
    for seconds in late:
        wall.time += seconds
        clock.advance()
    assert (wall.slept, clock.overruns) == (slept, overruns)
    assert clock.now() == 3.0


def test_a_clock_that_was_not_begun_counts_from_when_it_was_made(wall):
    clock = Clock([], 1.0)
    wall.time += 0.25
    clock.advance()
    assert wall.slept == [0.75]


def test_a_fast_clock_waits_for_nothing(wall):
    clock = Clock([FakeClock()], 1.0, fast=True)
    assert clock.fast
    clock.advance()
    assert (wall.slept, clock.now(), clock.overruns) == ([], 1.0, 0)
    assert not Clock([FakeClock()], 1.0).fast


def test_beginning_takes_no_simulated_time():
    clock = Clock([FakeClock(2.0)], 1.0, fast=True)
    clock.begin()
    assert clock.now() == 2.0
