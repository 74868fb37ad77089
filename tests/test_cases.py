"""Tests of the helper that guards loops of assertions."""

import pytest

from tests.cases import some


def test_enough_cases_are_returned_unchanged():
    assert some(letter for letter in "abc") == ["a", "b", "c"]
    assert some("ab", least=2) == ["a", "b"]


def test_too_few_cases_raise_an_error():
    with pytest.raises(AssertionError, match="0 cases, 1 are needed"):
        some([])
    with pytest.raises(AssertionError, match="1 cases, 2 are needed"):
        some("a", least=2)
