"""What lets a mission go on after something failed: the failure is in the notebook."""

from __future__ import annotations

from bt_exec.skill import Verdict, condition
from bt_exec_skills.reporter.robot import ReporterRobot

__all__ = ["failure_noted"]


@condition(patience_s=0.0, unknown="UNCERTAIN_SIGHT")
def failure_noted(robot: ReporterRobot) -> Verdict:
    """Whether the last thing in the notebook is a failure, so that it will be told.

    The second branch of a fallback: what failed before it is not forgotten, and work goes on.
    """
    note = robot.notebook.notes[-1] if robot.notebook.notes else None
    if note is None or note.kind != "failed":
        return Verdict.no("nothing that failed is in the notebook")
    code = str(note.facts.get("code"))
    return Verdict.yes(f"noted: {code}", (f"notebook:{code}",))
