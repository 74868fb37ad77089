"""Expected state of the world in a mission, from the declared effects of completed skills."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bt_exec.events import Event, NodeChanged, Planned, SkillEnded, SkillStarting
from bt_exec.pack import Catalogue
from bt_exec.spec.model import Check, NodeBase
from bt_exec.spec.paths import paths
from bt_exec.verify.facts import UNKNOWN, Facts, after_success, established
from bt_exec.verify.templates import fill

__all__ = ["Assumed"]


class Assumed:
    """Expected facts of one mission, updated by its events.

    Args:
        catalogue: Declares the effects of skills and the facts of conditions.

    Attributes:
        facts: Facts by name; ``"?"`` if a skill failed, was stopped, or has an unknown effect.
    """

    def __init__(self, catalogue: Catalogue) -> None:
        self.facts: Facts = {}
        self._catalogue = catalogue
        self._nodes: dict[str, NodeBase] = {}
        self._args: dict[str, Mapping[str, Any]] = {}

    def on(self, event: Event) -> None:
        """Update the facts for an event."""
        match event:
            case Planned():
                self._nodes = dict(paths(event.spec.root))
            case SkillStarting():
                self._args[event.path] = event.args
            case SkillEnded():
                self._on_skill_ended(event)
            case NodeChanged(state="skipped"):
                self._on_condition(self._nodes[event.path].skip_if)
            case NodeChanged(state="done"):
                node = self._nodes.get(event.path)
                if isinstance(node, Check) and not node.tell:
                    self._on_condition(node.check)

    def _on_skill_ended(self, event: SkillEnded) -> None:
        skill, args = self._catalogue.skill(event.skill), self._args[event.path]
        self.facts.update({fill(key, args): UNKNOWN for key in skill.effects})
        if event.state == "done":
            self.facts.update(after_success({}, skill, args))

    def _on_condition(self, expression: Any) -> None:
        self.facts.update(established(expression, self._catalogue))
