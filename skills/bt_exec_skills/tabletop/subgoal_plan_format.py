"""Two-level plan format of a language model: ``subgoals`` and ``task_outputs``.

::

    {"task_outputs": [{"subgoal": "red things in the red bowl",
                       "tasks": [{"skill": "GoToObject", "target": "object_red_0"}, …]}]}

The plan may also contain the first level, the list ``subgoals``, which must then name the same
subgoals. Import sets the object of each `place_object` to the object in the hand at that step.
`bt_exec_skills.tabletop.checkers` checks whether the targets exist and whether the plan does what
the command asks for.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Any

from bt_exec.failure import Problem, SpecError
from bt_exec.language.messages import language_of
from bt_exec.pack import PlanFormat
from bt_exec.spec.model import Do, Mission, MissionSpec, NodeBase, Sequence, walk
from bt_exec_skills.plans.json_text import make_problem, parse_plan_json

__all__ = ["SKILLS", "TASK_OUTPUTS", "parse_tasks", "write_tasks"]

SKILLS: Mapping[str, str] = MappingProxyType(
    {
        "GoToObject": "go_to_object",
        "PickObject": "pick_object",
        "PlaceObject": "place_object",
    }
)
"""Names of skills in the format, with the names of the pack's skills; import accepts both."""
_MOST_GOALS, _MOST_TASKS = 50, 400
_FORM = '{"task_outputs": [{"subgoal": "…", "tasks": [{"skill": "GoToObject", "target": "…"}]}]}'


def parse_tasks(text: str, file: str = "<plan>", command: str = "") -> MissionSpec:
    """Return the mission spec of a two-level plan.

    Raises:
        SpecError: If the plan is invalid; contains all problems.
    """
    data = _loaded(text, file)
    problems: list[Problem] = []
    goals = list(_parse_subgoals(data, file, problems))
    if problems:
        raise SpecError(problems)
    language: Any = language_of(command or text)
    names = tuple(str(name)[:500] for name, _ in goals)
    header = Mission(command=command, language=language, compiler="task-outputs", subgoals=names)
    nodes = [
        {"name": name.strip()[:64].strip() or f"goal {number}", "sequence": steps}
        for number, (name, steps) in enumerate(goals, 1)
    ]
    return MissionSpec(mission=header, root=Sequence.model_validate({"sequence": nodes}))


def _loaded(text: str, file: str) -> dict[str, Any]:
    data = parse_plan_json(text, file)
    if not isinstance(data, dict) or not isinstance(data.get("task_outputs"), list):
        raise SpecError([make_problem(file, "NOT_A_PLAN", f"must be {_FORM}")])
    return data


Steps = list[dict[str, Any]]


def _parse_subgoals(
    data: dict[str, Any], file: str, problems: list[Problem]
) -> Iterator[tuple[str, Steps]]:
    """Yield the name of every subgoal with its steps, and add problems to `problems`."""
    outputs = data["task_outputs"]
    for key in sorted(data.keys() - {"subgoals", "task_outputs"}):
        allowed = ("subgoals", "task_outputs")
        problems.append(
            make_problem(file, "UNKNOWN_FIELD", f"has no field {key!r}", "", key, allowed)
        )
    if not 0 < len(outputs) <= _MOST_GOALS:
        message = f"must hold 1 to {_MOST_GOALS} subgoals"
        problems.append(make_problem(file, "NOT_A_PLAN", message, "task_outputs"))
        return
    names = [one.get("subgoal") if isinstance(one, dict) else None for one in outputs]
    listed = data.get("subgoals", names)
    if not isinstance(listed, list) or listed != names:
        message = "subgoals and task_outputs must list the same goals in the same order"
        problems.append(make_problem(file, "OTHER_SUBGOALS", message, "subgoals", str(listed)[:80]))
    held: str | None = None
    for number, one in enumerate(outputs):
        place = f"task_outputs[{number}]"
        name = names[number]
        tasks = one.get("tasks") if isinstance(one, dict) else None
        if not isinstance(name, str) or not name.strip():
            problems.append(make_problem(file, "WRONG_TYPE", "needs a text 'subgoal'", place))
            name = ""
        if not isinstance(tasks, list) or not 0 < len(tasks) <= _MOST_TASKS:
            message = f"needs 'tasks', 1 to {_MOST_TASKS} of them"
            problems.append(make_problem(file, "NOT_A_PLAN", message, place))
            continue
        steps: Steps = []
        for at, task in enumerate(tasks):
            step, held = _step_of_task(task, f"{place}/tasks[{at}]", held, file, problems)
            steps += [step] if step else []
        yield name, steps


def _step_of_task(
    task: Any, place: str, held: str | None, file: str, problems: list[Problem]
) -> tuple[dict[str, Any] | None, str | None]:
    """Return the step of a task (None if invalid), and the object in the hand after the step."""
    if not isinstance(task, dict):
        form = 'must be {"skill": "…", "target": "…"}'
        problems.append(make_problem(file, "NOT_AN_ACTION", form, place))
        return None, held
    for key in sorted(task.keys() - {"skill", "target"}):
        message, allowed = f"a task has no field {key!r}", ("skill", "target")
        problems.append(make_problem(file, "UNKNOWN_FIELD", message, place, key, allowed))
    said, target = task.get("skill"), task.get("target")
    skill = SKILLS.get(said, said) if isinstance(said, str) else None
    if skill not in SKILLS.values():
        message = f"there is no skill {said!r}"
        found = str(said)[:60]
        problems.append(
            make_problem(file, "UNKNOWN_SKILL", message, f"{place}/skill", found, tuple(SKILLS))
        )
        return None, held
    if not isinstance(target, str) or not target.strip():
        message = "needs a target: the name of an object"
        problems.append(make_problem(file, "MISSING_ARGUMENT", message, f"{place}/target"))
        return None, held
    if skill == "pick_object":
        if held is not None:
            message = f"the hand holds {held} by then; place it first"
            problems.append(make_problem(file, "HAND_FULL", message, place, target))
        return {"do": skill, "with": {"target": target}}, target
    if skill == "place_object":
        if held is None:
            message = "the hand is empty by then; pick something first"
            problems.append(make_problem(file, "HAND_EMPTY", message, place, target))
            return None, None
        return {"do": skill, "with": {"object": held, "target": target}}, None
    return {"do": skill, "with": {"target": target}}, held


def write_tasks(spec: MissionSpec) -> str:
    """Return an expanded mission as a two-level plan, indented.

    Skips, retries and the final check of the pack's plans cannot be expressed and are left out.

    Raises:
        SpecError: If the mission contains an action that the format cannot express.
    """
    problems: list[Problem] = []
    outputs = []
    goals = list(_innermost_named(spec.root)) or [spec.root]
    for number, goal in enumerate(goals, 1):
        tasks = [_task(node, problems) for node in walk(goal, Do, failing=False)]
        name = goal.name or spec.mission.command or f"goal {number}"
        outputs.append({"subgoal": name, "tasks": tasks})
    if problems:
        raise SpecError(problems)
    plan = {"subgoals": [one["subgoal"] for one in outputs], "task_outputs": outputs}
    return json.dumps(plan, ensure_ascii=False, indent=2)


def _innermost_named(node: NodeBase) -> Iterator[NodeBase]:
    """Yield the innermost named sequences, in order."""
    if not isinstance(node, Sequence):
        return
    inner = [found for child in node.sequence for found in _innermost_named(child)]
    if inner:
        yield from inner
    elif node.name is not None:
        yield node


def _task(node: Do, problems: list[Problem]) -> dict[str, str]:
    plain = node.args.get("side", "in") == "in" and not node.args.get("spot")
    for skill, own in SKILLS.items():
        if node.do == own and plain:
            return {"skill": skill, "target": str(node.args["target"])}
    message = f"a two-level plan has no task for {node.do} {dict(node.args)}"
    problems.append(make_problem("the plan", "NOT_IN_TASK_OUTPUTS", message))
    return {}


TASK_OUTPUTS = PlanFormat(parse_tasks, write_tasks)
"""Format for ``compile --format task-outputs`` and ``run --plan``."""
