"""Text generation by a model, such as programs: the protocol, and lookup of plugins.

Packs request texts and judge them; model packages write them; neither imports the other. The
settings of a pack in a site file name the writer. Writers are found through the entry-point group
``bt_exec.writers``: a callable that takes the remaining settings and returns a `Writer`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeAlias

from bt_exec.plugins import load_plugin

__all__ = ["CUT_OFF", "Writer", "WriterFactory", "Written", "find_writer"]

_GROUP = "bt_exec.writers"

CUT_OFF = "MODEL_CUT_OFF"
"""Code of a missing text that exceeded the writer's length limit."""


@dataclass(frozen=True)
class Written:
    """Generated text.

    Attributes:
        text: The text as generated, unchecked; None if there is none.
        why: Why there is no text, as a code: ``MODEL_TIMEOUT``.
        model: Name of the model, as reported by its server.
        usage: Cost, by the names of `bt_exec.planning.compiler.Plan.usage`.
    """

    text: str | None = None
    why: str = ""
    model: str = ""
    usage: Mapping[str, float] = field(default_factory=dict)


class Writer(Protocol):
    """Text generator. It may take minutes: never call it in a tick."""

    def write(self, role: str, said: Sequence[str]) -> Written:
        """Return the generated text; never raises for a missing one.

        Args:
            role: System prompt: the writer's role and the form of the text.
            said: Alternating messages: the request, then each text and the comment on it; the last
                message is the caller's.
        """


WriterFactory: TypeAlias = Callable[[Mapping[str, object]], Writer]


def find_writer(name: str, settings: Mapping[str, object]) -> Writer:
    """Return the installed writer called `name`, created with `settings`.

    Raises:
        UnknownName: If no installed package registers it.
        UsageError: If it is registered but cannot be imported, or rejects its settings.
    """
    factory: WriterFactory = load_plugin(_GROUP, "writer", name)
    return factory(settings)
