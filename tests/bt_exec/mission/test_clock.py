"""Clocks: simulated and real time with the same ticks, overruns and lost simulations."""

from concurrent.futures import Future, wait

import pytest

from bt_exec.failure import PartBroken, SimulationLost
from bt_exec.mission.clock import Clock
from bt_exec.testing import FakeClock
from tests.bt_exec.mission.misbehaving_ground import raise_as_watchdog


def test_simulated_time_advances_only_between_ticks():
    simulation = FakeClock()
    clock = Clock([simulation], 0.05, fast=True)
    assert clock.now() == 0.0
    clock.advance()
    assert clock.now() == 0.05


def test_real_time_clock_advances_by_its_period():
    simulation = FakeClock()
    clock = Clock([simulation], 0.01)
    clock.begin()
    for _ in range(3):
        clock.advance()
    assert round(clock.now(), 6) == 0.03


def test_clock_without_a_simulation_is_not_fast():
    assert Clock([], 0.05, fast=True).fast is False


def test_delay_above_one_tick_is_an_overrun_and_is_not_caught_up():
    clock = Clock([], 1e-9)
    clock.begin()
    clock.advance()
    clock.advance()
    assert clock.overruns >= 1


def test_begin_steps_the_simulation_by_zero_to_execute_a_pending_stop():
    steps = []

    class Noting(FakeClock):
        def step(self, seconds: float) -> None:
            steps.append(seconds)
            super().step(seconds)

    Clock([Noting()], 0.05, fast=True).begin()
    assert steps == [0.0]


def test_align_steps_late_simulations_to_the_common_time():
    early, late = FakeClock(), FakeClock()
    late.step(0.5)
    clock = Clock([early, late], 0.05, fast=True)
    clock.align()
    assert early.time == late.time == clock.now() == 0.5
    clock.align()
    assert early.time == 0.5


class Wall:
    """Wall clock that advances only when the test sleeps or is late."""

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


def test_time_without_a_simulation_counts_from_the_start(wall):
    clock = Clock([], 0.5)
    wall.time += 2.0
    assert clock.now() == 2.0
    clock.advance()
    assert (clock.now(), clock.overruns) == (2.0, 1)


def test_all_simulations_are_stepped_and_the_first_gives_the_time(wall):
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
        ([1.0, 0, 0], [1.0, 1.0], 0),  # on the deadline: no wait
        ([1.5, 0, 0], [0.5, 1.0], 0),  # delays do not accumulate: the next wait is shorter
        ([2.0, 0, 0], [1.0], 0),  # exactly one tick late: still caught up
        ([2.5, 0, 0], [1.0, 1.0], 1),  # later than one tick: the schedule restarts there
        ([2.5, 0, 2.5], [1.0], 2),
    ],
)
def test_real_time_clock_sleeps_until_each_deadline(wall, late, slept, overruns):
    """The period is 1 s. The loop is `late` seconds late before each wait."""
    clock = Clock([FakeClock()], 1.0)
    wall.time += 5.0  # a pause before the first tick
    clock.begin()
    for seconds in late:
        wall.time += seconds
        clock.advance()
    assert (wall.slept, clock.overruns) == (slept, overruns)
    assert clock.now() == 3.0


def test_clock_without_begin_counts_from_its_construction(wall):
    clock = Clock([], 1.0)
    wall.time += 0.25
    clock.advance()
    assert wall.slept == [0.75]


def test_fast_clock_does_not_wait(wall):
    clock = Clock([FakeClock()], 1.0, fast=True)
    assert clock.fast
    clock.advance()
    assert (wall.slept, clock.now(), clock.overruns) == ([], 1.0, 0)
    assert not Clock([FakeClock()], 1.0).fast


def test_begin_takes_no_simulated_time():
    clock = Clock([FakeClock(2.0)], 1.0, fast=True)
    clock.begin()
    assert clock.now() == 2.0


class World(FakeClock):
    """Simulation whose time and steps the test can corrupt."""

    told: object = None

    @property
    def time(self):
        if isinstance(self.told, PartBroken):
            raise_as_watchdog(self.told)
        if isinstance(self.told, BaseException):
            raise self.told
        return self.now if self.told is None else self.told

    @time.setter
    def time(self, value) -> None:
        self.now = value


@pytest.mark.parametrize(
    ("told", "why"),
    [
        (float("nan"), "its time is nan"),
        (float("inf"), "its time is inf"),
        (OSError("gone"), "OSError: gone"),
        ("noon", "ValueError: could not convert string to float: 'noon'"),
    ],
)
def test_simulation_with_invalid_time_is_lost_and_its_last_time_is_kept(told, why):
    world = World(2.5)
    clock = Clock([world], 0.5, fast=True)
    assert (clock.now(), clock.lost) == (2.5, None)
    world.told = told
    assert clock.now() == 2.5
    assert str(clock.lost) == why
    world.told = RuntimeError("later")
    assert clock.now() == 2.5
    assert str(clock.lost) == why  # the first error is kept
    with pytest.raises(SimulationLost):
        clock.advance()


@pytest.mark.parametrize("why", [KeyboardInterrupt(), PartBroken("the driver", "hangs")])
def test_interruption_in_a_simulation_is_passed_on(why):
    world = World()
    clock = Clock([world], 0.5, fast=True)
    world.told = why
    with pytest.raises(type(why)):
        clock.now()
    world.told = None

    def step(seconds: float) -> None:
        raise_as_watchdog(why)

    world.step = step
    with pytest.raises(type(why)):
        clock.advance()
    assert clock.lost is None


def test_simulation_with_a_failed_step_stays_lost():
    class Broken(FakeClock):
        def step(self, seconds: float) -> None:
            raise SystemExit(3)

    clock = Clock([Broken()], 0.5, fast=True)
    for _ in range(2):
        with pytest.raises(SimulationLost, match="SystemExit: 3"):
            clock.advance()
    assert str(clock.lost) == "SystemExit: 3"


@pytest.mark.parametrize("back", [0.0, 0.25])
def test_simulation_with_stopped_time_is_lost_except_for_a_zero_step(back):
    class Stands(FakeClock):
        def step(self, seconds: float) -> None:
            self.time -= back if seconds else 0.0

    clock = Clock([Stands(2.0)], 0.5, fast=True)
    clock.begin()
    with pytest.raises(SimulationLost) as told:
        clock.advance()
    assert str(told.value) == f"its time stays at {2.0 - back:g} s"


class Far:
    """Remote simulation. It answers when the test allows it."""

    def __init__(self, order: list[str] | None = None) -> None:
        self.time = 0.0
        self.asked: list[tuple[float, Future[None]]] = []
        self.at_once = True
        self.order = order if order is not None else []

    def start_step(self, seconds: float) -> Future[None]:
        self.order.append("asked")
        self.asked.append((seconds, Future()))
        if self.at_once:
            self.answer()
        return self.asked[-1][1]

    def answer(self) -> None:
        seconds, future = self.asked[-1]
        self.time += seconds
        future.set_result(None)


def test_remote_simulations_are_started_before_local_ones_are_stepped():
    order: list[str] = []

    class Ours(FakeClock):
        def step(self, seconds: float) -> None:
            order.append("stepped")
            super().step(seconds)

    far = Far(order)
    clock = Clock([Ours(), far, Ours(), Far(order)], 0.5, fast=True)
    clock.advance()
    assert order == ["asked", "asked", "stepped", "stepped"]
    assert ([seconds for seconds, _ in far.asked], far.time) == ([0.5], 0.5)


def test_stop_requests_are_checked_while_a_remote_simulation_computes():
    far = Far()
    far.at_once = False
    heeded: list[None] = []

    def check_stop() -> None:
        heeded.append(None)
        if len(heeded) == 3:
            far.answer()

    clock = Clock([far], 0.5, fast=True)
    clock.advance(check_stop)
    assert (clock.now(), len(heeded) >= 3) == (0.5, True)


def test_interrupted_wait_is_completed_before_the_next_step():
    far = Far()
    far.at_once = False

    def aborted() -> None:
        raise InterruptedError

    clock = Clock([far], 0.5, fast=True)
    with pytest.raises(InterruptedError):
        clock.advance(aborted)
    assert (clock.lost, len(far.asked)) == (None, 1)
    asked: list[int] = []

    def answer_one() -> None:
        asked.append(len(far.asked))
        if len(asked) in (2, 4):
            far.answer()

    clock.advance(answer_one)
    assert asked[:2] == [1, 1]  # no second request while the first is pending
    assert ([future.done() for _, future in far.asked], far.time) == ([True, True], 1.0)


def test_remote_simulation_that_fails_or_times_out_is_lost():
    broken, silent = Far(), Far()
    broken.at_once = silent.at_once = False
    clock = Clock([broken], 0.5, fast=True)
    gone = iter([ConnectionError("gone")])
    with pytest.raises(SimulationLost, match="ConnectionError: gone"):
        clock.advance(lambda: [broken.asked[-1][1].set_exception(error) for error in gone] and None)
    clock = Clock([silent, silent], 0.5, fast=True, step_s=0.01)
    with pytest.raises(SimulationLost, match=r"^the simulation did not answer within 0\.01 s$"):
        clock.advance()
    with pytest.raises(SimulationLost, match="did not answer"):
        clock.advance()
    assert len(silent.asked) == 4  # each clock sends a new request and ignores earlier ones


def test_step_time_limit_defaults_to_ten_seconds():
    assert Clock([FakeClock()], 0.5).step_s == 10.0


def test_simulation_that_never_gave_a_time_starts_at_zero():
    world = World()
    world.told = OSError("gone")
    assert Clock([world], 0.5).now() == 0.0


def test_stop_requests_are_checked_fifty_times_a_second_during_a_remote_step(monkeypatch):
    waits: list[float] = []

    def noting(futures, timeout):
        waits.append(timeout)
        if len(waits) == 3:
            far.answer()
        return wait(futures, timeout=0)

    monkeypatch.setattr("bt_exec.mission.clock.wait", noting)
    far = Far()
    far.at_once = False
    Clock([far], 0.5, fast=True).advance()
    assert waits == [0.02] * 3


def test_slower_of_two_remote_simulations_is_awaited_in_slices():
    slow, quick = Far(), Far()
    slow.at_once = False
    heeded: list[None] = []

    def check_stop() -> None:
        heeded.append(None)
        if len(heeded) == 3:
            slow.answer()

    Clock([slow, quick], 0.5, fast=True).advance(check_stop)
    assert (slow.time, quick.time, len(heeded) >= 3) == (0.5, 0.5, True)
