"""Facts achieved by the finished steps of a failed plan, and assumed current facts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from bt_exec.failure import Failure
from bt_exec.pack import Catalogue
from bt_exec.planning.compiler import Done, Request
from bt_exec.spec.model import Check, Do, NodeBase
from bt_exec.spec.paths import paths
from bt_exec.verify.facts import UNKNOWN, Facts, after_failure, after_success, established
from bt_exec.verify.templates import known_args

__all__ = ["assumed_now", "finished_steps", "undone"]


def finished_steps(request: Request) -> dict[str, Facts]:
    """Return the facts achieved by each finished leaf of the plan, by path, in document order.

    A skill achieves its declared effects; a check or a skip achieves the facts that its conditions
    establish. A skip that establishes nothing counts as its skill's effects.
    """
    done = {one.path: one for one in request.done}
    kept = set(request.previous.mission.kept) if request.previous is not None else set()
    return {
        path: _achieved_facts(node, done.get(path), request.catalogue)
        for path, node in _leaves(request)
        if path in done or path in kept
    }


def _leaves(request: Request) -> Iterator[tuple[str, NodeBase]]:
    root = request.previous.root if request.previous is not None else None
    for path, node in paths(root) if root is not None else ():
        if isinstance(node, Do | Check):
            yield path, node


def _achieved_facts(node: NodeBase, done: Done | None, catalogue: Catalogue) -> Facts:
    if isinstance(node, Check):
        return {} if node.tell else established(node.check, catalogue)
    assert isinstance(node, Do)
    skill = catalogue.skill(node.do)
    args = (done.args if done is not None else {}) or known_args(skill, node.args)
    found = established(node.skip_if, catalogue) if done is not None and done.skipped else {}
    return found or after_success({}, skill, args)


def assumed_now(request: Request) -> Facts:
    """Return the known facts, supplemented by assumed effects; uncertain facts are left out."""
    return _certain_facts({**_assumed_effects(request), **request.situation.facts})


def _certain_facts(facts: Mapping[str, str]) -> Facts:
    return {fact: value for fact, value in facts.items() if value != UNKNOWN}


def _assumed_effects(request: Request) -> Facts:
    """Return the assumed effects of completed skills, without observations."""
    facts: Facts = {}
    for gave in finished_steps(request).values():
        facts.update(gave)
    nodes = dict(_leaves(request))
    for failure in _failures(request.failure):
        node = nodes.get(failure.path)
        if isinstance(node, Do):
            skill = request.catalogue.skill(node.do)
            facts = after_failure(facts, skill, failure.args or known_args(skill, node.args))
    return _certain_facts({**facts, **request.assumed})


def _failures(failure: Failure | None) -> Iterator[Failure]:
    while failure is not None:
        yield failure
        failure = failure.cause


def undone(request: Request) -> frozenset[str]:
    """Return the paths of finished leaves whose effects no longer hold.

    Their achieved fact was not changed by a later skill, and yet it is known to have another value.
    """
    believed = _assumed_effects(request)
    steps = finished_steps(request)
    checks = {path for path, node in _leaves(request) if isinstance(node, Check)}
    last = {fact: path for path, gave in steps.items() if path not in checks for fact in gave}
    situation: Mapping[str, str] = request.situation.facts
    return frozenset(
        path
        for path, gave in steps.items()
        for fact, value in gave.items()
        if (path in checks or last[fact] == path)
        and believed.get(fact) == value
        and situation.get(fact, value) != value
    )
