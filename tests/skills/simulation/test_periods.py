"""Division of time into whole control periods."""

from hypothesis import given
from hypothesis import strategies as st

from bt_exec_skills.simulation.periods import Periods


def test_tick_is_a_number_of_periods():
    periods = Periods(0.02)
    assert [periods.take(0.04) for _ in range(3)] == [2, 2, 2]
    assert sum(periods.take(0.05) for _ in range(4)) == 10


@given(st.lists(st.floats(0.0, 0.3), max_size=40))
def test_rounding_error_is_at_most_half_a_period(steps):
    periods = Periods(0.02)
    taken = sum(periods.take(step) for step in steps)
    assert abs(taken * 0.02 - sum(steps)) <= 0.01 + 1e-9
