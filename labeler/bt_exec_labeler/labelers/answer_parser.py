"""Parsing of a model's answer about several items.

An answer is JSON of the form ``{"items": [{"item": 1, "record": {…}}, …]}``. Nothing is corrected:
an answer that violates the form is sent back with all its breaches. Only `without_wrapping` is
tolerant, because local models write a thinking block before the JSON or put a code fence around it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, get_args

from bt_exec_labeler.labeler_items import Item
from bt_exec_labeler.plan_record import FIELDS, Breach, Record, Terminate, Uncertainty, read_record
from bt_exec_labeler.sources.json_lines_parser import serialisable_value
from bt_exec_labeler.vocabulary import Argument, Operation, Vocabulary
from bt_exec_llm.client.strict_json import KeyTwiceError, strict_json

__all__ = ["answer_schema", "read_records", "without_wrapping"]

_THINKING = re.compile(
    r"\A\s*(?:<(think|thinking|reasoning)>)?.*?</(?(1)\1|think)>\s*", re.DOTALL
)  # some chat templates put the opening tag into the prompt
_FENCE = re.compile(r"\A\s*(```|~~~)[a-zA-Z0-9]*\s*(.*?)\s*\1\s*\Z", re.DOTALL)


def without_wrapping(text: str) -> tuple[str, tuple[str, ...]]:
    """Remove a thinking block and a code fence from an answer; return the removed parts, too.

    Only wrappers around the whole answer are removed. Any other text stays and makes the answer
    invalid.
    """
    found = []
    if thinking := _THINKING.match(text):
        text = text[thinking.end() :]
        found.append("thinking block")
    if fence := _FENCE.match(text):
        text = fence[2]
        found.append("fence")
    return text, tuple(found)


def read_records(
    text: str, asked: Mapping[int, Item], vocabulary: Vocabulary
) -> dict[int, Record | tuple[Breach, ...]]:
    """Return a record or its breaches for every requested item.

    Args:
        text: Answer of the model.
        asked: Requested items by number.
        vocabulary: Vocabulary of the records.
    """
    found = _answer_records(text)
    if isinstance(found, Breach):
        return dict.fromkeys(asked, (found,))
    beside: list[Breach] = []
    by_number: dict[int, list[Any]] = {number: [] for number in asked}
    for at, entry in enumerate(found):
        number = entry.get("item") if isinstance(entry, Mapping) else None
        where = f"items[{at}]"
        if isinstance(number, bool) or not isinstance(number, int):
            beside.append(Breach("NO_ITEM_NUMBER", where, "does not name its item"))
        elif number not in by_number:
            wanted = ", ".join(map(str, asked))
            message = f"is about item {number}; asked about {wanted}"
            beside.append(Breach("UNASKED_ITEM", where, message))
        elif extra := sorted(set(entry) - {"item", "record"}):
            breach = Breach("UNKNOWN_FIELD", f"{where}.{extra[0]}", "allowed: item, record")
            by_number[number].append(breach)
        else:
            by_number[number].append(entry.get("record"))
    results: dict[int, Record | tuple[Breach, ...]] = {}
    for number, item in asked.items():
        entries = by_number[number]
        if len(entries) == 1:
            entry = entries[0]
            results[number] = (
                (entry,)
                if isinstance(entry, Breach)
                else read_record(entry, vocabulary, item.mid_step_id)
            )
        elif entries:
            message = f"item {number} is answered {len(entries)} times"
            results[number] = (Breach("ITEM_TWICE", "items", message),)
        else:
            message = f"item {number} is not answered"
            results[number] = (Breach("ITEM_MISSING", "items", message), *beside)
    if beside:  # the assignment of records to items is uncertain, so none is used
        results = {
            number: (*beside, *(() if isinstance(found, Record) else found))
            for number, found in results.items()
        }
    return results


def _answer_records(text: str) -> Sequence[Any] | Breach:
    """Return the list of records in an answer, or a breach if there is none."""
    try:
        data = serialisable_value(strict_json(text))
    except RecursionError:
        return Breach("NOT_JSON", "answer", "is nested too deeply")
    except KeyTwiceError as error:
        return Breach("KEY_TWICE", "answer", f"has the duplicate key {error}")
    except ValueError as error:
        if "{" in text and not text.lstrip().startswith("{"):
            return Breach("NOT_ONLY_JSON", "answer", "has words around the JSON; write JSON alone")
        return Breach("NOT_JSON", "answer", f"is not JSON: {error}")
    if not isinstance(data, dict) or not isinstance(data.get("items"), list):
        return Breach("NO_ITEMS", "answer", 'must be {"items": [{"item": 1, "record": {…}}, …]}')
    extra = sorted(set(data) - {"items"})
    if extra:
        return Breach("UNKNOWN_FIELD", extra[0], "is not a field; allowed: items")
    items: list[Any] = data["items"]
    return items


def answer_schema(vocabulary: Vocabulary) -> dict[str, Any]:
    """Return the JSON Schema of an answer, for servers with constrained output."""
    goals = [
        _closed_object_schema({"op": {"const": name}, "args": _arguments(op)})
        for name, op in vocabulary.ops.items()
    ]
    fields: dict[str, Any] = {
        "mid_step_id": {"enum": list(vocabulary.mid_steps)},
        "short_goal_dsl": {"type": "array", "items": {"anyOf": goals}},
        "horizon_steps": {"type": "integer"},
        "terminate_on": {"enum": list(get_args(Terminate))},
        "done_evidence": {"type": "array", "items": {"enum": list(vocabulary.done_evidence)}},
        "fallback_if_failed": {
            "type": "array",
            "items": {"enum": list(vocabulary.fallbacks)} if vocabulary.fallbacks else False,
        },
        "uncertainty": {"enum": list(get_args(Uncertainty))},
    }
    record = _closed_object_schema({name: fields[name] for name in FIELDS})
    entry = _closed_object_schema({"item": {"type": "integer"}, "record": record})
    return _closed_object_schema({"items": {"type": "array", "items": entry}})


def _arguments(op: Operation) -> dict[str, Any]:
    required = [key for key, argument in op.args.items() if argument.required]
    return _closed_object_schema(
        {key: _argument_schema(argument) for key, argument in op.args.items()}, required
    )


def _closed_object_schema(
    properties: dict[str, Any], required: list[str] | None = None
) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": properties,
        "required": list(properties) if required is None else required,
        "additionalProperties": False,
    }


def _argument_schema(argument: Argument) -> dict[str, Any]:
    if argument.values:
        return {"enum": list(argument.values)}
    return {"type": {"text": "string"}.get(argument.type, argument.type)}
