"""Sanitizing of external text."""

import pytest

from bt_exec.language.sanitize import one_line


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("a\x1b[2J\nb\u202e", "a [2J b"),
        ("  ", ""),
        ("빨간 원", "빨간 원"),
        ("0123456789", "0123456789"),
        ("0123456789x", "012345678…"),
        ("01234567 9x", "01234567…"),
    ],
)
def test_text_is_reduced_to_one_line(text, line):
    assert one_line(text, 10) == line


def test_only_the_beginning_of_a_long_text_is_processed():
    assert one_line("a" + " " * 10_000_000 + "b", 10) == "a"
