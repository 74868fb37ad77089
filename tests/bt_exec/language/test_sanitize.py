"""Text from outside, as people may see it."""

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
def test_one_line(text, line):
    assert one_line(text, 10) == line


def test_what_is_far_behind_is_not_looked_at():
    assert one_line("a" + " " * 10_000_000 + "b", 10) == "a"
