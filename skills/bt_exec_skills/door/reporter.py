"""Turn report of the door pack: one minified JSON object per turn, with keys in a fixed order.

A turn is reported before every action, once while perception is repeated, and at the end. A command
about the door alone never mentions material, whatever the hands hold.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from bt_exec.mission_reporter import Action, MissionReporter, MissionView
from bt_exec.spec.model import Do, walk
from bt_exec_skills.door.perception.door_state_agreement import HIDDEN
from bt_exec_skills.door.perception.observation import DoorObservation
from bt_exec_skills.door.rules.gates_before_material_steps import handles_material

__all__ = ["ACTIONS", "REASONS", "DoorReporter"]

ACTIONS = (
    "move_arm",
    "grasp",
    "release",
    "open_door",
    "close_door",
    "return_arm",
    "return_home",
)
REASONS = (
    "OK",
    "ALREADY_OPEN",
    "ALREADY_CLOSED",
    "MATERIAL_NOT_VISIBLE_AFTER_OPEN",
    "UNCERTAIN_PERCEPTION",
    "SKILL_FAILED",
)
SKIPS = ("already open", "already closed")

_SAY: Mapping[str, Mapping[str, str]] = MappingProxyType(
    {
        "next": {"en": "Next: {action}.", "ko": "다음 동작: {action}."},
        "looking": {
            "en": "Not sure what is seen; looking again.",
            "ko": "보이는 것이 확실하지 않아 다시 봅니다.",
        },
        "going": {"en": "in progress", "ko": "진행 중"},
        "OK": {"en": "goal reached", "ko": "목표 달성"},
        "ALREADY_OPEN": {"en": "door already open", "ko": "문이 이미 열려 있음"},
        "ALREADY_CLOSED": {"en": "door already closed", "ko": "문이 이미 닫혀 있음"},
        "MATERIAL_NOT_VISIBLE_AFTER_OPEN": {
            "en": "material not visible after opening",
            "ko": "문을 연 뒤에도 자재가 보이지 않음",
        },
        "UNCERTAIN_PERCEPTION": {
            "en": "cannot tell what is seen",
            "ko": "보이는 것을 판단할 수 없음",
        },
        "SKILL_FAILED": {"en": "stopped: {code}", "ko": "멈춤: {code}"},
    }
)


class DoorReporter(MissionReporter):
    """Turn reporter of one mission."""

    def __init__(self, services: Mapping[str, Any]) -> None:
        super().__init__(services)
        self._step = 0

    def turn_report(self, view: MissionView) -> dict[str, Any] | None:
        """Return the report of this turn, or None.

        There is no report while the mission has no next action, unless the door's state is
        uncertain.
        """
        estimate = _estimate(view.observation)
        waits = view.status == "in_progress" and view.next_action is None
        if waits and estimate["state"] != "uncertain":
            return None
        actions = [node.do for node in walk(view.spec.root, Do)]
        fetch = any(handles_material(node) for node in walk(view.spec.root))
        opens = "open_door" in actions
        observation: DoorObservation | None = view.observation
        status, reason = _goal_status(view)
        explanation, message = _explanation_and_message(view, status, reason)
        blocked = status == "blocked"
        report: dict[str, Any] = {
            "mode": "init" if self._step == 0 else "step",
            "plan_version": view.spec.mission.plan_version,
            "step_index": self._step,
            "next_action": None if view.next_action is None else _action_data(view.next_action),
            "full_action_list": [_action_data(action) for action in view.remaining],
            "skip_log": [
                {"skipped": {"name": skip.name, "reason": skip.reason}}
                for skip in view.skipped
                if skip.name in ACTIONS and skip.reason in SKIPS
            ],
            "visibility_warnings": _warnings(view, reason) if fetch else [],
            "explanation": explanation,
            "door_state_estimation": estimate,
            "observations": {
                "handle_present": observation is not None and observation.sees("door-handle"),
                "material_visible": _material_visibility(view) if fetch else "uncertain",
            },
            "gate_evaluations": _gates_of_command(view, opens=opens, fetch=fetch),
            "goal_status": {"status": status, "reason_code": reason, "message": message},
        }
        if blocked:
            report["stop_signal"] = {
                "should_stop": True,
                "reason_code": reason,
                "notify": True,
                "message": message,
            }
        report["arm_policy"] = {"material_arm": view.settings.material_arm}
        self._step += 1
        return report


def _action_data(action: Action) -> dict[str, Any]:
    return {"name": action.name, "args": {k: v for k, v in action.args.items() if v is not None}}


def _goal_status(view: MissionView) -> tuple[str, str]:
    """Return the goal status and the reason code, in the terms of the turn report's contract."""
    if view.status in ("in_progress", "satisfied"):
        reason = view.reason_code if view.reason_code in REASONS else "OK"
        return view.status, reason
    known = view.reason_code in REASONS and view.reason_code != "OK"
    return "blocked", view.reason_code if known else "SKILL_FAILED"


def _explanation_and_message(view: MissionView, status: str, reason: str) -> tuple[str, str]:
    """Return the explanation and the message in the language of the command.

    The texts are made from codes and not from the messages of skills, so that a command about the
    door alone mentions nothing else.
    """

    def say(key: str, **facts: str) -> str:
        return _SAY[key][view.language].format(**facts)

    if status == "in_progress":
        if view.next_action is None:
            return say("looking"), say("going")
        args = view.next_action.args.values()
        action = " ".join((view.next_action.name, *(str(value) for value in args)))
        return say("next", action=action), say("going")
    code = view.failure.code if view.failure is not None else view.reason_code
    message = say(reason, code=code)
    return message[:1].upper() + message[1:] + ".", message


def _estimate(observation: DoorObservation | None) -> dict[str, Any]:
    if observation is None:
        return {"state": "uncertain", "confidence": 0.0, "evidence": ["primary:no_frame"]}
    return {
        "state": observation.door.state,
        "confidence": round(observation.door.confidence, 1),
        "evidence": list(observation.door.evidence),
    }


def _material_visibility(view: MissionView) -> bool | str:
    verdict = view.verdicts.get("material_visible")
    if verdict is None or verdict.holds is None:
        return "uncertain"
    return verdict.holds


def _warnings(view: MissionView, reason: str) -> list[str]:
    lost = reason == "MATERIAL_NOT_VISIBLE_AFTER_OPEN"
    return [_SAY[reason][view.language]] if lost else []


def _gates_of_command(view: MissionView, *, opens: bool, fetch: bool) -> list[dict[str, Any]]:
    """Return the evaluations of the gates of a command; a command that only closes has no gate."""
    gates: list[dict[str, Any]] = []
    if opens:
        gates.append({"gate": "need_open_door", **_need_open(view, fetch=fetch)})
    if fetch:
        seen = _material_visibility(view)
        reasons = {True: "material detected", False: "no material detected"}
        reason = reasons.get(seen, "not looked behind the door yet")  # type: ignore[arg-type]
        gates.append({"gate": "material_visible_after_open", "result": seen, "reason": reason})
    return gates


def _need_open(view: MissionView, *, fetch: bool) -> dict[str, Any]:
    if any(skip.name == "open_door" for skip in view.skipped):
        return {"result": False, "reason": "already open"}
    if any(action.name == "open_door" for action in view.done):
        return {"result": False, "reason": "door was opened"}
    scene: DoorObservation | None = view.observation
    state = scene.door.state if scene is not None else "uncertain"
    if state == "uncertain":
        return {"result": "uncertain", "reason": "door state uncertain"}
    if fetch and state == "open" and scene is not None and not scene.inside_clear:
        return {"result": True, "reason": f"door not fully open: {HIDDEN}"}
    return {"result": state != "open", "reason": f"door {state}"}
