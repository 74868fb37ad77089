"""Questions about a picture: what somebody who can look at one is, and where to find one.

Packs ask and model packages answer; neither imports the other. A site names who is asked, in the
settings of a pack; installed askers are found through the entry-point group ``bt_exec.askers``: a
callable that takes the settings beside the name and returns an `Asker`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

from bt_exec.plugins import load_plugin

__all__ = ["Asker", "AskerFactory", "Opinion", "find_asker"]

_GROUP = "bt_exec.askers"


@dataclass(frozen=True)
class Opinion:
    """What was answered.

    Attributes:
        data: The answer as plain data, not checked; None if there is none.
        why: Why there is none, in a word or two: ``MODEL_TIMEOUT``.
    """

    data: Mapping[str, Any] | None = None
    why: str = ""


class Asker(Protocol):
    """Looks at a picture and answers; may take seconds, so never inside a tick."""

    def ask(self, image: Any, question: str, schema: Mapping[str, Any]) -> Opinion:
        """Return the answer to `question` about `image`; never raises for a missing answer.

        Args:
            image: RGB, uint8 of shape (height, width, 3).
            question: What is wanted, in English.
            schema: JSON Schema of the answer, an object without recursion.
        """


AskerFactory: TypeAlias = Callable[[Mapping[str, Any]], Asker]


def find_asker(name: str, settings: Mapping[str, Any]) -> Asker:
    """Return the installed asker called `name`, made with `settings`.

    Raises:
        UnknownName: If no installed package registers it.
        UsageError: If it is registered but cannot be imported, or refuses its settings.
    """
    factory: AskerFactory = load_plugin(_GROUP, "asker", name)
    return factory(settings)
