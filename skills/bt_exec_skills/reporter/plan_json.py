"""Import and export of Plan JSON: ``{"plan": [{"action": …, "params": {…}}, …]}``.

A plan in this form is a list of actions. Import creates a sequence of them. Export lists the
actions of a run without failures; of a fallback it takes the first branch. Constructs that a list
of actions cannot express (guards, retries, parallel work) are refused, not dropped.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from bt_exec.failure import Problem, SpecError
from bt_exec.language.messages import language_of
from bt_exec.pack import PlanFormat
from bt_exec.spec.model import (
    Check,
    Do,
    Fallback,
    Mission,
    MissionSpec,
    NodeBase,
    Parallel,
    Sequence,
    Tree,
)
from bt_exec.spec.node_paths import label_of
from bt_exec_skills.plans.json_text import make_problem, parse_plan_json

__all__ = ["ACTIONS", "PLAN_JSON", "read_plan", "write_plan"]

ACTIONS: Mapping[str, tuple[str, ...]] = {
    "navigate": ("target",),
    "observe_scene": ("target", "query"),
    "talk_to_person": ("target", "topic"),
    "deliver_object": ("object", "recipient"),
    "summarize_mission": (),
    "fail_and_report": ("reason",),
}
"""Actions with their required parameters."""
_OPTIONAL: Mapping[str, tuple[str, ...]] = {"deliver_object": ("giver",)}
_MOST_ACTIONS = 500


def read_plan(text: str, file: str = "<plan>", command: str = "") -> MissionSpec:
    """Return the mission spec of a plan in JSON.

    Raises:
        SpecError: If the plan is invalid; contains all problems.
    """
    data = parse_plan_json(text, file)
    plan = data.get("plan") if isinstance(data, dict) else None
    if not isinstance(plan, list) or set(data) != {"plan"} or not 0 < len(plan) <= _MOST_ACTIONS:
        form = '{"plan": [{"action": …, "params": {…}}]}'
        message = f"must be {form}, 1 to {_MOST_ACTIONS} actions"
        raise SpecError([make_problem(file, "NOT_A_PLAN", message)])
    problems = [
        found for at, step in enumerate(plan) for found in _problems_of_step(step, at, file)
    ]
    if problems:
        raise SpecError(problems)
    steps = [
        {"do": s["action"], "with": {k: _escaped(v) for k, v in s.get("params", {}).items()}}
        for s in plan
    ]
    language: Any = language_of(command or text)
    header = Mission(command=command, language=language, compiler="plan-json")
    return MissionSpec(mission=header, root=Sequence.model_validate({"sequence": steps}))


def _problems_of_step(step: Any, at: int, file: str) -> Iterator[Problem]:
    place = f"plan[{at}]"
    if not isinstance(step, dict) or not isinstance(step.get("action"), str):
        yield make_problem(file, "NOT_AN_ACTION", 'must be {"action": …, "params": {…}}', place)
        return
    for key in sorted(step.keys() - {"action", "params"}):
        message = f"an action has no field {key!r}"
        yield make_problem(file, "UNKNOWN_FIELD", message, place, key, ("action", "params"))
    action, params = step["action"], step.get("params", {})
    if action not in ACTIONS:
        message = f"unknown action {action!r}"
        yield make_problem(
            file, "UNKNOWN_SKILL", message, f"{place}/action", action, tuple(ACTIONS)
        )
    elif not isinstance(params, dict):
        yield make_problem(file, "BAD_VALUE", "must be an object", f"{place}/params")
    else:
        needed = ACTIONS[action]
        known = (*needed, *_OPTIONAL.get(action, ()))
        for name in params:
            if name not in known:
                message = f"{action} has no parameter {name!r}"
                yield make_problem(
                    file, "UNKNOWN_ARGUMENT", message, f"{place}/params", name, known
                )
            elif not isinstance(params[name], str) or not params[name].strip():
                message = f"{name!r} must be text"
                yield make_problem(file, "WRONG_TYPE", message, f"{place}/params/{name}")
        for name in needed:
            if name not in params:
                message = f"{action} needs {name!r}"
                yield make_problem(
                    file, "MISSING_ARGUMENT", message, f"{place}/params", "", (name,)
                )


def write_plan(spec: MissionSpec) -> str:
    """Return the actions of an expanded mission as Plan JSON, indented.

    Raises:
        SpecError: If the mission contains constructs that a list of actions cannot express.
    """
    problems: list[Problem] = []
    steps = [
        {"action": node.do, "params": {k: _unescaped(v) for k, v in node.args.items()}}
        for node in _actions_of(spec.root, problems)
    ]
    if problems:
        raise SpecError(problems)
    return json.dumps({"plan": steps}, ensure_ascii=False, indent=2)


def _actions_of(node: NodeBase, problems: list[Problem], *, failing: bool = False) -> Iterator[Do]:
    """Yield actions in order, and add constructs that cannot be expressed to `problems`.

    Later branches of a fallback are left out, and so are retries inside it (`failing`), because
    passes insert both again after an import.
    """
    lost = [name for name in node.modifiers if name != "retry" or not failing]
    problems += [
        _not_expressible(node, f"{name!r} cannot be expressed in Plan JSON") for name in lost
    ]
    match node:
        case Do():
            if node.do not in ACTIONS:
                problems.append(_not_expressible(node, f"Plan JSON has no action {node.do!r}"))
            if node.save or any(_is_reference(value) for value in node.args.values()):
                problems.append(
                    _not_expressible(node, "saved results cannot be expressed in Plan JSON")
                )
            yield node
        case Check() | Parallel() | Tree(body=None):
            problems.append(
                _not_expressible(node, f"a {node.kind!r} node cannot be expressed in Plan JSON")
            )
        case _:
            failing = failing or isinstance(node, Fallback)
            for child in node.nominal_children:
                yield from _actions_of(child, problems, failing=failing)


def _not_expressible(node: NodeBase, message: str) -> Problem:
    return make_problem("the plan", "NOT_IN_PLAN_JSON", message, label_of(node))


def _is_reference(value: Any) -> bool:
    return isinstance(value, str) and value.startswith("$") and not value.startswith("$$")


def _escaped(value: str) -> str:
    return f"${value}" if value.startswith("$") else value


def _unescaped(value: Any) -> Any:
    return value[1:] if isinstance(value, str) and value.startswith("$$") else value


PLAN_JSON = PlanFormat(read_plan, write_plan)
"""Format for ``compile --format plan-json`` and ``run --plan``."""
