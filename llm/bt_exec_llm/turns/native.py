"""Native tool use of the protocol: tools are declared, calls are returned as blocks.

Calls are converted to the record of the tagged form, so that the same checks apply. A log in the
text beside the calls is read, too.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from bt_exec.failure import Problem
from bt_exec_llm.client import Tool
from bt_exec_llm.turns.checks import TurnTools
from bt_exec_llm.turns.tags import Tagged, log_of

__all__ = ["FINAL", "native_tools", "read_calls"]

FINAL = "final_answer"
_OPEN, _CLOSE = "<analysis_log>", "</analysis_log>"
_LONGEST_DOC = 700
_DOC = (
    "Answer, and end. Call it alone. code_plan: where [KNOWN] asks for it, the steps of "
    "a program that finds this answer again from the picture, in order; else leave it out."
)


def native_tools(ways: TurnTools) -> tuple[Tool, ...]:
    """Return the tools of a site in the protocol's form, and a tool for the answer."""
    tools = [
        Tool(name, " ".join(skill.doc.split())[:_LONGEST_DOC], skill.model.model_json_schema())
        for name, skill in ways.tools.items()
    ]
    schema = {
        "type": "object",
        "properties": {
            "final_answer": {"type": "string"},
            "open_questions": {"type": "array", "items": {"type": "string"}},
            "code_plan": {"type": "array", "items": {"type": "string"}},
        },
        "required": ["final_answer", "open_questions"],
        "additionalProperties": False,
    }
    return (*tools, Tool(FINAL, _DOC, schema))


def read_calls(
    calls: Sequence[Mapping[str, Any]], text: str, language: str, lines: range
) -> Tagged:
    """Return calls as the equivalent record of the tagged form.

    Args:
        calls: Calls with ``name`` and ``input``.
        text: Text beside them.
        language: Language of the request.
        lines: Allowed numbers of lines of a log.
    """
    problems: list[Problem] = []
    log: tuple[str, ...] = ()
    _, opened, rest = text.partition(_OPEN)
    inside, closed, _ = rest.partition(_CLOSE)
    if opened and closed:
        log, problems = log_of(inside, lines)
    inputs = [_input(call.get("input")) for call in calls]
    for call, given in zip(calls, inputs, strict=True):
        if given is None:
            message = "the input of a tool is one JSON object"
            problems.append(Problem("NOT_JSON", message, str(call.get("name"))[:60]))
    names = [str(call.get("name")) for call in calls]
    if FINAL in names and len(names) > 1:
        message = "final_answer is called alone: no tools beside it"
        problems.append(Problem("CALLS_AND_FINAL", message))
    if problems:
        return Tagged(log, None, tuple(problems))
    head = {"language": language}
    if names == [FINAL]:
        return Tagged(log, {**head, "mode": "final", **(inputs[0] or {})}, ())
    data = {
        **head,
        "mode": "tool_calls",
        "selected_tools": [*dict.fromkeys(names)],
        "tool_calls": [
            {"id": number, "tool": name, "parameters": given}
            for number, (name, given) in enumerate(zip(names, inputs, strict=True), 1)
        ],
        "open_questions": [],
    }
    return Tagged(log, data, ())


def _input(given: Any) -> dict[str, Any] | None:
    """Return the input of a call, which streams pass as text."""
    if isinstance(given, str):
        try:
            given = json.loads(given or "{}")
        except (ValueError, RecursionError):
            return None
    return given if isinstance(given, dict) else None
