"""Incomplete parts of a mission that continued: parts whose failure was only noted.

A fallback whose later branch is a condition that ``notes`` goes on without its first branch. What
failed there is undone, unless a later plan of the mission made it good.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from bt_exec.failure import Failure
from bt_exec.language.messages import Messages
from bt_exec.pack import Catalogue
from bt_exec.planning.first_cause import DoneAction, makes_good
from bt_exec.spec.model import Check, Do, Fallback, NodeBase, Tree, children_of, walk
from bt_exec.spec.paths import paths

__all__ = ["Undone", "still_undone", "undone_of"]


@dataclass(frozen=True)
class Undone:
    """A part that was not done.

    Attributes:
        path: Of the fallback that went on without it.
        part: What was to be done there.
        failure: Why it was not done.
        means: The paths of everything that was only a means to it.
    """

    path: str
    part: NodeBase
    failure: Failure
    means: frozenset[str] = frozenset()

    def to_dict(self, messages: Messages, language: str) -> dict[str, Any]:
        """Return it as plain data; ``what`` and ``why`` are in `language`."""
        return {
            "what": what(self.part, messages, language),
            "why": messages.explain(self.failure, language),
            "code": self.failure.code,
            "path": self.failure.path,
            "node": self.failure.node,
            "args": dict(self.failure.args),
        }


def undone_of(root: NodeBase, noted: Iterable[tuple[str, Failure]]) -> tuple[Undone, ...]:
    """Return what a plan left undone.

    Args:
        root: The plan.
        noted: Paths of its fallbacks that went on without their work, and what failed there.
    """
    every = list(paths(root))
    failed = dict(noted)
    found = []
    for at, (path, node) in enumerate(every):
        if path in failed and isinstance(node, Fallback):
            under = every[at : at + sum(1 for _ in walk(node))]  # parents come first
            means = frozenset(inner for inner, _ in under)
            found.append(Undone(path, node.fallback[0], failed[path], means))
    return tuple(found)


def still_undone(
    before: Sequence[Undone],
    now: Sequence[Undone],
    done: Sequence[DoneAction],
    catalogue: Catalogue,
) -> tuple[Undone, ...]:
    """Return what is undone after another plan.

    Args:
        before: What was undone before it.
        now: What it left undone itself.
        done: What it did.
        catalogue: Tells what skills achieve.
    """
    again = {(one.failure.node, *sorted(map(str, one.failure.args.items()))) for one in now}
    old = [
        one
        for one in before
        if (one.failure.node, *sorted(map(str, one.failure.args.items()))) not in again
        and not any(makes_good(each, one.failure, catalogue) for each in done)
    ]
    return (*old, *now)


def what(part: NodeBase, messages: Messages, language: str) -> str:
    """Return what was to be done, in a few words: "go to the lounge and look around it"."""
    names = list(dict.fromkeys(_named(part, messages, language)))
    joined = messages.word(" and ", language) if len(names) == 2 else ", "
    return joined.join(names)


def _named(part: NodeBase, messages: Messages, language: str) -> Iterable[str]:
    match part:
        case Tree() if messages.has_phrase(f"tree {part.tree}") or part.body is None:
            yield messages.phrase(f"tree {part.tree}", language, part.args)
        case Do():
            yield messages.phrase(part.do, language, part.args)
        case Check():
            return
        case Fallback():
            yield from _named(part.fallback[0], messages, language)
        case _:
            for child in children_of(part):
                yield from _named(child, messages, language)
