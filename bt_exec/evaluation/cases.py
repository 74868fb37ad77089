"""Labelled commands, with the skills that their plans must and must not contain.

A file is a list of commands, or a mapping with ``commands`` and ``on_the_way``::

    on_the_way: [return_home]
    commands:
      - {say: Open the door., want: act, actions: [[open_door]], only: true, tags: [english]}
      - {say: Make coffee., want: refuse}
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, NamedTuple

from pydantic import BeforeValidator, Field, ValidationError

from bt_exec.failure import SpecError
from bt_exec.site.shipped_data import data_path
from bt_exec.spec.model import Check, Do, NodeBase
from bt_exec.spec.user_data_validation import UserData
from bt_exec.spec.yaml_source import read_file

__all__ = ["Case", "Cases", "Step", "load_cases", "plan_mistake", "skills_of_plan"]


class Action(NamedTuple):
    """A skill with the arguments that the command determines."""

    skill: str
    args: Mapping[str, Any] = {}


def _as_action(written: Any) -> Any:
    return Action(*written) if isinstance(written, list) and 1 <= len(written) <= 2 else written


class Case(UserData):
    """One labelled command.

    Attributes:
        say: The command.
        want: ``act``, ``refuse``, or ``either`` if both are correct.
        actions: Skills that must occur in this order, with arguments that the words determine.
        any_order: Whether the order of `actions` is free.
        forbid: Skills that must not occur.
        only: Whether no skills may occur except `actions` and those in ``on_the_way``.
        condition: Whether an action must depend on a condition.
        question: Whether a plan without skills is also correct if `want` is ``refuse``.
        never: Values of arguments that must not occur.
        context: Earlier commands, oldest first.
        tags: Groups for the results.
    """

    say: str
    want: Literal["act", "refuse", "either"]
    actions: tuple[Annotated[Action, BeforeValidator(_as_action)], ...] = ()
    any_order: bool = False
    forbid: tuple[str, ...] = ()
    only: bool = False
    condition: bool = False
    question: bool = False
    never: tuple[str, ...] = ()
    context: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()


class Cases(UserData):
    """The labelled commands of a file.

    Attributes:
        commands: The commands.
        world: Initial state of the simulated world, as ``--world``, that the compilers observe.
            A value may be the name of a file in the folder of the commands.
        on_the_way: Skills that a plan may add anywhere, such as returning home or reporting.
    """

    commands: Annotated[tuple[Case, ...], Field(min_length=1)]
    world: Mapping[str, str | int | float | bool] = {}
    on_the_way: frozenset[str] = frozenset()


class Step(NamedTuple):
    """A skill of a plan.

    Attributes:
        skill: Name.
        args: Arguments.
        conditional: Whether the step depends on a condition.
    """

    skill: str
    args: Mapping[str, Any]
    conditional: bool = False


def load_cases(path: Path) -> Cases:
    """Return the labelled commands of a file, or of a shipped set by its name.

    Raises:
        SpecError: If the file cannot be read or is invalid; contains every mistake with its place.
    """
    shipped = data_path("configs", "commands", f"{path}.yaml")
    source = read_file(shipped if shipped.is_file() and not path.exists() else path)
    listed = isinstance(source.data, list)
    try:
        cases = Cases.model_validate({"commands": source.data} if listed else source.data)
    except ValidationError as error:
        problems = [
            source.problem(
                "BAD_VALUE",
                str(one["msg"]).replace("Input should", "must"),
                one["loc"][1:] if listed else one["loc"],
                found=repr(one["input"])[:40],
            )
            for one in error.errors()
        ]
        raise SpecError(problems, checkable=False) from None
    beside = {key: Path(source.file).parent / str(value) for key, value in cases.world.items()}
    files = {key: str(file) for key, file in beside.items() if file.is_file()}
    return cases.model_copy(update={"world": {**cases.world, **files}})


def skills_of_plan(node: NodeBase, conditional: bool = False) -> Iterator[Step]:
    """Yield the skills of an expanded plan in order; a repeated node yields them in every round."""
    decided = conditional or (node.skip_if is not None and not isinstance(node, Do))
    for _ in range(node.repeat or 1):
        if isinstance(node, Do):
            yield Step(node.do, node.args, decided)
        for child in node.children:
            yield from skills_of_plan(child, decided)
            decided = decided or isinstance(child, Check)


def plan_mistake(case: Case, plan: list[Step], on_the_way: frozenset[str] = frozenset()) -> str:
    """Return the mistake of a plan for a labelled command; empty if it is correct."""
    skills = {step.skill for step in plan}
    wanted = {action.skill for action in case.actions}
    extra = skills - wanted - on_the_way
    if case.want == "refuse":
        return "" if case.question and not skills else "should be refused"
    in_order = _contains_in_order(plan, list(case.actions))
    if not (
        in_order
        or (case.any_order and all(_contains_in_order(plan, [one]) for one in case.actions))
    ):
        return "not what was asked"
    if skills & set(case.forbid):
        return "forbidden skill"
    if {str(value) for step in plan for value in step.args.values()} & set(case.never):
        return "forbidden argument"
    if (case.only or not wanted) and extra:
        return f"also {', '.join(sorted(extra))}"
    if case.condition and not any(step.conditional for step in plan):
        return "without the condition"
    return ""


def _contains_in_order(plan: list[Step], actions: list[Action]) -> bool:
    for step in plan:
        if (
            actions
            and step.skill == actions[0].skill
            and _argument_matches(step.args, actions[0].args)
        ):
            actions.pop(0)
    return not actions


def _argument_matches(given: Mapping[str, Any], wanted: Mapping[str, Any]) -> bool:
    """Return True if the words of the wanted argument occur in the given one, ignoring plurals."""
    return all(_words(wanted[key]) <= _words(given.get(key)) for key in wanted)


def _words(value: Any) -> set[str]:
    return {word.removesuffix("s") for word in re.findall(r"[\w]+", str(value).casefold())}
