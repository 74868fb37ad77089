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


@settings(max_examples=200, derandomize=True, phases=[Phase.generate])
@given(CASES)
def test_random_trees_ticked_by_py_trees_run_as_the_table_says(choices):
    compare(case(choices), face=True)


ENDED_AND_BEGUN_ANEW = bytes.fromhex(
    "050003030700000000011a005e01bd0000007c00ed00010f010000940100000000030204020000000001008d"
    "000000010000000000000001010b0000000003000000000001009f2856000000010100011f00000000000000"
    "00000103010002000000000002000000000000000000000000000000000000"
)
"""A parallel tries again in the tick in which one of its branches' nodes ends."""


def test_what_ends_as_before_is_not_told_again_though_it_was_begun_anew_at_once():
    """The 20,000 trees found it once."""
    compare(case(ENDED_AND_BEGUN_ANEW))


LAST_ITEM_SKIPPED = bytes.fromhex(
    "0402000056000400030200003e000100d0010000580100000000000000000000000001330000000006de0000"
    "0000000101000200000000000000000000000001000000000000000000030000000101"
)
"""The skill of a loop runs for the first item and is skipped for the second."""


def test_the_arguments_of_a_loop_are_those_of_its_last_item():
    """The 20,000 trees found that the reference said otherwise."""
    compare(case(LAST_ITEM_SKIPPED))


@pytest.mark.slow
@settings(max_examples=20_000)
@given(CASES)
def test_very_many_random_trees_run_as_the_table_says(choices):
    compare(case(choices))
