"""Sizes of test loops: non-empty case lists, and numbers of examples for properties."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TypeVar

from hypothesis import settings

__all__ = ["cases", "examples", "some"]

T = TypeVar("T")

_FEWEST = 5
"""Minimum number of examples of a property."""


def some(cases: Iterable[T], least: int = 1) -> list[T]:
    """Return the cases of a loop; there must be at least `least` of them."""
    found = list(cases)
    assert len(found) >= least, f"{len(found)} cases, {least} are needed for this to say anything"
    return found


def cases(most: int, usual: int) -> int:
    """Return the number of cases of a slow test: `most` with ``BT_EXEC_LONG=1``, else `usual`."""
    return most if os.environ.get("BT_EXEC_LONG") else usual


def examples(most: int) -> int:
    """Return the number of examples of a property: `most` in the slow tests, else a tenth.

    The slow tests use ``--hypothesis-profile long`` and repeat every property.
    """
    many = settings.get_current_profile_name() in ("long", "explore")
    return most if many else min(most, max(_FEWEST, most // 10))
