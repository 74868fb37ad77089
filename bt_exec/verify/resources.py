"""Layer 5, resources: exclusive claims never overlap in time.

Code: ``CLAIMED_TWICE``. Skills declare the resources that they use (``uses={"arm.{arm}"}``).
Children of a parallel run at the same time and may not claim the same resource. A claim with
arguments that are known only at run time (``arm: $which``) stands for all its possible values.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from bt_exec.spec.model import Do, MissionSpec, NodeBase, Parallel, walk
from bt_exec.verify.context import Context
from bt_exec.verify.templates import fill, form_of, is_known, known_args

__all__ = ["CLAIMED_TWICE", "Claim", "check_resources"]

CLAIMED_TWICE = "CLAIMED_TWICE"
"""Code of a plan in which two parallel steps use the same resource."""


class Claim(NamedTuple):
    """Resource claimed by a skill while it runs.

    Attributes:
        text: The claim with the known arguments.
        skill: Name of the skill.
        form: Pattern of its possible values; None if it is known.
    """

    text: str
    skill: str
    form: re.Pattern[str] | None = None

    def meets(self, other: Claim) -> bool:
        """Return whether both may be the same resource."""
        if self.form is None:
            same = self.text == other.text
            return same or (other.form is not None and other.form.fullmatch(self.text) is not None)
        return self.form == other.form if other.form is not None else other.meets(self)


def check_resources(context: Context) -> None:
    """Report every resource that two children of a parallel claim."""
    for step in context.root.walk(Parallel):
        held: list[Claim] = []
        for child in step.children:
            claims = _claims_of(context, child.node)
            for claim in claims:
                other = next((one for one in held if one.meets(claim)), None)
                if other is not None:
                    context.report(
                        CLAIMED_TWICE,
                        f"{claim.skill} and {other.skill} would both use {claim.text} at once",
                        child.place,
                        found=claim.text,
                    )
            held += claims


def _claims_of(context: Context, node: NodeBase) -> list[Claim]:
    """Return the distinct claims of the skills under `node`.

    Claims that depend on parameters of a tree are left out; they are checked in a mission.
    """
    claims: dict[str, Claim] = {}
    for inner in walk(node, Do):
        skill = context.catalogue.skills.get(inner.do)
        if skill is None:
            continue
        args = known_args(skill, inner.args)
        for use in skill.uses:
            if is_known(use, args):
                text = fill(use, args)
                claims[text] = Claim(text, skill.name)
            elif isinstance(context.document, MissionSpec):
                claims[use] = Claim(use, skill.name, form_of(use, args))
    return [claims[text] for text in sorted(claims)]
