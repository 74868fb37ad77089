"""Models of the JSON that a language model writes: plan record, tool calls, final answer.

Codes: ``MISSING_FIELD``, ``UNKNOWN_FIELD``, ``WRONG_TYPE``, ``WRONG_MODE``, ``WRONG_LANGUAGE``,
``CALLS_AND_FINAL``, ``NO_CALLS``, ``TOO_MANY_CALLS``, ``IDS_NOT_IN_ORDER``, ``NOT_SELECTED``,
``EMPTY_FINAL``.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from bt_exec.failure import Problem

__all__ = [
    "LONGEST_ANSWER",
    "MOST_CALLS",
    "Call",
    "Calls",
    "Final",
    "Record",
    "read_record",
    "read_turn",
]

LONGEST_ANSWER = 2000
"""Maximum length of the final answer [characters]."""
MOST_CALLS = 8
"""Maximum number of calls in one turn."""

Text: TypeAlias = Annotated[str, Field(max_length=600)]
Texts: TypeAlias = Annotated[list[Text], Field(max_length=20)]
Language: TypeAlias = Literal["en", "ko"]


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class Target(_Strict):
    """Subject of the question."""

    primary_object: Text
    required_attributes: Texts
    exclusions: Texts
    edge_cases: Texts


class Subtask(_Strict):
    """Part of the work that the request asks for."""

    name: Text
    goal: Text
    suggested_method: Text


class Needs(_Strict):
    """Required capabilities of the tools."""

    needs_localization: bool
    needs_instance_separation: bool
    needs_attribute_reasoning: bool
    preferred_outputs: Texts


class Record(_Strict):
    """Plan record: the model's analysis of the request, before any tool has run."""

    language: Language
    intent_summary: Text
    task_type: Annotated[str, Field(min_length=1, max_length=40)]
    target_definition: Target
    subtasks: Annotated[list[Subtask], Field(min_length=1, max_length=12)]
    tool_requirements: Needs
    verification_checks: Texts
    questions_if_ambiguous: Texts


class Call(_Strict):
    """Call of a tool."""

    id: int
    tool: Annotated[str, Field(min_length=1, max_length=100)]
    parameters: dict[str, Any]
    expected_result: Text = ""


class Calls(_Strict):
    """Turn in which the model calls tools."""

    language: Language
    mode: Literal["tool_calls"]
    selected_tools: Texts
    tool_calls: list[Call]
    open_questions: Texts


class Final(_Strict):
    """Turn with the model's final answer."""

    language: Language
    mode: Literal["final"]
    final_answer: Annotated[str, Field(max_length=LONGEST_ANSWER)]
    open_questions: Texts
    code_plan: Texts = []


def read_record(data: Mapping[str, Any], language: str) -> tuple[Record | None, list[Problem]]:
    """Return the plan record of an analysis, or None and the violations of the format."""
    try:
        record = Record.model_validate(data)
    except ValidationError as error:
        return None, _problems(error)
    return record, _language_problems(record.language, language)


def read_turn(data: Mapping[str, Any], language: str) -> tuple[Calls | Final | None, list[Problem]]:
    """Return a turn (calls or a final answer), or None and the violations of the format."""
    mode = data.get("mode")
    if mode not in ("tool_calls", "final"):
        message = "mode is tool_calls or final"
        return None, [Problem("WRONG_MODE", message, "mode", repr(mode)[:60])]
    if "tool_calls" in data and "final_answer" in data:
        message = "a turn holds tool_calls or final_answer, never both"
        return None, [Problem("CALLS_AND_FINAL", message)]
    try:
        kind = Calls if mode == "tool_calls" else Final
        turn = kind.model_validate(data)
    except ValidationError as error:
        return None, _problems(error)
    problems = _language_problems(turn.language, language)
    if isinstance(turn, Calls):
        problems += _of_calls(turn)
    elif not turn.final_answer.strip():
        problems.append(Problem("EMPTY_FINAL", "final_answer must not be empty", "final_answer"))
    return turn, problems


def _language_problems(found: str, wanted: str) -> list[Problem]:
    if found == wanted:
        return []
    return [
        Problem(
            "WRONG_LANGUAGE", "that is not the request's language", "language", found, (wanted,)
        )
    ]


def _of_calls(turn: Calls) -> list[Problem]:
    problems = []
    calls = turn.tool_calls
    if not calls:
        problems.append(Problem("NO_CALLS", "a turn without calls does nothing", "tool_calls"))
    if len(calls) > MOST_CALLS:
        message = f"at most {MOST_CALLS} calls: only what is needed before the next observation"
        problems.append(Problem("TOO_MANY_CALLS", message, "tool_calls", str(len(calls))))
    ids = [call.id for call in calls]
    if ids != [*range(1, len(calls) + 1)]:
        message = "ids start at 1 and grow by 1, in the order of execution"
        problems.append(Problem("IDS_NOT_IN_ORDER", message, "tool_calls", str(ids)[:60]))
    if set(turn.selected_tools) != {call.tool for call in calls}:
        message = "selected_tools names the tools that are called, and no other"
        found = ", ".join(turn.selected_tools)[:80]
        problems.append(Problem("NOT_SELECTED", message, "selected_tools", found))
    return problems


_CODES = {"missing": "MISSING_FIELD", "extra_forbidden": "UNKNOWN_FIELD"}


def _problems(error: ValidationError) -> list[Problem]:
    return [
        Problem(
            _CODES.get(found["type"], "WRONG_TYPE"),
            str(found["msg"]).lower(),
            ".".join(map(str, found["loc"])),
            "" if found["type"] == "missing" else repr(found["input"])[:60],
        )
        for found in error.errors()[:12]
    ]
