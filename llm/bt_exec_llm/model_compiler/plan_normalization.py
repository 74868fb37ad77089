"""Conversion of every accepted format of a plan to the nested format that is verified.

The requested format is a mapping with ``root`` (nested) or ``nodes`` (flat). Other formats are
accepted with a note: a single node, a list of nodes, a list of actions, a wrapper around any of
these, and a turn report, which names the next action and the remaining actions (``next_action``,
``full_action_list``).
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from bt_exec.failure import Problem
from bt_exec.spec.model import KINDS
from bt_exec_llm.model_compiler.flat_format import from_flat, is_flat
from bt_exec_llm.model_compiler.text_beside_plan_checks import (
    ACTIONS,
    FIELDS,
    OWN,
    TURN,
    WRAPPERS,
    canonical_key,
    refusal_reason,
    second_plan_problem,
    unknown_key_problems,
)

__all__ = ["AnswerContent", "unpack"]

_NAMES = ("name", "action", "skill")
_ARGS = ("args", "params", "parameters", "arguments", "with")


@dataclass(frozen=True)
class AnswerContent:
    """Content of an answer, unchecked.

    Attributes:
        root: The plan as nested plain data; None if there is none.
        cannot: The model's reason for declining; empty if it did not decline.
        assumes: Facts that the model states as assumptions of its plan.
        subgoals: Parts of the command, in the model's words.
        stated: Other statements of the answer, by key.
        notes: Deviations from the format that were tolerated.
        problems: Violations of the format.
        places: For a flat plan, the id of each node by its position in `root`.
    """

    root: Any = None
    cannot: str = ""
    assumes: Mapping[str, str] = field(default_factory=dict)
    subgoals: tuple[str, ...] = ()
    stated: Mapping[str, Any] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()
    places: Mapping[str, str] = field(default_factory=dict)


def unpack(data: Any) -> AnswerContent:
    """Return the content of an answer, given as plain data."""
    notes: list[str] = []
    problems: list[Problem] = []
    data = _unwrapped(data, notes, problems)
    if isinstance(data, list):
        notes.append("a list was read as a sequence")
        data = {"root": {"sequence": [_action_to_node(item) for item in data]}}
    if not isinstance(data, dict):
        message = "the answer contains no plan; write a mapping with 'root'"
        found = "" if data is None else str(data)[:60]
        return AnswerContent(
            notes=tuple(notes), problems=(Problem("NO_PLAN", message, found=found),)
        )
    cannot = refusal_reason(data.get("cannot"))
    problems += [
        *second_plan_problem(data),
        *unknown_key_problems(data, _allowed_keys_of_format(data)),
        *_field_type_problems(data),
    ]
    if any(key in data for key in ("full_action_list", "next_action")):
        return _turn_content(data, notes, cannot, problems)
    places: Mapping[str, str] = {}
    stated = {key: value for key, value in data.items() if key not in ("root", "nodes")}
    if is_flat(data):
        root, places, wrong = from_flat(data)
        problems += wrong
    elif "root" in data:
        root = data["root"]
        if isinstance(root, list):
            notes.append("a list at the root was read as a sequence")
            root = {"sequence": [_action_to_node(item) for item in root]}
    elif (key := _actions_key(data)) is not None:
        notes.append(f"the list {key!r} was read as a sequence")
        del stated[key]
        root = {"sequence": [_action_to_node(item) for item in data[key]]}
        places = {f"root/sequence[{index}]": f"{key}[{index}]" for index in range(len(data[key]))}
    elif any(kind in data for kind in KINDS):
        notes.append("a bare node was read as the root")
        root = {key: value for key, value in data.items() if key not in OWN}
        stated = {key: value for key, value in data.items() if key in OWN}
    else:
        root = None
    if root is None and not cannot:
        message = "the answer contains no plan; write a mapping with 'root'"
        found = ", ".join(map(str, data))[:60]
        problems.append(Problem("NO_PLAN", message, found=found))
    return AnswerContent(
        root,
        cannot,
        _facts_mapping(data.get("assumes")),
        _texts(data.get("subgoals")),
        stated,
        tuple(notes),
        tuple(problems),
        places,
    )


def _unwrapped(data: Any, notes: list[str], problems: list[Problem]) -> Any:
    """Return the plan inside wrapper keys, and check the other values of the wrappers."""
    for _ in range(3):
        inner = None
        if isinstance(data, dict):
            data = {canonical_key(key): value for key, value in data.items()}
        if isinstance(data, dict) and not any(key in data for key in OWN):
            inner = next((data[k] for k in WRAPPERS if isinstance(data.get(k), dict)), None)
        elif isinstance(data, list) and len(data) == 1 and isinstance(data[0], dict):
            inner = data[0] if any(key in data[0] for key in OWN) else None
        if inner is None:
            return data
        notes.append("a wrapper around the plan was removed")
        if isinstance(data, dict):
            own = next(key for key in WRAPPERS if data.get(key) is inner)
            problems += [*second_plan_problem(data), *unknown_key_problems(data, (own,))]
        data = inner
    if isinstance(data, dict):
        data = {canonical_key(key): value for key, value in data.items()}
    return data


def _turn_content(
    data: Mapping[str, Any], notes: list[str], cannot: str, problems: list[Problem]
) -> AnswerContent:
    """Return the content of a turn report, whose remaining actions are the plan."""
    listed = data.get("full_action_list")
    actions = [_action_to_node(item) for item in listed] if isinstance(listed, list) else []
    notes.append("a turn report was read as a plan: its remaining actions in order")
    problems = list(problems)
    stop = data.get("stop_signal")
    if isinstance(stop, dict) and stop.get("should_stop") and actions:
        message = "the report asks to stop, but actions remain"
        problems.append(Problem("STATE_CONTRADICTS_PLAN", message, "stop_signal/should_stop"))
    following = data.get("next_action")
    if following:
        step = _action_to_node(following)
        if step not in actions:
            message = (
                "the next action is not among the remaining actions; "
                "write one plan with every action"
            )
            known = tuple(_step_text(action) for action in actions)
            found = _step_text(step)
            problems.append(
                Problem("NEXT_ACTION_NOT_IN_LIST", message, "next_action", found, known)
            )
        elif actions[0] != step:
            message = "the next action is not the first remaining action"
            problems.append(
                Problem(
                    "NEXT_ACTION_NOT_FIRST",
                    message,
                    "next_action",
                    _step_text(step),
                    (_step_text(actions[0]),),
                )
            )
    elif actions:
        message = "actions remain, but there is no next one"
        problems.append(Problem("NEXT_ACTION_NOT_IN_LIST", message, "next_action", "null"))
    status = data.get("goal_status")
    ended = status.get("status") if isinstance(status, dict) else None
    if ended in ("satisfied", "blocked") and actions:
        message = f"the goal is said to be {ended}, but actions remain"
        problems.append(Problem("STATE_CONTRADICTS_PLAN", message, "goal_status/status", ended))
    return AnswerContent(
        {"sequence": actions},
        cannot,
        places={f"root/sequence[{i}]": f"full_action_list[{i}]" for i in range(len(actions))},
        stated={key: value for key, value in data.items() if key != "full_action_list"},
        notes=tuple(notes),
        problems=tuple(problems),
    )


def _allowed_keys_of_format(data: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the keys that an answer of this format may have."""
    beside = tuple(key for key in OWN if key not in ("root", "nodes"))
    if any(key in data for key in ("full_action_list", "next_action")):
        return (*beside, "full_action_list", *TURN)
    if is_flat(data):
        return (*beside, "nodes", "root")
    if "root" in data:
        return (*beside, "root")
    if (key := _actions_key(data)) is not None:
        return (*beside, key)
    return (*beside, *KINDS, *FIELDS, *_ARGS, "name", "root")


def _field_type_problems(data: Mapping[str, Any]) -> Iterator[Problem]:
    """Yield a problem for each field of the format that has a wrong type."""
    kinds: dict[str, type | tuple[type, ...]] = {
        "explanation": str,
        "subgoals": list,
        "assumes": (dict, list),
    }
    for key, kind in kinds.items():
        value = data.get(key)
        if value is not None and not isinstance(value, kind):
            yield Problem("BAD_VALUE", f"{key!r} has a wrong type", key, str(value)[:60])
    goals = data.get("subgoals")
    for index, goal in enumerate(goals if isinstance(goals, list) else ()):
        if not isinstance(goal, str):
            yield Problem("BAD_VALUE", "a subgoal is text", f"subgoals[{index}]", str(goal)[:60])
    yield from _assumption_problems(data.get("assumes"))


def _actions_key(data: Mapping[str, Any]) -> str | None:
    return next((key for key in ACTIONS if isinstance(data.get(key), list)), None)


def _action_to_node(item: Any) -> Any:
    """Return an action ``{name, args}`` as a node; other data is returned unchanged."""
    if not isinstance(item, dict) or any(key in item for key in (*KINDS, "type", "kind")):
        return item
    names = [key for key in _NAMES if isinstance(item.get(key), str)]
    given = [key for key in _ARGS if item.get(key) not in (None, {}, [], "")]
    if not names:
        return item
    step = {"do": item[names[0]]}
    if given:
        given.sort(key=lambda key: key != "with")
        step["with"] = item[given[0]]  # the argument check reports other types
    # unknown keys are kept, so that validation reports them
    read = (names[0], *(key for key in _ARGS if key not in given), *given[:1])
    return {**step, **{key: value for key, value in item.items() if key not in read}}


def _step_text(step: Any) -> str:
    if isinstance(step, dict) and "do" in step:
        args = step.get("with")
        values = args.values() if isinstance(args, dict) else () if args is None else (args,)
        return " ".join((str(step["do"]), *map(str, values)))[:60]
    return json.dumps(step, ensure_ascii=False, default=str)[:60]


def _facts_mapping(value: Any) -> dict[str, str]:
    """Return ``{fact: value}`` or ``[{fact, value}]`` as a mapping from text to text."""
    if isinstance(value, list):
        pairs = [item for item in value if isinstance(item, dict) and "fact" in item]
        return {str(pair["fact"]): str(pair.get("value")) for pair in pairs}
    if not isinstance(value, dict):
        return {}
    return {str(key): str(item) for key, item in value.items()}


def _assumption_problems(value: Any) -> Iterator[Problem]:
    """Yield a problem for each malformed or duplicate assumption."""
    seen: set[str] = set()
    for index, pair in enumerate(value if isinstance(value, list) else ()):
        place = f"assumes[{index}]"
        if not isinstance(pair, dict) or set(pair) != {"fact", "value"}:
            message = "an assumption is {fact, value}"
            yield Problem("BAD_VALUE", message, place, str(pair)[:60])
        elif str(pair["fact"]) in seen:
            fact = str(pair["fact"])[:60]
            yield Problem("DUPLICATE_KEY", "a fact is assumed twice", "assumes", fact)
        else:
            seen.add(str(pair["fact"]))


def _texts(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list):
        return ()
    return tuple(item[:200] for item in value if isinstance(item, str))[:20]
