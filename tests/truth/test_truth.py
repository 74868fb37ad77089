"""Random missions with faults: their final messages are compared with the simulators' state."""

from __future__ import annotations

import pytest

from tests.cases import cases
from tests.truth.random_missions import wrong

CHUNKS = cases(40, 3)  # of ten missions each


@pytest.mark.parametrize(
    "seed", [0, 2, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (1, *range(3, 12)))]
)
def test_final_messages_are_true(seed):
    assert wrong(seed) == []


@pytest.mark.slow
@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_final_messages_of_many_missions_are_true(chunk):
    seeds = range(100 + 10 * chunk, 110 + 10 * chunk)
    assert [one for seed in seeds for one in wrong(seed)] == []
