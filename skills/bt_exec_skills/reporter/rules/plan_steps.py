"""Steps of a plan: core work, reporting, and their composition.

**Core work** is the purpose of a mission: navigation, observation, deliveries, and conversations
with persons other than the user.
**Reporting** is going to the base, talking to the user, and the summary.
"""

from __future__ import annotations

from collections.abc import Iterator
from collections.abc import Sequence as Many
from functools import partial
from pathlib import Path
from typing import Any

from bt_exec.language.messages import language_of, load_messages
from bt_exec.pack import PassContext
from bt_exec.spec.model import Do, MissionSpec, NodeBase, Sequence, flattened_steps, walk
from bt_exec_skills.reporter.places_and_people import SiteMap, make_map

__all__ = [
    "BASE",
    "PROFESSOR",
    "PROFESSOR_OFFICE",
    "REPORT_TOPIC",
    "USER",
    "Changed",
    "action_node",
    "actions",
    "change_note",
    "contains_core_work",
    "drives_to_base",
    "is_core_work",
    "map_of",
    "place_of",
    "tells_user",
    "with_steps",
]

Changed = tuple[MissionSpec, tuple[str, ...]]
"""Result of a pass: the spec, and one short sentence per change."""

BASE, USER = "basecamp", "user"
PROFESSOR, PROFESSOR_OFFICE = "professor", "professor_office"
REPORT_TOPIC = "report"
"""Placeholder that `bt_exec_skills.reporter.rules.topic_and_query_pass` replaces with the topic."""


def action_node(action: str, **args: Any) -> Do:
    """Return a node for `action` with its arguments."""
    return Do.model_validate({"do": action, "with": args})


def drives_to_base(node: NodeBase) -> bool:
    """Return True if a node drives to the base."""
    return isinstance(node, Do) and node.do == "navigate" and node.args.get("target") == BASE


def tells_user(node: NodeBase) -> bool:
    """Return True if a node talks to the user."""
    return isinstance(node, Do) and node.do == "talk_to_person" and node.args.get("target") == USER


def is_core_work(node: NodeBase) -> bool:
    """Return True if a node is an action of core work (see the module's documentation)."""
    if not isinstance(node, Do) or drives_to_base(node) or tells_user(node):
        return False
    return node.do in ("navigate", "observe_scene", "talk_to_person", "deliver_object")


_sentences = partial(load_messages, Path(__file__).with_name("notes.yaml"))


def change_note(context: PassContext, key: str) -> str:
    """Return the note of a pass about its change: the sentence `key` of ``notes.yaml``."""
    return _sentences().say(key, language_of(context.command))


def contains_core_work(node: NodeBase) -> bool:
    """Return True if a node or one of its descendants is core work."""
    return any(is_core_work(inner) for inner in walk(node))


def actions(node: NodeBase) -> Iterator[Do]:
    """Yield the actions of a plan in the order of a run without failures."""
    return walk(node, Do, failing=False)


def place_of(node: NodeBase) -> str | None:
    """Return the place where a step works: the target of its first drive or observation."""
    for action in actions(node):
        if action.do in ("navigate", "observe_scene"):
            return str(action.args.get("target"))
    return None


def with_steps(spec: MissionSpec, steps: Many[NodeBase]) -> MissionSpec:
    """Return the plan with `steps` as its steps; the same object if the steps are unchanged."""
    before = flattened_steps(spec.root)
    if len(before) == len(steps) and all(
        new is old for new, old in zip(steps, before, strict=True)
    ):
        return spec
    every = tuple(steps) or (action_node("talk_to_person", target=USER, topic=REPORT_TOPIC),)
    if len(every) == 1 and not isinstance(spec.root, Sequence):
        return spec.model_copy(update={"root": every[0]})
    return spec.model_copy(update={"root": Sequence.model_validate({"sequence": every})})


def map_of(context: PassContext) -> SiteMap | None:
    """Return the map of the site, or None if it has none."""
    return make_map(context.settings) if context.settings.places else None
