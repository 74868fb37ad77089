"""Visual question answering: the protocol of models, and lookup of plugins.

Packs ask questions and model packages answer them; neither imports the other. The settings of a
pack in a site file name the model. Models are found through the entry-point group
``bt_exec.visual_qa``: a callable that takes the remaining settings and returns a `VisualQa`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias

from bt_exec.plugins import load_plugin

__all__ = ["VisualQa", "VisualQaFactory", "VqaAnswer", "find_visual_qa"]

_GROUP = "bt_exec.visual_qa"


@dataclass(frozen=True)
class VqaAnswer:
    """Answer to a visual question.

    Attributes:
        data: The answer as plain data, unchecked; None if there is none.
        why: Why there is no answer, as a code: ``MODEL_TIMEOUT``.
    """

    data: Mapping[str, Any] | None = None
    why: str = ""


class VisualQa(Protocol):
    """Model that answers questions about pictures. It may take seconds: never call it in a tick."""

    def ask(self, image: Any, question: str, schema: Mapping[str, Any]) -> VqaAnswer:
        """Return the answer to `question` about `image`; never raises for a missing answer.

        Args:
            image: RGB, uint8 of shape (height, width, 3); or a list of such pictures, in order.
            question: The question, in English.
            schema: JSON Schema of the answer, an object without recursion.
        """


VisualQaFactory: TypeAlias = Callable[[Mapping[str, Any]], VisualQa]


def find_visual_qa(name: str, settings: Mapping[str, Any]) -> VisualQa:
    """Return the installed model called `name`, created with `settings`.

    Raises:
        UnknownName: If no installed package registers it.
        UsageError: If it is registered but cannot be imported, or rejects its settings.
    """
    factory: VisualQaFactory = load_plugin(_GROUP, "visual_qa model", name)
    return factory(settings)
