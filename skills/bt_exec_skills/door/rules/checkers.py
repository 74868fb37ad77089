"""Checkers that compare a plan and its stated facts with the command and the observation.

=========================  =====================================================================
code                       the plan, or its stated facts …
=========================  =====================================================================
OPENING_IN_CLOSE_COMMAND   opens the door, though the command only closes it
CLOSING_IN_OPEN_COMMAND    closes the door, though the command only opens it
MATERIAL_IN_DOOR_COMMAND   acts on the material, or mentions it, in a command about the door
GATE_REASON_UNRELATED      gives an unrelated reason for the result of a gate
STATE_CONTRADICTS_PLAN     states a door state that its own steps contradict
STATE_CONTRADICTS_SEEN     states a door state other than the observed one
=========================  =====================================================================

Rules that need the meaning of the command report nothing if it was not understood. The site sets
the arm for the material; a command that names the other arm is refused with ``ARM_IS_POLICY``.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from bt_exec.failure import Problem
from bt_exec.pack import PassContext
from bt_exec.spec.condition_expression import named_conditions
from bt_exec.spec.model import Do, MissionSpec, walk
from bt_exec.spec.node_paths import locate
from bt_exec.spec.yaml_source import show_place
from bt_exec_skills.door.rules.gates_before_material_steps import handles_material

__all__ = [
    "CHECKERS",
    "check_arm_as_commanded",
    "check_moves_only_door",
    "check_stated_gate_reasons",
    "check_stated_state",
]

_PROSE = ("explanation", "visibility_warnings", "goal_status", "stop_signal", "subgoals")
_MATERIAL = re.compile(r"material|자재", re.IGNORECASE)
_ASKED = re.compile(r"\b(user|command|request\w*|ask\w*|want\w*)\b|명령|요청|사용자", re.IGNORECASE)
_IS_OPEN = re.compile(r"\b(is|already|door|now|was)\W+(wide )?(open|opened)\b|열려|열렸", re.I)
_NOT_OPEN = re.compile(
    r"closed|shut|ajar|not (fully |yet )?open|uncertain|닫|불확실|조금 열|안 열", re.IGNORECASE
)
_HANDLES = ("get", "take", "bring", "reach")
"""Verbs that move an arm to the material."""
_NO = re.compile(r"\b(no|not|nothing|isn't|without|absent)\b|안 |없|않", re.IGNORECASE)


def check_moves_only_door(spec: MissionSpec, context: PassContext) -> Iterator[Problem]:
    """Check that a command about the door moves only the door, and in one direction."""
    if context.meant is None:
        return
    asked = {node.do for node in walk(context.meant.root, Do)}
    conditions = {
        leaf.name
        for node in walk(context.meant.root)
        for condition in node.conditions.values()
        for leaf in named_conditions(condition)
    }
    if not asked and conditions & {"material_visible", "hand_holds", "hands_hold", "hand_empty"}:
        return  # the command only asks about the material
    for skill, other, code in (
        ("open_door", "close_door", "OPENING_IN_CLOSE_COMMAND"),
        ("close_door", "open_door", "CLOSING_IN_OPEN_COMMAND"),
    ):
        if other in asked and skill not in asked:
            for step in locate(spec.root).walk(Do):
                if step.node.do == skill:
                    message = f"the command asks for {other}; {skill} is not part of it"
                    yield Problem(code, message, f"{show_place(step.place)}/do", skill, (other,))
    if not asked <= {"open_door", "close_door", "return_arm", "return_home"}:
        return
    message = "the command is about the door alone; leave the material out"
    for part in locate(spec.root).walk():
        names = {leaf.name for leaf, _ in part.conditions()}
        if handles_material(part.node) or names & {"material_visible", "hand_holds", "hands_hold"}:
            found = part.node.do if isinstance(part.node, Do) else ", ".join(sorted(names))
            yield Problem("MATERIAL_IN_DOOR_COMMAND", message, show_place(part.place), found)
    for key in _PROSE:
        words = _MATERIAL.search(json.dumps(context.stated.get(key), ensure_ascii=False))
        if words is not None:
            yield Problem("MATERIAL_IN_DOOR_COMMAND", message, key, words[0])


def check_stated_gate_reasons(spec: MissionSpec, context: PassContext) -> Iterator[Problem]:
    """Check that the stated reason of each gate supports the stated result."""
    del spec  # only the stated reasons are checked
    gates = context.stated.get("gate_evaluations")
    for index, gate in enumerate(gates if isinstance(gates, list) else []):
        if not isinstance(gate, dict):
            continue
        name, result, reason = gate.get("gate"), gate.get("result"), str(gate.get("reason", ""))
        fits = {"need_open_door": _fits_door, "material_visible_after_open": _fits_material}
        if name in fits and isinstance(result, bool) and not fits[name](result, reason):
            message = f"{name} is {str(result).lower()} for a reason that does not decide it"
            place = f"gate_evaluations[{index}]/reason"
            yield Problem("GATE_REASON_UNRELATED", message, place, reason[:80])


def _fits_door(result: bool, reason: str) -> bool:
    if _ASKED.search(reason) or _MATERIAL.search(reason):
        return False
    return bool((_NOT_OPEN if result else _IS_OPEN).search(reason))


def _fits_material(result: bool, reason: str) -> bool:
    if _ASKED.search(reason) or not _MATERIAL.search(reason):
        return False
    return bool(_NO.search(reason)) is not result


def check_stated_state(spec: MissionSpec, context: PassContext) -> Iterator[Problem]:
    """Check that the stated state of the door is the observed one, and that the plan fits it."""
    estimation = context.stated.get("door_state_estimation")
    state = estimation.get("state") if isinstance(estimation, Mapping) else estimation
    if not isinstance(state, str):
        return
    place = "door_state_estimation/state"
    seen = context.situation.facts.get("door")
    if seen is not None and state in ("open", "ajar", "closed") and state != seen:
        message = f"the door is {seen}; plan for what is seen"
        yield Problem("STATE_CONTRADICTS_SEEN", message, place, state, (seen,))
    first = next((node for node in walk(spec.root) if _moves_robot(node)), None)
    if first is None or not isinstance(first, Do):
        return
    senseless = {
        "open": ("open_door",),
        "closed": ("close_door", "move_arm", "grasp"),
        "uncertain": ("open_door", "close_door", "move_arm", "grasp"),
    }
    if first.do in senseless.get(state, ()) and first.skip_if is None:
        message = f"with a door that is {state}, {first.do} has no use as the first action"
        yield Problem("STATE_CONTRADICTS_PLAN", message, place, f"{state}, {first.do}")
    observed: Any = context.stated.get("observations")
    missing = isinstance(observed, Mapping) and observed.get("material_visible") is False
    if state == "open" and missing and handles_material(first) and not _checks_material(spec):
        message = "the plan states that the material is not visible, but reaches for it"
        yield Problem("STATE_CONTRADICTS_PLAN", message, "observations/material_visible", "false")


def _moves_robot(node: Any) -> bool:
    return isinstance(node, Do) and node.do not in ("return_arm", "return_home")


def _checks_material(spec: MissionSpec) -> bool:
    """Return True if the plan checks that the material is there."""
    return any(
        leaf.name == "material_visible"
        for node in walk(spec.root)
        if (question := getattr(node, "check", None)) is not None
        for leaf in named_conditions(question)
    )


def check_arm_as_commanded(spec: MissionSpec, context: PassContext) -> Iterator[Problem]:
    """Report an arm in the command that differs from the site's arm for the material."""
    del spec  # the site's policy overrides the plan
    if context.meaning is None:
        return
    policy = str(context.settings.material_arm)
    for act in context.meaning.acts:
        themes = {role.value for role in act.roles if role.role == "theme"}
        arms = set(act.values("Arm"))
        if act.positive and "material" in themes and act.predicate in _HANDLES and arms - {policy}:
            message = f"the {policy} arm takes the material here; the command names another"
            yield Problem(
                "ARM_IS_POLICY", message, show_place(()), ", ".join(sorted(arms)), (policy,)
            )


CHECKERS = (
    check_moves_only_door,
    check_stated_gate_reasons,
    check_stated_state,
    check_arm_as_commanded,
)
"""Functions that take a plan with its subtrees expanded and return its problems."""
