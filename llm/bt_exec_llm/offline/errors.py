"""Errors of meanings that have no steps."""

from __future__ import annotations

__all__ = ["LeftAloneError", "NoStepsError", "UnclearTextError"]


class NoStepsError(Exception):
    """A meaning with a part that no step can express."""


class UnclearTextError(NoStepsError):
    """A text for a person that may contain a command for the robot.

    Args:
        code: Code of the trouble.
        words: The words that are unclear.
    """

    def __init__(self, code: str, words: str) -> None:
        super().__init__(words)
        self.code = code
        self.words = words


class LeftAloneError(NoStepsError):
    """Objects are to be left alone, and no step can express it: no other meaning is followed."""
