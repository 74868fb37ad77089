"""Stop action of a guardian (a command or a function), and its time limit."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

__all__ = ["WITHIN_S", "Guard"]

WITHIN_S = 3.0
"""Default of `Guard.within_s` [s]."""

_FUNCTION = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*:[A-Za-z_]\w*(\.[A-Za-z_]\w*)*")


@dataclass(frozen=True)
class Guard:
    """A stop action for a robot that is independent of the driving process.

    It runs in separate processes, possibly several times in a row or while the robot is at rest.

    Attributes:
        stop: ``"module:function"``, the function itself, a command line, or its words. A command
            succeeds with exit code 0, a function if it does not raise. They must not rely on
            the state of the process that drives the robot.
        args: Arguments of the function: strings and numbers.
        within_s: Time without a heartbeat after which the robot is stopped [s].

    Raises:
        ValueError: If `stop` has an unsupported form.
    """

    stop: str | Sequence[str] | Callable[..., object]
    args: tuple[str | int | float, ...] = ()
    within_s: float = WITHIN_S
    data: dict[str, Any] = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        if not 0.05 <= self.within_s <= 60:
            raise ValueError(f"within must be 0.05 to 60 s; found {self.within_s:g}")
        object.__setattr__(self, "data", self._process_settings())

    def _process_settings(self) -> dict[str, Any]:
        """Return `stop` and `args` in the form that the guardian process expects."""
        stop: Any = self.stop
        if callable(stop):
            module = getattr(stop, "__module__", "?")
            name = f"{module}:{getattr(stop, '__qualname__', '?')}"
            if module == "__main__" or not _FUNCTION.fullmatch(name):
                raise ValueError(f"stop must be a function of a module; found {name}")
            stop = name
        words = shlex.split(stop) if isinstance(stop, str) else stop
        words = list(words) if isinstance(words, list | tuple) else []
        if not words or not all(isinstance(word, str) and word for word in words):
            raise ValueError(
                "stop must be a command (a line, or a list of words) or module:function; "
                f"found {self.stop!r:.80}"
            )
        if len(words) == 1 and _FUNCTION.fullmatch(words[0]):
            return {"call": words[0], "args": list(self.args)}
        if self.args:
            raise ValueError(
                "args can be given only for a function; write the arguments of a command after "
                "its name"
            )
        return {"command": words}
