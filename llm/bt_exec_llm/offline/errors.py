"""Exceptions for meanings that cannot be converted to steps."""

from __future__ import annotations

__all__ = ["LeftAloneError", "NoStepsError", "UnclearTextError"]


class NoStepsError(Exception):
    """Raised for a meaning with a part that no step can express."""


class UnclearTextError(NoStepsError):
    """Raised for a message to a person that may contain a command for the robot.

    Args:
        code: Code; see `bt_exec_llm.offline.trouble`.
        words: Words that are unclear.
    """

    def __init__(self, code: str, words: str) -> None:
        super().__init__(words)
        self.code = code
        self.words = words


class LeftAloneError(NoStepsError):
    """Raised if no step can express that an object must not be touched; ends the search."""
