"""Exceptions for meanings that cannot be converted to steps."""

from __future__ import annotations

__all__ = ["LeftAloneError", "NoStepsError", "UnclearTextError"]


class NoStepsError(Exception):
    """Raised when no step can express a part of a meaning."""


class UnclearTextError(NoStepsError):
    """Raised for words that are refused with a code, such as an ambiguous message to a person.

    Args:
        code: Code; see `bt_exec_llm.offline.refusal_codes`.
        words: Words of the command that are concerned.
        missing: Types of the values that the command lacks.
    """

    def __init__(self, code: str, words: str, missing: tuple[str, ...] = ()) -> None:
        super().__init__(words)
        self.code = code
        self.words = words
        self.missing = missing


class LeftAloneError(NoStepsError):
    """Raised for a request to leave an object alone that no step can express."""
