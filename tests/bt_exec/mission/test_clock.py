"""Two clocks, the same ticks."""

from concurrent.futures import Future

import pytest

from bt_exec.failure import PartBroken, SimulationLost
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


class World(FakeClock):
    """A world whose time and steps the test spoils."""

    told: object = None

    @property
    def time(self):
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
def test_a_world_that_cannot_tell_the_time_is_lost_and_its_last_time_stays(told, why):
    world = World(2.5)
    clock = Clock([world], 0.5, fast=True)
    assert (clock.now(), clock.lost) == (2.5, None)
    world.told = told
    assert clock.now() == 2.5
    assert str(clock.lost) == why
    world.told = RuntimeError("later")
    assert clock.now() == 2.5
    assert str(clock.lost) == why  # the first reason stands
    with pytest.raises(SimulationLost):
        clock.advance()


@pytest.mark.parametrize("why", [KeyboardInterrupt(), PartBroken("the driver", "hangs")])
def test_who_interrupts_a_world_is_no_fault_of_it(why):
    world = World()
    clock = Clock([world], 0.5, fast=True)
    world.told = why
    with pytest.raises(type(why)):
        clock.now()
    world.told = None

    def step(seconds: float) -> None:
        raise why

    world.step = step
    with pytest.raises(type(why)):
        clock.advance()
    assert clock.lost is None


def test_a_world_that_cannot_be_stepped_is_lost_for_good():
    class Broken(FakeClock):
        def step(self, seconds: float) -> None:
            raise SystemExit(3)

    clock = Clock([Broken()], 0.5, fast=True)
    for _ in range(2):
        with pytest.raises(SimulationLost, match="SystemExit: 3"):
            clock.advance()
    assert str(clock.lost) == "SystemExit: 3"


@pytest.mark.parametrize("back", [0.0, 0.25])
def test_a_world_whose_time_does_not_pass_is_lost_unless_none_was_to(back):
    class Stands(FakeClock):
        def step(self, seconds: float) -> None:
            self.time -= back if seconds else 0.0

    clock = Clock([Stands(2.0)], 0.5, fast=True)
    clock.begin()
    with pytest.raises(SimulationLost) as told:
        clock.advance()
    assert str(told.value) == f"its time stays at {2.0 - back:g} s"


class Far:
    """A world elsewhere: it answers when the test lets it."""

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


def test_a_world_elsewhere_is_asked_first_and_computes_while_ours_do():
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


def test_a_world_elsewhere_is_waited_for_and_the_mission_asked_meanwhile():
    far = Far()
    far.at_once = False
    heeded: list[None] = []

    def heed() -> None:
        heeded.append(None)
        if len(heeded) == 3:
            far.answer()

    clock = Clock([far], 0.5, fast=True)
    clock.advance(heed)
    assert (clock.now(), len(heeded) >= 3) == (0.5, True)


def test_a_wait_that_was_ended_early_is_made_up_for_before_the_next_step():
    far = Far()
    far.at_once = False

    def aborted() -> None:
        raise InterruptedError

    clock = Clock([far], 0.5, fast=True)
    with pytest.raises(InterruptedError):
        clock.advance(aborted)
    assert (clock.lost, len(far.asked)) == (None, 1)
    far.answer()
    far.at_once = True
    clock.advance()
    assert ([future.done() for _, future in far.asked], far.time) == ([True, True], 1.0)


def test_a_world_elsewhere_that_breaks_down_or_does_not_answer_is_lost():
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
    assert len(silent.asked) == 4  # asked again all the same, nothing of before is waited for


def test_how_long_a_world_has_unless_it_is_said():
    assert Clock([FakeClock()], 0.5).step_s == 10.0
