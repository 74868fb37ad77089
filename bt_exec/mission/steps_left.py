"""Remaining parts of a recorded mission: parts left out by re-plans, and parts of the last plan.

A re-plan leaves out a part that cannot be done, for instance because an object is out of reach. A
part that a re-plan replaces by another part with the same result does not remain.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import pairwise
from typing import TypeAlias

from bt_exec.journal import MissionRecord
from bt_exec.mission.resumption import (
    ENDED,
    Work,
    interrupted_step_in_effect,
    is_left_halfway,
    recorded_work,
    recovery_trees,
)
from bt_exec.pack import Catalogue
from bt_exec.planning.assumed_facts_and_first_cause import certain_facts, facts_with_assumed_effects
from bt_exec.planning.compiler import Request
from bt_exec.planning.failed_part_repair import (
    skip_condition_states_last_effects,
    unrepeated_leaf_paths,
)
from bt_exec.spec.model import Do, MissionSpec, NodeBase, Tree, walk
from bt_exec.spec.node_paths import Located, is_kept, locate
from bt_exec.verify.effects_on_facts import (
    Facts,
    facts_after_part,
    facts_after_success,
    truth_value,
)

__all__ = ["describe_steps_left", "steps_left"]

_MAX_PARTS = 8
"""Maximum number of parts that are named; further parts are counted."""

_Parts: TypeAlias = dict[tuple[str, str], Located[NodeBase]]
"""Parts of a plan by name and arguments."""


def describe_steps_left(record: MissionRecord, request: Request) -> str:
    """Return the remaining parts of a recorded mission as phrases; empty if there are none.

    Only the first `_MAX_PARTS` parts are named; the others are counted.

    Args:
        record: The mission.
        request: A request with the last known facts, in the language of the phrases.
    """
    messages, language = request.messages, request.language
    work = recorded_work(record, request.catalogue)
    parts = [
        part
        for left in steps_left(record, work, request)
        for part in ((left,) if messages.has_phrase(left.phrase_key) else walk(left, Do))
    ]
    phrases = [
        messages.phrase(part.phrase_key, language, part.call_arguments)
        for part in parts[:_MAX_PARTS]
    ]
    if more := len(parts) - len(phrases):
        phrases.append(messages.fixed_word(f"and {more} more", language))
    return ", ".join(phrases)


def steps_left(record: MissionRecord, work: Work, request: Request) -> Iterator[NodeBase]:
    """Yield the parts that re-plans left out, then the remaining skills of the last plan.

    If the interrupted step left a fact in an intermediate state, the recovery comes first.

    Skills that run only after a failure, and those that the known facts make unnecessary, are not
    included.

    Args:
        record: The mission.
        work: The completed work of the mission.
        request: A request with the last known facts.
    """
    if work.spec is None:
        return
    if is_left_halfway(work, request):
        yield from recovery_trees(request)
    now = _request_assuming_finished_steps(work, request)
    facts, catalogue = facts_with_assumed_effects(now), request.catalogue
    for part in _left_out_parts(record, catalogue):
        if not _is_needless(part, facts, catalogue):
            yield part
    done = {one.path for one in now.done}
    again = done - {*unrepeated_leaf_paths(now)}
    finished = (_finished_paths(record, work.spec) | done) - again
    needless: dict[str, bool] = {}
    root = locate(work.spec.root)
    for step in root.walk(Do, failing=False):
        around = root.nodes_down_to(step.path)
        for outer in around:
            if outer.path not in needless:  # a skip condition is evaluated once, on entry
                entered = outer.children and any(one.path in finished for one in outer.walk())
                decided = entered and not skip_condition_states_last_effects(outer.node, catalogue)
                needless[outer.path] = not decided and _is_needless(outer.node, facts, catalogue)
        if step.path not in finished and not any(needless[outer.path] for outer in around):
            yield step.node
            facts = facts_after_part(step.node, facts, catalogue)


def _request_assuming_finished_steps(work: Work, request: Request) -> Request:
    """Return a request in which finished steps stay finished unless a known fact contradicts them.

    The interrupted step counts as finished if it has taken effect. Facts that it left in an
    intermediate state then count as unknown, because a resumption begins with a recovery.
    """
    interrupted = interrupted_step_in_effect(work, request)
    halfway: Facts = {}
    for done in interrupted:
        halfway = facts_after_success(halfway, request.catalogue.skill(done.skill), done.args)
    known = {
        fact: value
        for fact, value in certain_facts(request.situation.facts).items()
        if halfway.get(fact, value) == value
    }
    return replace(
        request,
        situation=replace(request.situation, facts=known),
        previous=work.spec,
        done=(*work.done, *interrupted),
        assumed=certain_facts(work.assumed),
    )


def _is_needless(node: NodeBase, facts: Mapping[str, str], catalogue: Catalogue) -> bool:
    """Return True if a node is certainly skipped, given the known facts."""
    return node.skip_if is not None and truth_value(node.skip_if, facts, catalogue) is True


def _finished_paths(record: MissionRecord, spec: MissionSpec) -> set[str]:
    """Return the paths of the finished nodes of a plan, except those inside unfinished loops."""
    states = record.node_states(spec.mission.plan_version)
    root = locate(spec.root)
    ended = {
        step.path
        for step in root.walk()
        if states.get(step.path) in ENDED or is_kept(spec, step.path)
    }
    loops = (step for step in root.walk() if step.node.repeat or step.node.for_each)
    open_loops = (step for step in loops if step.path not in ended)
    return ended - {inner.path for step in open_loops for inner in step.walk()}


def _left_out_parts(record: MissionRecord, catalogue: Catalogue) -> Iterator[NodeBase]:
    """Yield the unfinished parts that no later plan contains or replaces, in order."""
    specs = [plan.event.spec for plan in record.plans]
    plans = [_parts_of(locate(spec.root)) for spec in specs]
    finished = {
        key
        for spec, parts in zip(specs, plans, strict=True)
        for key in parts.keys() & _finished_keys(record, spec, parts)
    }
    for before, after in pairwise(plans):
        new = [after[key].node for key in after if key not in before]
        for key, part in before.items():
            if key in plans[-1] or key in finished or key in after:
                continue
            by = next((one for one in new if _replaces(one, part.node, catalogue)), None)
            if by is None:
                yield part.node
            else:
                new.remove(by)


def _finished_keys(record: MissionRecord, spec: MissionSpec, parts: _Parts) -> set[tuple[str, str]]:
    ended = _finished_paths(record, spec)
    return {key for key, part in parts.items() if part.path in ended}


def _parts_of(step: Located[NodeBase]) -> _Parts:
    """Return the innermost trees under a node, and the skills outside of them."""
    inner: _Parts = {}
    for child in step.children[: len(step.node.nominal_children)]:
        inner.update(_parts_of(child))
    node = step.node
    whole = isinstance(node, Tree) and not any(isinstance(one.node, Tree) for one in inner.values())
    if whole or isinstance(node, Do):
        return {(node.callee_name, str(sorted(node.call_arguments.items()))): step}
    return inner


def _replaces(new: NodeBase, old: NodeBase, catalogue: Catalogue) -> bool:
    """Return True if a new part replaces an old one.

    Both have the same name or change a common fact, and agree on the values of all common facts.
    """
    then, before = (facts_after_part(part, {}, catalogue) for part in (new, old))
    common = then.keys() & before.keys()
    same = new.callee_name == old.callee_name or bool(common)
    return same and all(then[fact] == before[fact] for fact in common)
