"""Answers to questions about earlier missions, in the words of the operator."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from datetime import date

from bt_exec.language.fact_sentences import fact_sentences
from bt_exec.language.meaning import Context, Turn
from bt_exec.language.messages import Messages, language_of
from bt_exec.language.sanitize import one_line

__all__ = [
    "answer_about_ending",
    "answer_about_last_ending",
    "answer_about_last_result",
    "last_about",
    "list_failed",
    "list_missions",
]

_LAST = 5
"""Maximum number of missions in a list."""
_LONGEST = 40
"""Maximum length of a quoted command [characters]."""


def list_missions(
    context: Context, messages: Messages, language: str, *, before_last: bool = False
) -> str:
    """Return one line for each of today's newest missions, with the observations of this session.

    If older missions of today are omitted, the first line gives their number. If there is no such
    mission today, the last one of an earlier day is listed; if there is none at all, the text is
    empty. Commands that were only planned are marked as such. The newest mission is omitted with
    `before_last`.
    """
    done = context.missions_carried_out(date.today())
    return _listed(done[:-1] if before_last else done, messages, language)


def list_failed(context: Context, messages: Messages, language: str) -> str:
    """Return a list of today's failed missions, or a sentence that states that none failed."""
    failed = _listed(context.failed_missions(date.today()), messages, language)
    code = "SELF_NONE_FAILED" if context.acting_missions(date.today()) else "SELF_NOTHING_DONE"
    return failed or messages.say(code, language)


def answer_about_last_result(
    context: Context, messages: Messages, language: str, *, trouble: bool
) -> str:
    """Return the answer to "did it work?" or, with `trouble`, to "was there trouble?".

    The answer is about the last command that was not a question. If that command started no action,
    the last mission that did is also described. Otherwise, a mission that is still unfinished is
    named.

    Args:
        context: The missions.
        messages: The sentences.
        language: Language of the answer.
        trouble: Whether the operator asked if there was trouble.
    """
    last = context.last_tried() or context.last_mission()
    if last is None or not last.status:
        return answer_about_last_ending(context, messages, language)
    well = last.status == "satisfied"
    yes = not well or last.failure is not None if trouble else well
    partly = not trouble and last.status == "partial"
    verdict = "" if partly else messages.say("yes" if yes else "no", language)
    said = [verdict, answer_about_ending(last, messages, language)]
    acted = [turn for turn in context.acting_missions(date.today()) if turn is not last]
    left = context.unfinished_mission(date.today())
    if not last.acted and acted:
        ended = answer_about_ending(acted[-1], messages, language)
        said.append(messages.say("SELF_BEFORE_THAT", language, ended=ended))
    elif last.acted and left is not None and left is not last:
        said.append(messages.say("SELF_STILL_LEFT", language, command=left.command))
    return " ".join(filter(None, said))


def _listed(done: Sequence[Turn], messages: Messages, language: str) -> str:
    listed = [_line(turn, messages, language) for turn in done[-_LAST:]]
    if len(done) > _LAST:
        more = messages.say("SELF_MORE", language, number=len(done) - _LAST)
        listed.insert(0, more)
    return "\n".join(listed)


def last_about(thing: str, context: Context, messages: Messages, language: str) -> str:
    """Return a line about the last mission that acted and mentions an object; empty if none does.

    For a mission in another language, the name of the object is translated. If it has no
    translation, the search ends there and the result is empty, because that mission may be about
    the object.
    """
    for turn in reversed(context.acting_missions(date.today())):
        spoken = turn.language or language_of(turn.command)
        name = messages.translate_word(thing, spoken)
        if spoken != language and name == thing:
            return ""
        if _normalized_letters(name) in _normalized_letters(f"{turn.command} {turn.message}"):
            return _line(turn, messages, language)
    return ""


def _normalized_letters(text: str) -> str:
    """Return a case-folded text in Unicode NFD, for comparison."""
    return unicodedata.normalize("NFD", text).casefold()


def answer_about_last_ending(
    context: Context, messages: Messages, language: str, *, stopped: bool = False
) -> str:
    """Return sentences about the end of the last mission that started a skill.

    Args:
        context: The missions.
        messages: The sentences.
        language: Language of the answer.
        stopped: Whether to prefer the last failed mission of today over a later successful one.
    """
    last = context.last_mission()
    if stopped and last is not None and last.status == "satisfied":
        last = next(reversed(context.failed_missions(date.today())), last)
    if last is None:
        return messages.say("SELF_NOTHING_DONE", language)
    outdated = last != context.last_mission()
    return answer_about_ending(last, messages, language, outdated=outdated)


def answer_about_ending(
    turn: Turn, messages: Messages, language: str, *, outdated: bool = False
) -> str:
    """Return sentences about the end of a mission, its report, and the failure it recovered from.

    The report is quoted, because it describes the state at that time. A report in another language
    is replaced by the cause of the failure and the recorded state, but a refusal is quoted.

    Args:
        turn: The mission.
        messages: The sentences.
        language: Language of the answer.
        outdated: Whether later missions may have changed the reported state.
    """
    code = f"SELF_ENDED_{turn.status}" if turn.status else "SELF_PLANNED"
    said = [messages.say(code, language, command=one_line(turn.command, _LONGEST))]
    why = messages.explain_failure(turn.failure, language) if turn.failure is not None else ""
    if why and turn.status == "satisfied":
        said.append(messages.say("SELF_RECOVERED", language, why=why))
        why = ""
    if turn.message and (turn.language or language_of(turn.command)) == language:
        code = "SELF_REPORTED_BEFORE" if outdated else "SELF_REPORTED"
        report = messages.without_stop_advice(turn.message, language)
        why = messages.say(code, language, message=report)
    elif turn.status == "refused" and turn.message:
        why = messages.say("WHY_SAID", language, message=turn.message)
    elif state := " ".join(fact_sentences(turn.state, messages, language, turn.ages)[0]):
        said.append(why)
        why = messages.say("SELF_STATE_THEN", language, state=state)
    return " ".join(filter(None, (*said, why)))


def _line(turn: Turn, messages: Messages, language: str) -> str:
    ended = answer_about_ending(turn, messages, language)
    if turn.at is None or not turn.status:
        return ended
    when = turn.at.strftime("%H:%M" if turn.at.date() == date.today() else "%m-%d %H:%M")
    lasted = f"({messages.fixed_word(f'{turn.seconds:.1f} s', language)})" if turn.message else ""
    return " ".join(filter(None, (when, lasted, ended)))
