"""Answers that mean yes, no, or neither."""

from __future__ import annotations

import pytest

from bt_exec_skills.reporter.reporting.yes_no_classification import is_yes


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        ("Yes, of course.", True),
        ("okay then", True),
        ("네, 있습니다.", True),
        ("좋습니다", True),
        ("No, sorry", False),
        ("아니요.", False),
        ("안 됩니다", False),
        ("Tuesday at three", None),
        ("yes and no", None),
        ("안녕하세요", None),
        ("I do not think so", None),
        ("", None),
    ],
)
def test_only_clear_answers_are_classified_as_yes_or_no(answer, expected):
    assert is_yes(answer) is expected
