"""Conversation of a session: its history, and questions about the robot itself at every site.

The history is used to interpret the next command. Questions are about what the robot saw, did and
holds, and where it is. The compiler is asked first, because it may give a better answer with domain
knowledge. If it refuses, the general answer is given. The position is answered from the facts.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast

from bt_exec.failure import Refusal
from bt_exec.language.meaning import Context, Turn
from bt_exec.mission.known_state import fact_sentences
from bt_exec.outcome import Outcome
from bt_exec.planning.compiler import REPLIES, Compiler, Plan, Reply, Request
from bt_exec.spec.plain_yaml import read_yaml

if TYPE_CHECKING:
    from bt_exec.journal import Journal

__all__ = ["Conversation", "SelfAnswers", "asks_to_continue", "question_of"]

_EARLIER = 5
"""Number of missions of earlier sessions that are searched for the last one with actions."""


class Conversation:
    """The commands of one session, and the last mission before it.

    Args:
        journal: Source of earlier missions, or None.
        site: Only missions of this site count.
    """

    def __init__(self, journal: Journal | None, site: str) -> None:
        self._journal = journal
        self._site = site
        self._context = Context(recall=self._earlier)

    def context(self) -> Context:
        """Return the conversation so far."""
        return self._context

    def heard(self, outcome: Outcome, *, acted: bool = True) -> None:
        """Record a command and its outcome; thanks and questions are not recorded."""
        if not outcome.command or outcome.reason_code in REPLIES:
            return
        turn = Turn(
            outcome.command,
            outcome.status,
            outcome.reason_code,
            outcome.message,
            outcome.did_you_mean,
            acted,
        )
        self._context = self._context.then(turn)

    def forget(self) -> None:
        """Clear references to objects and actions of a world that was reset."""
        self._context = Context(earlier=self._context.turns[-1:], recall=self._earlier)

    def _earlier(self) -> tuple[Turn, ...]:
        if self._journal is None:
            return ()
        acted = self._journal.last_action(self._site)
        if acted is not None:
            return (Turn(acted.command, acted.status, acted.reason_code, acted.message),)
        for line in self._journal.missions(_EARLIER, site=self._site):
            if line.ended_at is not None and line.reason_code not in REPLIES:
                return (Turn(line.command, line.status, line.reason_code, line.message),)
        return ()


Question = Literal["SAW", "WHERE", "WHY", "DID", "HOLDS"]
_LAST = 5  # missions that are listed


@cache
def _forms() -> Mapping[str, Any]:
    return cast(Mapping[str, Any], read_yaml(Path(__file__).with_suffix(".yaml")))


def asks_to_continue(command: str) -> bool:
    """Return True if a command asks to continue an unfinished mission."""
    said = _normalized(command)
    return any(re.fullmatch(form, said) for form in _forms()["go_on"])


def _normalized(command: str) -> str:
    said = unicodedata.normalize("NFC", command).casefold().strip(" \t?!.~…")
    return re.sub(_forms()["polite"], "", re.sub(r"\s+", " ", said))


def question_of(command: str) -> Question | None:
    """Return the question about the robot that a command asks; None for other commands."""
    said = _normalized(command)
    for name, forms in _forms()["questions"].items():
        if any(re.fullmatch(form, said) for form in forms):
            return cast(Question, name)
    return None


class SelfAnswers:
    """A compiler that answers questions about the robot and delegates everything else.

    Args:
        compiler: The compiler for other commands.
        seen: Returns the last observation of this world in a language; empty if there is none.
    """

    def __init__(self, compiler: Compiler, seen: Callable[[str], str]) -> None:
        self.name = compiler.name
        self._compiler = compiler
        self._seen = seen

    def compile(self, request: Request) -> Plan | Refusal | Reply:
        """Answer a request."""
        question = question_of(request.command) if request.previous is None else None
        if question == "WHERE":
            unknown = request.messages.say("SELF_WHERE_UNKNOWN", request.language)
            return Reply("WHERE", _from_facts(request, question) or unknown)
        answer = self._compiler.compile(request)
        if question is None or not isinstance(answer, Refusal):
            return answer
        say, language = request.messages.say, request.language
        if question == "SAW":
            seen = self._seen(language)
            if not seen and any(turn.acted for turn in request.context.turns):
                return answer  # missions without observations, such as questions about pictures
            code = "SELF_SAW" if seen else "SELF_SAW_NOTHING"
            return Reply("WHERE", say(code, language, seen=seen))
        if question == "HOLDS":
            held = _from_facts(request, question)
            return Reply("WHERE", held) if held else answer
        if question == "DID":
            done = [turn for turn in request.context.turns if turn.acted][-_LAST:]
            listed = "\n".join(say("SELF_WHY", language, **_facts_of_turn(turn)) for turn in done)
            return Reply("DONE", listed or say("SELF_WHY_NOTHING", language))
        last = request.context.last()
        if last is None:
            return Reply("WHY", say("SELF_WHY_NOTHING", language))
        return Reply("WHY", say("SELF_WHY", language, **_facts_of_turn(last)))


def _facts_of_turn(turn: Turn) -> Mapping[str, str]:
    return {"command": turn.command, "message": turn.message}


def _from_facts(request: Request, question: Question) -> str:
    """Return the sentences of the facts that answer a question."""
    begins = _forms()["facts"][question]
    found = {
        name: value
        for name, value in request.situation.facts.items()
        if name.rpartition("/")[2].partition(".")[0] in begins
    }
    return " ".join(fact_sentences(found, request.messages, request.language)[0])
