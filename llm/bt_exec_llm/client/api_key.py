"""API key from the environment, and its removal from all texts except requests."""

from __future__ import annotations

import base64
import os
import re
from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

from bt_exec_llm.client.errors import ModelFailure
from bt_exec_llm.client.settings import ModelSettings

__all__ = ["Key"]

_NONE = "no-key-needed"
_SHORTEST = 8


class Key:
    """API key whose string forms do not reveal it.

    Args:
        settings: Settings with the name of the environment variable, if a key is needed.

    Raises:
        ModelFailure: With ``MODEL_NO_KEY``, if the variable is not set.
    """

    def __init__(self, settings: ModelSettings) -> None:
        variable = settings.key_variable
        self.__key = _NONE
        self.__seen: re.Pattern[str] | None = None
        if variable is None:
            return
        self.__key = os.environ.get(variable, "").strip()
        if not self.__key:
            raise ModelFailure("MODEL_NO_KEY", f"{variable}: set this environment variable")
        if not self.__key.isascii() or not self.__key.isprintable():
            raise ModelFailure("MODEL_NO_KEY", f"{variable}: the value is not a valid API key")
        if len(self.__key) >= _SHORTEST:
            self.__seen = re.compile("|".join(_key_patterns(self.__key)))

    def reveal(self) -> str:
        """Return the key, or a placeholder if the server needs no key."""
        return self.__key

    def hide(self, text: str) -> str:
        """Return `text` with ``[key]`` in place of the key, also if it is encoded or reversed."""
        return text if self.__seen is None else self.__seen.sub("[key]", text)

    def hide_in(self, data: Any) -> Any:
        """Return JSON data with the key removed everywhere.

        Neighbouring strings are also searched together, because the key may be split between them.
        """
        if self.__seen is None:
            return data
        if isinstance(data, str):
            return self.hide(data)
        if isinstance(data, dict):
            return {self.hide(key): self.hide_in(value) for key, value in data.items()}
        if not isinstance(data, list):
            return data
        redacted = [self.hide_in(value) for value in data]
        pieces = [_words(value) for value in redacted]
        if self.__seen.search("".join(pieces)) is not None:
            return [
                _without_words(v) if piece else v for v, piece in zip(redacted, pieces, strict=True)
            ]
        return redacted

    def without_key(self, failure: ModelFailure) -> ModelFailure:
        """Return the same failure without the key and without its cause."""
        return ModelFailure(
            failure.code,
            self.hide(failure.message),
            http_status=failure.http_status,
            retry_after_s=failure.retry_after_s,
            text=self.hide(failure.text),
            stop_reason=failure.stop_reason,
            raw=self.hide(failure.raw),
        )


def _key_patterns(key: str) -> Iterator[str]:
    """Yield regular expressions for the key: plain, reversed, base64, hexadecimal, percent-encoded.

    The plain and reversed patterns allow up to three separators between two characters. Every
    pattern starts with a fixed character, so the search time is bounded.
    """
    for text in (key, key[::-1]):
        yield _BETWEEN.join(map(_character_pattern, text))
    for shift in range(3):  # the base64 characters depend on the offset of the key modulo 3
        encoded = base64.b64encode(b"\0" * shift + key.encode()).decode().rstrip("=")
        inner = encoded[4 if shift else 0 : len(encoded) - 1]
        yield re.escape(inner)
        yield re.escape(inner.translate(_URL_SAFE))
    yield "(?i:" + key.encode().hex() + ")"
    everything = "".join(f"%{ord(char):02x}" for char in key)
    yield f"(?i:{everything})"
    if (encoded := quote(key, safe="")) != key:
        yield f"(?i:{re.escape(encoded)})"


_BETWEEN = r"[\s,;|_.\"'+*/-]{0,3}?"
"""Separators between two characters of a spelt-out key."""
_URL_SAFE = str.maketrans("+/", "-_")


def _words(value: Any) -> str:
    text = value.get("text") if isinstance(value, dict) else value
    return text if isinstance(text, str) else ""


def _without_words(value: Any) -> Any:
    return {**value, "text": "[key]"} if isinstance(value, dict) else "[key]"


def _character_pattern(char: str) -> str:
    r"""Return the pattern of a character as JSON and YAML write it: ``-``, ``\u002d``, ``\x2D``.

    Nested escapes have more backslashes. Their number is limited to bound the search time.
    """
    return rf"\\{{0,8}}(?:{re.escape(char)}|[uUx]0{{0,6}}(?i:{ord(char):x}))"
