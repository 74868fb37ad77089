"""Answers to small talk and questions about the session, in the language of the command."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from pathlib import Path

from bt_exec.language.meaning import Turn
from bt_exec.language.messages import messages_of
from bt_exec.planning.compiler import Reply, ReplyCode, Request
from bt_exec_llm.offline.text import printable

__all__ = ["build_reply"]

_TOLD = 5
"""Number of the last missions that are reported."""
_CODES: dict[str, ReplyCode] = {"HELP": "HELP", "WHY": "WHY", "DONE": "DONE", "WHERE": "WHERE"}


_sentences = partial(messages_of, Path(__file__).with_name("replies.yaml"))


def build_reply(talk: str, request: Request, language: str, can: Iterable[str] = ()) -> Reply:
    """Return the answer to a phrase that is not a command.

    Args:
        talk: Its kind, see `bt_exec_llm.offline.understanding.TALK`.
        request: The session and the known facts.
        language: Language of the command.
        can: Possible commands, for a request for help.
    """
    say = _sentences().say
    code = _CODES.get(talk, "COURTESY")
    match code:
        case "HELP":
            listed = ", ".join(can)
            message = say("HELP" if listed else "HELP_NOTHING", language, can=listed)
            message = message.replace("?.", "?")
        case "DONE":
            message = _session_report(request, language)
        case "WHY":
            last = request.context.last()
            message = (
                say("NOTHING_YET", language)
                if last is None
                else _ended_mission_sentence(last, language)
            )
        case "WHERE":
            message = _known_facts_text(request, language) or say("WHERE_UNKNOWN", language)
        case _:
            message = say(talk, language)
    return Reply(code, message)


def _session_report(request: Request, language: str) -> str:
    """Return a report of this session, or of the last mission before it."""
    context = request.context
    turns = context.turns[-_TOLD:] or context.before()[-1:]
    if not turns:
        return _sentences().say("NOTHING_YET", language)
    return "\n".join(_turn_sentence(turn, language) for turn in turns)


def _turn_sentence(turn: Turn, language: str) -> str:
    code = "TURN" if turn.status else "TURN_PLANNED"
    command = printable(turn.command)
    return _sentences().say(code, language, command=command, message=turn.message)


def _ended_mission_sentence(turn: Turn, language: str) -> str:
    code = f"ENDED_{turn.status}" if turn.status else "TURN_PLANNED"
    command = printable(turn.command)
    return _sentences().say(code, language, command=command, message=turn.message)


def _known_facts_text(request: Request, language: str) -> str:
    """Return the known facts that have a sentence."""
    facts = request.situation.facts
    known = [f"{name}={value}" for name, value in sorted(facts.items())]
    messages = request.messages
    return " ".join(messages.say(fact, language) for fact in known if fact in messages)
