"""Layers 5 and 6, resources and bounds: no conflicting claims, and limited size and duration.

Codes: ``CLAIMED_TWICE``, ``TOO_DEEP``, ``TOO_BIG``, ``TOO_LONG_RUNNING``. Skills declare the
resources that they use (``uses={"arm.{arm}"}``). Children of a parallel run at the same time and
must not claim the same resource. A claim with arguments that are known only at run time
(``arm: $which``) stands for all its possible values. Every skill runs under a timeout (its own or
the spec's), so the maximum duration of a plan is known before it starts.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import NamedTuple

from bt_exec.spec.abstract_run import Step
from bt_exec.spec.expand import MAX_NODES
from bt_exec.spec.model import Do, MissionSpec, NodeBase, Parallel, walk
from bt_exec.spec.yaml_source import Place, show_place
from bt_exec.verify.context import Context
from bt_exec.verify.effects_on_facts import (
    fact_pattern,
    fill_arguments,
    has_known_arguments,
    known_args,
)

__all__ = [
    "CLAIMED_TWICE",
    "MAX_DEPTH",
    "MAX_DURATION_S",
    "Claim",
    "check_bounds",
    "check_resources",
    "longest_s",
]

MAX_DEPTH = 40
"""Maximum nesting depth of nodes.

py_trees ticks recursively and fails at 497 levels. A node may have five decorators, so 40 nested
nodes take up to 240 levels. The rest is left for the stack of a host program.
"""

_SHOWN_PLACE = 8

MAX_DURATION_S = 24 * 3600.0
"""Maximum duration of a plan if every attempt takes its full timeout [s]."""

MAX_ATTEMPTS = 4
"""Multiple of the sum of declared timeouts up to which a plan may exceed `MAX_DURATION_S`."""


def check_bounds(context: Context) -> None:
    """Report a document that is nested too deeply, is too big, or may run for too long."""
    steps = list(context.root.walk())
    if len(steps) > MAX_NODES:
        message = f"has {len(steps)} nodes; the limit is {MAX_NODES}"
        context.report_problem("TOO_BIG", message, ("root",), found=str(len(steps)))
    deep = next((step.place for step in steps if step.depth >= MAX_DEPTH), None)
    if deep is not None:
        message = f"nodes are nested more than {MAX_DEPTH} deep"
        problem = context.source.problem("TOO_DEEP", message, deep)
        context.problems.append(replace(problem, place=show_place(deep[:_SHOWN_PLACE])))
        return
    longest = longest_s(context, context.document.root)
    allowed = max(MAX_DURATION_S, MAX_ATTEMPTS * _declared_timeouts_s(context))
    if longest > allowed:
        hours = longest / 3600
        spoken = f"{hours:.0f} hours" if hours < 1000 else "more than 1000 hours"
        context.report_problem(
            "TOO_LONG_RUNNING",
            f"could run for {spoken}, at most {allowed / 3600:.0f} are allowed; lower "
            "'repeat', 'retry' or 'timeout'",
            _longest_place(context, context.root, allowed),
        )


def _declared_timeouts_s(context: Context) -> float:
    """Return the sum of the timeouts that the skills of all `do` nodes declare [s]."""
    steps = walk(context.document.root, Do)
    skills = (context.catalogue.skills.get(node.do) for node in steps)
    return sum(skill.timeout_s for skill in skills if skill is not None)


def _longest_place(context: Context, step: Step, allowed: float) -> Place:
    """Return the place of the innermost node whose own duration exceeds `allowed` [s]."""
    for child in step.children:
        if longest_s(context, child.node) > allowed:
            return _longest_place(context, child, allowed)
    return step.place


def longest_s(context: Context, node: NodeBase) -> float:
    """Return the maximum duration of `node` [s], if every attempt takes its full timeout."""
    if isinstance(node, Do):
        skill = context.catalogue.skills.get(node.do)
        once = node.timeout or (skill.timeout_s if skill is not None else 0.0)
    else:
        times = [longest_s(context, child) for child in node.children]
        once = (max(times) if isinstance(node, Parallel) else sum(times)) if times else 0.0
        once = min(once, node.timeout) if node.timeout else once
    rounds = (node.retry or 1) * (node.repeat or 1)
    return once * rounds * (node.for_each.most if node.for_each is not None else 1)


CLAIMED_TWICE = "CLAIMED_TWICE"
"""Code of a plan in which two parallel steps use the same resource."""


class Claim(NamedTuple):
    """Resource claimed by a skill while it runs.

    Attributes:
        text: Name of the resource, or its template if arguments are unknown.
        skill: Name of the skill.
        form: Pattern of the possible names; None if the name is known.
    """

    text: str
    skill: str
    form: re.Pattern[str] | None = None

    def may_overlap(self, other: Claim) -> bool:
        """Return True if both claims may be for the same resource."""
        if self.form is None:
            same = self.text == other.text
            return same or (other.form is not None and other.form.fullmatch(self.text) is not None)
        return self.form == other.form if other.form is not None else other.may_overlap(self)


def check_resources(context: Context) -> None:
    """Report every resource that two or more children of a parallel may claim."""
    for step in context.root.walk(Parallel):
        held: list[Claim] = []
        for child in step.children:
            claims = _claims_of(context, child.node)
            for claim in claims:
                other = next((one for one in held if one.may_overlap(claim)), None)
                if other is not None:
                    context.report_problem(
                        CLAIMED_TWICE,
                        f"{claim.skill} and {other.skill} would both use {claim.text} at once",
                        child.place,
                        found=claim.text,
                    )
            held += claims


def _claims_of(context: Context, node: NodeBase) -> list[Claim]:
    """Return the distinct claims of the skills under `node`.

    In a tree, claims that depend on parameters are left out; they are checked in the mission.
    """
    claims: dict[str, Claim] = {}
    for inner in walk(node, Do):
        skill = context.catalogue.skills.get(inner.do)
        if skill is None:
            continue
        args = known_args(skill, inner.args)
        for use in skill.uses:
            if has_known_arguments(use, args):
                text = fill_arguments(use, args)
                claims[text] = Claim(text, skill.name)
            elif isinstance(context.document, MissionSpec):
                claims[use] = Claim(use, skill.name, fact_pattern(use, args))
    return [claims[text] for text in sorted(claims)]
