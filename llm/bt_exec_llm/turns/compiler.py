"""Compiler ``turns``, with which a model plans turn by turn and gets the results of its tools.

The plan of a turn consists of a few tool calls. After they have run, the model is asked again with
their results, until it answers or a budget is used up. Each turn is verified like any plan and
appended to the tree. The model is not asked if the setting ``first`` names a compiler that can
answer the question.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from bt_exec.failure import Problem, Refusal, UsageError
from bt_exec.files import expand_home
from bt_exec.language.sanitize import one_line
from bt_exec.planning.compiler import Compiler, Plan, Reply, Request, VerifiedPlan, find_compiler
from bt_exec.planning.multi_robot import RobotsCompiler
from bt_exec_llm.client import Answer, Model, ModelFailure, Question, ReplayClient
from bt_exec_llm.client.connection import endpoint_checks
from bt_exec_llm.model_compiler.compiler import recorded_client, split_settings
from bt_exec_llm.model_compiler.planning_dialogue import printable
from bt_exec_llm.model_dialogue import Dialogue, Rejected
from bt_exec_llm.turns.conversation_state import (
    AS_RECORDED,
    Conversation,
    FinishedTurn,
    TurnSettings,
    budget_refusal,
    say,
    supported_share,
)
from bt_exec_llm.turns.model_output_schema import (
    LONGEST_ANSWER,
    Calls,
    Final,
    Record,
    read_record,
    read_turn,
)
from bt_exec_llm.turns.prompt import (
    analysis_question,
    objection,
    turn_question,
)
from bt_exec_llm.turns.tree_growth import append_turn
from bt_exec_llm.turns.turn_checks import (
    TurnTools,
    call_pairs,
    problems_of_calls,
    problems_of_final,
    turn_tools_of,
    verify_turn,
)
from bt_exec_llm.turns.turn_parsing import parse_tags, read_calls

__all__ = ["TurnCompiler", "create"]

ANALYSIS_LINES, TURN_LINES = range(5, 11), range(3, 8)
"""Allowed numbers of lines in the log of an analysis and in the log of a turn."""

T = TypeVar("T")
_NO_TOOLS = frozenset({400, 422, 501})
Turn = tuple[Calls | Final, tuple[str, ...], VerifiedPlan | None, str]


class TurnCompiler:
    """Compiler that asks a model turn by turn; implements `bt_exec.planning.compiler.Compiler`.

    Args:
        model: The model.
        settings: Format and limits of the requests.
        first: Compiler that may answer a question without the model; None without one.
    """

    name = "turns"

    def __init__(
        self, model: Model, settings: TurnSettings | None = None, first: Compiler | None = None
    ) -> None:
        self.model = model
        self.settings = settings or TurnSettings()
        self._first = first
        self._talk: Conversation | None = None
        self._native = self.settings.form != "tags"

    def doctor(self) -> Iterator[tuple[str, str, str, str]]:
        """Check the key and the address for ``bt-exec doctor``; no request is sent."""
        return endpoint_checks(self.model)

    def prompt(self, request: Request) -> str:
        """Return the first prompt as readable text; nothing is sent."""
        ways = turn_tools_of(request.catalogue)
        if ways is None:
            return say("NO_ENDING", request.language)
        return analysis_question(request, ways).to_text()

    def estimate(self, request: Request) -> Mapping[str, float]:
        """Return the length of the first prompt; the number of turns is unknown."""
        return {"characters": float(len(self.prompt(request)))}

    def compile(self, request: Request) -> Plan | Refusal | Reply:
        """Return the next turn as a plan, the first compiler's answer, or a refusal.

        May take a long time.
        """
        talk, previous = self._talk, request.previous
        if previous is None or previous.mission.turn is None or talk is None:
            plain: Refusal | None = None
            if previous is None and self._first is not None:
                known = self._first.compile(request)
                if not isinstance(known, Refusal):
                    return known
                plain = known
            if request.situation.frame is None and plain is not None:
                return plain  # the model needs a picture
            talk = self._talk = Conversation(request.command, request.language, plain)
        talk.add_results(request)
        before, calls = talk.usage, talk.calls
        ways = turn_tools_of(request.catalogue)
        if ways is None:
            return Refusal("NO_ENDING", say("NO_ENDING", request.language))
        found = self._next_plan(request, talk, ways)
        usage, asked = talk.usage - before, talk.calls - calls
        requests = max(asked, usage.requests)
        if isinstance(found, Refusal):
            return replace(found, calls=asked, requests=requests)
        return replace(found, calls=asked, requests=requests, usage=usage.to_dict())

    def _next_plan(self, request: Request, talk: Conversation, ways: TurnTools) -> Plan | Refusal:
        """Return the plan of the next turn, or a refusal.

        If there is no next turn but an earlier answer to which a judge objected, the plan reports
        that answer.
        """
        refusal = budget_refusal(talk, self.settings)
        try:
            if refusal is None:
                if not talk.record:
                    self._analyse(request, talk, ways)
                turn, log, plan, model = self._ask_for_turn(request, talk, ways)
                if isinstance(turn, Final):
                    return self._final_plan(request, talk, ways, turn, log, model)
                assert plan is not None
                talk.turns.append(FinishedTurn(talk.number, call_pairs(turn.tool_calls), log))
                return self._turn_plan(plan, ways, request)
        except Rejected as rejected:
            codes = ", ".join(dict.fromkeys(one.code for one in rejected.problems))
            code = "NO_EVIDENCE" if codes == "NO_EVIDENCE" else "TURN_REJECTED"
            message = say(code, request.language, codes=codes)
            problems = tuple(map(str, rejected.problems))
            refusal = Refusal(code, message, problems=problems)
        except ModelFailure as failure:
            refusal = Refusal(failure.code, printable(failure.say(request.language)))
        assert refusal is not None
        if talk.disputed and talk.answer:
            return self._plan_reporting_answer(request, talk, ways, talk.answer, "", None)
        return _refusal_for(refusal, talk)

    def _analyse(self, request: Request, talk: Conversation, ways: TurnTools) -> None:
        """Ask the model to analyse the question before any tool runs, and store the analysis."""

        def read(answer: Answer) -> tuple[tuple[tuple[str, ...], Record] | None, list[Problem]]:
            tagged = parse_tags(answer.text, ANALYSIS_LINES)
            problems = list(tagged.problems)
            record = None
            if tagged.data is not None:
                record, wrong = read_record(tagged.data, request.language)
                problems += wrong
            return (None if record is None else (tagged.log, record)), problems

        question = analysis_question(request, ways)
        log, record = self._ask(question, request, talk, read)
        talk.log, talk.record = log, record.model_dump(mode="json")

    def _ask_for_turn(self, request: Request, talk: Conversation, ways: TurnTools) -> Turn:
        """Return the turn, log, plan and model name of the model's next turn.

        Tags are used if the server rejects tools.
        """
        if self._native:
            try:
                return self._ask_in(request, talk, ways)
            except ModelFailure as failure:
                refused = failure.code == "MODEL_BAD_REQUEST" or failure.http_status in _NO_TOOLS
                if self.settings.form == "tools" or not refused:
                    raise
                self._native = False
        return self._ask_in(request, talk, ways)

    def _ask_in(self, request: Request, talk: Conversation, ways: TurnTools) -> Turn:
        left = self.settings.turns - len(talk.turns)
        question = turn_question(request, ways, talk, native=self._native, left=left)

        def read(answer: Answer) -> tuple[Turn | None, list[Problem]]:
            return self._read_answer(answer, request, talk, ways)

        return self._ask(question, request, talk, read)

    def _ask(
        self,
        question: Question,
        request: Request,
        talk: Conversation,
        read: Callable[[Answer], tuple[T | None, Sequence[Problem]]],
    ) -> T:
        """Return the content of the model's answer; an answer with problems is sent back once.

        Raises:
            Rejected: If the second answer has problems, too.
            ModelFailure: If there is no answer.
        """
        dialogue = Dialogue(self.model, question, request, self.name)
        try:
            return dialogue.ask_until_accepted(2, read, objection, "write less")
        finally:
            talk.calls += dialogue.calls
            talk.usage += dialogue.usage

    def _read_answer(
        self, answer: Answer, request: Request, talk: Conversation, ways: TurnTools
    ) -> tuple[Turn | None, list[Problem]]:
        """Return the content of an answer (None if it cannot be used), and all its problems.

        The content is a tuple of the turn, the log, the plan and the model's name. The plan is None
        for a final answer.
        """
        calls = (answer.data or {}).get("calls") if self._native else None
        if calls:
            tagged = read_calls(calls, answer.text, request.language, TURN_LINES)
        else:
            tagged = parse_tags(answer.text, TURN_LINES)
            self._native = self._native and self.settings.form == "tools"
        problems = list(tagged.problems)
        if tagged.data is None:
            return None, problems
        turn, wrong = read_turn(tagged.data, request.language)
        problems += wrong
        if turn is None:
            return None, problems
        if isinstance(turn, Final):
            problems += problems_of_final(turn, request, talk)
            return (turn, tagged.log, None, answer.model), problems
        problems += problems_of_calls(turn, ways, talk)
        if problems:
            return None, problems
        spec = append_turn(
            request,
            talk.number,
            call_pairs(turn.tool_calls),
            compiler=self.name,
            model=answer.model,
            turn="open",
            notes=tagged.log,
        )
        plan, wrong = verify_turn(spec, request)
        return (turn, tagged.log, plan, answer.model), wrong

    def _final_plan(
        self,
        request: Request,
        talk: Conversation,
        ways: TurnTools,
        turn: Final,
        log: tuple[str, ...],
        model: str,
    ) -> Plan | Refusal:
        """Return the plan that reports a final answer, or a refusal if no tool has succeeded."""
        if not talk.has_evidence():
            question = printable(" ".join(turn.open_questions))
            said = say("ASKED_BACK", request.language, question=question)
            refusal = Refusal("ASKED_BACK", said, question=question)
            return _refusal_for(refusal, talk)
        turn_kind = None if talk.disputed else "last"
        talk.answer, talk.code_plan = turn.final_answer, turn.code_plan
        talk.turns.append(FinishedTurn(talk.number, (), log))
        return self._plan_reporting_answer(request, talk, ways, turn.final_answer, model, turn_kind)

    def _plan_reporting_answer(
        self,
        request: Request,
        talk: Conversation,
        ways: TurnTools,
        answer: str,
        model: str,
        turn: str | None,
    ) -> Plan | Refusal:
        """Return the plan that reports an answer to the user, or a refusal if it is invalid."""
        lines = [line for past in talk.turns for line in past.log]
        calls = [call for past in talk.turns for call in past.calls]
        score = supported_share(lines, talk.observations(), request.command, calls)
        given = {"reasoning": score, "code_plan": [one_line(one, 600) for one in talk.code_plan]}
        args: dict[str, Any] = {
            "text": one_line(answer, LONGEST_ANSWER),
            "question": request.command,
            **{
                name: one
                for name, one in given.items()
                if one != [] and name in ways.ending.arguments
            },
        }
        spec = append_turn(
            request,
            max(1, len(talk.turns)),
            [(ways.ending.name, args)],
            compiler=self.name,
            model=model,
            turn=turn,
            notes=talk.turns[-1].log if talk.turns else (),
        )
        plan, wrong = verify_turn(spec, request)
        if plan is None:
            codes = ", ".join(dict.fromkeys(one.code for one in wrong))
            message = say("TURN_REJECTED", request.language, codes=codes)
            return Refusal("TURN_REJECTED", message, problems=tuple(map(str, wrong)))
        return Plan(plan.written, verified=plan)

    @staticmethod
    def _turn_plan(plan: VerifiedPlan, ways: TurnTools, request: Request) -> Plan:
        """Return the plan of a turn; it needs consent if the tools of the site use a robot."""
        moves = any("robot" in skill.injected for skill in ways.tools.values())
        unconfirmed = say("UNCONFIRMED", request.language) if moves else ""
        return Plan(plan.written, unconfirmed=unconfirmed, verified=plan)


def _refusal_for(refusal: Refusal, talk: Conversation) -> Refusal:
    """Return a refusal; the first compiler's refusal is included if no tool has succeeded."""
    plain = talk.refused
    if plain is None or talk.has_evidence():
        return refusal
    message = f"{plain.message} {refusal.message}"
    code = plain.code if refusal.code in ("ASKED_BACK", "NO_EVIDENCE") else refusal.code
    return replace(refusal, code=code, message=message, nearest=plain.nearest)


def create(settings: Mapping[str, Any]) -> Compiler:
    """Return the compiler for the settings of a site, including settings of the client.

    Raises:
        UsageError: If a setting is unknown or has an invalid value.
    """
    asked, client = split_settings(settings, TurnSettings, "turns")
    if asked.first == "turns":
        raise UsageError("setting 'first' of the compiler turns: it cannot be this compiler itself")
    first = None if asked.first == "model" else RobotsCompiler(find_compiler(asked.first, {}))
    if asked.replay is not None:
        recording = ReplayClient(expand_home(asked.replay))
        return TurnCompiler(recording, asked, first)
    return TurnCompiler(recorded_client(client, asked, asked.record, AS_RECORDED), asked, first)
