"""Answers to questions about earlier missions, in the words of the operator."""

from __future__ import annotations

from datetime import date

from bt_exec.language.meaning import Context, Turn
from bt_exec.language.messages import Messages
from bt_exec.language.sanitize import one_line

__all__ = ["last_ending", "list_missions"]

_LAST = 5
"""Number of missions that are listed."""
_LONGEST = 40
"""Maximum length of a command in a sentence."""


def list_missions(context: Context, messages: Messages, language: str) -> str:
    """Return the last missions that started a skill, a line each; empty if there are none.

    If the session has none, those before it are listed. Commands that were only planned are listed
    as such.
    """
    done = [turn for turn in context.turns if turn.acted] or [
        turn for turn in context.before() if turn.acted
    ]
    listed = (_line(turn, messages, language) for turn in done[-_LAST:])
    return "\n".join(listed)


def last_ending(context: Context, messages: Messages, language: str) -> str:
    """Return how the last mission that started a skill ended."""
    last = context.last()
    if last is None:
        return messages.say("SELF_NOTHING_DONE", language)
    code = f"SELF_ENDED_{last.status}" if last.status else "SELF_PLANNED"
    command = one_line(last.command, _LONGEST)
    return messages.say(code, language, command=command, message=_ending(last, messages, language))


def _ending(turn: Turn, messages: Messages, language: str) -> str:
    """Return the final message of a mission, or that its process ended."""
    interrupted = turn.status == "interrupted" and not turn.message
    return messages.say("WHY_INTERRUPTED", language) if interrupted else turn.message


def _line(turn: Turn, messages: Messages, language: str) -> str:
    code = "SELF_DID" if turn.status else "SELF_PLANNED"
    code = "SELF_DID_THEN" if turn.at is not None else code
    form = "%H:%M" if turn.at is not None and turn.at.date() == date.today() else "%m-%d %H:%M"
    when = turn.at.strftime(form) if turn.at is not None else ""
    lasted = messages.fixed(f"{turn.seconds:.1f} s", language)
    command = one_line(turn.command, _LONGEST)
    said = _ending(turn, messages, language)
    facts = {"command": command, "message": said, "when": when, "lasted": lasted}
    return messages.say(code, language, **facts)
