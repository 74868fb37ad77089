"""Watchdog: calls that hang are named and interrupted, and the robots are stopped."""

from __future__ import annotations

import signal
import threading
import time

import pytest

from bt_exec.failure import PartBroken
from bt_exec.mission.watchdog import Watchdog, _Call, hang_s
from bt_exec.rig import Rig
from bt_exec.site.site import Limits
from bt_exec.standby_threads import STANDBY
from bt_exec.testing import FakeClock, ScriptedRobot
from bt_exec.testing.tree_run import scripted_site


class Time:
    """Clock that stands still until the test advances it."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class Guarded:
    """Watchdog with access to its clock and stops."""

    def __init__(self, limit_s: float = 0.4) -> None:
        self.time = Time()
        self.stopped = threading.Event()
        self.watchdog = Watchdog(limit_s, self.stopped.set, now=self.time)

    def hang(self) -> None:
        """Block forever, and advance the clock far beyond the limit."""
        self.time.now += 100.0
        threading.Event().wait()

    def late(self) -> str:
        """Return late, after the robots were stopped."""
        self.time.now += 100.0
        try:
            self.stopped.wait()
            while True:
                time.sleep(1.0)
        except PartBroken:
            return "too late"


def test_call_that_returns_in_time_is_not_interrupted():
    on = Guarded()
    with on.watchdog as watchdog:
        assert watchdog.call("a part", lambda *args, **more: (args, more), 1, b=2) == (
            (1,),
            {"b": 2},
        )
        with pytest.raises(KeyError):
            watchdog.call("a part", {}.__getitem__, "x")
    assert (watchdog.hung, on.stopped.is_set()) == (set(), False)


def test_hung_call_is_interrupted_and_reported_and_the_robots_are_stopped(caplog):
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


def test_call_that_swallows_the_interruption_and_returns_is_reported():
    on = Guarded()
    with on.watchdog as watchdog, pytest.raises(PartBroken, match="skill a did not return"):
        watchdog.call("skill a", on.late)


def test_innermost_hung_call_is_reported():
    on = Guarded()
    with on.watchdog as watchdog:
        with pytest.raises(PartBroken, match=r"^the inner did not return"):
            watchdog.call("the outer", watchdog.call, "the inner", on.hang)
        assert watchdog.hung == {"the inner"}


def test_call_with_a_separate_limit_is_interrupted_at_that_limit():
    on = Guarded()
    with on.watchdog as watchdog, pytest.raises(PartBroken, match=r"within 7 s$"):
        watchdog.call_within(7.0, "the clean-up of a", on.hang)


def test_journal_is_awaited_and_called_again():
    on = Guarded()

    def write() -> None:
        on.time.now += 100.0
        assert on.stopped.wait(60)

    with on.watchdog as watchdog:
        with pytest.raises(PartBroken, match=r"^the record did not return"):
            watchdog.call_recorder(1.0, "the record", write)
        assert watchdog.call_recorder(1.0, "the record", lambda: "written") == "written"
        assert watchdog.call_within(1.0, "the record", lambda: "read") == "read"


def test_watchdog_on_another_thread_stops_the_robots_and_waits():
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


def test_signal_handler_is_restored():
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
def test_hang_limit_depends_on_site_and_robots(said, rigs, expected):
    assert hang_s(scripted_site([], limits=Limits(hang_s=said)), rigs) == expected


def test_watch_interval_is_a_quarter_of_the_limit_and_at_most_a_tenth_of_a_second():
    waited: list[float] = []

    class End:
        def acquire(self, timeout: float) -> bool:
            waited.append(timeout)
            return len(waited) % 2 == 0

        def release(self) -> None:
            """Do nothing."""

    for limit_s in (0.2, 8.0):
        watchdog = Watchdog(limit_s, pytest.fail)
        watchdog._end = End()
        watchdog._watch_calls()
    assert waited == [0.05] * 2 + [0.1] * 2


def test_stop_is_repeated_during_the_call_and_logged_once(caplog):
    stops = threading.Semaphore(0)
    time_ = Time()
    watchdog = Watchdog(0.2, stops.release, now=time_)

    def late() -> None:
        time_.now += 100.0
        for _ in range(3):
            assert stops.acquire(timeout=60)

    with watchdog, pytest.raises(PartBroken):
        watchdog.call_recorder(0.2, "the record", late)
    assert caplog.messages == ["the record did not return within 0.2 s; the robot is stopped"]
    assert watchdog.hung == set()


@pytest.mark.parametrize("how", ["call_within", "call_recorder"])
def test_call_at_the_limit_is_not_late(how):
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
        assert getattr(watchdog, how)(0.1, "skill a", just_in_time) == "well"
    assert not on.stopped.is_set()


def test_late_call_that_raises_is_reported_with_its_error():
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


def test_finished_call_is_not_watched():
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


def test_foreign_signal_does_not_interrupt_a_call():
    on = Guarded()

    def signalled() -> str:
        signal.raise_signal(signal.SIGURG)
        return "well"

    with on.watchdog as watchdog:
        signal.raise_signal(signal.SIGURG)
        assert watchdog.call("skill a", signalled) == "well"
        assert watchdog.call("skill b", watchdog.call, "skill a", signalled) == "well"
        assert watchdog.call_recorder(1.0, "the record", signalled) == "well"
        watchdog._calls.append(_Call("the record", 1.0, 9e9, again=True, hangs=True))
        signal.raise_signal(signal.SIGURG)  # the journal is awaited even when it hangs
        watchdog._calls.clear()


def test_watchdog_can_watch_several_threads_in_turn():
    on = Guarded()
    with on.watchdog:
        pass
    errors: list[ValueError] = []

    def elsewhere() -> None:
        try:
            with on.watchdog as watchdog:
                watchdog.call("skill a", lambda: None)
        except ValueError as error:  # only the main thread can receive signals
            errors.append(error)

    thread = threading.Thread(target=elsewhere)
    thread.start()
    thread.join()
    assert errors == []


# -- parts that resist ---------------------------------------------------------------------------


def test_call_that_swallows_every_interruption_stays_watched_and_stopped():
    stops = threading.Semaphore(0)
    time_ = Time()
    watchdog = Watchdog(0.2, stops.release, now=time_)
    interruptions = 0

    def stubborn() -> str:
        nonlocal interruptions
        time_.now += 100.0
        while interruptions < 3:
            try:
                threading.Event().wait()
            except BaseException:  # noqa: BLE001 - a careless skill catches everything
                interruptions += 1
        for _ in range(8):
            assert stops.acquire(timeout=60)
        return "at last"

    with watchdog, pytest.raises(PartBroken, match=r"^skill a did not return"):
        watchdog.call("skill a", stubborn)
    assert interruptions >= 3
    assert watchdog._calls == []


def test_call_that_blocks_again_in_its_clean_up_is_interrupted_again():
    on = Guarded()

    def blocks_twice() -> None:
        try:
            on.hang()
        finally:
            threading.Event().wait()

    with on.watchdog as watchdog, pytest.raises(PartBroken, match=r"^skill a did not return"):
        watchdog.call("skill a", blocks_twice)


def test_first_hang_of_a_mission_is_kept():
    on = Guarded()
    with on.watchdog as watchdog:
        assert watchdog.first is None
        for name in ("a", "b"):
            with pytest.raises(PartBroken):
                watchdog.call(f"skill {name}", on.hang)
    assert watchdog.first is not None
    assert watchdog.first.part == "skill a"


def test_call_that_cannot_be_interrupted_is_abandoned_once(monkeypatch):
    monkeypatch.setattr("bt_exec.mission.watchdog._ABANDON_S", 0.0)
    abandoned: list[PartBroken] = []
    done = threading.Event()
    time_ = Time()

    def give_up(broken: PartBroken) -> None:
        abandoned.append(broken)
        done.set()

    stops = threading.Semaphore(0)
    watchdog = Watchdog(0.02, stops.release, abandon=give_up, now=time_)

    def deaf() -> None:
        time_.now += 100.0
        while not done.is_set():
            try:
                done.wait()
            except PartBroken:
                continue
        for _ in range(5):
            assert stops.acquire(timeout=60)

    with watchdog, pytest.raises(PartBroken):
        watchdog.call("skill a", deaf)
    assert [str(one) for one in abandoned] == [
        "skill a did not return and could not be interrupted"
    ]


def test_watch_continues_when_a_stop_raises(capfd):
    attempts = threading.Semaphore(0)

    def stop() -> None:
        attempts.release()
        raise MemoryError

    time_ = Time()
    watchdog = Watchdog(0.1, stop, now=time_)

    def late() -> None:
        time_.now += 100.0
        for _ in range(3):
            assert attempts.acquire(timeout=60)

    with watchdog, pytest.raises(PartBroken):
        watchdog.call_recorder(0.1, "the record", late)
    assert "the watchdog: MemoryError" in capfd.readouterr().err


def test_watch_thread_exists_before_the_mission_starts(monkeypatch):
    """No thread can be started while the mission runs."""
    STANDBY.prepare(3)
    on = Guarded()

    def none_left(*_: object) -> None:
        raise RuntimeError("can't start new thread")

    monkeypatch.setattr("bt_exec.standby_threads._thread.start_new_thread", none_left)
    with on.watchdog as watchdog, pytest.raises(PartBroken):
        watchdog.call("skill a", on.hang)
    assert on.stopped.is_set()
