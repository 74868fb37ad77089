"""Exceptions for meanings that cannot be converted to steps."""

from __future__ import annotations

__all__ = ["LeftAloneError", "NoStepsError", "UnclearTextError"]


class NoStepsError(Exception):
    """Raised when no step can express a part of a meaning."""


class UnclearTextError(NoStepsError):
    """Raised for a message to a person that may contain a command for the robot.

    Args:
        code: Code; see `bt_exec_llm.offline.refusal_reason`.
        words: Words that are unclear.
    """

    def __init__(self, code: str, words: str) -> None:
        super().__init__(words)
        self.code = code
        self.words = words


class LeftAloneError(NoStepsError):
    """Raised when no step can express that an object must not be touched."""
