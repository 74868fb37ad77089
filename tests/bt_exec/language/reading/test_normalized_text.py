"""Normalized texts: the marks between clauses and the numbers of lists."""

from __future__ import annotations

import pytest

from bt_exec.language.reading.normalized_text import Text


@pytest.mark.parametrize(
    "text",
    [
        "1. open the door 2. wait 3. close it",
        "1) open the door 2) wait 3) close it",
        "(1) open the door, (2) wait, (3) close it",
        "1. open the door.\n2. wait.\n3. close it.",
    ],
)
def test_numbers_of_a_list_separate_its_items_as_full_stops_do(text):
    found = Text.of(text, {})
    assert found.chars == "openthedoor,wait,closeit"
    assert [found.stops[at] for at in (11, 16)] == [".", "."]


def test_number_of_the_only_item_is_dropped():
    assert Text.of("1. open the door", {}).chars == "openthedoor"


@pytest.mark.parametrize("text", ["wait 2. open it 5. close it", "2. open it 1. close it"])
def test_numbers_that_do_not_count_up_from_one_are_words(text):
    numbers = [one for one in Text.of(text, {}).chars if one.isdigit()]
    assert len(numbers) == 2
