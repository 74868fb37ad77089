"""From a compiler's answer to a plan that may move: expand, pass, verify."""

from __future__ import annotations

from bt_exec.compiler import PassContext, Request
from bt_exec.failure import SpecError
from bt_exec.spec.expand import expand
from bt_exec.spec.model import MissionSpec
from bt_exec.verify import verify_document, verify_mission

__all__ = ["prepare"]


def prepare(spec: MissionSpec, request: Request) -> MissionSpec:
    """Return the plan as it will run: subtrees expanded, passes applied, verified.

    Compilers that let a model repair its plan call this too: the problems are what they send back.

    Raises:
        SpecError: Holding every problem of the first stage that found any.
    """
    problems = verify_document(spec, request.catalogue, request.library)
    if problems:
        raise SpecError(problems)
    expanded = expand(spec, request.library)
    notes = list(expanded.mission.notes)
    for pack in request.catalogue.packs:
        context = PassContext(
            request.seen,
            request.settings.get(pack.name, {}),
            request.catalogue,
            request.command,
        )
        for step in pack.passes:
            expanded, changes = step.apply(expanded, context)
            notes.extend(f"{step.name}: {change}" for change in changes)
    header = expanded.mission.model_copy(update={"notes": tuple(dict.fromkeys(notes))})
    expanded = expanded.model_copy(update={"mission": header})
    problems = verify_mission(
        expanded,
        request.catalogue,
        labels=request.seen.labels if request.failure is None else None,
        facts=request.seen.facts,
    )
    if problems:
        raise SpecError(problems)
    return expanded
