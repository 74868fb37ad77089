"""Rates, confidence intervals and tests, compared with scipy and with their properties."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bt_exec.campaign.statistics import ALL, Rate, compare, rates_by_combination, rates_by_setting


def line(number: int, *, good: bool, **world: str) -> dict[str, Any]:
    return {
        "item": str(number),
        "command": "go",
        "fault": "none",
        "world": {"seed": str(number), **world},
        "expected": good,
    }


@pytest.fixture(scope="module")
def stats() -> Any:
    """Statistics of scipy, whose import takes a second that not every worker needs."""
    from scipy import stats

    return stats


@given(total=st.integers(1, 400), data=st.data())
def test_interval_is_the_wilson_score(stats: Any, total: int, data: st.DataObject) -> None:
    good = data.draw(st.integers(0, total))
    wanted = stats.binomtest(good, total).proportion_ci(method="wilson")
    assert Rate(good, total).interval == pytest.approx((wanted.low, wanted.high), abs=1e-9)


@given(pairs=st.lists(st.tuples(st.booleans(), st.booleans()), min_size=1, max_size=60))
def test_comparison_is_the_exact_mcnemar_test(stats: Any, pairs: list[tuple[bool, bool]]) -> None:
    before = [line(n, good=one) for n, (one, _) in enumerate(pairs)]
    after = [line(n, good=two) for n, (_, two) in enumerate(pairs)]
    found = compare(before, after)[ALL]
    better, worse = pairs.count((False, True)), pairs.count((True, False))
    assert (found.better, found.worse) == (better, worse)
    wanted = stats.binomtest(better, better + worse).pvalue if better + worse else 1.0
    assert found.p == pytest.approx(wanted)
    turned = compare(after, before)[ALL]
    assert (turned.better, turned.worse, turned.p) == (worse, better, found.p)


def test_counts_per_setting_value_sum_to_the_total() -> None:
    lines = [line(n, good=n % 3 > 0, door=("open", "ajar")[n % 2], x=f"{n}") for n in range(40)]
    rates = rates_by_setting(lines)
    for setting in ("door", "x"):
        parts = [rate for (name, _), rate in rates.items() if name == setting]
        assert Rate(sum(p.good for p in parts), sum(p.total for p in parts)) == rates[ALL]
    combined = rates_by_combination(lines).values()
    assert Rate(sum(p.good for p in combined), sum(p.total for p in combined)) == rates[ALL]
    bins = [value for setting, value in rates if setting == "x"]
    assert bins == ["0 to 9", "9 to 19", "19 to 29", "29 to 39"]
    assert not [name for name in rates if name[0] in ("seed", "command")]


def test_p_values_are_corrected_for_the_number_of_settings() -> None:
    before = [line(n, good=True, door="ab"[n % 2]) for n in range(12)]
    after = [line(n, good=n % 2 == 0, door="ab"[n % 2]) for n in range(12)]
    found = compare(before, after)
    assert found["door", "b"].p == pytest.approx(2 * 2 / 2**6)
    assert found[ALL].p == pytest.approx(2 / 2**6)
    assert found[ALL].is_worse
    assert not found["door", "a"].is_worse
