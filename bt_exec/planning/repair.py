"""What a re-plan keeps and what it replaces; shared by every compiler.

The **failed part** is the innermost subtree that encloses the failed node. What finished outside it
is kept, unless something known now contradicts what it achieved: a door that was opened and has
fallen shut is opened again.
"""

from __future__ import annotations

from bt_exec.failure import Failure
from bt_exec.pack import Catalogue
from bt_exec.planning.compiler import Request
from bt_exec.spec.model import Check, Do, Mission, MissionSpec, NodeBase, Tree, rebuild, walk
from bt_exec.spec.paths import encloses, paths
from bt_exec.verify.templates import fill

__all__ = ["failed_part", "kept_paths", "other_way", "repaired"]


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


def repaired(request: Request, compiler: str) -> MissionSpec:
    """Return the plan that failed with its failed part replaced by another way of the library.

    Finished work outside the failed part is kept. Without another way the part is tried again as
    it is: skills vary a second attempt, and the executive notices when nothing changes.
    """
    assert request.previous is not None
    old = other_way(request)
    kept = kept_paths(request)
    if old is not None:  # may enclose more than the failed part, with other arguments now
        part = next(path for path, node in paths(request.previous.root) if node is old[0])
        kept = tuple(path for path in kept if not encloses(part, path))
    before = request.previous.mission
    header = Mission(
        command=before.command,
        language=before.language,
        plan_version=before.plan_version + 1,
        compiler=compiler,
        parent=before.plan_version,
        subgoals=before.subgoals,
        kept=kept,
    )
    root = request.previous.root
    if old is not None:
        failed, other = old
        root = rebuild(root, lambda node: other if node is failed else node)  # type: ignore[assignment]
    return MissionSpec(mission=header, root=root)


def other_way(request: Request) -> tuple[NodeBase, Tree] | None:
    """Return the subtree to replace and what replaces it; None if the library knows nothing else.

    The innermost subtree around the failure is asked first, then those around it. A way counts as
    tried when a failure of this mission already had its arguments.
    """
    failure, previous = request.failure, request.previous
    if failure is None or previous is None:
        return None
    around = [
        node
        for path, node in paths(previous.root)
        if isinstance(node, Tree) and encloses(path, failure.path) and node.tree in request.library
    ]
    for node in reversed(around):
        for way in request.library.get(node.tree).otherwise:
            name = way.tree or node.tree
            if failure.code not in way.after or name not in request.library:
                continue
            params = request.library.get(name).params
            args = {key: value for key, value in node.args.items() if key in params}
            args.update(way.args)
            skills = {inner.do for inner in walk(node) if isinstance(inner, Do)}
            if name != node.tree or not _tried(args, skills, request.tried):
                update = {"tree": name, "args": args, "body": None}
                return node, node.model_copy(update=update)
    return None


def _tried(args: dict[str, object], skills: set[str], failures: tuple[Failure, ...]) -> bool:
    """Whether one of `skills` already failed with all of `args` that it takes."""
    for failure in failures:
        shared = [key for key in args if key in failure.args]
        same = all(failure.args[key] == args[key] for key in shared)
        if failure.node in skills and shared and same:
            return True
    return False


def kept_paths(request: Request) -> tuple[str, ...]:
    """Return the paths of finished leaves that a new plan does not run again, in order."""
    if request.previous is None or request.failure is None:
        return ()
    part, _ = failed_part(request.previous, request.failure)
    finished = {done.path for done in request.done} | set(request.previous.mission.kept)
    achieved: dict[str, tuple[str, str]] = {}  # fact → its last writer and what that achieved
    for path, node in paths(request.previous.root):
        if path in finished or path == request.failure.path:
            for fact, value in _effects(node, request.catalogue).items():
                achieved[fact] = (path, value)
    undone = {
        path
        for fact, (path, value) in achieved.items()
        if value != "?" and request.situation.facts.get(fact, value) != value
    }
    return tuple(
        path
        for path, node in paths(request.previous.root)
        if path in finished
        and isinstance(node, Do | Check)
        and not encloses(part, path)
        and path not in undone
    )


def _effects(node: NodeBase, catalogue: Catalogue) -> dict[str, str]:
    """Return what a node achieves, as far as its arguments are known before it runs."""
    if not isinstance(node, Do):
        return {}
    skill = catalogue.skill(node.do)
    try:
        args = skill.validate(node.args)
    except ValueError:
        return {}
    return {fill(key, args): fill(value, args) for key, value in skill.effects.items()}
