"""Probable mistakes in valid trees, reported by `bt_exec.verify.verify_file` only.

==================== ===============================================================================
``UNKNOWN_CODE``     an alternative in ``otherwise`` for a code with which no node fails
``UNUSED_PARAMETER`` a parameter that no node uses
``WRONG_TYPE``       a parameter with wider bounds than the argument to which it is passed
``NEVER_RUNS``       a branch of a fallback after a branch that cannot fail
``NEVER_HOLDS``      conditions under one ``all`` that require different values of a fact
==================== ===============================================================================
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, pairwise
from typing import Any

from bt_exec.failure import OWN_CODES
from bt_exec.spec.abstract_run import Step
from bt_exec.spec.condition_expression import All, Is, Not, direct_parts, named_conditions
from bt_exec.spec.expand import is_reference, reference_name
from bt_exec.spec.model import (
    Alternative,
    Check,
    Do,
    Fallback,
    NodeBase,
    Tree,
    TreeSpec,
    walk,
)
from bt_exec.spec.text_template import is_template, names_in_template
from bt_exec.verify.context import Context
from bt_exec.verify.effects_on_facts import established_facts
from bt_exec.verify.type_checks import type_mismatch

__all__ = ["check_authoring", "else_codes"]


def check_authoring(context: Context) -> None:
    """Report all probable mistakes of this module in a document."""
    tree = context.document
    if not isinstance(tree, TreeSpec):
        return
    known: set[str] = set()
    for index, way in enumerate(tree.otherwise):
        known = known or _codes_of_site(context)
        for number, code in enumerate(way.after):
            if code not in known:
                message = (
                    f"nothing on this site fails with {code!r}, so this alternative is never tried"
                )
                place = ("otherwise", index, "after", number)
                context.report_problem(
                    "UNKNOWN_CODE", message, place, found=code, allowed=sorted(known)
                )
    used = set(_used_names(tree.root)) | set(_parameters_passed_on(context, tree))
    for name, param in tree.params.items():
        if name not in used and not param.spoken:
            message = (
                f"no node takes the parameter {name!r}; write ${name} where it is meant, or "
                "'spoken: true' if only commands name it"
            )
            context.report_problem(
                "UNUSED_PARAMETER", message, ("params", name), found=name, key=True
            )

    for step in context.root.walk():
        _check_branches(context, step)
        _check_bounds(context, tree, step)
        for field, expression in step.node.conditions.items():
            if pair := _contradiction(context, expression):
                message = f"{pair[0]} and {pair[1]} never hold at the same time"
                context.report_problem(
                    "NEVER_HOLDS", message, (*step.place, field), found=str(expression)
                )


def _check_bounds(context: Context, tree: TreeSpec, step: Step) -> None:
    """Report each parameter with wider bounds than the argument to which it is passed."""
    node = step.node
    if not isinstance(node, Do | Tree):
        return
    types, hints = context.catalogue.types, dict[str, Any]()
    if isinstance(node, Do) and node.do in context.catalogue.skills:
        hints = dict(context.catalogue.skills[node.do].arguments)
    elif isinstance(node, Tree) and node.tree in context.library:
        params = context.library.get(node.tree).params
        hints = {name: param.value_type(types) for name, param in params.items()}
    for name, value in node.args.items():
        param = tree.params.get(reference_name(value)) if is_reference(value) else None
        if param is None or param.many or hints.get(name) is None:
            continue
        for end in (param.least, param.most):
            if end is None or (param.type == "integer" and end != int(end)):
                continue
            shown = int(end) if end == int(end) else end
            if unfit := type_mismatch(hints[name], shown):
                message = f"{value} may be {shown}; {name!r} {unfit.reason}; narrow its bounds"
                context.report_problem(
                    "WRONG_TYPE", message, (*step.place, "with", name), found=str(value)
                )


def _check_branches(context: Context, step: Step) -> None:
    """Report a branch of a fallback that can never run, because the branch before cannot fail."""
    if not isinstance(step.node, Fallback):
        return
    for before, branch in pairwise(step.children):
        if _cannot_fail(context, before.node):
            message = "this branch never runs: the one before it cannot fail"
            context.report_problem("NEVER_RUNS", message, branch.place)
            return


def _cannot_fail(context: Context, node: NodeBase) -> bool:
    """Return True if a node always succeeds, unless the mission is stopped."""
    if node.skip_if or node.guard or node.until or node.timeout or "timeout" in node.open_modifiers:
        return False
    match node:
        case Do(do=name):
            skill = context.catalogue.skills.get(name)
            return skill is not None and not skill.fails and not context.catalogue.owner(name)
        case Check(check=Is(name=name)):
            condition = context.catalogue.conditions.get(name)
            return condition is not None and condition.notes
        case Check() | Tree():
            return False
    children = [_cannot_fail(context, child) for child in node.children]
    return any(children) if isinstance(node, Fallback) else all(children)


def _contradiction(context: Context, expression: Any) -> tuple[str, str] | None:
    """Return two conditions under one ``all`` that cannot hold together; None if there are none."""
    for one, other in combinations(expression.of, 2) if isinstance(expression, All) else ():
        if Not(of=one) == other or Not(of=other) == one:
            return str(one), str(other)
        first = established_facts(one, context.catalogue)
        second = established_facts(other, context.catalogue)
        if any(second.get(fact, value) != value for fact, value in first.items()):
            return str(one), str(other)
    found = (_contradiction(context, part) for part, _ in direct_parts(expression))
    return next(filter(None, found), None)


def else_codes(root: NodeBase) -> Iterator[str]:
    """Yield the failure codes set with ``else`` in a node and the nodes under it."""
    for node in walk(root):
        if isinstance(node, Check) and node.code:
            yield node.code
        for guard in (node.guarded, node.until):
            if guard is not None and guard.code:
                yield guard.code


def _codes_of_site(context: Context) -> set[str]:
    """Return every code with which a node may fail on the site."""
    codes = {*OWN_CODES, *else_codes(context.document.root)}
    for skill in context.catalogue.skills.values():
        codes |= skill.fails
    codes |= {condition.unknown for condition in context.catalogue.conditions.values()}
    for tree in context.library:
        codes.update(else_codes(tree.root))
    return codes


def _used_names(root: NodeBase) -> Iterator[str]:
    """Yield every name to which a node or a node under it refers."""
    for node in walk(root):
        values = list(node.args.values()) if isinstance(node, Do | Tree) else []
        values += node.open_modifiers.values()
        values += [node.for_each.items] if node.for_each is not None else []
        for expression in node.conditions.values():
            for leaf in named_conditions(expression):
                values += leaf.args.values()
        yield from _names(values)


def _names(value: object) -> Iterator[str]:
    if isinstance(value, list):
        for item in value:
            yield from _names(item)
    elif is_template(value):
        yield from names_in_template(str(value))
    elif is_reference(value):
        yield reference_name(str(value))


def _parameters_passed_on(context: Context, tree: TreeSpec) -> Iterator[str]:
    """Yield the parameters that are passed on to the trees of alternatives."""
    ways: tuple[Alternative, ...] = tree.otherwise
    for way in ways:
        if way.tree is not None and way.tree != tree.tree and way.tree in context.library:
            yield from set(context.library.get(way.tree).params) - set(way.args)
