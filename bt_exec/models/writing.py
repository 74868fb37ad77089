"""Text generation by a model, such as programs: the protocol, and the lookup of installed ones.

Packs say what is to be written and judge what came; model packages write; neither imports the
other. A site names who writes in the settings of a pack; installed ones are found through the group
``bt_exec.writers``: a callable that takes the settings beside the name and returns a `Writer`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol, TypeAlias

from bt_exec.plugins import load_plugin

__all__ = ["CUT_OFF", "Writer", "WriterFactory", "Written", "find_writer"]

_GROUP = "bt_exec.writers"

CUT_OFF = "MODEL_CUT_OFF"
"""Why there is no text: it was longer than the writer may write."""


@dataclass(frozen=True)
class Written:
    """Generated text.

    Attributes:
        text: As it came, not checked; None if nothing came.
        why: Why nothing came, as a code: ``MODEL_TIMEOUT``.
        model: Who wrote it, by the server's own name.
        usage: What it cost, by the names of `bt_exec.planning.compiler.Plan.usage`.
    """

    text: str | None = None
    why: str = ""
    model: str = ""
    usage: Mapping[str, float] = field(default_factory=dict)


class Writer(Protocol):
    """Text generator; may take minutes, so never inside a tick."""

    def write(self, role: str, said: Sequence[str]) -> Written:
        """Return what is written; never raises for a missing text.

        Args:
            role: Who the writer is, and what form its text has.
            said: The dialogue: what is asked, then in turn what was written and what was said of
                it; the last one is ours.
        """


WriterFactory: TypeAlias = Callable[[Mapping[str, object]], Writer]


def find_writer(name: str, settings: Mapping[str, object]) -> Writer:
    """Return the installed writer called `name`, made with `settings`.

    Raises:
        UnknownName: If no installed package registers it.
        UsageError: If it is registered but cannot be imported, or refuses its settings.
    """
    factory: WriterFactory = load_plugin(_GROUP, "writer", name)
    return factory(settings)
