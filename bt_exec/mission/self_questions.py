"""Questions about the robot itself, at every site: what it saw, did and holds, and where it is.

Questions about the position, the current activity, unfinished and failed missions and the last
result are answered without the compiler. For the others, the compiler is asked first, because it
may give a better answer with domain knowledge; if it refuses, a general answer is given. No mission
runs while a question is answered. The forms of the questions are in ``self_questions.yaml``.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, cast

from bt_exec.failure import Refusal
from bt_exec.language.fact_sentences import UNKNOWN, fact_sentences
from bt_exec.language.meaning import Context, Turn
from bt_exec.language.messages import language_of
from bt_exec.planning.answers_about_past_missions import (
    answer_about_ending,
    answer_about_last_ending,
    answer_about_last_result,
    last_about,
    list_failed,
    list_missions,
)
from bt_exec.planning.compiler import Compiler, Plan, Reply, ReplyCode, Request
from bt_exec.spec.shipped_yaml import parse_yaml

if TYPE_CHECKING:
    from bt_exec.journal import MissionSummary

__all__ = [
    "NEED_WORLD",
    "PastAction",
    "SelfAnsweringCompiler",
    "act_in_question",
    "asks_to_continue",
    "asks_to_stop",
    "only_stops",
    "question_of",
]

Question = Literal[
    "WHERE",
    "ARMS",
    "NOW",
    "SAW",
    "STOPPED",
    "WHY",
    "WELL",
    "TROUBLE",
    "LEFT",
    "COUNT_LEFT",
    "FAILED",
    "DID",
    "HOLDS",
    "THING",
    "HELP",
    "PAST",
]
NEED_WORLD: frozenset[Question | None] = frozenset({"WHERE", "ARMS", "SAW", "HOLDS", "THING"})
"""Questions whose answer depends on what the robots report."""
_WITH_NAMES: frozenset[Question] = frozenset({"DID", "THING", "PAST"})
"""Questions that contain further words, such as names, which may be misspelt."""
_EXAMPLES = 8
"""Maximum number of commands that are suggested."""


@cache
def _forms() -> Mapping[str, Any]:
    text = Path(__file__).with_suffix(".yaml").read_text(encoding="utf-8")
    return cast(Mapping[str, Any], parse_yaml(unicodedata.normalize("NFD", text)))


def asks_to_continue(command: str) -> bool:
    """Return True if a command asks to continue an unfinished mission."""
    said = _normalized(command)
    return any(re.fullmatch(form, said) for form in _forms()["go_on"])


def asks_to_stop(said: str) -> bool:
    """Return True if a line given during a mission begins with a request to stop ("stop it!").

    No compiler is called, so that nothing delays the stop. A line with a question mark at its end
    is not a request to stop.
    """
    return not said.rstrip().endswith("?") and _after_stop(said) is not None


def only_stops(said: str) -> bool:
    """Return True if a line asks to stop and contains no further command."""
    further = "|".join(_forms()["stop"]["further"])
    return asks_to_stop(said) and re.search(further, _after_stop(said) or "") is None


def _command_after_stop(said: str) -> str:
    """Return the command after a request to stop, such as "come back" in "stop and come back".

    Empty if there is none, or if the request to stop has an object.
    """
    further, between = ("|".join(_forms()["stop"][part]) for part in ("further", "between"))
    before, *rest = re.split(further, _after_stop(said) or "", maxsplit=1)
    alone = re.fullmatch(between, before.rstrip()) is not None
    return unicodedata.normalize("NFC", rest[-1]) if rest and alone else ""


def _after_stop(said: str) -> str | None:
    """Return the rest of a line that begins with a request to stop; None for other lines."""
    before, begins, alone = (
        "|".join(_forms()["stop"][part]) for part in ("before", "begins", "alone")
    )
    text = _normalized(said)
    stop = re.match(rf"(({before})[\s,.!]*)*(({begins})|({alone})$)", text)
    return None if stop is None else text[stop.end() :]


def _normalized(command: str) -> str:
    """Return a command without polite words and final punctuation, case-folded, in Unicode NFD."""
    said = unicodedata.normalize("NFD", command).casefold().strip(" \t?!.~…")
    return re.sub(_forms()["polite"], "", re.sub(r"\s+", " ", said))


def question_of(command: str) -> Question | None:
    """Return the kind of question that a command asks the robot; None for other commands."""
    said = _normalized(command)
    for name, forms in _forms()["questions"].items():
        if any(re.fullmatch(form, said) for form in forms):
            return cast(Question, name)
    if _sought_object(said):
        return "THING"
    said += "?" if command.rstrip().endswith("?") else ""
    return "PAST" if _has_form(said, "details") or _has_form(said, "past") else None


def _has_form(said: str, kind: str) -> bool:
    """Return True if a normalized question contains one of the forms of a kind."""
    return any(re.search(form, said) for form in _forms()[kind])


def act_in_question(question: str) -> str:
    """Return the action in a question about the past as a command; empty for other texts.

    In "why did you not open the door?", the action is returned without the negation.
    """
    said = _normalized(question)
    found = (re.fullmatch(form, said) for form in _forms()["acts"])
    act = next((match["act"] for match in found if match), "")
    for denial, instead in _forms()["denials"].items():
        act = re.sub(denial, instead, act)
    return unicodedata.normalize("NFC", act)


def denies_action(question: str) -> bool:
    """Return True for a question that states that an action was not done."""
    return _has_form(_normalized(question).rstrip(" ?"), "denied")


def _sought_object(said: str) -> str:
    """Return the object whose place a normalized question asks for; empty for other texts."""
    found = (re.fullmatch(form, said) for form in _forms()["thing"])
    return next((match["thing"] for match in found if match), "")


class PastAction(NamedTuple):
    """The newest mission of today that began an action.

    Attributes:
        mission: The mission; None if no mission began the action.
        done: Whether the mission, together with those that it continued, carried out the action.
        before: The newest earlier mission that carried it out if `mission` did not, or None.
        begun: False if the action is only part of the plan of `mission`.
    """

    mission: MissionSummary | None
    done: bool
    before: MissionSummary | None = None
    begun: bool = True


class SelfAnsweringCompiler:
    """A compiler that answers questions about the robot and delegates everything else.

    Args:
        compiler: The compiler for other commands.
        seen: Returns a description of the last observation of this world in a given language, or an
            empty text.
        steps_left: Returns a description of the remaining steps of the unfinished mission with a
            given command, in a given language; empty if they are unknown.
        action_in_question: Returns the mission that began the action in a question.
        running_elsewhere: Returns the mission that another process is running at this site, or
            None.
    """

    def __init__(
        self,
        compiler: Compiler,
        seen: Callable[[str], str],
        steps_left: Callable[[str, str], str],
        action_in_question: Callable[[str], PastAction | None],
        running_elsewhere: Callable[[], MissionSummary | None],
    ) -> None:
        self.name = compiler.name
        self._compiler = compiler
        self._seen = seen
        self._steps_left = steps_left
        self._action_in_question = action_in_question
        self._running_elsewhere = running_elsewhere

    def compile(self, request: Request) -> Plan | Refusal | Reply:
        """Return a general answer to a question about the robot, or the compiler's answer."""
        continues = asks_to_continue(request.command)
        asked = request.previous is None and not continues
        question = question_of(request.command) if asked else None
        if question is not None and (own := self._own_answer(question, request)) is not None:
            return own
        question = None if question == "COUNT_LEFT" else question
        answer = self._compiler.compile(request)
        if isinstance(answer, Refusal) and only_stops(request.command):
            return Refusal("STOP", self._activity_answer(request))
        if isinstance(answer, Refusal) and (command := _command_after_stop(request.command)):
            then = self._compiler.compile(replace(request, command=command))
            return then if isinstance(then, Plan) else answer
        repeats = isinstance(answer, Plan) and _was_unfinished(request.context)
        if continues and request.previous is None and not (repeats or isinstance(answer, Refusal)):
            return Refusal("NOTHING_LEFT", self._unfinished_mission_answer(request))
        if isinstance(answer, Reply) and answer.code == "WHY":
            return self._reason_for_action(answer, request)
        if question is None:
            return answer
        general = ("COURTESY", "DONE")  # in Korean, a courtesy may also ask "did it go well?"
        if isinstance(answer, Reply) and answer.code in general:
            answer = Refusal(answer.code, answer.message)
        misspelt = isinstance(answer, Refusal) and question in _WITH_NAMES and answer.did_you_mean
        if not isinstance(answer, Refusal) or misspelt:
            return answer
        code, message = self._general_answer(question, request, answer)
        return Reply(code, message) if message else answer

    def _general_answer(
        self, question: Question, request: Request, refusal: Refusal
    ) -> tuple[ReplyCode, str]:
        """Return the kind and text of the general answer; an empty text if there is none."""
        say, language = request.messages.say, request.language
        match question:
            case "SAW":
                return "WHERE", self._last_observation_answer(request)
            case "HOLDS":
                return "WHERE", _answer_from_facts(request, question)
            case "THING":
                return "WHERE", _whereabouts(request)
            case "HELP":
                can = _example_utterances(request) or refusal.nearest
                examples = ", ".join(f"“{one.strip().rstrip('.')}”" for one in can[:_EXAMPLES])
                return "HELP", say("SELF_CAN", language, can=examples) if examples else ""
            case "STOPPED" | "WHY":
                stopped = question == "STOPPED"
                answer = answer_about_last_ending(
                    request.context, request.messages, language, stopped=stopped
                )
                return "WHY", answer
        said = _normalized(request.command)
        found = self._action_in_question(request.command)
        if found is not None and found.mission is not None:
            description = _described(found, request)
            if question != "PAST" or _has_form(said, "details"):
                return "WHY" if _has_form(said, "reasons") else "DONE", description
            verdict = say("yes" if found.done or found.before else "no", language)
            return "DONE", f"{verdict} {description}"
        if _has_form(said, "reasons") and request.context.last_mission() is not None:
            tried = request.context.last_tried()
            if tried is not None and tried.status == "refused":
                return "WHY", answer_about_ending(tried, request.messages, language)
            last = answer_about_last_ending(request.context, request.messages, language)
            return "WHY", f"{say('SELF_ON_COMMAND', language)} {last}"
        if _has_form(said, "earlier"):
            earlier = list_missions(request.context, request.messages, language, before_last=True)
            return "DONE", earlier or say("SELF_NOTHING_BEFORE", language)
        done = list_missions(request.context, request.messages, language)
        unknown = question == "PAST" and refusal.code != "DONE"
        if done and (found is not None or unknown):
            code = "SELF_NOT_TODAY" if found is not None else "SELF_PAST"
            done = say(code, language, missions=done)
        return "DONE", done or say("SELF_NOTHING_DONE", language)

    def _reason_for_action(self, answer: Reply, request: Request) -> Reply:
        """Return the answer to the question why a certain action was done or not done.

        If a mission of today began the action, the answer describes that mission. Otherwise, the
        answer states that no mission did, and describes the last ending. The answer of the compiler
        is kept if the question names no action.
        """
        found = self._action_in_question(request.command)
        if found is None:
            return answer
        if found.mission is not None:
            return Reply("WHY", _described(found, request))
        other = request.messages.say("SELF_OTHER_MISSION", request.language)
        last = answer_about_last_ending(request.context, request.messages, request.language)
        return Reply("WHY", f"{other} {last}")

    def _last_observation_answer(self, request: Request) -> str:
        """Return the last observation and how the last mission ended.

        Empty after missions without observations, such as questions about pictures.
        """
        messages, language = request.messages, request.language
        seen = self._seen(language)
        acted = [turn for turn in request.context.turns if turn.acted]
        if not seen:
            return "" if acted else messages.say("SELF_SAW_NOTHING", language)
        said = messages.say("SELF_SAW", language, seen=seen)
        ended = answer_about_ending(acted[-1], messages, language) if acted else ""
        return f"{said} {ended}".rstrip()

    def _own_answer(self, question: Question, request: Request) -> Reply | None:
        """Return the answer to a question that is not passed to the compiler; None for others."""
        say, language = request.messages.say, request.language
        match question:
            case "WHERE" | "ARMS":
                unknown = say(f"SELF_{question}_UNKNOWN", language)
                return Reply("WHERE", _answer_from_facts(request, question) or unknown)
            case "NOW":
                return Reply("WHERE", self._activity_answer(request))
            case "LEFT":
                return Reply("DONE", self._unfinished_mission_answer(request))
            case "COUNT_LEFT" if request.context.last_mission() is not None:
                return Reply("DONE", self._unfinished_mission_answer(request))
            case "FAILED":
                return Reply("DONE", list_failed(request.context, request.messages, language))
            case "WELL" | "TROUBLE":
                trouble = question == "TROUBLE"
                answer = answer_about_last_result(
                    request.context, request.messages, language, trouble=trouble
                )
                return Reply("DONE", answer)
        return None

    def _activity_answer(self, request: Request) -> str:
        """Return the mission that another process is running, or a statement that none runs."""
        say, language = request.messages.say, request.language
        other = self._running_elsewhere()
        if other is None:
            return say("SELF_IDLE", language)
        when = f"{other.started_at:%H:%M}"
        return say("SELF_BUSY_ELSEWHERE", language, command=other.command, when=when)

    def _unfinished_mission_answer(self, request: Request) -> str:
        """Return a report of the newest unfinished mission, or a statement that there is none.

        Other unfinished missions are named with their times. If the last mission of this session
        was satisfied, unfinished missions of earlier sessions are only named.
        """
        say, language, context = request.messages.say, request.language, request.context
        others = context.unfinished_missions(datetime.now().astimezone().date())
        last, sentences = context.last_mission(), list[str]()
        done = last is not None and last.status == "satisfied" and context.is_of_this_session(last)
        if others and not (done and not context.is_of_this_session(others[0])):
            left = others.pop(0)
            outdated = left != last
            sentences.append(
                answer_about_ending(left, request.messages, language, outdated=outdated)
            )
            if steps := self._steps_left(left.command, language):
                sentences.append(say("SELF_STEPS_LEFT", language, steps=steps))
        elif last is None or last.status != "satisfied":
            sentences.append(say("RESUME_NOTHING", language))
        else:
            sentences.append(say("RESUME_NOTHING_LEFT", language, command=last.command))
        if others:
            missions = ", ".join(map(_named_with_time, others))
            sentences.append(say("SELF_ALSO_LEFT", language, missions=missions))
        return " ".join(sentences)


def _described(action: PastAction, request: Request) -> str:
    """Return sentences that name the missions that carried out or began an action, with times.

    If the last of them did not finish the action, the reason for its failure follows.
    """
    messages, language, mission = request.messages, request.language, action.mission
    failure = mission.failure if mission is not None and not action.done else None
    begun = "SELF_BEGAN_THAT" if action.begun else "SELF_DID_NOT"
    last = ("SELF_DID_THAT" if action.done else begun, action.mission)
    sentences = [
        messages.say(code, language, when=f"{line.started_at:%H:%M}", command=line.command)
        for code, line in (("SELF_DID_THAT", action.before), last)
        if line is not None
    ]
    if failure is not None:
        sentences.append(messages.explain_failure(failure, language))
    elif mission is not None and not action.begun and mission.language == language:
        sentences.append(messages.say("SELF_REPORTED", language, message=mission.message))
    return " ".join(sentences)


def _named_with_time(turn: Turn) -> str:
    """Return the command of a mission in quotes, with its start time if that is known."""
    when = f" ({turn.at:%H:%M})" if turn.at is not None else ""
    return f"“{turn.command}”{when}"


def _whereabouts(request: Request) -> str:
    """Return sentences about the place of the object in a question.

    If the robot does not hold the object, they report the last mission that names it. If there is
    no such mission, the place is unknown; the held object is then named, too, because it may be the
    same object under another name.
    """
    messages, language = request.messages, request.language
    thing = unicodedata.normalize("NFC", _sought_object(_normalized(request.command)))
    held = _answer_from_facts(request, "HOLDS")
    if _normalized(messages.translate_word(thing, language)) in _normalized(held):
        return held
    if about := last_about(thing, request.context, messages, language):
        return about
    return f"{messages.say('SELF_THING_UNKNOWN', language, thing=thing)} {held}".rstrip()


def _was_unfinished(context: Context) -> bool:
    """Return True if the mission of the last command is the newest unfinished one."""
    last = context.turns[-1] if context.turns else None
    return last is not None and last == context.unfinished_mission(
        datetime.now().astimezone().date()
    )


def _example_utterances(request: Request) -> tuple[str, ...]:
    """Return the first utterance of each tree in the language of the request, questions last."""
    spoken = (
        next((one for one in tree.utterances if language_of(one) == request.language), "")
        for tree in request.library.acting_first()
    )
    return tuple(filter(None, spoken))


def _answer_from_facts(request: Request, question: Question) -> str:
    """Return the sentences of the facts that answer a question.

    If some of these facts are known, others for which the messages have a sentence are reported as
    unknown.
    """
    begins = _forms()["facts"][question]

    def answers(name: str) -> bool:
        part, dot, _ = name.rpartition("/")[2].partition(".")
        return part in begins or part + dot in begins

    found = {name: value for name, value in request.situation.facts.items() if answers(name)}
    if found:
        codes = (code.split("=") for code in sorted(request.messages.codes()))
        names = (code[0] for code in codes if code[1:] == [UNKNOWN])
        found |= {name: UNKNOWN for name in names if answers(name) and name not in found}
    return " ".join(fact_sentences(found, request.messages, request.language)[0])
