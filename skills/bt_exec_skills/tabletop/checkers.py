"""Checkers of tabletop plans: names must exist, and the moves must match the command.

Codes: ``OBJECT_GONE``, ``CANNOT_LIFT``, ``NO_CONTAINER``, ``NOT_ASKED`` (a move that the command
does not ask for), ``LEFT_OUT`` (a move that the command asks for is missing).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from bt_exec.failure import Problem, nearest_first
from bt_exec.pack import PassContext
from bt_exec.spec.expand import is_reference
from bt_exec.spec.model import Do, MissionSpec
from bt_exec.spec.node_paths import locate
from bt_exec.spec.yaml_source import show_place
from bt_exec_skills.tabletop.environment_state import Environment, environment_of
from bt_exec_skills.tabletop.goals.compiler import TableCompiler, is_question, subgoals_for
from bt_exec_skills.tabletop.goals.model import Trouble
from bt_exec_skills.tabletop.name_attributes import attributes_in_name

__all__ = ["CHECKERS", "check_moves_match_command", "check_target_names"]

_OWN = ("go_to_object", "pick_object", "place_object")


def check_target_names(spec: MissionSpec, context: PassContext) -> Iterator[Problem]:
    """Report unknown names, picks of containers or tables, and placing into other objects.

    A plan made after a failure is not checked, because objects may be missing for a moment; its
    skills report missing objects.
    """
    labels = context.situation.labels
    tables = environment_of(context.situation).tables
    if not labels or spec.mission.parent is not None:
        return
    for step in locate(spec.root).walk(Do):
        node = step.node
        if node.do not in _OWN:
            continue
        for argument in ("object", "target"):
            name = node.args.get(argument)
            if not isinstance(name, str) or is_reference(name):
                continue
            where = f"{show_place(step.place)}/with/{argument}"
            if name not in labels:
                allowed = nearest_first(name, labels)
                yield Problem("OBJECT_GONE", f"there is no object {name!r}", where, name, allowed)
            elif node.do == "pick_object" and (_is_container(name) or name in tables):
                kind = "table" if name in tables else "container"
                yield Problem("CANNOT_LIFT", f"{name} is a {kind}; it is not picked", where, name)
        target, side = node.args.get("target"), node.args.get("side", "in")
        into = node.do == "place_object" and side == "in" and isinstance(target, str)
        if into and target in labels and target not in tables and not _is_container(target):
            holders = (*filter(_is_container, labels), *tables)
            where = f"{show_place(step.place)}/with/target"
            message = f"{target} is not a container; objects go into a container or onto a table"
            yield Problem("NO_CONTAINER", message, where, str(target), holders)


def _is_container(name: object) -> bool:
    return attributes_in_name(str(name)).is_container


def check_moves_match_command(spec: MissionSpec, context: PassContext) -> Iterator[Problem]:
    """Report moves that differ from the command, and missing moves.

    Applies only to commands that were understood with certainty. Plans made after a failure are not
    checked: once the robot has moved, "the right table" may mean another table. Plans of the
    compiler `table` are not checked either. They are made from the same meaning, and they use the
    session, in which "all" may refer to the objects of earlier commands.
    """
    if spec.mission.compiler == TableCompiler.name:
        return
    now = environment_of(context.situation)
    continues = context.meaning is not None and not context.meaning.acts
    if not context.command or not now.objects or spec.mission.parent is not None or continues:
        return
    if is_question(context.command, now):
        yield from _moved_at_a_question(spec)
        return
    try:
        wanted = _requested_places(context.command, now)
    except Trouble:
        return
    yield from _other_ends(spec, wanted, now)


def _moved_at_a_question(spec: MissionSpec) -> Iterator[Problem]:
    for step in locate(spec.root).walk(Do):
        node = step.node
        if node.do in _OWN:
            message = "that is a question: nothing is to be moved; check answer_to, tell: true"
            yield Problem("NOT_ASKED", message, show_place(step.place), node.do, ("answer_to",))


def _other_ends(
    spec: MissionSpec, wanted: Mapping[str, str], now: Environment
) -> Iterator[Problem]:
    planned: dict[str, str] = {}
    places: dict[str, str] = {}
    for step in locate(spec.root).walk(Do):
        node = step.node
        if node.do == "place_object":
            thing = str(node.args.get("object"))
            planned[thing] = f"{node.args.get('side', 'in')} {node.args.get('target')}"
            places[thing] = show_place(step.place)
    for thing, end in planned.items():
        if thing == now.held and end in {f"in {table}" for table in now.tables}:
            continue  # the hand must be emptied before it can take another object
        if thing not in wanted:
            message = f"the command does not ask for {thing} to be moved"
            yield Problem("NOT_ASKED", message, places[thing], end, tuple(wanted))
        elif wanted[thing] != end:
            message = f"{thing} is to go {wanted[thing]}"
            yield Problem("NOT_ASKED", message, places[thing], end, (wanted[thing],))
    for thing, end in wanted.items():
        if thing not in planned and not _is_at_end(thing, end, now):
            yield Problem(
                "LEFT_OUT", f"{thing} is to go {end}, and is left out", "root", "", (end,)
            )


def _requested_places(command: str, now: Environment) -> dict[str, str]:
    """Return the requested place of each object, such as ``in object_red_bowl_0``."""
    return {
        move.thing: f"{move.side} {move.target}"
        for goal in subgoals_for(command, now)
        for move in goal.moves
        if move.target
    }


def _is_at_end(thing: str, end: str, now: Environment) -> bool:
    side, _, target = end.partition(" ")
    return side == "in" and now.is_in_place(thing, target)


CHECKERS = (check_target_names, check_moves_match_command)
"""All checkers of the pack."""
