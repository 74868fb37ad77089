"""Questions told from commands: what asks for something to be done is a command, however polite."""

from __future__ import annotations

import re
import unicodedata

from bt_exec.language.messages import language_of
from bt_exec_skills.tabletop.environment import Environment
from bt_exec_skills.tabletop.goals.english_questions import read_english_questions
from bt_exec_skills.tabletop.goals.korean_questions import read_korean_questions
from bt_exec_skills.tabletop.goals.model import Trouble
from bt_exec_skills.tabletop.goals.phrases import Words
from bt_exec_skills.tabletop.goals.question import Question
from bt_exec_skills.tabletop.goals.tokens import Token, tokens_of

__all__ = ["cleaned", "question_of"]

_SHORT = re.compile(r"\b(what|which|where|there|how|it|that|everything|anything)'s\b")
_IS_NOT = re.compile(r"^(is|are)n't\b")  # "isn't it …?" asks whether it is


def cleaned(command: str) -> str:
    """Return a command as its words are looked up."""
    return unicodedata.normalize("NFC", command).replace("’", "'").strip().casefold()


def question_of(command: str, now: Environment) -> tuple[Question, str, list[Token]]:
    """Return what a question asks, its text as it was read, and its words.

    Raises:
        Trouble: UNKNOWN_WORD and others of words, or NOT_UNDERSTOOD.
    """
    text = _IS_NOT.sub(r"\1", _SHORT.sub(r"\1 is", cleaned(command)))
    language = language_of(text)
    tokens = tokens_of(text, language, now.objects, now.tables, asking=True)
    read = read_korean_questions if language == "ko" else read_english_questions
    found = read(Words(tokens, text))
    if not found:
        raise Trouble("NOT_UNDERSTOOD")
    return found[0], text, tokens
