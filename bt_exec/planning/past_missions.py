"""Answers to questions about earlier missions, in the words of the operator."""

from __future__ import annotations

from datetime import date

from bt_exec.language.meaning import Context, Turn
from bt_exec.language.messages import Messages, language_of
from bt_exec.language.sanitize import one_line

__all__ = ["last_ending", "list_missions"]

_LAST = 5
"""Number of missions that are listed."""
_LONGEST = 40
"""Maximum length of a command in a sentence."""


def list_missions(context: Context, messages: Messages, language: str) -> str:
    """Return the missions of today that started an action, a line each; empty if there are none.

    The newest ones are listed, after the number of those left out. Without one of today, the last
    one before is listed. Commands that were only planned are listed as such.
    """
    done = context.account(date.today())
    listed = [_line(turn, messages, language) for turn in done[-_LAST:]]
    if len(done) > _LAST:
        more = messages.say("SELF_MORE", language, number=len(done) - _LAST)
        listed.insert(0, more)
    return "\n".join(listed)


def last_ending(context: Context, messages: Messages, language: str) -> str:
    """Return how the last mission that started a skill ended."""
    last = context.last()
    if last is None:
        return messages.say("SELF_NOTHING_DONE", language)
    return _ending(last, messages, language)


def _ending(turn: Turn, messages: Messages, language: str) -> str:
    """Return how a mission ended, with its report, and what it recovered from.

    A report is quoted because it describes the state at that time. One in another language is
    replaced by the cause.
    """
    code = f"SELF_ENDED_{turn.status}" if turn.status else "SELF_PLANNED"
    said = [messages.say(code, language, command=one_line(turn.command, _LONGEST))]
    why = messages.explain(turn.failure, language) if turn.failure is not None else ""
    if why and turn.status == "satisfied":
        said.append(messages.say("SELF_RECOVERED", language, why=why))
        why = ""
    if turn.message and (turn.language or language_of(turn.command)) == language:
        why = messages.say("SELF_REPORTED", language, message=turn.message)
    return " ".join(filter(None, (*said, why)))


def _line(turn: Turn, messages: Messages, language: str) -> str:
    ended = _ending(turn, messages, language)
    if turn.at is None or not turn.status:
        return ended
    when = turn.at.strftime("%H:%M" if turn.at.date() == date.today() else "%m-%d %H:%M")
    lasted = f"({messages.fixed(f'{turn.seconds:.1f} s', language)})" if turn.message else ""
    return " ".join(filter(None, (when, lasted, ended)))
