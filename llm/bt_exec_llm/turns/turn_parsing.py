"""Parsers for the two formats of a model's turn: text with two tags, or native tool calls.

Codes: ``NO_ANALYSIS_LOG``, ``NO_PLAN_JSON``, ``TAG_TWICE``, ``TAG_NOT_CLOSED``,
``TAGS_OUT_OF_ORDER``, ``TEXT_OUTSIDE_TAGS``, ``TOO_LONG``, ``LOG_LINES``, ``LOG_STEP``,
``NOT_JSON``, ``KEY_TWICE``, ``TOO_DEEP``, ``NOT_AN_OBJECT``. Nothing is repaired: violations are
sent back to the model. Only thinking sections (``<think>``) are removed.

Parsing takes time linear in the length of the answer.

Native calls are converted to the data of the tagged format, so that the same checks apply. If the
text beside the calls contains a log, the log is parsed, too.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from bt_exec.failure import Problem
from bt_exec_llm.client import Tool
from bt_exec_llm.client.documents_in_answer import without_thoughts
from bt_exec_llm.client.strict_json import KeyTwiceError, strict_json
from bt_exec_llm.turns.turn_checks import TurnTools

__all__ = ["FINAL", "LONGEST", "Tagged", "native_tools", "parse_log", "parse_tags", "read_calls"]


LONGEST = 64 * 1024
"""Maximum length of an answer [characters]."""
_LONGEST_LINE = 600
_TAGS = ("analysis_log", "plan_json")
_TAG = re.compile(r"<(/?)(analysis_log|plan_json)>")
_STEP = re.compile(r"Step (\d{1,2}): ?\S")
_DEEPEST = 12


class Tagged(NamedTuple):
    """Parsed answer in the tagged format.

    Attributes:
        log: Non-empty lines of the log.
        data: Data of the JSON object; None if it cannot be parsed.
        problems: All violations of the format.
    """

    log: tuple[str, ...]
    data: dict[str, Any] | None
    problems: tuple[Problem, ...]


def parse_tags(text: str, lines: range) -> Tagged:
    """Return the log and the data of an answer, and its violations of the format.

    Args:
        text: Text of the model.
        lines: Allowed numbers of lines in the log.
    """
    if len(text) > LONGEST:
        message = f"the answer is longer than {LONGEST} characters"
        return Tagged((), None, (Problem("TOO_LONG", message, found=str(len(text))),))
    text, _ = without_thoughts(text)
    parts, problems = _tag_contents(text)
    log: tuple[str, ...] = ()
    data = None
    if "analysis_log" in parts:
        log, wrong = parse_log(parts["analysis_log"], lines)
        problems += wrong
    if "plan_json" in parts:
        data, wrong = _parse_strict_json(parts["plan_json"])
        problems += wrong
    return Tagged(log, data, tuple(problems))


def _tag_contents(text: str) -> tuple[dict[str, str], list[Problem]]:
    """Return the content of each tag, and the problems of the tags."""
    problems: list[Problem] = []
    parts: dict[str, str] = {}
    outside: list[str] = []
    place, inside, start = 0, "", 0
    for tag in _TAG.finditer(text):
        name, closes = tag[2], bool(tag[1])
        if inside:
            if not (closes and name == inside):
                continue  # another tag between start and end tag belongs to the text
            parts.setdefault(inside, text[start : tag.start()])
            inside, place = "", tag.end()
            continue
        outside.append(text[place : tag.start()])
        place = tag.end()
        if closes:
            message = f"</{name}> closes nothing"
            problems.append(Problem("TAG_NOT_CLOSED", message, found=tag[0]))
            continue
        if name in parts:
            problems.append(Problem("TAG_TWICE", f"<{name}> occurs twice", found=tag[0]))
        inside, start = name, tag.end()
    if inside:
        message = f"<{inside}> is not closed"
        problems.append(Problem("TAG_NOT_CLOSED", message, found=f"<{inside}>"))
    else:
        outside.append(text[place:])
    seen = [name for name in parts if name in _TAGS]
    if seen == [*reversed(_TAGS)]:
        message = "<analysis_log> comes first, then <plan_json>"
        problems.append(Problem("TAGS_OUT_OF_ORDER", message, found=", ".join(seen)))
    words = " ".join(" ".join(outside).split())
    if words:
        message = "there is text outside the two tags"
        problems.append(Problem("TEXT_OUTSIDE_TAGS", message, found=words[:80]))
    for name in _TAGS:
        if name not in parts and name != inside:
            code = "NO_ANALYSIS_LOG" if name == "analysis_log" else "NO_PLAN_JSON"
            problems.append(Problem(code, f"missing <{name}> … </{name}>"))
    return parts, problems


def parse_log(text: str, counts: range) -> tuple[tuple[str, ...], list[Problem]]:
    """Return the lines of a log, and its problems.

    Args:
        text: The log as written.
        counts: Allowed numbers of lines.
    """
    found = tuple(line.strip() for line in text.splitlines() if line.strip())
    problems = []
    if len(found) not in counts:
        message = f"the log has {counts.start} to {counts.stop - 1} lines"
        problems.append(Problem("LOG_LINES", message, found=str(len(found))))
    for number, line in enumerate(found[: counts.stop], 1):
        step = _STEP.match(line)
        if step is None or int(step[1]) != number or len(line) > _LONGEST_LINE:
            message = f'line {number} of the log begins with "Step {number}:" and states one fact'
            problems.append(Problem("LOG_STEP", message, found=line[:60]))
            break
    return found[: counts.stop - 1], problems


def _parse_strict_json(text: str) -> tuple[dict[str, Any] | None, list[Problem]]:
    """Return the object in a strict JSON text, or None and its problems."""
    try:
        data = strict_json(text)
    except KeyTwiceError as error:
        return None, [Problem("KEY_TWICE", "a key is duplicated", found=str(error)[:60])]
    except RecursionError:
        return None, [Problem("TOO_DEEP", f"more than {_DEEPEST} levels")]
    except ValueError as error:
        why = "strict JSON: no fences, no comments, no trailing commas"
        return None, [Problem("NOT_JSON", why, found=str(error)[:80])]
    if not isinstance(data, dict):
        return None, [
            Problem("NOT_AN_OBJECT", "the JSON must be a single object", found=repr(data)[:40])
        ]
    if any(depth > _DEEPEST for depth in _nesting_levels(data)):
        return None, [Problem("TOO_DEEP", f"more than {_DEEPEST} levels")]
    return data, []


def _nesting_levels(data: Any) -> Iterator[int]:
    """Yield 1, 2, … for each nesting level of data; computed without recursion."""
    level, depth = [data], 0
    while level:
        depth += 1
        yield depth
        level = [
            inner
            for value in level
            for inner in (
                value.values()
                if isinstance(value, dict)
                else value
                if isinstance(value, list)
                else ()
            )
        ]


FINAL = "final_answer"
_OPEN, _CLOSE = "<analysis_log>", "</analysis_log>"
_LONGEST_DOC = 700
_DOC = (
    "Answer, and end. Call it alone. code_plan: where [KNOWN] asks for it, the steps of "
    "a program that finds this answer again from the picture, in order; else leave it out."
)


def native_tools(ways: TurnTools) -> tuple[Tool, ...]:
    """Return the tools of a site and a tool for the final answer, as sent to the server."""
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
    """Return native calls converted to the tagged format.

    Args:
        calls: Calls with ``name`` and ``input``.
        text: Text beside the calls.
        language: Language of the request.
        lines: Allowed numbers of lines in the log.
    """
    problems: list[Problem] = []
    log: tuple[str, ...] = ()
    _, opened, rest = text.partition(_OPEN)
    inside, closed, _ = rest.partition(_CLOSE)
    if opened and closed:
        log, problems = parse_log(inside, lines)
    inputs = [_input_data(call.get("input")) for call in calls]
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


def _input_data(given: Any) -> dict[str, Any] | None:
    """Return the input of a call, which may be JSON text, as a mapping; None if it is invalid."""
    if isinstance(given, str):
        try:
            given = json.loads(given or "{}")
        except (ValueError, RecursionError):
            return None
    return given if isinstance(given, dict) else None
