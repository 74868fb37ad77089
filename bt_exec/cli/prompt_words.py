"""Words typed at the prompt of the terminal."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, cast

__all__ = ["asks_why", "command_name", "prompt_words"]


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
    """Return True if a line asks why the last mission ended, as in "why did you stop?".

    A request to ask a person, such as "왜 늦는지 여쭤봐" ("ask why they are late"), is a command.
    """
    said = unicodedata.normalize("NFC", text).casefold().strip()
    asks, carried = "|".join(_read_words()["asks_why"]), "|".join(_read_words()["asks_a_person"])
    return re.match(asks, said) is not None and re.search(carried, said) is None
