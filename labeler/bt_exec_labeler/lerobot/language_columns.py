"""Conversion of records and actions to the language columns of a LeRobot data set.

``language_persistent`` contains rows with a start time: the mid step as ``subtask``, each record as
``plan``, and the memory of a planner as ``memory``. ``language_events`` contains each recorded
action as a tool call at its first frame; the tools are the operations of the vocabulary.
"""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import metadata
from typing import Any

from bt_exec.failure import UnknownName
from bt_exec_labeler.datasets.rows import span_at
from bt_exec_labeler.episode import Action, Episode
from bt_exec_labeler.lerobot.layout import EVENTS, PERSISTENT, SUBTASK
from bt_exec_labeler.mid_step_spans import spans_of
from bt_exec_labeler.vocabulary import Argument, Vocabulary

__all__ = [
    "FORMS",
    "NONE",
    "LanguageForm",
    "feature_of",
    "form_for_version",
    "language_event",
    "language_features",
    "language_types",
    "persistent_rows",
    "stored_rows",
    "subtask_at",
    "subtasks_of",
    "tools_of",
]

NONE = "(none)"
"""Subtask of frames without a record."""

_EARLY_S = 1e-4  # frame times are single-precision floats
_TYPES = {"text": "string", "number": "number", "integer": "integer", "boolean": "boolean"}


def persistent_rows(rows: Sequence[Mapping[str, Any]], begin: float) -> list[dict[str, Any]]:
    """Return the persistent language rows of an episode, sorted by start time.

    Args:
        rows: Rows of a training set of this episode, by time.
        begin: Time of the first frame [s since the start of the episode].
    """
    found: list[dict[str, Any]] = []
    before = ""
    for row in rows:
        t = max(0.0, row["t"] - begin)
        if row["mid_step_id"] != before:
            found.append(_language_row("subtask", row["mid_step_text"], t))
        found.append(_language_row("plan", row["plan_json"], t))
        if row.get("retrieved_memory", "[]") != "[]":
            found.append(_language_row("memory", row["retrieved_memory"], t))
        before = row["mid_step_id"]
    return sorted(found, key=lambda said: (said["timestamp"], said["style"]))


def subtasks_of(
    rows: Sequence[Mapping[str, Any]], episode: Episode, vocabulary: Vocabulary
) -> list[tuple[float, str]]:
    """Return the mid steps of an episode, each with its start time [s].

    A mid step ends with its span. Parts without a record, such as a failed attempt, are `NONE`.

    Args:
        rows: Rows of a training set of this episode.
        episode: The episode.
        vocabulary: Vocabulary with the mid steps.
    """
    spans = spans_of(episode, vocabulary)
    found: list[tuple[float, str]] = []
    for row in sorted(rows, key=lambda row: float(row["t"])):
        span = span_at(spans, row["t"], row["mid_step_id"])
        if found and found[-1][0] >= row["t"]:  # the previous mid step ends after this one begins
            found.pop()
        found.append((row["t"], row["mid_step_text"]))
        if span is not None:
            found.append((span.end, NONE))
    return found


def subtask_at(subtasks: Sequence[tuple[float, str]], t: float) -> str:
    """Return the text of the mid step at a time [s]."""
    place = bisect_right([begin for begin, _ in subtasks], t + _EARLY_S)
    return subtasks[place - 1][1] if place else NONE


def _language_row(style: str, content: str, t: float) -> dict[str, Any]:
    return {
        "role": "assistant",
        "content": content,
        "style": style,
        "timestamp": t,
        "camera": None,
        "tool_calls": None,
    }


def language_event(action: Action) -> dict[str, Any]:
    """Return an action as a row of ``language_events``."""
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
                    "properties": {
                        key: _argument_schema(arg) for key, arg in operation.args.items()
                    },
                    "required": [key for key, arg in operation.args.items() if arg.required],
                },
            },
        }
        for name, operation in vocabulary.ops.items()
    ]


def _argument_schema(argument: Argument) -> dict[str, Any]:
    bounds = {"minimum": argument.minimum, "maximum": argument.maximum}
    return {
        "type": _TYPES[argument.type],
        **({"enum": list(argument.values)} if argument.values else {}),
        **{name: value for name, value in bounds.items() if value is not None},
    }


@dataclass(frozen=True)
class LanguageForm:
    """Storage form of the language columns in a data set.

    Attributes:
        version: Version of LeRobot that can read the data set.
        text: Whether language rows are stored as JSON text, as required by LeRobot 0.4.
    """

    version: str
    text: bool

    @property
    def card(self) -> str:
        """Section of a data set card about the language columns and compatible versions."""
        how = "JSON text" if self.text else "lists of rows"
        who = "LeRobot 0.4 (Python 3.10 to 3.13)" if self.text else "LeRobot 0.6 (Python 3.12 on)"
        return (
            "## Language\n\n"
            f"- `{PERSISTENT}`: the mid step as `subtask`, each record as `plan`, what a planner "
            f"may remember as `memory`, each from its time on; {how}.\n"
            f"- `{EVENTS}`: tool calls at the frame where they began; {how}.\n"
            f"- `{SUBTASK}`: the mid step of the frame; texts are in `meta/subtasks.parquet`.\n\n"
            f"{who} opens this set.\n"
        )


FORMS = {"0.4": LanguageForm("0.4", text=True), "0.6": LanguageForm("0.6", text=False)}
"""Forms by version of LeRobot."""


def form_for_version(version: str) -> LanguageForm:
    """Return the form for a version; by default for the installed LeRobot, otherwise for 0.6.

    Raises:
        UnknownName: If there is no such form.
    """
    if not version:
        try:
            installed = metadata.version("lerobot")
        except metadata.PackageNotFoundError:
            installed = "0.6"
        old = tuple(map(int, installed.split(".")[:2])) < (0, 6)
        return FORMS["0.4" if old else "0.6"]
    if version not in FORMS:
        raise UnknownName("LeRobot version", version, FORMS)
    return FORMS[version]


def language_types(arrow: Any, form: LanguageForm) -> dict[str, Any]:
    """Return the Arrow types of the two language columns, as declared by LeRobot 0.6."""
    text = arrow.string()
    if form.text:
        return {PERSISTENT: text, EVENTS: text}
    said = [arrow.field("role", text), arrow.field("content", text), arrow.field("style", text)]
    when = [arrow.field("timestamp", arrow.float32())]
    rest = [arrow.field("camera", text), arrow.field("tool_calls", arrow.list_(text))]
    persistent = arrow.list_(arrow.struct([*said, *when, *rest]))
    return {PERSISTENT: persistent, EVENTS: arrow.list_(arrow.struct([*said, *rest]))}


def stored_rows(rows: Sequence[Mapping[str, Any]], form: LanguageForm) -> Any:
    """Return the language rows of a frame in the format of their column."""
    return json.dumps(list(rows), ensure_ascii=False) if form.text else list(rows)


def feature_of(form: LanguageForm) -> dict[str, Any]:
    """Return the entry of a language column in ``meta/info.json``."""
    return {"dtype": "string" if form.text else "language", "shape": [1], "names": None}


def language_features(form: LanguageForm) -> dict[str, Any]:
    """Return the language columns as features of Hugging Face ``datasets``."""
    text, number = ({"dtype": kind, "_type": "Value"} for kind in ("string", "int64"))
    if form.text:
        return {PERSISTENT: text, EVENTS: text, SUBTASK: number}
    calls = {"feature": text, "_type": "List"}
    row = {"role": text, "content": text, "style": text, "camera": text, "tool_calls": calls}
    when = {"timestamp": {"dtype": "float32", "_type": "Value"}}
    order = ("role", "content", "style", "timestamp", "camera", "tool_calls")
    persistent = {name: {**row, **when}[name] for name in order}
    return {
        PERSISTENT: {"feature": persistent, "_type": "List"},
        EVENTS: {"feature": row, "_type": "List"},
        SUBTASK: number,
    }
