"""Two clocks, the same ticks."""

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
