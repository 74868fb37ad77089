"""Effects of a model's plan, for comparison with the plan of the offline compiler.

If the offline compiler understands a command, the model's plan must have the same effects as the
plan of the offline compiler. Plans for other commands are not compared.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from bt_exec.failure import Refusal
from bt_exec.language.messages import Messages
from bt_exec.pack import Catalogue
from bt_exec.planning.compiler import Compiler, Plan, Request
from bt_exec.planning.plan_preparation import examine
from bt_exec.planning.robot_views import WHICH_ROBOT
from bt_exec.spec.condition_expression import All, Is, Not
from bt_exec.spec.expand import is_reference, reference_name
from bt_exec.spec.library import Library
from bt_exec.spec.model import (
    Check,
    Do,
    MissionSpec,
    NodeBase,
    Parallel,
    Sequence,
    Tree,
    walk,
)
from bt_exec.verify.dry_run import certain_effects
from bt_exec.verify.effects_on_facts import fill_arguments, known_args
from bt_exec_llm.model_compiler.spelling_correction import fixed_values

__all__ = [
    "Meant",
    "PlanEffects",
    "chosen_values",
    "commanded_values",
    "effects_of_step",
    "offline_plan",
    "plan_effects",
]

_NEVER = ("EMPTY", "TOO_LONG", "BAD_CHARACTERS", "NEGATED", WHICH_ROBOT)


class Meant(NamedTuple):
    """Plan that a compiler without a model made for the command.

    Attributes:
        expanded: Plan with expanded subtrees, before the passes of the packs.
        plan: Plan as it would be executed, after the passes.
    """

    expanded: MissionSpec
    plan: MissionSpec


def offline_plan(request: Request, offline: Compiler) -> Meant | Refusal | None:
    """Return the plan of a compiler without a model, or its final refusal, or None.

    A command with a final refusal must not be sent to a model, which might act on it. Such commands
    are empty, unreadable, forbid something, or do not say which of several robots they are for.
    """
    answer = offline.compile(replace(request, previous=None, failure=None, done=(), tried=()))
    if isinstance(answer, Plan):
        found = examine(answer.spec, request)
        if found.expanded is None or found.plan is None:
            return None
        return Meant(found.expanded, found.plan)
    if isinstance(answer, Refusal) and answer.code in _NEVER:
        return answer
    return None


@dataclass(frozen=True)
class PlanEffects:
    """Effects of a plan if every step succeeds.

    Only facts with a message in a pack are included. The keys are templates of facts, because a
    plan may choose another arm: ``{"hand.{arm}": ("hand.right", "material")}``.

    Attributes:
        facts: Effects in every execution, regardless of skipped steps and chosen branches.
        touched: Last value of each fact if every step runs.
        questions: Display texts of the conditions that are always checked and reported, by normal
            form of the condition.
        moves: Whether the plan contains a skill.
    """

    facts: dict[str, tuple[str, str]]
    touched: dict[str, tuple[str, str]]
    questions: dict[str, str]
    moves: bool


def plan_effects(spec: MissionSpec, catalogue: Catalogue, messages: Messages) -> PlanEffects:
    """Return the effects of an expanded plan."""
    touched: dict[str, tuple[str, str]] = {}
    skills = list(walk(spec.root, Do))
    for node in skills:
        for template, fact, value in effects_of_step(node, catalogue):
            if f"{fact}={value}" in messages:
                touched[template] = (fact, value)
            else:
                touched.pop(template, None)  # an effect that is undone later does not count
    sure = certain_effects(spec, catalogue)
    facts = {
        key: (fact, value) for key, (fact, value) in touched.items() if sure.get(fact) == value
    }
    conditions = [check.check for check in _reported_checks(spec.root)]
    questions = {_normal_form(question, catalogue): str(question) for question in conditions}
    return PlanEffects(facts, touched, questions, bool(skills))


def _reported_checks(node: NodeBase) -> Iterator[Check]:
    """Yield the checks under `node` that always run and whose results are reported."""
    if node.skip_if is not None:
        return
    if isinstance(node, Check) and node.tell:
        yield node
    if not isinstance(node, Parallel) or node.needed == len(node.parallel):
        for child in node.nominal_children:
            yield from _reported_checks(child)


def _normal_form(expression: Any, catalogue: Catalogue) -> str:
    """Return a condition as text in a normal form, which is equal for equivalent conditions."""
    return json.dumps(_comparable_condition(expression, catalogue), ensure_ascii=False, default=str)


def _comparable_condition(expression: Any, catalogue: Catalogue) -> Any:
    if isinstance(expression, Is):
        condition = catalogue.conditions.get(expression.name)
        args = expression.args if condition is None else known_args(condition, expression.args)
        return {expression.name: dict(sorted(args.items()))} if args else expression.name
    if isinstance(expression, Not):
        inner = expression.of
        if isinstance(inner, Not):
            return _comparable_condition(inner.of, catalogue)
        return {"not": _comparable_condition(inner, catalogue)}
    parts = sorted((_comparable_condition(part, catalogue) for part in expression.of), key=str)
    return {"all" if isinstance(expression, All) else "any": parts}


def commanded_values(meant: Meant, request: Request) -> dict[tuple[str, str], frozenset[Any]]:
    """Return the allowed values of skill arguments that the command sets, by (skill, argument).

    Only arguments with a fixed set of values are included, because texts can be worded in many
    ways. Arguments that a pass changes are left out, such as the arm that handles material.
    """
    before = _fixed_value_sets(meant.expanded, request.catalogue)
    after = _fixed_value_sets(meant.plan, request.catalogue)
    set_by_words = {
        pair
        for part in _top_trees(meant.expanded.root)
        for pair in _arguments_set_by(part.tree, part.args, request.library)
    }
    return {
        pair: frozenset(before[pair] | after[pair])
        for pair in sorted(set_by_words & before.keys() & after.keys())
        if before[pair] <= after[pair]
    }


def _top_trees(node: NodeBase) -> Iterator[Tree]:
    """Yield the trees at the top of a plan, which correspond to the parts of the command."""
    if isinstance(node, Tree):
        yield node
    elif isinstance(node, Sequence | Parallel):
        for child in node.children:
            yield from _top_trees(child)


def chosen_values(spec: MissionSpec, pair: tuple[str, str], catalogue: Catalogue) -> frozenset[Any]:
    """Return the values that a plan gives to `pair`, a skill and one of its arguments."""
    return frozenset(_fixed_value_sets(spec, catalogue).get(pair, ()))


def _fixed_value_sets(spec: MissionSpec, catalogue: Catalogue) -> dict[tuple[str, str], set[Any]]:
    """Return the values of all arguments with a fixed set of values, by (skill, argument)."""
    found: dict[tuple[str, str], set[Any]] = {}
    for node in walk(spec.root, Do):
        skill = catalogue.skills.get(node.do)
        if skill is not None:
            for name, value in known_args(skill, node.args).items():
                if fixed_values(skill.arguments.get(name)):
                    found.setdefault((node.do, name), set()).add(value)
    return found


def _arguments_set_by(
    tree: str, params: Collection[str], library: Library
) -> Iterator[tuple[str, str]]:
    """Yield (skill, argument) for each skill argument that takes a parameter of a tree."""
    for node in walk(library.get(tree).root):
        if isinstance(node, Do | Tree):
            handed = [
                name
                for name, value in node.args.items()
                if is_reference(value) and reference_name(value) in params
            ]
            if isinstance(node, Do):
                yield from ((node.do, name) for name in handed)
            else:
                yield from _arguments_set_by(node.tree, handed, library)


def effects_of_step(node: Do, catalogue: Catalogue) -> Iterator[tuple[str, str, str]]:
    """Yield (template, fact, value) of each effect of a step whose arguments are known."""
    skill = catalogue.skills.get(node.do)
    if skill is None:
        return
    args = _with_default_arguments(skill, node.args)
    for key, value in skill.effects.items():
        try:
            yield key, fill_arguments(key, args), fill_arguments(value, args)
        except (KeyError, IndexError):
            continue  # verification reports the missing argument


def _with_default_arguments(skill: Any, args: Any) -> dict[str, Any]:
    try:
        return dict(skill.validate(args))
    except ValueError:
        return dict(args)
