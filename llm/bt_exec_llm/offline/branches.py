"""Conversion of parts to nodes: parts with the same condition share one branch and one question.

A single condition becomes a ``skip_if`` of its branch. Several conditions ("if it is open close it,
otherwise …") become a fallback of sequences, each behind a check or its negation. If a branch
fails, the other one is not tried.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import groupby
from typing import Any

from bt_exec.spec.library import Library
from bt_exec.spec.model import Check, Fallback, Node, Sequence, Tree, TreeSpec
from bt_exec_llm.offline.part import Held, Part

__all__ = ["answer_of", "condition_of", "nodes_of"]


def answer_of(tree: TreeSpec) -> Check | None:
    """Return the check that answers a question tree: its root, or the last check of its root."""
    last = tree.root.sequence[-1] if isinstance(tree.root, Sequence) else tree.root
    return last if isinstance(last, Check) and last.tell else None


def condition_of(held: Held, library: Library) -> tuple[tuple[Node, ...], Any]:
    """Return the observations that a question needs, and its condition."""
    return tuple(_looks([held], library)), _question(held, library)


def nodes_of(parts: list[Part], library: Library) -> tuple[Node, ...]:
    """Return the nodes of parts, in their order."""
    nodes: list[Node] = []
    for hung, run in groupby(parts, lambda part: part.condition is not None):
        branches = [list(group) for _, group in groupby(run, lambda part: part.case)]
        if not hung:
            nodes += [_tree(part) for branch in branches for part in branch]
            continue
        nodes += _looks([branch[0].condition for branch in branches], library)
        if len(branches) == 1:
            nodes.append(_alone(branches[0], library))
        else:
            nodes.append(_choice(branches, library))
    return tuple(nodes)


def _looks(held: list[Held | None], library: Library) -> list[Node]:
    """Return the observations that the questions need, each once."""
    asked = dict.fromkeys(one[:2] for one in held if one is not None)
    return [
        Tree.model_validate({"tree": name, "with": dict(args)})
        for name, args in asked
        if isinstance(library.get(name).root, Sequence)
    ]


def _tree(part: Part, skip_if: Any = None) -> Tree:
    data: dict[str, Any] = {"tree": part.tree, "with": part.args}
    if part.times > 1:
        data["repeat"] = part.times
    if skip_if is not None:
        data["skip_if"] = skip_if
    return Tree.model_validate(data)


def _alone(branch: list[Part], library: Library) -> Node:
    """Return nodes that are skipped unless their condition holds."""
    skip_if = _question(branch[0].condition, library, denied=True)
    if len(branch) == 1:
        return _tree(branch[0], skip_if)
    return Sequence.model_validate(
        {"sequence": [_tree(part) for part in branch], "skip_if": skip_if}
    )


def _choice(branches: list[list[Part]], library: Library) -> Node:
    """Return a fallback of branches, each behind its check and the negations of the ones before.

    If no condition holds, the mission continues without any branch.
    """
    branch, *others = branches
    asked, denied = (_question(branch[0].condition, library, denied=no) for no in (False, True))
    rest: list[Node]
    if len(others) > 1:
        rest = [_choice(others, library)]
    elif _question(others[0][0].condition, library) == denied:
        rest = [_tree(part) for part in others[0]]
    else:
        rest = [_alone(others[0], library)]
    ways = ((asked, [_tree(part) for part in branch]), (denied, rest))
    return Fallback.model_validate(
        {"fallback": [{"sequence": [{"check": question}, *nodes]} for question, nodes in ways]}
    )


def _question(held: Held | None, library: Library, *, denied: bool = False) -> Any:
    """Return the condition of a question tree, negated if `needed` is False."""
    assert held is not None
    name, given, needed = held
    tree = library.get(name)
    answer = answer_of(tree)
    assert answer is not None
    defaults = {key: param.default for key, param in tree.params.items()}
    asked = _filled(answer.model_dump(by_alias=True)["check"], {**defaults, **dict(given)})
    return asked if needed != denied else {"not": asked}


def _filled(expression: Any, args: Mapping[str, Any]) -> Any:
    """Return a condition with its parameters replaced by arguments."""
    if isinstance(expression, dict):
        return {key: _filled(value, args) for key, value in expression.items()}
    if isinstance(expression, str) and expression.startswith("$"):
        return args[expression[1:]]
    return expression
