"""Conversion of parts to nodes, in which parts with the same condition share one branch.

A single condition becomes a ``skip_if`` of its branch. Several branches ("if it is open close it,
otherwise …") become a fallback of sequences, each after a check or its negation. If a branch fails,
the others are not tried. Parts for the case that the previous part fails become a fallback with
that part.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from collections.abc import Sequence as Sequence_
from itertools import chain, groupby
from typing import Any

from bt_exec.spec.library import Library
from bt_exec.spec.model import Check, Fallback, Node, Sequence, Tree, TreeSpec
from bt_exec_llm.offline.command_part import BranchCondition, Part

__all__ = ["build_condition", "build_nodes", "find_answering_check"]

_MOST_ROUNDS = 30
"""Maximum number of observations of the awaited state."""


def find_answering_check(tree: TreeSpec) -> Check | None:
    """Return the reporting check of a question tree: its root, or the last node of its root."""
    nodes = tree.root.sequence if isinstance(tree.root, Sequence) else (tree.root,)
    answers = [node for node in nodes if isinstance(node, Check) and node.tell]
    return answers[0] if len(answers) == 1 and answers[0] is nodes[-1] else None


def build_condition(held: BranchCondition, library: Library) -> tuple[tuple[Node, ...], Any]:
    """Return the observation nodes that a question needs, and its condition."""
    return tuple(_observation_nodes([held], library)), _build_question_condition(held, library)


def build_nodes(parts: list[Part], library: Library) -> tuple[Node, ...]:
    """Return the nodes of parts, in their order."""
    nodes: list[Node] = []
    for hung, run in groupby(parts, lambda part: part.condition is not None and not part.rescues):
        branches = [
            list(group) for _, group in groupby(run, lambda part: (part.case, part.condition))
        ]
        if not hung:
            _add_nodes(nodes, chain.from_iterable(branches), library)
            continue
        for alternatives in _split_at_repeated_conditions(branches):
            asked = _observation_nodes([one[0].condition for one in alternatives], library)
            nodes += [one for one in asked if nodes[-1:] != [one]]  # unless just observed
            if len(alternatives) == 1:
                nodes.append(_guard_branch(alternatives[0], library))
            else:
                nodes.append(_build_fallback(alternatives, library))
    return tuple(nodes)


def _split_at_repeated_conditions(branches: list[list[Part]]) -> Iterator[list[list[Part]]]:
    """Yield groups of branches; a condition that is asked again begins a new group."""
    group: list[list[Part]] = []
    for branch in branches:
        if any(one[0].condition == branch[0].condition for one in group):
            yield group
            group = []
        group.append(branch)
    yield group


def _add_nodes(nodes: list[Node], parts: Iterable[Part], library: Library) -> None:
    """Append the nodes of parts; parts that rescue become a fallback with the last node."""
    for turns, group in groupby(parts, lambda part: part.turns):
        own: list[Node] = []
        for (rescues, _), some in groupby(group, lambda part: (part.rescues, part.case)):
            first, *rest = some
            made = [_build_node(part, library) for part in (first, *rest)]
            if rescues:
                tried = (own or nodes).pop()
                if made == [tried] and isinstance(tried, Tree):  # "if that fails, try again"
                    own.append(tried.model_copy(update={"retry": max(tried.retry or 1, 1) + 1}))
                    continue
                ways = [tried, _node_after_check(_in_sequence(made), first.condition, library)]
                made = [Fallback.model_validate({"fallback": ways})]
            own += made
        if turns > 1:
            own = [Sequence.model_validate({"sequence": own, "repeat": turns})]
        nodes += own


def _build_node(part: Part, library: Library) -> Node:
    node = _build_tree_node(part)
    return _repeat_until(node, part.awaited, library) if part.awaited else node


def _in_sequence(nodes: list[Node]) -> Node:
    return nodes[0] if len(nodes) == 1 else Sequence.model_validate({"sequence": nodes})


def _repeat_until(node: Node, held: Sequence_[BranchCondition], library: Library) -> Node:
    """Return a loop of a node and new observations, until a condition holds.

    The node is not run if the condition holds at first. Of several places, those behind the first
    one at which the condition holds are not visited.
    """
    looks = [build_condition(one, library) for one in held]
    observed, check = looks[0]
    loop: dict[str, Any] = {"repeat": _MOST_ROUNDS // len(looks), "until": check}
    if len(looks) > 1:
        ways = [_in_sequence([*seen, Check.model_validate({"check": one})]) for seen, one in looks]
        tried = Fallback.model_validate({"fallback": [*ways, node]})
        return Sequence.model_validate({"sequence": [tried], **loop})
    loop["skip_if"] = check
    waiting = Sequence.model_validate({"sequence": [node, *observed], **loop})
    return _in_sequence([*observed, waiting])


def _nodes_of_branch(branch: Iterable[Part], library: Library) -> list[Node]:
    """Return the nodes of the parts of one branch, without its condition."""
    nodes: list[Node] = []
    _add_nodes(nodes, branch, library)
    return nodes


def _node_after_check(node: Node, held: BranchCondition | None, library: Library) -> Node:
    """Return a sequence of a check and a node, which fails if the condition does not hold."""
    if held is None:
        return node
    observed, check = build_condition(held, library)
    return Sequence.model_validate({"sequence": [*observed, {"check": check}, node]})


def _observation_nodes(held: list[BranchCondition | None], library: Library) -> list[Node]:
    """Return the observation nodes that questions need, without repetitions."""
    asked = dict.fromkeys(one[:2] for one in held if one is not None)
    return [
        Tree.model_validate({"tree": name, "with": dict(args)})
        for name, args in asked
        if isinstance(library.get(name).root, Sequence)
    ]


def _build_tree_node(part: Part, skip_if: Any = None) -> Tree:
    data: dict[str, Any] = {"tree": part.tree, "with": part.args}
    if part.times > 1:
        data["repeat"] = part.times
    if part.tries > 1:
        data["retry"] = part.tries
    if skip_if is not None:
        data["skip_if"] = skip_if
    return Tree.model_validate(data)


def _guard_branch(branch: list[Part], library: Library) -> Node:
    """Return the node of a branch that is skipped unless its condition holds."""
    skip_if = _build_question_condition(branch[0].condition, library, denied=True)
    if len(branch) == 1:
        return _build_tree_node(branch[0], skip_if)
    nodes = _nodes_of_branch(branch, library)
    return Sequence.model_validate({"sequence": nodes, "skip_if": skip_if})


def _build_fallback(branches: list[list[Part]], library: Library) -> Node:
    """Return a fallback of branches, each after its check and the negated previous checks.

    If no condition holds, the mission continues without any branch.
    """
    branch, *others = branches
    asked, denied = (
        _build_question_condition(branch[0].condition, library, denied=no) for no in (False, True)
    )
    rest: list[Node]
    if len(others) > 1:
        rest = [_build_fallback(others, library)]
    elif _build_question_condition(others[0][0].condition, library) == denied:
        rest = _nodes_of_branch(others[0], library)
    else:
        rest = [_guard_branch(others[0], library)]
    ways = ((asked, _nodes_of_branch(branch, library)), (denied, rest))
    return Fallback.model_validate(
        {"fallback": [{"sequence": [{"check": question}, *nodes]} for question, nodes in ways]}
    )


def _build_question_condition(
    held: BranchCondition | None, library: Library, *, denied: bool = False
) -> Any:
    """Return the condition that the required answer is given, or, if `denied`, not given."""
    assert held is not None
    name, given, needed = held
    tree = library.get(name)
    answer = find_answering_check(tree)
    assert answer is not None
    defaults = {key: param.default for key, param in tree.params.items()}
    asked = _fill_parameters(answer.model_dump(by_alias=True)["check"], {**defaults, **dict(given)})
    if needed != denied:
        return asked
    return asked["not"] if isinstance(asked, dict) and "not" in asked else {"not": asked}


def _fill_parameters(expression: Any, args: Mapping[str, Any]) -> Any:
    """Return a condition with its parameters replaced by arguments; None values are omitted."""
    if isinstance(expression, dict):
        found = {key: _fill_parameters(value, args) for key, value in expression.items()}
        return {key: value for key, value in found.items() if value is not None}
    if isinstance(expression, str) and expression.startswith("$"):
        return args[expression[1:]]
    return expression
