"""Random trees with random scripts: built nodes and reference agree in every tick."""

import random

import pytest
from hypothesis import Phase, given, settings
from hypothesis import strategies as st

from bt_exec.journal import Journal
from tests.bt_exec.nodes.compare import compare, journal_rows
from tests.bt_exec.nodes.random_trees import CHOICES, case
from tests.cases import cases

CASES = st.binary(min_size=CHOICES, max_size=CHOICES)


@settings(max_examples=600, phases=[Phase.generate])
@given(CASES)
def test_random_trees_agree_with_the_reference(choices):
    """Failing examples are not shrunk here, to fail fast. The slow test shrinks."""
    compare(case(choices))


@settings(max_examples=200, phases=[Phase.generate])
@given(CASES)
def test_random_trees_ticked_by_py_trees_agree_with_the_reference(choices):
    compare(case(choices), by_generator=True)


ENDED_AND_BEGUN_ANEW = bytes.fromhex(
    "050003030700000000011a005e01bd0000007c00ed00010f010000940100000000030204020000000001008d"
    "000000010000000000000001010b0000000003000000000001009f2856000000010100011f00000000000000"
    "00000103010002000000000002000000000000000000000000000000000000"
)
"""A parallel is retried in the tick in which a node of one of its branches ends."""


def test_node_status_is_reported_once_when_restarted_in_the_same_tick():
    """Regression test; found by the slow test with 20,000 trees."""
    compare(case(ENDED_AND_BEGUN_ANEW))


LAST_ITEM_SKIPPED = bytes.fromhex(
    "0402000056000400030200003e000100d0010000580100000000000000000000000001330000000006de0000"
    "0000000101000200000000000000000000000001000000000000000000030000000101"
)
"""The skill of a loop runs for the first item and is skipped for the second."""


def test_loop_keeps_the_arguments_of_its_last_item():
    """Regression test of the reference; found by the slow test with 20,000 trees."""
    compare(case(LAST_ITEM_SKIPPED))


@pytest.mark.slow
@settings(max_examples=cases(100_000, 5_000))
@given(CASES)
def test_many_random_trees_agree_with_the_reference(choices):
    compare(case(choices))


@pytest.mark.slow
def test_journal_rows_equal_the_rows_of_a_tree_ticked_by_py_trees(tmp_path):
    journal = Journal.open(tmp_path / "journal.sqlite")
    rows = 0
    for seed in range(cases(200, 50)):
        tree = case(random.Random(seed).randbytes(CHOICES))
        by_frontier, by_py_trees = (
            journal_rows(journal, tree, by_generator=by_generator) for by_generator in (False, True)
        )
        assert by_frontier == by_py_trees, f"seed {seed}"
        rows += len(by_frontier)
    assert rows > cases(200, 50)
