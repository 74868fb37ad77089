"""Condition `answer_to`: a question about the table, answered from its current state."""

from __future__ import annotations

from typing import Annotated

from pydantic import StringConstraints

from bt_exec.language.messages import language_of
from bt_exec.observation import World
from bt_exec.skill import Service, Verdict, condition
from bt_exec_skills.tabletop.goals.answers import answer
from bt_exec_skills.tabletop.goals.compiler import understand
from bt_exec_skills.tabletop.goals.model import Trouble
from bt_exec_skills.tabletop.hand import Hand
from bt_exec_skills.tabletop.perception.observation import TableObservation
from bt_exec_skills.tabletop.robot import TableRobot

__all__ = ["answer_to"]

_MOST_EVIDENCE = 20


@condition(patience_s=10.0, unknown="SIMULATOR_UNREACHABLE")
def answer_to(
    robot: TableRobot,
    world: World[TableObservation],
    hand: Service[Hand],
    question: Annotated[str, StringConstraints(min_length=1, max_length=2000)],
) -> Verdict:
    """Answer a question in words; the verdict is true for yes, and if an object was found.

    Examples: "what is on the table?", "how many cubes are there?", "사과 어디 있어?".
    """
    now = robot.seen(world.since, world.now)
    if now is None:
        return Verdict.unknown("nothing read yet")
    try:
        asked = understand(question, now).question
        if asked is None:
            return Verdict.no("NOT_UNDERSTOOD")
        told = answer(asked, now, hand.holds(now), language_of(question))
    except Trouble as trouble:  # the world has changed since the question was compiled
        return Verdict.no(trouble.code)
    return Verdict(told.holds, told.text, told.names[:_MOST_EVIDENCE])
