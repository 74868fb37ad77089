"""Incomplete parts of a mission that continued after their failure was recorded.

If the last branch of a fallback is a condition with ``notes``, a failure of the earlier branches is
only recorded and the mission continues. The failed part counts as *undone* (not done) unless a
later plan of the mission completes it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from bt_exec.failure import Failure
from bt_exec.language.messages import Messages
from bt_exec.pack import Catalogue
from bt_exec.planning.assumed_facts_and_first_cause import DoneAction, recovers
from bt_exec.spec.model import Do, Fallback, NodeBase, Tree
from bt_exec.spec.node_paths import locate

__all__ = ["Undone", "still_undone", "undone_parts"]


@dataclass(frozen=True)
class Undone:
    """A part of a plan that was not done.

    Attributes:
        path: Path of the fallback that continued without it.
        part: The node that failed.
        failure: The reason.
        means: Paths of the nodes that only prepared the part.
    """

    path: str
    part: NodeBase
    failure: Failure
    means: frozenset[str] = frozenset()

    def to_dict(self, messages: Messages, language: str) -> dict[str, Any]:
        """Return plain data for `Outcome.undone`; ``what`` and ``why`` are in `language`."""
        return {
            "what": describe_part(self.part, messages, language),
            "why": messages.explain_failure(self.failure, language),
            "code": self.failure.code,
            "path": self.failure.path,
            "node": self.failure.node,
            "args": dict(self.failure.args),
        }


def undone_parts(root: NodeBase, noted: Iterable[tuple[str, Failure]]) -> tuple[Undone, ...]:
    """Return the undone parts of a plan.

    Args:
        root: The plan.
        noted: Paths of its fallbacks that recorded a failure, each with that failure.
    """
    failed = dict(noted)
    return tuple(
        Undone(
            step.path,
            step.node.fallback[0],
            failed[step.path],
            frozenset(inner.path for inner in step.walk()),
        )
        for step in locate(root).walk(Fallback)
        if step.path in failed
    )


def still_undone(
    before: Sequence[Undone],
    now: Sequence[Undone],
    done: Sequence[DoneAction],
    catalogue: Catalogue,
) -> tuple[Undone, ...]:
    """Return the parts that are undone after a further plan.

    Args:
        before: Parts that were undone before the plan.
        now: Parts that the plan left undone.
        done: Actions that the plan completed.
        catalogue: Declares the effects of skills.
    """
    again = {(one.failure.node, *sorted(map(str, one.failure.args.items()))) for one in now}
    old = [
        one
        for one in before
        if (one.failure.node, *sorted(map(str, one.failure.args.items()))) not in again
        and not any(recovers(each, one.failure, catalogue) for each in done)
    ]
    return (*old, *now)


def describe_part(part: NodeBase, messages: Messages, language: str) -> str:
    """Return a phrase for a part, such as "go to the lounge and look around it"."""
    names = list(dict.fromkeys(_phrases_of(part, messages, language)))
    joined = messages.translate_word(" and ", language) if len(names) == 2 else ", "
    return joined.join(names)


def _phrases_of(part: NodeBase, messages: Messages, language: str) -> Iterable[str]:
    known = isinstance(part, Tree) and messages.has_phrase(part.phrase_key)
    if known or isinstance(part, Do) or (isinstance(part, Tree) and part.body is None):
        yield messages.phrase(part.phrase_key, language, part.call_arguments)
        return
    for child in part.nominal_children:
        yield from _phrases_of(child, messages, language)
