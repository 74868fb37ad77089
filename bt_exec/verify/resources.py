"""Layer 5, resources: nothing is claimed twice at the same time.

Code: ``CLAIMED_TWICE``. Skills declare what they use (``uses={"arm.{arm}"}``); children of a
parallel run at once and may not claim the same thing.
"""

from __future__ import annotations

from bt_exec.spec.expand import is_reference
from bt_exec.spec.model import Do, NodeBase, Parallel, walk
from bt_exec.spec.paths import place_of_children
from bt_exec.verify.context import Context, nodes_of
from bt_exec.verify.dry_run import fill

__all__ = ["check_resources", "claims_of"]


def check_resources(context: Context) -> None:
    """Report every resource that two children of a parallel claim."""
    for node, place in nodes_of(context.document.root):
        if not isinstance(node, Parallel):
            continue
        holder: dict[str, str] = {}
        for child, where in place_of_children(node, place):
            for claim, skill in sorted(claims_of(context, child).items()):
                if claim in holder:
                    context.report(
                        "CLAIMED_TWICE",
                        f"{skill} and {holder[claim]} would both use {claim} at once",
                        where,
                        found=claim,
                    )
                holder.setdefault(claim, skill)


def claims_of(context: Context, node: NodeBase) -> dict[str, str]:
    """Return what the skills under `node` claim, each with the skill that claims it."""
    claims: dict[str, str] = {}
    for inner in walk(node):
        skill = context.catalogue.skills.get(inner.do) if isinstance(inner, Do) else None
        if skill is None or not isinstance(inner, Do):
            continue
        if any(is_reference(value) for value in inner.args.values()):
            continue  # only known when it runs
        try:
            args = skill.validate(inner.args)
        except ValueError:
            continue  # the arguments layer has said so
        claims.update(dict.fromkeys((fill(use, args) for use in skill.uses), skill.name))
    return claims
