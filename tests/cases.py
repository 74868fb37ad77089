"""Loops that assert: a loop over nothing asserts nothing, and must not pass."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

__all__ = ["some"]

T = TypeVar("T")


def some(cases: Iterable[T], least: int = 1) -> list[T]:
    """Return the cases that are asserted over; there must be `least` of them."""
    found = list(cases)
    assert len(found) >= least, f"{len(found)} cases, {least} are needed for this to say anything"
    return found
