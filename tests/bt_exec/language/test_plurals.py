"""English nouns after a number."""

from __future__ import annotations

import pytest

from bt_exec.language.plurals import with_plurals


@pytest.mark.parametrize(
    ("template", "said"),
    [
        ("1 object(s) in 2 group(s)", "1 object in 2 groups"),
        ("0 row(s) of 11 event(s)", "0 rows of 11 events"),
        ("again 21 time(s)", "again 21 times"),
        ("no number(s) here", "no number(s) here"),
    ],
)
def test_noun_agrees_with_the_number_before_it(template, said):
    assert with_plurals(template) == said
