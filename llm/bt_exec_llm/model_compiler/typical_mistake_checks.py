"""Checks for typical mistakes of language models, in addition to verification.

=========================  =====================================================================
code                       the answer …
=========================  =====================================================================
NO_PLAN                    contains no plan at all: prose, code, a number
EMPTY_PLAN                 is a plan without any action
NEXT_ACTION_NOT_IN_LIST    names a next action that is not among the remaining actions
ENDLESS_LOOP               repeats without end, or more than 100 times
UNKNOWN_LABEL              acts on an object that no skill can handle
ASSUMED_UNSEEN             assumes an unknown fact
STATE_CONTRADICTS_SEEN     assumes a fact that contradicts the observation
STATE_CONTRADICTS_PLAN     states a fact that makes a step of its own plan pointless
ALREADY_DONE               repeats a finished step without ``skip_if``
PLAN_FOR_ANOTHER_COMMAND   has other effects than the command asks for, omits a part of the
                           command, or uses a robot that the command does not address
REPEATED_UNASKED           runs a step many times that the command asks for once
NOT_KEPT                   changes a fact that the command does not mention
CHANGES_BACK               changes a fact and later changes it back
GUARD_BREAKS_ITSELF        guards a step with a condition that the step itself violates
UNASKED_TALK               talks to a person whom the command does not name
WORDS_NOT_IN_COMMAND       speaks words that are not in the command
COMMAND_FORBIDS            runs a skill although the command may forbid something
SAME_PART_AGAIN            replaces the failed part by an equal one
WORDS_AGAINST_PLAN         contains words that forbid its own plan or warn against it
WORDS_BESIDE_PLAN          has words around the plan that are not usual openings
=========================  =====================================================================

Unknown names (``UNKNOWN_SKILL`` …) are found by `bt_exec.verify`, mistakes specific to a domain by
the checkers of its pack.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

from bt_exec.failure import Problem
from bt_exec.planning.compiler import Request
from bt_exec.planning.robot_views import addressed_parts, owners_in
from bt_exec.spec.model import KINDS, Do, MissionSpec, NodeBase, Tree
from bt_exec.spec.node_paths import Located, locate
from bt_exec.spec.yaml_source import show_place
from bt_exec_llm.model_compiler.plan_effects import (
    Meant,
    chosen_values,
    commanded_values,
    plan_effects,
)

__all__ = [
    "endless_loop_problems",
    "forbidden_skill_problems",
    "no_action_problems",
    "other_effects_problems",
    "other_robot_problems",
    "unchanged_part_problems",
    "with_label_codes",
]

MOST_RUNS = 100
"""Maximum number of runs of a node; more count as an endless loop."""
_FOREVER = ("forever", "infinite", "infinity", "inf", "until_success", "always", "true")
_LOOPS = ("loop", "while_true", "forever", "repeat_until", "retry_until_successful", "keep_running")


def no_action_problems(root: Any) -> Iterator[Problem]:
    """Yield a problem if a plan contains no action."""
    nodes = [node for _, node in _nodes(root)]
    if nodes and all(_is_list_of_nodes(node) for node in nodes):
        message = "nothing is done in this plan; where nothing may be needed, use skip_if"
        yield Problem("EMPTY_PLAN", message, "root", found="no do, check or tree")


def _is_list_of_nodes(node: dict[str, Any]) -> bool:
    """Return True if a node is a list of child nodes, and therefore not an action itself."""
    children = [node[kind] for kind in ("sequence", "fallback", "parallel") if kind in node]
    listed = children[0] if len(children) == 1 and isinstance(children[0], list) else None
    return listed is not None and all(isinstance(child, dict) for child in listed)


def endless_loop_problems(root: Any) -> Iterator[Problem]:
    """Yield a problem for each endless loop in the data of a plan."""
    for place, node in _nodes(root):
        runs = 1
        for key in ("repeat", "retry"):
            value = node.get(key)
            word = str(value).lower()
            number = value if isinstance(value, int) and not isinstance(value, bool) else None
            if word in _FOREVER or (number is not None and number <= 0):
                yield _endless_loop_problem(f"{place}/{key}", f"{key}: {value}")
            elif number is not None:
                runs *= number
        if runs > MOST_RUNS:
            yield _endless_loop_problem(place, f"{runs} runs")
        if not any(kind in node for kind in KINDS):
            loop = next((key for key in node if str(key).lower() in _LOOPS), None)
            if loop is not None:
                yield _endless_loop_problem(place, str(loop))


def _endless_loop_problem(place: str, found: str) -> Problem:
    message = f"a plan must end: repeat and retry are counts, {MOST_RUNS} runs at most"
    return Problem("ENDLESS_LOOP", message, place, found)


def _nodes(value: Any, place: str = "root", depth: int = 0) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the position and data of every node of a plan."""
    if not isinstance(value, dict) or depth > 60:
        return
    yield place, value
    for kind in ("sequence", "fallback", "parallel"):
        children = value.get(kind)
        for index, child in enumerate(children if isinstance(children, list) else []):
            yield from _nodes(child, f"{place}/{kind}[{index}]", depth + 1)


def forbidden_skill_problems(spec: MissionSpec) -> Iterator[Problem]:
    """Yield a problem for the first skill of a plan; called if the command may forbid something."""
    for step in islice(locate(spec.root).walk(Do), 1):
        message = "the command forbids something; state that in 'cannot', and plan nothing"
        yield Problem("COMMAND_FORBIDS", message, show_place(step.place), step.node.do)


def unchanged_part_problems(new: Located[NodeBase], old: NodeBase) -> Iterator[Problem]:
    """Yield a problem if the new part of a plan is equal to the failed part."""
    if _comparable_part(new.node) == _comparable_part(old):
        message = "this part failed already; change something, or give a reason in 'cannot'"
        yield Problem("SAME_PART_AGAIN", message, show_place(new.place))


def _comparable_part(node: NodeBase) -> Any:
    """Return a part of a plan as data, without names and with expanded subtrees."""
    if isinstance(node, Tree) and node.body is not None and not node.modifiers:
        return _comparable_part(node.body)
    own = node.model_dump(mode="json", exclude={"name", "body", "sequence", "fallback", "parallel"})
    return type(node).__name__, own, [_comparable_part(child) for child in node.children]


def with_label_codes(
    problems: tuple[Problem, ...], spec: MissionSpec, request: Request
) -> list[Problem]:
    """Return the problems of verification, with the code ``UNKNOWN_LABEL`` for invalid labels."""
    labels = {
        f"{show_place(step.place)}/with/{name}"
        for step in locate(spec.root).walk(Do)
        if step.node.do in request.catalogue.skills
        for name in request.catalogue.skills[step.node.do].label_arguments()
    }
    return [
        Problem("UNKNOWN_LABEL", p.message, p.place, p.found, p.allowed)
        if p.code == "WRONG_TYPE" and p.place in labels
        else p
        for p in problems
    ]


def other_effects_problems(
    spec: MissionSpec, meant: Meant | None, request: Request
) -> Iterator[Problem]:
    """Yield a problem for each difference between the effects of a plan and those of `meant`."""
    if meant is None:
        return
    wanted = plan_effects(meant.expanded, request.catalogue, request.messages)
    found = plan_effects(spec, request.catalogue, request.messages)
    for key, (fact, value) in wanted.facts.items():
        if key in found.facts and found.facts[key][1] == value:
            continue
        message = f"the command asks for {fact}={value}, the plan ends with something else"
        there = f"nothing on {fact}"
        if key in found.touched:
            there = "=".join(found.touched[key])
            if found.touched[key][1] == value:
                message = (
                    f"the command asks for {fact}={value}; skip_if or a branch may leave it out"
                )
                there += ", not in every case"
        yield _problem_for_another_command(message, there, f"{fact}={value}")
    if wanted.questions and wanted.questions.keys() != found.questions.keys():
        message = "the command asks a question; answer it with only this check and tell: true"
        asked = ", ".join(sorted(found.questions.values())) or "no such check"
        yield _problem_for_another_command(message, asked, *sorted(wanted.questions))
    for key, (fact, value) in found.touched.items():
        if key not in wanted.touched:
            message = f"the command does not ask for {fact}={value}; do what it asks and no more"
            yield _problem_for_another_command(message, f"{fact}={value}")
    # a re-plan may use another arm, as the alternatives of the library do
    said = commanded_values(meant, request) if request.failure is None else {}
    for (skill, name), values in said.items():
        for value in sorted(
            chosen_values(spec, (skill, name), request.catalogue) - values, key=str
        ):
            message = f"the command itself sets {name} of {skill}"
            yield _problem_for_another_command(
                message, f"{name}={value}", *(f"{name}={v}" for v in sorted(values))
            )
    if found.moves and not wanted.moves:
        yield _problem_for_another_command(
            "the command asks for an answer; nothing may be moved for it", "do", "check"
        )


def other_robot_problems(
    new: NodeBase, old: NodeBase | None, request: Request
) -> Iterator[Problem]:
    """Yield a problem for each robot in the plan that nothing asks for.

    A robot is expected if the command addresses it, or if the replaced part uses it.
    """
    robots = set(request.catalogue.robots_sharing_pack)
    if old is not None:
        allowed = owners_in(old, request.catalogue) & robots
    else:
        parts = addressed_parts(request)
        allowed = {robot for part in parts for robot in part.robots} or robots
    for robot in sorted(owners_in(new, request.catalogue) & robots - allowed):
        yield _problem_for_another_command("this is for another robot", robot, *sorted(allowed))


def _problem_for_another_command(message: str, found: str, *allowed: str) -> Problem:
    return Problem("PLAN_FOR_ANOTHER_COMMAND", message, "root", found, allowed)
