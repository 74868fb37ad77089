from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.cells import cell_len

from bt_exec.tui.terminal_text import fit, pad, safe_line, without_cursor_moves, wrap

KOREAN = "문 안의 자재를 가져와"


@pytest.mark.parametrize(
    ("text", "cells", "expected"),
    [
        ("abc", 3, "abc"),
        ("abcd", 3, "ab…"),
        (KOREAN, 21, KOREAN),
        (KOREAN, 10, "문 안의…"),
        (KOREAN, 9, "문 안의…"),
        (KOREAN, 11, "문 안의 자…"),
        ("abc", 0, ""),
        ("abc", 1, "a"),
    ],
)
def test_text_is_truncated_to_a_number_of_cells(text: str, cells: int, expected: str) -> None:
    assert fit(text, cells) == expected


def test_korean_columns_are_aligned() -> None:
    assert cell_len(pad("자재", 8)) == cell_len(pad("door", 8)) == 8


def test_decomposed_hangul_is_composed() -> None:
    assert safe_line("자") == "자"


def test_sanitized_text_keeps_its_spaces() -> None:
    assert without_cursor_moves("  a\x1b[0m   b\t") == "  a[0m   b    "


@given(st.text(max_size=60), st.integers(0, 30))
def test_truncated_text_fits_the_requested_width(text: str, cells: int) -> None:
    assert cell_len(fit(safe_line(text), cells)) <= cells


@given(st.text(max_size=80), st.integers(4, 40))
def test_wrapped_text_fits_and_is_complete(text: str, cells: int) -> None:
    line = safe_line(text)
    pieces = wrap(line, cells)
    assert all(cell_len(piece) <= cells for piece in pieces)
    assert "".join("".join(pieces).split()) == "".join(line.split())


@pytest.mark.parametrize(
    ("text", "cells", "shown"),
    [
        ("open the door with the right arm", 26, "open the door with the…"),
        ("satisfied in 19.2 s · 2 plans, 1 failure", 34, "satisfied in 19.2 s · 2 plans…"),
        ("문 닫고 팔을 제자리로 2단계", 25, "문 닫고 팔을 제자리로…"),
        ("open the door", 9, "open the…"),  # no break inside a word
        ("incomprehensibilities", 9, "incompre…"),  # unless it is too long
        ("a incomprehensibilities", 9, "a incomp…"),
    ],
)
def test_text_is_truncated_between_words(text: str, cells: int, shown: str) -> None:
    assert fit(text, cells) == shown
