"""Refusals: why, in the language of the command, and the nearest things that can be done."""

from __future__ import annotations

import difflib
import re
from functools import lru_cache
from pathlib import Path

from bt_exec.failure import Refusal
from bt_exec.language.messages import Messages
from bt_exec_llm.frames import Index, spoken
from bt_exec_llm.names import name_like
from bt_exec_llm.normalise import LONGEST, printable
from bt_exec_llm.trouble import Trouble

__all__ = ["nearest_utterances", "refuse"]

_SHOWN = 5
_CASE = re.compile(r"(?<=[가-힣\d]{2})(에서|에게|에|으로|까지|한테|께)$")  # 회의실에: 회의실
_UNKNOWN = ("UNKNOWN_OBJECT", "UNKNOWN_WORD")


@lru_cache(maxsize=1)
def _sentences() -> Messages:
    return Messages.load([Path(__file__).with_name("refusals.yaml")])


def refuse(trouble: Trouble, text: str, language: str, index: Index) -> Refusal:
    """Return the refusal of a cleaned command, with what could be said instead."""
    near = () if trouble.code == "STOP" else nearest_utterances(text, language, index)
    sentences = _sentences()
    words = printable(trouble.words)
    if trouble.code == "UNKNOWN_OBJECT":
        words = _CASE.sub("", words)
    message = sentences.say(trouble.code, language, words=words, longest=LONGEST)
    meant = name_like(words, index.lexicon, language) if trouble.code in _UNKNOWN else ""
    if meant:
        message += " " + sentences.say("MEANT", language, meant=meant)
    if near:
        can = ", ".join(spoken(utterance) for utterance in near[:_SHOWN])
        message += " " + sentences.say("CAN", language, can=can)
    return Refusal(trouble.code, message, near)


def nearest_utterances(text: str, language: str, index: Index) -> tuple[str, ...]:
    """Return the first utterance of every tree in `language`, the nearest to `text` first."""
    asked = index.alone(text, language)
    said = set() if asked else {key for frame in index.frames(text, language) for key in frame}
    scores: dict[str, tuple[float, float]] = {}
    firsts: dict[str, str] = {}
    typed = "" if asked else text.casefold()
    for utterance in index.utterances:
        if utterance.language != language:
            continue
        firsts.setdefault(utterance.tree, utterance.text)
        shared = len(said & utterance.words) / max(1, len(utterance.words))
        alike = difflib.SequenceMatcher(None, typed, utterance.text.casefold()).ratio()
        score = (shared, alike if typed else 0.0)
        scores[utterance.tree] = max(scores.get(utterance.tree, score), score)
    order = sorted(scores, key=lambda tree: scores[tree], reverse=True)
    return tuple(firsts[tree] for tree in order)
