"""One motion at a time."""

from hypothesis import given
from hypothesis import strategies as st

from bt_exec_skills.motion.abstract_simulated_robot import OneMotion, Periods


def moving(periods):
    for k in range(periods):
        yield k / periods, "reaching"


def test_new_motion_ends_the_previous_one():
    frozen = []
    body = OneMotion(lambda: frozen.append(True))
    assert (body.idle, body.doing, body.advance()) == (True, "", None)
    first = body.start(moving(5))
    body.advance()
    assert (body.idle, body.doing) == (False, "reaching")
    second = body.start(moving(2))
    assert (first.done, first.failure.code, len(frozen)) == (True, "STOPPED", 1)
    assert [body.advance() for _ in range(3)] == [(0.0, "reaching"), (0.5, "reaching"), None]
    assert second.done
    assert body.idle


def test_stop_request_is_executed_once_with_or_without_a_motion():
    frozen = []
    body = OneMotion(lambda: frozen.append(True))
    body.request_stop()
    body.apply_stop_request()
    body.apply_stop_request()
    assert len(frozen) == 1
    motion = body.start(moving(5))
    body.request_stop()
    assert not motion.done
    body.apply_stop_request()
    assert motion.failure.code == "STOPPED"


def test_tick_takes_whole_periods_and_carries_the_remainder():
    periods = Periods(0.02)
    assert [periods.take(0.04) for _ in range(3)] == [2, 2, 2]
    assert sum(periods.take(0.05) for _ in range(4)) == 10


@given(st.lists(st.floats(0.0, 0.3), max_size=40))
def test_rounding_error_is_at_most_half_a_period(steps):
    periods = Periods(0.02)
    taken = sum(periods.take(step) for step in steps)
    assert abs(taken * 0.02 - sum(steps)) <= 0.01 + 1e-9
