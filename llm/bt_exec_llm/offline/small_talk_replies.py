"""Answers to small talk and questions about the session, in the language of the command."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from pathlib import Path

from bt_exec.language.fact_sentences import fact_sentences
from bt_exec.language.messages import load_messages
from bt_exec.planning.answers_about_past_missions import answer_about_last_ending, list_missions
from bt_exec.planning.compiler import Reply, ReplyCode, Request

__all__ = ["build_reply"]

_CODES: dict[str, ReplyCode] = {
    "HELP": "HELP",
    "WHY": "WHY",
    "WHY_NOT": "WHY",
    "DONE": "DONE",
    "SEEN": "DONE",
    "WHERE": "WHERE",
    "TRAY": "WHERE",
}


_sentences = partial(load_messages, Path(__file__).with_name("replies.yaml"))


def build_reply(talk: str, request: Request, language: str, can: Iterable[str] = ()) -> Reply:
    """Return the answer to a phrase that is not a command.

    Args:
        talk: Code of the phrase; see `bt_exec_llm.offline.command_understanding.TALK`.
        request: Planning request with the session and the known facts.
        language: Language of the command.
        can: Possible commands, for the answer to a request for help.
    """
    say = _sentences().say
    code = _CODES.get(talk, "COURTESY")
    match code:
        case "HELP":
            listed = ", ".join(can)
            message = say("HELP" if listed else "HELP_NOTHING", language, can=listed)
        case "DONE":
            nothing = request.messages.say("SELF_NOTHING_DONE", language)
            message = list_missions(request.context, request.messages, language) or nothing
        case "WHY" if talk == "WHY_NOT":
            nothing = request.messages.say("SELF_NOTHING_DONE", language)
            missions = list_missions(request.context, request.messages, language)
            summary = request.messages.say("SELF_PAST", language, missions=missions)
            message = summary if missions else nothing
        case "WHY":
            message = answer_about_last_ending(request.context, request.messages, language)
        case "WHERE":
            message = _known_facts_text(request, language) or say("WHERE_UNKNOWN", language)
        case _:
            message = say(talk, language)
    return Reply(code, message)


def _known_facts_text(request: Request, language: str) -> str:
    """Return the sentences about the known facts; facts without a sentence are left out."""
    facts = dict(sorted(request.situation.facts.items()))
    return " ".join(fact_sentences(facts, request.messages, language)[0])
