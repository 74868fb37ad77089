"""Refusals: why, in the language of the command, and the nearest things that can be done."""

from __future__ import annotations

import difflib
import re
import unicodedata
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from bt_exec.failure import Refusal
from bt_exec.language.messages import Messages
from bt_exec_llm.offline.text import LONGEST, printable
from bt_exec_llm.offline.trouble import Trouble

if TYPE_CHECKING:
    from bt_exec_llm.offline.compiler import Index

__all__ = ["nearest_utterances", "refuse"]

_SHOWN = 3
_ALIKE = 0.75  # of two words, so that one can be a slip of the other
_CASE = re.compile(r"(?<=[가-힣\d]{2})(에서|에게|에|으로|까지|한테|께)$")  # 회의실에: 회의실
_MISSING = ("UNKNOWN_ACTION", "NO_OBJECT", "NO_ACTION", "NO_REFERENT")
_UNKNOWN = ("UNKNOWN_OBJECT", "UNKNOWN_WORD", "NOT_UNDERSTOOD")


@lru_cache(maxsize=1)
def _sentences() -> Messages:
    return Messages.load([Path(__file__).with_name("refusals.yaml")])


def refuse(trouble: Trouble, text: str, language: str, index: Index) -> Refusal:
    """Return the refusal of a cleaned command, with what could be said instead."""
    near = () if trouble.code in ("STOP", "COURTESY") else nearest_utterances(text, language, index)
    sentences = _sentences()
    words = printable(trouble.words)
    if trouble.code == "UNKNOWN_OBJECT":
        words = _CASE.sub("", words)
    message = sentences.say(trouble.code, language, words=words, longest=LONGEST)
    meant = _name_like(words, index, language) if trouble.code in _UNKNOWN else ""
    if meant:
        message += " " + sentences.say("MEANT", language, meant=meant)
    if near:
        can = ", ".join(_spoken(utterance) for utterance in near[:_SHOWN])
        message += " " + sentences.say("CAN", language, can=can)
    missing = (words,) if trouble.code in (*_UNKNOWN, *_MISSING) and words else ()
    return Refusal(
        trouble.code, message, near, did_you_mean=(meant,) if meant else (), missing=missing
    )


def nearest_utterances(text: str, language: str, index: Index) -> tuple[str, ...]:
    """Return the first utterance of every tree in `language`, the nearest to `text` first."""
    scores: dict[str, float] = {}
    firsts: dict[str, str] = {}
    typed = text.casefold()[:LONGEST]
    for tree, utterance, spoken in index.frames.utterances:
        if spoken != language or tree in index.reader.lexicon.follows:
            continue
        firsts.setdefault(tree, utterance)
        alike = difflib.SequenceMatcher(None, typed, utterance.casefold()).ratio() if typed else 0.0
        scores[tree] = max(scores.get(tree, 0.0), alike)
    order = sorted(scores, key=lambda tree: scores[tree], reverse=True)
    return tuple(firsts[tree] for tree in order)


def _spoken(utterance: str) -> str:
    """Return an utterance as part of a sentence: small, without its full stop."""
    text = utterance.strip().rstrip(".")
    return text[:1].lower() + text[1:]


def _name_like(word: str, index: Index, language: str) -> str:
    """Return the name that `word` may be a slip of, or nothing; the first letter must be right."""
    if language == "ko" and len(word) > 2 and word[-1] in "을를이가은는에":
        word = word[:-1]
    typed = _letters(word)
    vocabulary = index.reader.vocabulary
    if language == "ko":
        names = {
            _letters(name): name
            for name, entries in vocabulary.korean.items()
            if any(e.kind in ("noun", "value") for e in entries)
        }
    else:
        names = {
            _letters(" ".join(words)): " ".join(words)
            for words, entries in vocabulary.english.entries.items()
            if any(e.kind in ("noun", "value") for e in entries)
        }
    near = [key for key in names if key[:1] == typed[:1] and abs(len(key) - len(typed)) < 4]
    found = difflib.get_close_matches(typed, near, 1, _ALIKE)
    return names[found[0]] if found and found[0] != typed else ""


def _letters(word: str) -> str:
    """Return a word in small letters; Hangul in single ones, for fingers slip on these."""
    return unicodedata.normalize("NFD", word.casefold())
