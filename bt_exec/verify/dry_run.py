"""Layer 4, dry run: what skills need holds when they start, as far as that can be known.

Code: ``NEED_NOT_MET``. Facts are words: ``{"hand.right": "empty", "door": "open"}``. A fact that
nobody knows contradicts nothing; ``"?"`` makes one unknown. Skipping, branches and parallel work
leave known only what all ways agree on.
"""

from __future__ import annotations

from typing import Any

from bt_exec.pack import Catalogue
from bt_exec.spec.expression import All, Is
from bt_exec.spec.model import Check, Do, Fallback, MissionSpec, NodeBase, Parallel, Tree
from bt_exec.spec.paths import paths, place_of_children
from bt_exec.spec.source import Place
from bt_exec.verify.context import Context, nodes_of
from bt_exec.verify.templates import fill, form_of, is_known, known_args

__all__ = ["check_dry_run", "established", "left_behind"]

Facts = dict[str, str]


def check_dry_run(context: Context) -> None:
    """Run the document over known facts and report every need they contradict."""
    document = context.document
    kept = set(document.mission.kept) if isinstance(document, MissionSpec) else set()
    finished: set[Place] = set()
    if kept:  # done by an earlier plan: its effects are among the facts already
        both = zip(nodes_of(document.root), paths(document.root), strict=True)
        finished = {place for (_, place), (path, _) in both if path in kept}
    _node(context, document.root, ("root",), dict(context.facts), finished)


def left_behind(document: MissionSpec, catalogue: Catalogue) -> Facts:
    """Return the facts that hold for sure once a mission has succeeded, whatever held before."""
    return _node(Context(document, catalogue), document.root, ("root",), {}, set())


def _node(context: Context, node: NodeBase, place: Place, before: Facts, kept: set[Place]) -> Facts:
    """Return the facts after `node` succeeded, given those before it."""
    if place in kept:
        return before
    if node.skip_if is not None and _holds(node.skip_if, before, context.catalogue) is True:
        return before
    inside = dict(before)
    if node.guard is not None:
        inside.update(established(node.guard, context.catalogue))
    after = _once(context, node, place, inside, kept)
    if (node.repeat or 1) > 1:  # what it leaves must let it start again
        after = _once(context, node, place, after, kept)
    if node.skip_if is None:
        return after
    return _agreed([{**before, **established(node.skip_if, context.catalogue)}, after])


def _once(context: Context, node: NodeBase, place: Place, inside: Facts, kept: set[Place]) -> Facts:
    """Return the facts after `node` succeeded once, modifiers aside."""
    match node:
        case Do():
            after = _do(context, node, place, inside)
        case Check():
            told = {} if node.tell else established(node.check, context.catalogue)
            after = {**inside, **told}
        case Fallback():
            branches, facts = [], inside
            for child, where in place_of_children(node, place):
                branches.append(_node(context, child, where, facts, kept))
                facts = _agreed([facts, branches[-1]])  # it may have failed half way
            after = _agreed(branches)
        case Parallel():
            branches = [
                _node(context, child, where, inside, kept)
                for child, where in place_of_children(node, place)
            ]
            some = node.needed < len(branches)  # the others are cancelled wherever they are
            after = _agreed([inside, *branches]) if some else _together(inside, branches)
        case Tree(body=None):
            after = {}  # not expanded: what it changes is not known here
        case _:
            after = inside
            for child, where in place_of_children(node, place):
                after = _node(context, child, where, after, kept)
    return after


def _do(context: Context, node: Do, place: Place, facts: Facts) -> Facts:
    skill = context.catalogue.skills.get(node.do)
    if skill is None:
        return facts
    args = known_args(skill, node.args)
    for key, wanted in skill.needs.items():
        if not (is_known(key, args) and is_known(wanted, args)):
            continue
        fact, allowed = fill(key, args), fill(wanted, args).split("|")
        known = facts.get(fact)
        if known is not None and known not in allowed:
            context.report(
                "NEED_NOT_MET",
                f"{node.do} needs {fact} to be {' or '.join(allowed)}, but it will be {known}",
                (*place, "do"),
                found=f"{fact}={known}",
                allowed=[f"{fact}={value}" for value in allowed],
            )
    after = dict(facts)
    for key, value in skill.effects.items():
        if not is_known(key, args):  # it may have changed any fact of that form
            form = form_of(key, args)
            after = {fact: word for fact, word in after.items() if not form.fullmatch(fact)}
        elif not is_known(value, args) or fill(value, args) == "?":
            after.pop(fill(key, args), None)
        else:
            after[fill(key, args)] = fill(value, args)
    return after


def established(expression: Any, catalogue: Catalogue) -> Facts:
    """Return the facts that are known once `expression` holds."""
    if isinstance(expression, All):
        facts: Facts = {}
        for part in expression.of:
            facts.update(established(part, catalogue))
        return facts
    if not isinstance(expression, Is) or expression.name not in catalogue.conditions:
        return {}
    condition = catalogue.conditions[expression.name]
    args = known_args(condition, expression.args)
    return {
        fill(key, args): fill(value, args)
        for key, value in condition.establishes.items()
        if is_known(key, args) and is_known(value, args)
    }


def _holds(expression: Any, facts: Facts, catalogue: Catalogue) -> bool | None:
    """Return whether facts decide a condition; None if they do not."""
    wanted = established(expression, catalogue)
    if not wanted or any(fact not in facts for fact in wanted):
        return None
    return all(facts[fact] == value for fact, value in wanted.items())


def _agreed(branches: list[Facts]) -> Facts:
    first, *rest = branches
    return {k: v for k, v in first.items() if all(other.get(k) == v for other in rest)}


def _together(before: Facts, branches: list[Facts]) -> Facts:
    """Return what is known after parallel work: a change counts where no branch contradicts it."""
    after = dict(before)
    for key in {key for branch in branches for key in branch} | set(before):
        values = {branch.get(key) for branch in branches if branch.get(key) != before.get(key)}
        if len(values) == 1 and None not in values:
            after[key] = str(values.pop())
        elif values:
            after.pop(key, None)
    return after
