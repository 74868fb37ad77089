"""Responses of the route ``/llm_command``, in the format of other planners.

Those planners split a command into subgoals and tasks, run them, and respond with a result for each
task. The field ``generated_code`` contains these results as JSON text, and ``plan`` contains the
plan. In bt-exec, the result of a task is ``"Ok"`` only if the task was completed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from bt_exec.failure import SpecError
from bt_exec.journal import Journal
from bt_exec.mission_outcome import Outcome
from bt_exec.serve.stages_and_plan_preview import pascal_case_name
from bt_exec.site.site import Site
from bt_exec.spec.dump import dump_yaml
from bt_exec.spec.model import MissionSpec

__all__ = ["final_answer", "running_answer"]


def final_answer(site: Site, journal: Journal, outcome: Outcome, stages: Mapping[str, Any]) -> Any:
    """Return the response for a mission that has ended.

    Args:
        site: Site whose packs may define a plan format.
        journal: Journal with the record of the mission.
        outcome: Outcome of the mission.
        stages: Stages of the mission, from `stages_of`.
    """
    plans = journal.mission(outcome.mission_id).plans
    plan = stages["plan"] or {"subgoals": [], "tasks": []}
    results = [
        {**task, "skill": pascal_case_name(task["skill"])} for task in stages["results"]["tasks"]
    ]
    return {
        "status": "success" if outcome.ok else "error",
        "user_command": outcome.command,
        "generated_code": json.dumps(results, ensure_ascii=False, indent=2) if plans else "",
        "plan": _plan_data(plans[-1].event.spec, site) if plans else "",
        "subgoals": plan["subgoals"],
        "task_outputs": [
            {
                "subgoal": part["subgoal"],
                "tasks": [
                    {"skill": pascal_case_name(task["skill"]), "target": task["target"]}
                    for task in part["tasks"]
                ],
            }
            for part in plan["tasks"]
        ],
        "results": results,
        "mission_id": outcome.mission_id,
        "outcome": outcome.status,
        "reason_code": outcome.reason_code,
        "message": outcome.message,
    }


def running_answer(mission_id: str, command: str) -> dict[str, Any]:
    """Return the response for a mission that exceeds the time limit of the request."""
    return {
        "status": "running",
        "user_command": command,
        "generated_code": "",
        "plan": "",
        "subgoals": [],
        "task_outputs": [],
        "results": [],
        "mission_id": mission_id,
    }


def _plan_data(spec: MissionSpec, site: Site) -> str:
    """Return a plan in the first format of the site's packs that supports it, or as YAML."""
    for pack in site.catalogue.packs:
        for form in pack.formats.values():
            try:
                return form.write(spec)
            except SpecError:  # this format does not support the plan; try the next
                continue
    return dump_yaml(spec)
