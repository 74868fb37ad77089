"""Repair of a plan after a failure: finished subgoals are kept, the failed one is planned again.

An object is given up after a failure that a retry cannot cure (such as GRASP_MISSED or
UNREACHABLE), or after two other failures. Missing objects, and objects with a missing target, are
not moved either. The final check of the plan still includes these objects, so that the mission is
not reported as done.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from itertools import dropwhile

from bt_exec.failure import Failure
from bt_exec.planning.compiler import Request
from bt_exec.spec.expand import expand
from bt_exec.spec.model import Do, Mission, MissionSpec
from bt_exec.spec.node_paths import nodes_with_paths
from bt_exec_skills.tabletop.environment_state import Environment
from bt_exec_skills.tabletop.goals.held_object_subgoals import put_aside
from bt_exec_skills.tabletop.goals.model import Move, Subgoal
from bt_exec_skills.tabletop.goals.move_order import shortest_order
from bt_exec_skills.tabletop.goals.plan import (
    REMARK,
    answer_checks_of,
    final_places_of,
    goals_of,
    plan_of,
)

__all__ = ["given_up_objects", "replan"]

_HOPELESS = ("GRASP_MISSED", "UNREACHABLE", "NO_PATH", "OBJECT_GONE", "BLOCKED")
_MOST_TRIES = 2  # number of failures after which an object is given up in any case


def given_up_objects(tried: tuple[Failure, ...]) -> dict[str, str]:
    """Return the objects that are not tried again, each with the code of the reason."""
    found: dict[str, str] = {}
    counts: Counter[str] = Counter()
    for failure in tried:
        for name in _object_of_failure(failure):
            counts[name] += 1
            if failure.code in _HOPELESS or counts[name] >= _MOST_TRIES:
                found[name] = failure.code
    return {name: code for name, code in found.items() if name}


def _object_of_failure(failure: Failure) -> tuple[str, ...]:
    """Return the object that a failure is about, which may be the target of a drive."""
    args = failure.args
    if "object" in args:
        return (str(args["object"]),)
    return (str(args.get("target", "")),)


def replan(
    request: Request, now: Environment, compiler: str
) -> tuple[MissionSpec | None, Mapping[str, str]]:
    """Return the new plan, or None if nothing can be done, and the given-up objects with reasons.

    The failed subgoal is planned from the current positions. Finished subgoals are kept, and later
    ones are unchanged except for missing objects.
    """
    previous, failure = request.previous, request.failure
    assert previous is not None
    assert failure is not None
    lost = given_up_objects(request.tried)
    goals = goals_of(previous.root)
    failing = _failing_subgoal(previous, failure)
    kept: list[Subgoal] = []
    for number, goal in enumerate(goals):
        moves = goal.moves
        done = _is_reached(goal, now)
        if not done:
            moves = tuple(
                move
                for n, move in enumerate(moves)
                if move.thing not in lost
                and not any(
                    _is_done(later, now) for later in moves[n:] if later.thing == move.thing
                )
                and move.thing in now.objects
                and (not move.target or now.position_of(move.target) is not None)
            )
            if len({move.thing for move in moves}) < len({move.thing for move in goal.moves}):
                moves = () if _changes_places(goal) else moves
            if number == failing:
                moves = shortest_order(_held_first(moves, request), now)
        if moves:
            kept.append(Subgoal(goal.text, moves))
    if all(_is_reached(goal, now) for goal in kept) and not final_places_of(previous.root):
        return None, lost
    if not kept:
        return None, lost
    header = Mission(
        command=previous.mission.command,
        language=previous.mission.language,
        plan_version=previous.mission.plan_version + 1,
        compiler=compiler,
        parent=previous.mission.plan_version,
        subgoals=previous.mission.subgoals,
        notes=tuple(note for note in previous.mission.notes if note.startswith(f"{REMARK}: ")),
    )
    aside = _put_aside_held(kept, now, request)
    wanted, replies = final_places_of(previous.root), answer_checks_of(previous.root)
    spec = plan_of(header, [*aside, *kept], wanted, replies)
    finished = [goal for goal in kept if _is_reached(goal, now)]
    return spec.with_header(kept=_kept_paths_of(spec, finished, request)), lost


def _put_aside_held(kept: list[Subgoal], now: Environment, request: Request) -> list[Subgoal]:
    """Return the subgoal that empties the hand, unless the next move is about the held object."""
    held = request.situation.facts.get("hand", "empty")
    at = now.position_of(held)
    if at is None:
        return []
    for goal in kept:
        moves = [move for move in goal.moves if not _is_done(move, now)]
        if moves:
            if moves[0].thing == held:
                return []
            break
    if not now.tables:
        return []
    return [put_aside(replace(now, held=held), request.language)]


def _failing_subgoal(previous: MissionSpec, failure: Failure) -> int:
    """Return the index of the subgoal in which a plan failed, or -1."""
    names = [goal.text for goal in goals_of(previous.root)]
    for part in failure.path.split("/"):
        for number, name in enumerate(names):
            if part == name or part.startswith(f"{name}#"):
                return number
    return -1


def _is_reached(goal: Subgoal, now: Environment) -> bool:
    """Return True if every object of a subgoal is at its final target."""
    return all(_is_done(move, now) for move in {move.thing: move for move in goal.moves}.values())


def _is_done(move: Move, now: Environment) -> bool:
    if not move.target or move.side != "in":
        return False
    if move.spot:
        return now.is_at(move.thing, move.target, move.spot)
    return now.is_in_place(move.thing, move.target)


def _changes_places(goal: Subgoal) -> bool:
    """Return True if an object moves twice, as in a swap, which cannot be done in part."""
    return len({move.thing for move in goal.moves}) < len(goal.moves)


def _held_first(moves: tuple[Move, ...], request: Request) -> tuple[Move, ...]:
    held = request.situation.facts.get("hand", "empty")
    return tuple(sorted(moves, key=lambda move: move.thing != held))


def _kept_paths_of(spec: MissionSpec, finished: list[Subgoal], request: Request) -> tuple[str, ...]:
    """Return the paths of the actions that are not repeated, such as those of finished subgoals.

    If the next two actions would fetch the object that is already in the hand, they count as done.
    """
    whole = expand(spec, request.library)
    names = {goal.text for goal in finished}
    nodes = list(nodes_with_paths(whole.root, Do))
    done = [path for path, _ in nodes if any(part in names for part in path.split("/"))]
    held = request.situation.facts.get("hand", "empty")
    left = list(dropwhile(lambda one: one[0] in done, nodes))[:2]
    fetches = [(node.do, node.args.get("target")) for _, node in left]
    if fetches == [("go_to_object", held), ("pick_object", held)]:
        done += [path for path, _ in left]
    return tuple(done)
