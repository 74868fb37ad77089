"""The watchdog: what hangs is named and broken off, and the robots are stopped."""

from __future__ import annotations

import signal
import threading
import time

import pytest

from bt_exec.failure import PartBroken
from bt_exec.mission.watchdog import Watchdog, hang_s
from bt_exec.rig import Rig
from bt_exec.site.site import Limits
from bt_exec.testing import FakeClock, ScriptedRobot
from bt_exec.testing.missions import scripted_site


class Time:
    """A clock that stands still until somebody says that long has passed."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class Guarded:
    """A watchdog whose clock and stops are at hand."""

    def __init__(self, limit_s: float = 0.4) -> None:
        self.time = Time()
        self.stopped = threading.Event()
        self.watchdog = Watchdog(limit_s, self.stopped.set, now=self.time)

    def hang(self) -> None:
        """Block for ever; far more than the limit has passed."""
        self.time.now += 100.0
        threading.Event().wait()

    def late(self) -> str:
        """Return late: after the robots were stopped."""
        self.time.now += 100.0
        try:
            self.stopped.wait()
            while True:
                time.sleep(1.0)
        except PartBroken:
            return "too late"


def test_what_returns_in_time_is_left_alone():
    on = Guarded()
    with on.watchdog as watchdog:
        assert watchdog.call("a part", lambda *args, **more: (args, more), 1, b=2) == (
            (1,),
            {"b": 2},
        )
        with pytest.raises(KeyError):
            watchdog.call("a part", {}.__getitem__, "x")
    assert (watchdog.hung, on.stopped.is_set()) == (set(), False)


def test_what_hangs_is_broken_off_and_named_and_the_robots_are_stopped(caplog):
    on = Guarded()
    with on.watchdog as watchdog:
        with pytest.raises(PartBroken) as told:
            watchdog.call("skill a", on.hang)
        assert (told.value.part, told.value.code) == ("skill a", "STEP_HUNG")
        assert str(told.value) == "skill a did not return within 0.4 s"
        assert on.stopped.is_set()
        with pytest.raises(PartBroken, match="is not called again"):
            watchdog.call("skill a", pytest.fail)
        assert watchdog.call("skill b", lambda: "well") == "well"
    assert caplog.messages == ["skill a did not return within 0.4 s; the robot is stopped"]


def test_who_swallows_the_break_off_and_returns_is_named_all_the_same():
    on = Guarded()
    with on.watchdog as watchdog, pytest.raises(PartBroken, match="skill a did not return"):
        watchdog.call("skill a", on.late)


def test_a_part_of_another_is_the_one_to_blame():
    on = Guarded()
    with on.watchdog as watchdog:
        with pytest.raises(PartBroken, match=r"^the inner did not return"):
            watchdog.call("the outer", watchdog.call, "the inner", on.hang)
        assert watchdog.hung == {"the inner"}


def test_a_limit_of_its_own():
    on = Guarded()
    with on.watchdog as watchdog, pytest.raises(PartBroken, match=r"within 7 s$"):
        watchdog.within(7.0, "the clean-up of a", on.hang)


def test_the_record_is_waited_for_and_called_again():
    on = Guarded()

    def write() -> None:
        on.time.now += 100.0
        assert on.stopped.wait(60)

    with on.watchdog as watchdog:
        with pytest.raises(PartBroken, match=r"^the record did not return"):
            watchdog.waited(1.0, "the record", write)
        assert watchdog.waited(1.0, "the record", lambda: "written") == "written"
        assert watchdog.within(1.0, "the record", lambda: "read") == "read"


def test_on_another_thread_it_stops_the_robots_and_waits():
    on = Guarded()
    told: list[PartBroken] = []

    def late() -> None:
        on.time.now += 100.0
        assert on.stopped.wait(60)

    def run() -> None:
        with on.watchdog as watchdog:
            try:
                watchdog.call("skill a", late)
            except PartBroken as error:
                told.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert [error.part for error in told] == ["skill a"]


def test_the_signal_is_given_back():
    before = signal.getsignal(signal.SIGURG)
    on = Guarded()
    for _ in range(2):
        with on.watchdog:
            assert signal.getsignal(signal.SIGURG) is not before
        assert signal.getsignal(signal.SIGURG) is before


@pytest.mark.parametrize(
    ("said", "rigs", "expected"),
    [
        (7.0, {}, 7.0),
        (7.0, {"real": Rig(ScriptedRobot())}, 7.0),
        (None, {}, 30.0),
        (None, {"real": Rig(ScriptedRobot())}, 0.5),
        (None, {"world": Rig(ScriptedRobot(), simulation=FakeClock())}, 30.0),
        (None, {"eyes": Rig(), "world": Rig(ScriptedRobot(), simulation=FakeClock())}, 30.0),
        (None, {"eyes": Rig(), "real": Rig(ScriptedRobot())}, 0.5),
    ],
)
def test_how_long_a_part_may_take(said, rigs, expected):
    assert hang_s(scripted_site([], limits=Limits(hang_s=said)), rigs) == expected


def test_it_looks_four_times_within_the_limit_and_ten_times_a_second():
    waited: list[float] = []

    class End:
        def acquire(self, timeout: float) -> bool:
            waited.append(timeout)
            return len(waited) % 2 == 0

        def release(self) -> None:
            """Nobody waits."""

    for limit_s in (0.2, 8.0):
        Watchdog(limit_s, pytest.fail)._watch(End())
    assert waited == [0.05] * 2 + [0.1] * 2


def test_the_stop_is_repeated_as_long_as_the_call_lasts_and_told_once(caplog):
    stops = threading.Semaphore(0)
    time_ = Time()
    watchdog = Watchdog(0.2, stops.release, now=time_)

    def late() -> None:
        time_.now += 100.0
        for _ in range(3):
            assert stops.acquire(timeout=60)

    with watchdog, pytest.raises(PartBroken):
        watchdog.waited(0.2, "the record", late)
    assert caplog.messages == ["the record did not return within 0.2 s; the robot is stopped"]
    assert watchdog.hung == set()


def test_at_the_limit_it_is_not_late_yet():
    on = Guarded(0.1)
    looked = threading.Semaphore(0)
    now = on.watchdog.now

    def telling() -> float:
        looked.release()
        return now()

    def just_in_time() -> str:
        on.time.now += 0.1
        for _ in range(3):
            assert looked.acquire(timeout=60)
        return "well"

    on.watchdog.now = telling
    with on.watchdog as watchdog:
        assert watchdog.call("skill a", just_in_time) == "well"
    assert not on.stopped.is_set()


def test_what_raises_when_it_is_late_is_named_with_what_it_raised():
    on = Guarded()

    def late() -> None:
        on.time.now += 100.0
        try:
            on.stopped.wait()
            while True:
                time.sleep(1.0)
        except PartBroken:
            raise OSError("connection lost") from None

    with on.watchdog as watchdog, pytest.raises(PartBroken, match="skill a did not") as told:
        watchdog.call("skill a", late)
    assert str(told.value.__cause__) == "connection lost"


def test_a_call_that_is_over_is_watched_no_more():
    on = Guarded(0.1)
    looked = threading.Semaphore(0)
    now = on.watchdog.now
    on.watchdog.now = lambda: (looked.release(), now())[1]
    with on.watchdog as watchdog:
        watchdog.call("skill a", lambda: watchdog.call("skill b", lambda: None))
        with pytest.raises(KeyError):
            watchdog.call("skill c", {}.__getitem__, "x")
        on.time.now += 100.0
        for _ in range(3):
            assert looked.acquire(timeout=60)
    assert (watchdog.hung, on.stopped.is_set()) == (set(), False)
