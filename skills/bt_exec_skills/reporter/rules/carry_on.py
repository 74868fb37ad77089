"""Recovery in missions with a report: failed work is retried, then noted and reported."""

from __future__ import annotations

from bt_exec.planning.passes import PassContext
from bt_exec.spec.model import (
    Check,
    Do,
    Fallback,
    MissionSpec,
    NodeBase,
    Sequence,
    Tree,
    rebuild,
    walk,
)
from bt_exec_skills.reporter.rules.steps import (
    Changed,
    goes_home,
    note,
    put_together,
    steps_of,
    tells_user,
    works,
)

__all__ = ["carry_on"]

_ATTEMPTS = 2


def carry_on(spec: MissionSpec, context: PassContext) -> Changed:
    """Note failed work and continue, in a plan that ends with a report to the user.

    An action is tried twice before that. Work at a place is skipped if the drive to it failed.
    Steps that already have an alternative branch are unchanged.
    """
    steps = steps_of(spec.root)
    told = [at for at, step in enumerate(steps) if any(tells_user(node) for node in walk(step))]
    if not told:
        return spec, ()
    done: list[NodeBase] = []
    group: list[NodeBase] = []
    changes: list[str] = []

    def close() -> None:
        if group:
            done.append(_noted(group))
            changes.append(f"{_name(group)}: {note(context, 'carry_on')}")
            group.clear()

    for at, step in enumerate(steps):
        bare = at < told[-1] and not _protected(step)
        bare = bare and (works(step) or goes_home(step)) and not _tells(step)
        if not bare or _is_drive(step):
            close()
        if bare:
            group.append(step)
        else:
            done.append(step)
    close()
    return put_together(spec, done), tuple(changes)


def _noted(group: list[NodeBase]) -> NodeBase:
    work = group[0] if len(group) == 1 else Sequence.model_validate({"sequence": tuple(group)})
    note = Check.model_validate({"check": "failure_noted"})
    return Fallback.model_validate({"fallback": (rebuild(work, _tried_again), note)})


def _tried_again(node: NodeBase) -> NodeBase:
    if isinstance(node, Do) and node.retry is None:
        return node.model_copy(update={"retry": _ATTEMPTS})
    return node


def _protected(step: NodeBase) -> bool:
    while isinstance(step, Tree) and step.body is not None:
        step = step.body
    return isinstance(step, Fallback)


def _tells(step: NodeBase) -> bool:
    return any(tells_user(node) for node in walk(step))


def _is_drive(step: NodeBase) -> bool:
    return not isinstance(step, Do) or step.do == "navigate"


def _name(group: list[NodeBase]) -> str:
    step = group[-1]
    return step.do if isinstance(step, Do) else step.tree if isinstance(step, Tree) else "a step"
