"""Checks for needless intermediate changes and repetitions in a plan.

Plans with the same final effects may have different intermediate effects: a plan may put the held
object down and take it again, or open and close a door twenty times. Facts with a sentence in a
pack's messages must change in the same order as in the offline compiler's plan, and not more often.
Such facts must not change if that plan does not change them.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from bt_exec.failure import Problem
from bt_exec.pack import Catalogue
from bt_exec.planning.compiler import Request
from bt_exec.spec.condition_expression import Not
from bt_exec.spec.model import Check, Do, Fallback, MissionSpec, NodeBase, walk
from bt_exec.spec.node_paths import locate
from bt_exec.spec.yaml_source import show_place
from bt_exec.verify.effects_on_facts import established_facts
from bt_exec_llm.model_compiler.plan_effects import effects_of_step

__all__ = ["broken_guard_problems", "needless_change_problems", "needless_repetition_problems"]

_SHOWN = 8
_SPARE = 3
"""Number of additional runs that are allowed for a step, because a plan may write out retries."""
_SPARE_OTHERWISE = 8
"""Number of additional runs that are allowed for a skill, with any arguments."""
_ATTEMPTS = 10
"""Maximum number of attempts of a skill, for each attempt in the offline compiler's plan."""


def needless_change_problems(
    spec: MissionSpec, meant: MissionSpec | None, request: Request
) -> Iterator[Problem]:
    """Yield a problem for each change of a fact that is not in the offline compiler's plan."""
    if meant is None:
        return
    templates = _forms_with_messages(request)
    wanted = _successive_values(meant, request, 0)
    found: dict[tuple[str, str, tuple[str, ...]], None] = {}
    for branch in range(_most_branches(spec.root)):
        for (template, fact), changes in _successive_values(spec, request, branch).items():
            found.setdefault((template, fact, tuple(changes)))
    for template, fact, values in found:
        if template not in templates or len(values) < 2:
            continue
        asked = [way for (other, _), way in wanted.items() if other == template]
        if any(_is_subsequence(values[1:], way) for way in asked):
            continue
        way = ", ".join(value for value in values[1:_SHOWN] if value)
        if not any(len(one) > 1 for one in asked):
            if f"{fact}={values[-1]}" in request.messages:
                continue  # `other_effects_problems` reports this effect
            message = f"the command does not mention {fact}; keep its value"
            yield Problem("NOT_KEPT", message, "root", f"{fact}={values[-1]}")
        elif request.failure is None:
            message = f"{fact} changes more often than the command asks for; do it once"
            allowed = tuple(", ".join(value for value in one[1:] if value) for one in asked)
            yield Problem("CHANGES_BACK", message, "root", f"{fact}: {way}", allowed)


def needless_repetition_problems(
    spec: MissionSpec, meant: MissionSpec | None, request: Request
) -> Iterator[Problem]:
    """Yield a problem for each step that runs far more often than the command asks for."""
    wanted = Counter() if meant is None else _run_counts(meant.root)
    counts = [int(digits[:6]) for digits in re.findall("[0-9]+", request.command)]
    asked = max(counts, default=1) if meant is None else 1
    by_name: Counter[str] = Counter()
    asked_by_name: Counter[str] = Counter()
    for step, runs in wanted.items():
        asked_by_name[step[0]] += runs
    for step, runs in _run_counts(spec.root).items():
        by_name[step[0]] += runs
        most = 2 * max(asked, asked_by_name[step[0]]) + _SPARE
        if runs > most:
            yield _repetition_problem(" ".join(step).strip(), runs, most)
    for name, runs in by_name.items():
        most = 2 * asked_by_name[name] + _SPARE_OTHERWISE
        if meant is not None and runs > most:
            yield _repetition_problem(name, runs, most)
    usual = Counter() if meant is None else _attempt_counts(meant.root)
    for name, attempts in _attempt_counts(spec.root).items():
        most = _ATTEMPTS * max(asked, usual[name])
        if attempts > most:
            yield _repetition_problem(name, attempts, most)


def _repetition_problem(step: str, runs: int, most: int) -> Problem:
    message = f"runs {runs} times, the command does not ask for that; do it once"
    return Problem(
        "REPEATED_UNASKED", message, "root", f"{step[:60]}: {runs}", (f"{most} at most",)
    )


def _run_counts(node: NodeBase) -> Counter[tuple[str, str]]:
    """Return the number of runs of each step, without retries.

    For a fallback, the maximum over its branches is counted.
    """
    counts: Counter[tuple[str, str]] = Counter()
    if isinstance(node, Do):
        counts[node.do, json.dumps(dict(node.args), sort_keys=True, default=str)] = 1
    elif isinstance(node, Check):
        counts[str(node.check), ""] = 1
    children = [_run_counts(child) for child in node.children]
    for child in children:
        counts = counts | child if isinstance(node, Fallback) else counts + child
    times = node.repeat or 1
    return Counter({step: runs * times for step, runs in counts.items()}) if times > 1 else counts


def _attempt_counts(node: NodeBase) -> Counter[str]:
    """Return the number of attempts of each skill if all attempts but the last fail."""
    own = [node.do] if isinstance(node, Do) else []
    counts = sum(map(_attempt_counts, node.children), Counter(own))
    times = (node.repeat or 1) * (node.retry or 1)
    return Counter({name: attempts * times for name, attempts in counts.items()})


def _forms_with_messages(request: Request) -> frozenset[str]:
    """Return the templates of facts with a message for at least one value."""
    codes = [code.partition("=") for code in request.messages.codes() if "=" in code]
    values = {fact: {v for other, _, v in codes if other == fact} for fact, _, _ in codes}
    return frozenset(
        template
        for skill in request.catalogue.skills.values()
        for template in skill.effects
        if any(_matches(template, fact) for fact in values)
    )


def _matches(template: str, fact: str) -> bool:
    head, brace, rest = template.partition("{")
    tail = rest.partition("}")[2]
    if not brace:
        return template == fact
    return fact.startswith(head) and fact.endswith(tail) and len(fact) > len(head) + len(tail)


def _most_branches(root: NodeBase) -> int:
    """Return the maximum number of branches of a fallback."""
    return max((len(n.fallback) for n in walk(root, Fallback)), default=1)


def _successive_values(
    spec: MissionSpec, request: Request, branch: int
) -> dict[tuple[str, str], list[str]]:
    """Return the current and all later values of each fact, if no step is skipped or fails.

    In each fallback, only the branch with index `branch` runs, or the last one if there are fewer.
    """
    ways: dict[tuple[str, str], list[str]] = {}
    for node in _skills_in_order(spec.root, branch):
        for template, fact, value in effects_of_step(node, request.catalogue):
            way = ways.setdefault((template, fact), [request.situation.facts.get(fact, "")])
            if way[-1] != value:
                way.append(value)
    return ways


def _skills_in_order(node: NodeBase, branch: int) -> Iterator[Do]:
    """Yield the skills under a node in execution order; skills in a loop are yielded twice."""
    for _ in range(2 if (node.repeat or 1) > 1 else 1):
        if isinstance(node, Do):
            yield node
        children = node.children
        if isinstance(node, Fallback):
            children = children[min(branch, len(children) - 1) :][:1]
        for child in children:
            yield from _skills_in_order(child, branch)


def _is_subsequence(values: Sequence[str], way: list[str]) -> bool:
    """Return True if `way` contains `values` in the same order, possibly with others between."""
    left = iter(way)
    return all(value in left for value in values)


def broken_guard_problems(spec: MissionSpec, request: Request) -> Iterator[Problem]:
    """Yield a problem for each guard that an effect of a guarded step violates."""
    for step in locate(spec.root).walk():
        for inner in walk(step.node, Do) if step.node.guard is not None else ():
            if broken := _violating_effect(inner, step.node.guard, request.catalogue):
                message = f"{inner.do} makes {broken}, which this guard does not allow"
                yield Problem(
                    "GUARD_BREAKS_ITSELF", message, f"{show_place(step.place)}/while", broken
                )
                break


def _violating_effect(node: Do, guard: Any, catalogue: Catalogue) -> str:
    """Return the effect of a step that violates a guard, or an empty text."""
    effects = {fact: value for _, fact, value in effects_of_step(node, catalogue)}
    if isinstance(guard, Not):
        never = established_facts(guard.of, catalogue)
        hit = bool(never) and all(effects.get(fact) == value for fact, value in never.items())
        return ", ".join(f"{fact}={value}" for fact, value in never.items()) if hit else ""
    for fact, value in established_facts(guard, catalogue).items():
        if fact in effects and effects[fact] != value:
            return f"{fact}={effects[fact]}"
    return ""
