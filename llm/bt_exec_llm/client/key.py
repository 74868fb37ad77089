"""The key: from the environment to the SDK, and nowhere else."""

from __future__ import annotations

import json
import os
import re
from typing import Any

from bt_exec_llm.client.errors import ModelFailure
from bt_exec_llm.client.settings import ModelSettings

__all__ = ["Key"]

_NONE = "no-key-needed"
_SHORTEST = 8


class Key:
    """A key that shows nothing of itself.

    Args:
        settings: Name the environment variable, or none.

    Raises:
        ModelFailure: With ``MODEL_NO_KEY``, if the variable holds none.
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
            raise ModelFailure("MODEL_NO_KEY", f"{variable}: what stands there is no key")
        if len(self.__key) >= _SHORTEST:
            self.__seen = re.compile("".join(map(_written, self.__key)))

    def reveal(self) -> str:
        """Return what the server wants to see; some text if it wants to see nothing."""
        return self.__key

    def hide(self, text: str) -> str:
        """Return `text` without the key, should a server repeat it, escaped or not."""
        return text if self.__seen is None else self.__seen.sub("[key]", text)

    def hide_in(self, data: Any) -> Any:
        """Return data that came as JSON without the key, wherever in it that stood."""
        return json.loads(self.hide(json.dumps(data, ensure_ascii=False)))

    def clean(self, failure: ModelFailure) -> ModelFailure:
        """Return the same failure without the key, and without what led to it."""
        return ModelFailure(
            failure.code,
            self.hide(failure.message),
            http_status=failure.http_status,
            retry_after_s=failure.retry_after_s,
            text=self.hide(failure.text),
            stop_reason=failure.stop_reason,
            raw=self.hide(failure.raw),
        )


def _written(char: str) -> str:
    r"""Return the pattern of a character as JSON and YAML write it: ``-``, ``\u002d``, ``\x2D``.

    Text within text has more backslashes; their number is bounded, as is the time to search.
    """
    return rf"\\{{0,8}}(?:{re.escape(char)}|[uUx]0{{0,6}}(?i:{ord(char):x}))"
