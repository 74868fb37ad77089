"""Layer 5, resources: exclusive claims never overlap in time.

Code: ``CLAIMED_TWICE``. Skills declare what they use (``uses={"arm.{arm}"}``); children of a
parallel run at once and may not claim the same thing. A claim whose arguments are known only when
the mission runs (``arm: $which``) stands for all that it may turn out to be.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from bt_exec.spec.model import Do, MissionSpec, NodeBase, Parallel, walk
from bt_exec.spec.paths import place_of_children
from bt_exec.verify.context import Context, nodes_of
from bt_exec.verify.templates import fill, form_of, is_known, known_args

__all__ = ["CLAIMED_TWICE", "Claim", "check_resources", "claims_of"]

CLAIMED_TWICE = "CLAIMED_TWICE"
"""The code of a plan in which two steps would use the same thing at once."""


class Claim(NamedTuple):
    """Resources of a skill while it runs.

    Attributes:
        text: The claim, with the arguments that are known.
        skill: Who claims it.
        form: What it may turn out to be; None if it is known.
    """

    text: str
    skill: str
    form: re.Pattern[str] | None = None

    def meets(self, other: Claim) -> bool:
        """Return whether both may be the same thing."""
        if self.form is None:
            same = self.text == other.text
            return same or (other.form is not None and other.form.fullmatch(self.text) is not None)
        return self.form == other.form if other.form is not None else other.meets(self)


def check_resources(context: Context) -> None:
    """Report every resource that two children of a parallel claim."""
    for node, place in nodes_of(context.document.root):
        if not isinstance(node, Parallel):
            continue
        held: list[Claim] = []
        for child, where in place_of_children(node, place):
            claims = claims_of(context, child)
            for claim in claims:
                other = next((one for one in held if one.meets(claim)), None)
                if other is not None:
                    context.report(
                        CLAIMED_TWICE,
                        f"{claim.skill} and {other.skill} would both use {claim.text} at once",
                        where,
                        found=claim.text,
                    )
            held += claims


def claims_of(context: Context, node: NodeBase) -> list[Claim]:
    """Return what the skills under `node` claim, each thing once.

    What the parameters of a tree leave open is left out there: it is known in a mission.
    """
    claims: dict[str, Claim] = {}
    for inner in walk(node):
        skill = context.catalogue.skills.get(inner.do) if isinstance(inner, Do) else None
        if skill is None or not isinstance(inner, Do):
            continue
        args = known_args(skill, inner.args)
        for use in skill.uses:
            if is_known(use, args):
                text = fill(use, args)
                claims[text] = Claim(text, skill.name)
            elif isinstance(context.document, MissionSpec):
                claims[use] = Claim(use, skill.name, form_of(use, args))
    return [claims[text] for text in sorted(claims)]
