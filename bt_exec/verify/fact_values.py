"""Values of facts in trees: arguments may not produce undeclared facts.

Code: ``UNKNOWN_FACT_VALUE``. Declarations of skills are checked with their pack
(`bt_exec.verify.packs`); here they are checked with the arguments of a node. Undeclared facts are
not checked.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from bt_exec.declarations.declared_facts import placeholders
from bt_exec.skill import Condition, Skill
from bt_exec.spec.model import Do
from bt_exec.spec.source import Place
from bt_exec.verify.context import Context
from bt_exec.verify.templates import fill, is_known, known_args

__all__ = ["check_fact_values"]


def check_fact_values(context: Context) -> None:
    """Report arguments that give a declared fact an undeclared value."""
    if not context.catalogue.facts.names():
        return
    for part, given, place in _calls(context):
        facts = [(*fact, used) for fact in _facts(part) if (used := placeholders(*fact))]
        args = known_args(part, given) if facts else {}
        for name, value, used in facts:
            if is_known(name, args) and is_known(value, args):
                _check(context, fill(name, args), fill(value, args), place, used, given)


def _check(
    context: Context,
    fact: str,
    value: str,
    place: Place,
    used: tuple[str, ...],
    given: Mapping[str, object],
) -> None:
    """Report an undeclared value of a fact at the argument that causes it."""
    for mistake in context.catalogue.facts.mistakes(fact, value, may_be_unknown=True):
        if mistake.code == "UNKNOWN_FACT_VALUE":
            origin = [name for name in used if name in given][-1:]
            context.report(
                mistake.code,
                mistake.message,
                (*place, *origin),
                found=mistake.found,
                allowed=mistake.allowed,
            )


def _calls(
    context: Context,
) -> Iterator[tuple[Skill | Condition, Mapping[str, object], Place]]:
    """Yield every skill and condition that a document names, with its arguments."""
    for step in context.root.walk():
        if isinstance(step.node, Do) and step.node.do in context.catalogue.skills:
            yield context.catalogue.skills[step.node.do], step.node.args, (*step.place, "with")
        for part, where in step.conditions():
            if part.name in context.catalogue.conditions:
                yield context.catalogue.conditions[part.name], part.args, where


def _facts(part: Skill | Condition) -> Iterator[tuple[str, str]]:
    if isinstance(part, Condition):
        yield from part.establishes.items()
    else:
        yield from part.needs.items()
        yield from part.effects.items()
