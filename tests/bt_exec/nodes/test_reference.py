"""Random trees with random scripts: the built nodes do what the reference says, in every tick."""

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from tests.bt_exec.nodes.compare import compare
from tests.bt_exec.nodes.random_trees import CHOICES, case

CASES = st.binary(min_size=CHOICES, max_size=CHOICES)


@settings(max_examples=600, derandomize=True, phases=[Phase.generate])
@given(CASES)
def test_random_trees_run_as_the_table_says(choices):
    """As found, not shrunk, to fail fast; the long test shrinks."""
    compare(case(choices))


@pytest.mark.slow
@settings(max_examples=20_000)
@given(CASES)
def test_very_many_random_trees_run_as_the_table_says(choices):
    compare(case(choices))
