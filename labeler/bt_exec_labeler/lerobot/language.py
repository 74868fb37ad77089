"""Records as the language of a LeRobot data set: columns, and the tools that are called.

``language_persistent``: the mid step as ``subtask`` from where it began, each record as ``plan``
from its moment, what a planner may remember as ``memory``. ``language_events``: each recorded
action as a tool call at the frame where it began; the tools are the operations of the vocabulary.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from bt_exec_labeler.episode import Action
from bt_exec_labeler.vocabulary import Argument, Vocabulary

__all__ = ["call_of", "language_types", "persistent_of", "tools_of"]

_TYPES = {"text": "string", "number": "number", "integer": "integer", "boolean": "boolean"}


def persistent_of(rows: Sequence[Mapping[str, Any]], begin: float) -> list[dict[str, Any]]:
    """Return the language that holds in an episode, by the time from which it holds.

    Args:
        rows: Rows of a training set of this episode, by time.
        begin: When its first frame was taken [s since the episode began].
    """
    found: list[dict[str, Any]] = []
    before = ""
    for row in rows:
        t = max(0.0, row["t"] - begin)
        if row["mid_step_id"] != before:
            found.append(_said("subtask", row["mid_step_text"], t))
        found.append(_said("plan", row["plan_json"], t))
        if row.get("retrieved_memory", "[]") != "[]":
            found.append(_said("memory", row["retrieved_memory"], t))
        before = row["mid_step_id"]
    return sorted(found, key=lambda said: (said["timestamp"], said["style"]))


def _said(style: str, content: str, t: float) -> dict[str, Any]:
    return {
        "role": "assistant",
        "content": content,
        "style": style,
        "timestamp": t,
        "camera": None,
        "tool_calls": None,
    }


def call_of(action: Action) -> dict[str, Any]:
    """Return an action as a language event."""
    function = {"name": action.op, "arguments": dict(action.args)}
    call = json.dumps({"type": "function", "function": function}, ensure_ascii=False)
    return {
        "role": "assistant",
        "content": None,
        "style": None,
        "camera": None,
        "tool_calls": [call],
    }


def tools_of(vocabulary: Vocabulary) -> list[dict[str, Any]]:
    """Return the operations as tools, each with the JSON schema of its arguments."""
    return [
        {
            "type": "function",
            "function": {
                "name": name,
                "description": operation.text,
                "parameters": {
                    "type": "object",
                    "properties": {key: _schema(arg) for key, arg in operation.args.items()},
                    "required": [key for key, arg in operation.args.items() if arg.required],
                },
            },
        }
        for name, operation in vocabulary.ops.items()
    ]


def _schema(argument: Argument) -> dict[str, Any]:
    bounds = {"minimum": argument.minimum, "maximum": argument.maximum}
    return {
        "type": _TYPES[argument.type],
        **({"enum": list(argument.values)} if argument.values else {}),
        **{name: value for name, value in bounds.items() if value is not None},
    }


def language_types(arrow: Any) -> tuple[Any, Any]:
    """Return the Arrow types of the two columns, as LeRobot 0.6 declares them; JSON is text."""
    text = arrow.string()
    said = [arrow.field("role", text), arrow.field("content", text), arrow.field("style", text)]
    when = [arrow.field("timestamp", arrow.float32())]
    rest = [arrow.field("camera", text), arrow.field("tool_calls", arrow.list_(text))]
    persistent = arrow.list_(arrow.struct([*said, *when, *rest]))
    return persistent, arrow.list_(arrow.struct([*said, *rest]))
