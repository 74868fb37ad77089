"""Conditions of the door pack: the state of the door, what is in view, what the hands hold.

Timing: a node checks its condition once or each tick (see `bt_exec.spec.model`); only
observations made since the node started count. An uncertain result counts as *not known yet* until
the patience of the condition is used up; then the check fails with UNCERTAIN_PERCEPTION.
"""

from __future__ import annotations

from typing import Literal

from bt_exec.observation import World
from bt_exec.skill import Verdict, condition
from bt_exec_skills.door.perception.door_state_agreement import (
    HIDDEN,
    HIDDEN_BY_DOOR,
    agreed_state,
    door_uncertainty,
    picture_uncertainty,
)
from bt_exec_skills.door.perception.observation import DoorEstimate, DoorObservation
from bt_exec_skills.door.robot import ARMS, Arm, DoorRobot, MaterialLabel
from bt_exec_skills.perception.fresh_observations import NO, PATIENCE_S, YES, in_view

__all__ = [
    "CONDITIONS",
    "arms_home",
    "door_is",
    "door_known",
    "hand_empty",
    "hand_holds",
    "handle_visible",
    "hands_hold",
    "inside_in_view",
    "material_visible",
]

_UNCERTAIN = "UNCERTAIN_PERCEPTION"


@condition(
    patience_s=PATIENCE_S,
    unknown=_UNCERTAIN,
    skip_reason="already {state}",
    establishes={"door": "{state}"},
)
def door_is(world: World[DoorObservation], state: Literal["open", "ajar", "closed"]) -> Verdict:
    """Whether the door is in the given state; two fresh pictures must agree."""
    found = _agreed_door_state(world)
    if isinstance(found, Verdict):
        return found
    return Verdict(found.state == state, _door_text(found), found.evidence, world.age_s)


@condition(patience_s=PATIENCE_S, unknown=_UNCERTAIN)
def door_known(world: World[DoorObservation]) -> Verdict:
    """Whether the state of the door is certain."""
    found = _agreed_door_state(world)
    if isinstance(found, Verdict):
        return found
    why = f"door is {found.state}, confidence {found.confidence:.1f}"
    return Verdict.yes(why, found.evidence, world.age_s)


@condition(patience_s=PATIENCE_S, unknown=_UNCERTAIN)
def material_visible(world: World[DoorObservation], robot: DoorRobot) -> Verdict:
    """Whether the material is in view behind the door.

    It counts as absent only if a hand holds it, if a hand lost it in front of the door, or if
    nothing hides the inside.
    """
    for arm in ARMS:
        held = hand_holds(robot=robot, arm=arm)
        if held.holds:
            return Verdict.no(held.why, held.evidence)
    found = _material_behind_door(world)
    if (found.holds is False or found.why in _HIDDEN) and world.fresh[-1].touched == "in_front":
        return Verdict.no("material fell to the floor in front of the door", found.evidence)
    return found


@condition(patience_s=PATIENCE_S, unknown=_UNCERTAIN)
def inside_in_view(world: World[DoorObservation]) -> Verdict:
    """Whether the space behind the door is known: the material is seen, or nothing hides it."""
    found = _material_behind_door(world)
    if found.why in _HIDDEN:
        return Verdict.no(found.why, found.evidence, found.age_s)
    clear = [one.inside_clear for one in world.fresh[-YES:] if one.fault is None]
    return Verdict.yes("the inside is in view") if found.holds or clear == [True] * YES else found


@condition(patience_s=PATIENCE_S, unknown=_UNCERTAIN)
def handle_visible(world: World[DoorObservation]) -> Verdict:
    """Whether the handle is in view. It counts as absent only after three fresh pictures."""
    return _in_view(world, "door-handle")


@condition(
    patience_s=0.0,
    unknown=_UNCERTAIN,
    skip_reason="already in hand",
    establishes={"hand.{arm}": "{object_label}"},
)
def hand_holds(robot: DoorRobot, arm: Arm, object_label: MaterialLabel = "material") -> Verdict:
    """Whether the hand holds the material, by touch."""
    held = robot.holding(arm) or "nothing"
    return Verdict(held == object_label, f"{arm} hand holds {held}", (f"touch:{held}",))


@condition(patience_s=0.0, unknown=_UNCERTAIN, skip_reason="already in hand")
def hands_hold(robot: DoorRobot, object_label: MaterialLabel = "material") -> Verdict:
    """Whether one of the hands holds the material, by touch."""
    hands = [hand_holds(robot=robot, arm=arm, object_label=object_label) for arm in ARMS]
    why = "; ".join(hand.why for hand in hands)
    return Verdict(any(hand.holds for hand in hands), why, hands[0].evidence + hands[1].evidence)


@condition(
    patience_s=0.0,
    unknown=_UNCERTAIN,
    skip_reason="hand already empty",
    establishes={"hand.{arm}": "empty"},
)
def hand_empty(robot: DoorRobot, arm: Arm) -> Verdict:
    """Whether the hand holds nothing, by touch."""
    held = robot.holding(arm) or "nothing"
    return Verdict(held == "nothing", f"{arm} hand holds {held}", (f"touch:{held}",))


@condition(patience_s=0.0, unknown=_UNCERTAIN, skip_reason="already home")
def arms_home(robot: DoorRobot) -> Verdict:
    """Whether both arms are at rest at home."""
    return Verdict(robot.at_home, "arms are at home" if robot.at_home else "arms are not at home")


def _agreed_door_state(world: World[DoorObservation]) -> DoorEstimate | Verdict:
    """Return the state on which fresh pictures agree, or an unknown verdict with the reason."""
    found = agreed_state(world.fresh)
    if found.state != "uncertain":
        return found
    return Verdict.unknown(door_uncertainty(world), found.evidence, world.age_s)


def _door_text(found: DoorEstimate) -> str:
    return f"door {found.state} {found.confidence:.1f}"


def _material_behind_door(world: World[DoorObservation]) -> Verdict:
    found = _in_view(world, "material")
    if found.holds is False and not all(one.inside_clear for one in world.fresh[-NO:]):
        closed = agreed_state(world.fresh).state == "closed"
        why = HIDDEN_BY_DOOR if closed else HIDDEN
        return Verdict.unknown(why, found.evidence, found.age_s)
    return found


def _in_view(world: World[DoorObservation], label: str) -> Verdict:
    observations = world.fresh
    there = in_view(observations, label)
    looks = tuple(
        f"look:{one.t:.1f}s:{'yes' if one.confirms(label) else 'no'}" for one in observations
    )
    if there is None:
        return Verdict.unknown(picture_uncertainty(world), looks[-3:], world.age_s)
    return Verdict(there, f"{label} {'seen' if there else 'not seen'}", looks[-3:], world.age_s)


_HIDDEN = frozenset({HIDDEN, HIDDEN_BY_DOOR})

CONDITIONS = (
    door_is,
    door_known,
    material_visible,
    inside_in_view,
    handle_visible,
    hand_holds,
    hands_hold,
    hand_empty,
    arms_home,
)
"""Every condition of the pack."""
