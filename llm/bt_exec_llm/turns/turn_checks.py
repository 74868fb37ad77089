"""Checks of a turn: known tools, valid arguments, no repeated calls, evidence for an answer.

Codes, in addition to those of verification and of the packs' checkers: ``UNKNOWN_TOOL``,
``REPEATED_CALLS``, ``NO_EVIDENCE``, ``NO_CODE_PLAN``, ``WRONG_TYPE``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from bt_exec.failure import Problem, nearest_names
from bt_exec.pack import Catalogue
from bt_exec.planning.compiler import Request, VerifiedPlan
from bt_exec.planning.plan_preparation import examine
from bt_exec.skill import Skill
from bt_exec.spec.model import MissionSpec
from bt_exec_llm.turns.conversation_state import Conversation
from bt_exec_llm.turns.model_output_schema import Call, Calls, Final

__all__ = [
    "TurnTools",
    "call_pairs",
    "problems_of_calls",
    "problems_of_final",
    "turn_tools_of",
    "verify_turn",
]

ANSWERED = "answer"
"""Fact that is set to ``told`` when a question has been answered."""

_PLACE = re.compile(r"root/sequence\[\d+\]/sequence\[(\d+)\]")


class TurnTools(NamedTuple):
    """Tools that a model may use on a site.

    Attributes:
        tools: Skills that the model may call, by name.
        ending: Skill that reports the model's answer to the user.
    """

    tools: Mapping[str, Skill]
    ending: Skill


def turn_tools_of(catalogue: Catalogue) -> TurnTools | None:
    """Return the tools of a site, or None if no skill reports an answer.

    The skill that reports the answer needs or sets the fact ``answer`` and has the required
    arguments ``text`` and ``question``. Other skills with this fact are not tools: they answer
    without a model or judge answers.
    """
    about = [
        one for one in catalogue.skills.values() if ANSWERED in one.effects or ANSWERED in one.needs
    ]
    endings = [one for one in about if {"text", "question"} == one.required]
    if not endings:
        return None
    tools = {name: one for name, one in catalogue.skills.items() if one not in about}
    return TurnTools(tools, endings[0])


def call_pairs(calls: Iterable[Call]) -> tuple[tuple[str, Mapping[str, Any]], ...]:
    """Return calls as pairs of a tool's name and its parameters."""
    return tuple((call.tool, call.parameters) for call in calls)


def problems_of_calls(turn: Calls, ways: TurnTools, talk: Conversation) -> list[Problem]:
    """Return the problems of a turn's calls that can be found without building a plan."""
    problems = []
    for call in turn.tool_calls:
        if call.tool not in ways.tools:
            near = tuple(nearest_names(call.tool, ways.tools)) or tuple(ways.tools)
            message = "unknown tool"
            problems.append(
                Problem("UNKNOWN_TOOL", message, f"call {call.id}", call.tool[:60], near)
            )
        if any(isinstance(value, dict) for value in call.parameters.values()):
            message = "a parameter is text, a number, yes or no, or a list of these"
            problems.append(Problem("WRONG_TYPE", message, f"call {call.id}"))
    if turn.tool_calls and talk.was_called_before(call_pairs(turn.tool_calls)):
        message = (
            "an earlier turn asked for exactly this and its observations are known; ask for "
            "something else, or answer"
        )
        problems.append(Problem("REPEATED_CALLS", message))
    return problems


def problems_of_final(turn: Final, request: Request, talk: Conversation) -> list[Problem]:
    """Return the problems of a final answer, for example that no observation supports it."""
    if talk.has_evidence():
        if request.situation.facts.get("code_plan") != "wanted" or turn.code_plan:
            return []
        message = "code_plan must list in order the steps of a program that finds this answer"
        return [Problem("NO_CODE_PLAN", message, "code_plan")]
    if turn.open_questions:
        return []
    message = (
        "no tool has observed anything, so this would be a guess: call tools, or ask for what is "
        "missing (the annotation, by its name) in open_questions"
    )
    return [Problem("NO_EVIDENCE", message, "final_answer", turn.final_answer[:60])]


def verify_turn(spec: MissionSpec, request: Request) -> tuple[VerifiedPlan | None, list[Problem]]:
    """Return the verified plan of a turn, or None and the problems of verification."""
    found = examine(spec, request)
    if not found.problems:
        return found.verified_plan(), []
    return None, [_problem_of_call(problem) for problem in found.problems]


def _problem_of_call(problem: Problem) -> Problem:
    """Return a problem whose position names the model's call in place of a node of the plan."""
    match = _PLACE.search(problem.place)
    place = f"call {int(match[1]) + 1}" if match else problem.place
    return Problem(problem.code, problem.message, place, problem.found, problem.allowed)
