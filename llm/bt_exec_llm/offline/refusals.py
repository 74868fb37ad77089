"""Refusals in the language of the command, with the reason and possible commands."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path
from typing import Any

from bt_exec.failure import Refusal
from bt_exec.language.messages import Messages, load_messages
from bt_exec.planning.compiler import Request
from bt_exec_llm.offline.ambiguity_choices import offer_choices
from bt_exec_llm.offline.clarification import (
    clarification_question,
    missing_types,
    understood_commands,
)
from bt_exec_llm.offline.library_index import Index
from bt_exec_llm.offline.number_assignment import parse_number_range
from bt_exec_llm.offline.refusal_codes import RefusalReason
from bt_exec_llm.offline.suggested_utterances import first_utterances, nearest_utterances
from bt_exec_llm.offline.text_normalization import LONGEST, printable

__all__ = ["build_refusal", "example_commands"]

_SHOWN = 3
_ABILITIES = 8
_CASE = re.compile(r"(?<=[가-힣\d]{2})(에서|에게|에|으로|까지|한테|께)$")  # 회의실에 becomes 회의실
_NOT_KNOWN = ("UNKNOWN_OBJECT", "UNKNOWN_ACTION", "UNKNOWN_WORD", "NOT_UNDERSTOOD")
_PLAIN = ("STOP", "HAZARD", "NOTHING_SAID", "NOTHING_LEFT", "CONDITION_END")
"""Codes that are answered without suggestions."""


_sentences = partial(load_messages, Path(__file__).with_name("refusals.yaml"))


def build_refusal(
    trouble: RefusalReason, text: str, request: Request, language: str, index: Index
) -> Refusal:
    """Return the refusal of a normalised command, with suggestions."""
    sentences = _sentences()
    words = printable(trouble.words.strip() or text)
    if trouble.code == "UNKNOWN_OBJECT":
        words = _CASE.sub("", words)
    span = ""
    if trouble.code in ("OUT_OF_RANGE", "NUMBER"):
        hint = index.types.get(trouble.missing[0]) if trouble.hint is None else trouble.hint
        span = _range_text(hint, language, sentences)
    message = sentences.say(trouble.code, language, words=words, longest=LONGEST, range=span)
    if span:
        return Refusal(trouble.code, message, missing=trouble.missing)
    needed = missing_types(trouble, text, index)
    offered, kinds = offer_choices(trouble, text, language, index)
    if offered:
        *first, last = map(_quote, offered)
        asked = sentences.say("CHOOSE", language, names=", ".join(first), last=last)
        message = sentences.say("MISSING", language, words=words, asked=asked)
        needed = kinds or (words,)
        return Refusal(
            trouble.code, message, offered, did_you_mean=offered, missing=needed, question=asked
        )
    near: tuple[str, ...] = ()
    if trouble.code not in _PLAIN:
        near = understood_commands(
            nearest_utterances(text, language, index), language, index, _SHOWN
        )
    if near and not needed:
        message += " " + sentences.say("CAN", language, can=", ".join(map(_quote, near)))
    asked = ""
    if needed:
        asked = clarification_question(needed[0], language, index, request.messages, sentences)
        message = sentences.say("MISSING", language, words=words, asked=asked)
    return Refusal(
        trouble.code,
        message,
        near,
        missing=needed or ((words,) if trouble.code in _NOT_KNOWN and words else ()),
        question=asked,
    )


def example_commands(language: str, index: Index) -> tuple[str, ...]:
    """Return some possible commands, quoted as parts of a sentence."""
    tried = understood_commands(first_utterances(language, index), language, index, _ABILITIES)
    return tuple(map(_quote, tried))


def _range_text(hint: Any, language: str, sentences: Messages) -> str:
    """Return the range of a numeric type in words."""
    _, least, most = parse_number_range(hint)
    code = {(True, True): "BETWEEN", (True, False): "AT_LEAST", (False, True): "AT_MOST"}.get(
        (least is not None, most is not None), "ANY_NUMBER"
    )
    bounds = {"least": least, "most": most}
    return sentences.say(
        code, language, **{key: f"{one:g}" for key, one in bounds.items() if one is not None}
    )


def _quote(utterance: str) -> str:
    """Return an utterance in quotes, with a lower-case initial and without the full stop."""
    text = utterance.strip().rstrip(".")
    return f"“{text[:1].lower()}{text[1:]}”"
