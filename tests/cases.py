"""How much is tried: a loop over nothing asserts nothing; a property is tried longer at length."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

from hypothesis import settings

__all__ = ["examples", "some"]

T = TypeVar("T")


def some(cases: Iterable[T], least: int = 1) -> list[T]:
    """Return the cases that are asserted over; there must be `least` of them."""
    found = list(cases)
    assert len(found) >= least, f"{len(found)} cases, {least} are needed for this to say anything"
    return found


def examples(most: int) -> int:
    """Return on how many examples a property is tried: on `most` in the long tests, else fewer.

    The long tests say ``--hypothesis-profile long`` and run every property again.
    """
    return most if settings.get_current_profile_name() == "long" else -(-most // 3)
