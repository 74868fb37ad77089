"""What the rules change in a plan, said in the language of the command."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from bt_exec.language.messages import Messages, language_of
from bt_exec.planning.passes import PassContext

__all__ = ["note"]


@cache
def _sentences() -> Messages:
    return Messages.load([Path(__file__).with_name("notes.yaml")])


def note(context: PassContext, key: str) -> str:
    """Return the sentence `key` of ``notes.yaml``."""
    return _sentences().say(key, language_of(context.command))
