"""Conversion of a server's message, whose content is untrusted, to an answer."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from bt_exec_llm.client.answer_parser import SPEC_KEYS, read_answer
from bt_exec_llm.client.errors import ModelFailure, one_line
from bt_exec_llm.client.model_interface import Answer, Question
from bt_exec_llm.client.output_tiers import TOOL
from bt_exec_llm.client.settings import Tier

__all__ = ["parse_message"]


def parse_message(
    message: Mapping[str, Any], raw: str, question: Question, tier: Tier
) -> tuple[Answer, bool]:
    """Return the answer in a message, without its cost, parsed according to the tier.

    Also return whether the server enforced the output format that the tier requests.

    Raises:
        ModelFailure: If the model refused to answer, or the answer is cut off, empty or not a
            message.
    """
    content = message.get("content")
    stop = one_line(str(message.get("stop_reason") or ""))
    model = one_line(str(message.get("model") or ""))
    if isinstance(content, str):
        content = [{"type": "text", "text": content}]
    if not isinstance(content, list):
        raise ModelFailure("MODEL_BAD_ANSWER", "the answer has no content", raw=raw)
    blocks = [block for block in content if isinstance(block, dict)]
    words = [block["text"] for block in blocks if isinstance(block.get("text"), str)]
    text = "\n".join(words)
    called, given = (False, "") if question.tools else _tool_input(blocks)
    if called:
        # text beside a call may contradict it, so it is kept
        text = f"{text}\n\n{given}" if text.strip() else given
    # replaces lone surrogates, which cannot be encoded
    text = text.encode("utf-8", "replace").decode()
    _check_end(stop, message, text, raw)
    calls = _tool_calls(blocks) if question.tools else []
    if not text.strip() and not calls:
        raise ModelFailure("MODEL_BAD_ANSWER", "the answer is empty", stop_reason=stop, raw=raw)
    answer = Answer(text, stop_reason=stop, model=model, raw=raw)
    if calls:
        return replace(answer, data={"calls": calls}, tier="tool"), True
    if question.schema is None:
        return answer, True
    strict = _is_complete_json(given if called else text, question.schema)
    honoured = tier == "text" or (strict and called == (tier == "tool"))
    properties = question.schema.get("properties")
    keys = tuple(properties) if isinstance(properties, Mapping) else ()
    reading = read_answer(text, keys=(*keys, *(key for key in SPEC_KEYS if key not in keys)))
    data = reading.data if isinstance(reading.data, dict) and reading.complete else None
    got: Tier = "tool" if called else tier if honoured else "text"
    return replace(answer, data=data, tier=got, notes=reading.notes), honoured


def _check_end(stop: str, message: Mapping[str, Any], text: str, raw: str) -> None:
    if stop == "refusal":
        details = message.get("stop_details")
        explanation = details.get("explanation") if isinstance(details, dict) else None
        why = one_line(str(explanation or text or "it gave no reason"))
        raise ModelFailure("MODEL_REFUSED", why, text=text, stop_reason=stop, raw=raw)
    if stop == "max_tokens":
        why = "it is longer than max_tokens"
        raise ModelFailure("MODEL_CUT_OFF", why, text=text, stop_reason=stop, raw=raw)
    if stop == "model_context_window_exceeded":
        why = "prompt and answer together do not fit"
        raise ModelFailure("MODEL_CONTEXT_FULL", why, text=text, stop_reason=stop, raw=raw)


def _tool_input(blocks: list[dict[str, Any]]) -> tuple[bool, str]:
    """Return whether the tool was called, and its input as JSON, one line per call."""
    calls = [block for block in blocks if block.get("type") == "tool_use"]
    named = [block for block in calls if block.get("name") == TOOL] or calls
    if not named:
        return False, ""
    inputs = [call.get("input") for call in named]
    # some servers return the model's text unparsed as the input
    texts = [i if isinstance(i, str) else json.dumps(i, ensure_ascii=False) for i in inputs]
    return True, "\n".join(texts)


def _tool_calls(blocks: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the name and input of each tool call, in order; invalid inputs are not changed."""
    calls = [block for block in blocks if block.get("type") == "tool_use"]
    return [{"name": str(call.get("name")), "input": call.get("input")} for call in calls]


def _is_complete_json(text: str, schema: Mapping[str, Any]) -> bool:
    """Return True if a text is JSON with all required keys of a schema."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return False
    required = schema.get("required")
    if not isinstance(data, dict):
        return schema.get("type") not in (None, "object")
    return all(key in data for key in required) if isinstance(required, list | tuple) else True
