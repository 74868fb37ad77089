"""Words typed at the terminal: those of the prompt, and answers to yes-or-no questions."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, cast

__all__ = ["asks_why", "command_name", "is_no", "is_yes", "prompt_words"]


@cache
def _read_words() -> Mapping[str, Any]:
    from bt_exec.spec.shipped_yaml import read_yaml

    return cast(Mapping[str, Any], read_yaml(Path(__file__).with_suffix(".yaml")))


def prompt_words() -> Mapping[str, tuple[str, ...]]:
    """Return the words of the prompt by their effect, such as help, status, reset and quit."""
    return {name: tuple(words) for name, words in _read_words()["prompt"].items()}


def command_name(word: str) -> str:
    """Return the name of the command that a word means; other words are returned unchanged."""
    return str(_read_words()["commands"].get(word, word))


def asks_why(text: str) -> bool:
    """Return True if a line asks why the last mission ended: "why did you stop?", "왜 멈췄어?".

    A request to ask a person such a question ("왜 늦는지 여쭤봐") is a command and does not count.
    """
    said = unicodedata.normalize("NFC", text).casefold().strip()
    asks, carried = "|".join(_read_words()["asks_why"]), "|".join(_read_words()["asks_a_person"])
    return re.match(asks, said) is not None and re.search(carried, said) is None


def is_yes(answer: str) -> bool:
    """Return True if an answer means yes."""
    return _normalized(answer) in _read_words()["yes"]


def is_no(answer: str) -> bool:
    """Return True if an answer means no."""
    return _normalized(answer) in _read_words()["no"]


def _normalized(answer: str) -> str:
    return answer.casefold().strip().strip(" .!")
