"""Questions about the robot itself at every site: its observations and its position.

A compiler may answer them in a better way, with what its domain knows. It is asked first, and the
general answer is given where it refuses. Only where the robot is follows from the facts alone.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping
from typing import Literal

from bt_exec.failure import Refusal
from bt_exec.language.context import Turn
from bt_exec.mission.known_state import told_facts
from bt_exec.planning.compiler import Compiler, Plan, Reply, Request

__all__ = ["SelfAnswers", "asks_to_go_on", "question_of"]

Question = Literal["SAW", "WHERE", "WHY"]

_KOREAN_THING = r"( ?(거|것|건)\S*)?"
_FORMS: Mapping[Question, tuple[str, ...]] = {
    "SAW": (
        r"(what|who) (did|do|can|have) you (just |now |last )*(see|seen|notice|noticed)"
        r"( just now| there| last| right now| now)?",
        r"((방금|아까|지금|조금 전에) )*(뭐|뭘|무엇을|무얼|뭐가|무엇이|누가) ?"
        rf"(봤|보았|보이|보여|보고 있|보였)\S*{_KOREAN_THING}",
    ),
    "WHERE": (
        r"where (are you|is the robot|are you standing)( right now| now| at)?",
        r"((너|넌|너는|로봇|로봇은|로봇이|지금|현재) )*"
        r"어디(야|에요|예요|니|인가요|지|에 있\S*|있\S*|쯤이\S*)( 지금)?",
    ),
    "WHY": (
        r"why (did|have|had) (you|it) (stop|halt|fail|quit|give up)\w*( there| then)?",
        r"왜 (멈췄|멈춘|멈추었|섰|선 거|실패했|실패한|중단했|중단한|그만뒀|그만둔)"
        rf"\S*{_KOREAN_THING}",
    ),
}
_GO_ON = (
    r"(please )?(go on|continue|resume|carry on|keep going|pick up where you left off)"
    r"( (with )?(it|that|the mission|your (task|work)|what you were doing))?( please)?",
    r"(please )?finish (it|that|the job|your work|what you (were doing|started))( please)?",
    r"((아까|방금|다시) )*((하던|하고 있던|하다 만) ?(거|것|걸|일|일을|건) ?)?"
    r"(마저|계속|이어서|이어) ?(해|하|끝내|진행)\S*( ?(줘|주세요|봐|주십시오))?",
)
_PATTERNS = {name: re.compile("|".join(forms)) for name, forms in _FORMS.items()}
_POLITE = re.compile(r"^(please|hey|robot|so|and|then|저기|근데|그런데|그럼)[, ]+")


def asks_to_go_on(command: str) -> bool:
    """Return True if a command asks to go on with an unfinished mission, whichever it was."""
    said = _plain(command)
    return any(re.fullmatch(form, said) for form in _GO_ON)


def _plain(command: str) -> str:
    said = unicodedata.normalize("NFC", command).casefold().strip(" \t?!.~…")
    return _POLITE.sub("", re.sub(r"\s+", " ", said))


def question_of(command: str) -> Question | None:
    """Return which question about the robot a command is; None for every other command."""
    said = _plain(command)
    return next((name for name, pattern in _PATTERNS.items() if pattern.fullmatch(said)), None)


class SelfAnswers:
    """A compiler that answers questions about the robot and leaves everything else to another.

    Args:
        compiler: The other one.
        seen: Gives what was observed last in this world, in a language; empty if nothing was.
    """

    def __init__(self, compiler: Compiler, seen: Callable[[str], str]) -> None:
        self.name = compiler.name
        self._compiler = compiler
        self._seen = seen

    def compile(self, request: Request) -> Plan | Refusal | Reply:
        """Answer a request."""
        question = question_of(request.command) if request.previous is None else None
        if question == "WHERE":
            return Reply("WHERE", _where(request))
        answer = self._compiler.compile(request)
        if question is None or not isinstance(answer, Refusal):
            return answer
        say, language = request.messages.say, request.language
        if question == "SAW":
            seen = self._seen(language)
            code = "SELF_SAW" if seen else "SELF_SAW_NOTHING"
            return Reply("WHERE", say(code, language, seen=seen))
        last = request.context.last()
        if last is None:
            return Reply("WHY", say("SELF_WHY_NOTHING", language))
        return Reply("WHY", say("SELF_WHY", language, **_of(last)))


def _of(turn: Turn) -> Mapping[str, str]:
    return {"command": turn.command, "message": turn.message}


def _where(request: Request) -> str:
    """Return the sentences of the facts about places, or that the place is unknown."""
    facts = request.situation.facts
    places = {name: value for name, value in facts.items() if name.split(".")[0] == "at"}
    said, _ = told_facts(places, request.messages, request.language)
    return " ".join(said) or request.messages.say("SELF_WHERE_UNKNOWN", request.language)
