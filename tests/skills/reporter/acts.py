"""Valid arguments and initial conditions for every skill of the reporter."""

from __future__ import annotations

from typing import Any

from bt_exec.skill import Skill
from bt_exec_skills.navigation.plane_geometry import Pose
from bt_exec_skills.reporter.pack import PACK
from bt_exec_skills.reporter.perception.observation import PlacedDetection

__all__ = ["ARGS", "BASE", "OFFICE", "PROFESSOR", "SKILLS"]

SKILLS: dict[str, Skill] = {skill.name: skill for skill in PACK.skills}
ARGS: dict[str, dict[str, Any]] = {
    "navigate": {"target": "lounge"},
    "observe_scene": {"target": "basecamp", "query": "how many people"},
    "talk_to_person": {"target": "professor", "topic": "When is the meeting?"},
    "deliver_object": {"object": "documents", "recipient": "professor"},
    "summarize_mission": {},
    "fail_and_report": {"reason": "the lift is out of order"},
}
OFFICE, BASE = Pose(2.5, 3.9, 0.0), Pose(3.0, -1.4, 0.0)
PROFESSOR = PlacedDetection("person", (1, 1, 9, 40), 1.0, "professor", (2.5, 5.4))
