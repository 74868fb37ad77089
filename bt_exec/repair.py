"""What a re-plan keeps and what it replaces; shared by every compiler.

The **failed part** is the innermost subtree that encloses the failed node. What finished outside it
is kept, unless something known now contradicts what it achieved: a door that was opened and has
fallen shut is opened again.
"""

from __future__ import annotations

from bt_exec.compiler import Request
from bt_exec.failure import Failure
from bt_exec.pack import Catalogue
from bt_exec.spec.model import Check, Do, MissionSpec, NodeBase, Tree
from bt_exec.spec.paths import encloses, paths
from bt_exec.verify.dry_run import fill

__all__ = ["failed_part", "kept_paths"]


def failed_part(spec: MissionSpec, failure: Failure) -> tuple[str, NodeBase]:
    """Return path and node of the innermost subtree that encloses the failure.

    The whole mission, if no subtree does.
    """
    every = list(paths(spec.root))
    found = every[0]
    for path, node in every:
        if isinstance(node, Tree) and encloses(path, failure.path):
            found = (path, node)
    return found


def kept_paths(request: Request) -> tuple[str, ...]:
    """Return the paths of finished leaves that a new plan does not run again, in order."""
    if request.previous is None or request.failure is None:
        return ()
    part, _ = failed_part(request.previous, request.failure)
    finished = {done.path for done in request.done} | set(request.previous.mission.kept)
    return tuple(
        path
        for path, node in paths(request.previous.root)
        if path in finished
        and isinstance(node, Do | Check)
        and not encloses(part, path)
        and not _undone(node, request.catalogue, request.seen.facts)
    )


def _undone(node: NodeBase, catalogue: Catalogue, facts: object) -> bool:
    """Whether a known fact contradicts what the node achieved."""
    if not isinstance(node, Do) or not isinstance(facts, dict):
        return False
    skill = catalogue.skill(node.do)
    try:
        args = skill.validate(node.args)
    except ValueError:
        return False  # an argument known only at run time: nothing to contradict
    for key, value in skill.effects.items():
        fact, achieved = fill(key, args), fill(value, args)
        if achieved != "?" and facts.get(fact, achieved) != achieved:
            return True
    return False
