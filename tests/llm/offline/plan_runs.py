"""Abstract execution of plans: actions in each world, without a robot or a clock."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

from bt_exec.spec.dump import to_data
from bt_exec.spec.model import Fallback, MissionSpec

__all__ = ["exactly_one_does", "runs_one_branch", "same_runs"]

_DOOR = ("open", "ajar", "closed")
_RESULT = {"open_door": "open", "close_door": "closed"}


def same_runs(one: MissionSpec, other: MissionSpec) -> bool:
    """Return True if two plans have the same actions in every world that they distinguish."""
    leaves = sorted({*_leaves(to_data(one)["root"]), *_leaves(to_data(other)["root"])})
    return all(_run(one, world) == _run(other, world) for world in _worlds(leaves))


def exactly_one_does(skill: str, one: MissionSpec, other: MissionSpec) -> bool:
    """Return True if in every world one of two plans runs a skill, and the other does not."""
    leaves = sorted({*_leaves(to_data(one)["root"]), *_leaves(to_data(other)["root"])})
    return all(
        _runs_skill(skill, one, world) != _runs_skill(skill, other, world)
        for world in _worlds(leaves)
    )


def _runs_skill(skill: str, spec: MissionSpec, world: dict[str, Any]) -> bool:
    return any(action.startswith(f"{skill} ") for action in _run(spec, world)[0])


def runs_one_branch(choice: MissionSpec, one: MissionSpec, other: MissionSpec) -> bool:
    """Return True if a choice has the actions of one of its two branches in every world.

    Args:
        choice: Plan for "if C, do A, otherwise do B".
        one: Plan for "if C, do A".
        other: Plan for "if not C, do B".
    """
    leaves = sorted(
        {leaf for spec in (choice, one, other) for leaf in _leaves(to_data(spec)["root"])}
    )
    for world in _worlds(leaves):
        branches = (_run(one, world), _run(other, world))
        most = max(len(done) for done, _ in branches)
        if _run(choice, world) not in [run for run in branches if len(run[0]) == most]:
            return False
    return True


def _worlds(leaves: list[str]) -> Iterator[dict[str, Any]]:
    for door, *bits in product(_DOOR, *[(True, False)] * len(leaves)):
        yield {"door": door, **dict(zip(leaves, bits, strict=True))}


def _leaves(node: Any) -> Iterator[str]:
    """Yield the conditions of a plan that do not depend on the door alone."""
    if isinstance(node, list):
        for one in node:
            yield from _leaves(one)
    elif isinstance(node, dict):
        for key, value in node.items():
            if key in ("check", "skip_if"):
                yield from _named(value)
            elif key != "while":
                yield from _leaves(value)


def _named(expression: Any) -> Iterator[str]:
    if isinstance(expression, str):
        yield expression
        return
    ((name, args),) = expression.items()
    if name in ("not", "all", "any"):
        for one in args if isinstance(args, list) else [args]:
            yield from _named(one)
    elif name != "door_is":
        yield str(expression)


def _run(spec: MissionSpec, world: dict[str, Any]) -> tuple[tuple[str, ...], bool]:
    """Return the actions in order, and whether the plan succeeds."""
    done: list[str] = []
    ended = _tick(to_data(spec)["root"], dict(world), done)
    return tuple(done), ended


def _tick(node: dict[str, Any], world: dict[str, Any], done: list[str]) -> bool:
    if "skip_if" in node and _holds(node["skip_if"], world):
        return True
    return all(_once(node, world, done) for _ in range(int(node.get("repeat") or 1)))


def _once(node: dict[str, Any], world: dict[str, Any], done: list[str]) -> bool:
    if "do" in node:
        done.append(f"{node['do']} {sorted((node.get('with') or {}).items())}")
        world["door"] = _RESULT.get(node["do"], world["door"])
        return True
    if "check" in node:
        return bool(node.get("tell")) or _holds(node["check"], world)
    if "body" in node:
        return _tick(node["body"], world, done)
    if "fallback" in node:
        return _tick_fallback(node["fallback"], world, done)
    return all(_tick(child, world, done) for child in node["sequence"])


def _tick_fallback(branches: list[Any], world: dict[str, Any], done: list[str]) -> bool:
    choice = Fallback.model_validate({"fallback": branches}).is_choice
    for branch in branches:
        decided = choice and _holds(branch["sequence"][0]["check"], world)
        if _tick(branch, world, done):
            return True
        if decided:
            return False
    return False


def _holds(expression: Any, world: dict[str, Any]) -> bool:
    if isinstance(expression, str):
        return bool(world[expression])
    ((name, args),) = expression.items()
    if name == "not":
        return not _holds(args, world)
    if name == "all":
        return all(_holds(one, world) for one in args)
    if name == "any":
        return any(_holds(one, world) for one in args)
    if name == "door_is":
        return bool(world["door"] == args["state"])
    return bool(world[str(expression)])
