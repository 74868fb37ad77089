"""Labelers: from the moments of an episode to plan records. Found by entry point.

The group is ``bt_exec_labeler.labelers``: a callable that takes a `LabelerSettings` and returns a
`Labeler`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias

from bt_exec.plugins import load_plugin, plugin_names
from bt_exec_labeler.items import Item, Role
from bt_exec_labeler.record import Breach, Record
from bt_exec_labeler.vocabulary import Vocabulary

__all__ = [
    "Labeler",
    "LabelerFailure",
    "LabelerSettings",
    "Labelled",
    "find_labeler",
    "labeler_names",
]

_GROUP = "bt_exec_labeler.labelers"


@dataclass(frozen=True)
class Labelled:
    """What became of one item.

    Attributes:
        record: The record, or None: it was dropped.
        breaches: Why it was dropped.
        attempts: How often it was asked about.
        provenance: Who said it: model, prompt digest, share of the cost. Never inside a record.
    """

    record: Record | None
    breaches: tuple[Breach, ...] = ()
    attempts: int = 1
    provenance: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class LabelerSettings:
    """What a labeler is made with.

    Attributes:
        role: For whom it labels.
        vocabulary: What it may say.
        options: Its own settings, checked by itself.
    """

    role: Role
    vocabulary: Vocabulary
    options: Mapping[str, Any] = field(default_factory=dict)


class Labeler(Protocol):
    """Labels moments; several threads may ask at the same time."""

    @property
    def name(self) -> str:
        """Its name: ``rules``, ``model``."""

    def label(self, items: Sequence[Item]) -> Sequence[Labelled]:
        """Return what became of each item, in their order.

        Raises:
            LabelerFailure: If nothing can be said of any of them now: a server that is away.
        """

    def usage(self) -> Mapping[str, float]:
        """Return what all calls so far cost, by kind: requests, tokens, cost."""


class LabelerFailure(Exception):  # noqa: N818 - a batch that failed, not an error of the program
    """Raised when a batch got no answer; the items stay to be done.

    Args:
        code: Stable name.
        message: What a person should know.
    """

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code


LabelerFactory: TypeAlias = Callable[[LabelerSettings], Labeler]


def labeler_names() -> tuple[str, ...]:
    """Return the names of all installed labelers."""
    return plugin_names(_GROUP, "labeler")


def find_labeler(name: str, settings: LabelerSettings) -> Labeler:
    """Return the installed labeler called `name`.

    Raises:
        UnknownName: If no installed package registers it.
        UsageError: If it cannot be imported, or refuses its settings.
    """
    factory: LabelerFactory = load_plugin(_GROUP, "labeler", name)
    return factory(settings)
