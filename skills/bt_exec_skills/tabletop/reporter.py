"""Mission reporter of the pack: progress of subgoals each turn, and reached subgoals at the end.

The final report uses the last observation of the world. Results of skills, which read the world
themselves, are used only for objects that were placed after that observation. The place of an
object that a stopped or failed action released after that observation is reported as unknown.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple, cast

from bt_exec.events import (
    Event,
    FactsKnown,
    MissionStarted,
    Observed,
    Planned,
    SkillEnded,
    SkillStarting,
)
from bt_exec.mission_reporter import MissionReporter, MissionView
from bt_exec.spec.model import Do, NodeBase, Sequence, walk
from bt_exec_skills.tabletop.display_names import display_name_or_id
from bt_exec_skills.tabletop.environment_state import Environment
from bt_exec_skills.tabletop.goals.model import Move
from bt_exec_skills.tabletop.goals.plan import REMARK
from bt_exec_skills.tabletop.goals.subgoal_factory import describe_moves
from bt_exec_skills.tabletop.output_sentences import sentence
from bt_exec_skills.tabletop.perception.observation_and_pipeline import TableObservation
from bt_exec_skills.tabletop.robot import Side, Spot

__all__ = ["TableReporter"]


class _Step(NamedTuple):
    """Last action on an object in a subgoal."""

    skill: str
    thing: str
    target: str
    side: Side
    spot: Spot


class _Goal(NamedTuple):
    """Subgoal with the last action on each of its objects."""

    name: str
    steps: tuple[_Step, ...]


class TableReporter(MissionReporter):
    """Reporter of one mission at the tables."""

    def __init__(self, services: Mapping[str, Any]) -> None:
        super().__init__(services)
        self._language = "en"
        self._goals: tuple[_Goal, ...] = ()
        self._remarks: list[str] = []
        self._now: Environment | None = None
        self._seen_s = float("-inf")
        self._running: Mapping[str, Any] = {}
        self._did: dict[tuple[str, str], float] = {}
        self._released = ""

    def on(self, event: Event) -> None:
        """Implement `MissionReporter.on`."""
        match event:
            case MissionStarted():
                if (hand := self.services.get("hand")) is not None:
                    hand.begin_mission()
                self._language = event.language if event.language == "ko" else "en"
            case Planned() if not self._goals:
                self._goals = tuple(_subgoals(event.spec.root))
                # a resumed plan may be in the other language
                if event.spec.mission.language != self._language:
                    self._goals = tuple(map(self._renamed, self._goals))
                notes = event.spec.mission.notes
                self._remarks = [
                    note.removeprefix(f"{REMARK}: ") for note in notes if note.startswith(REMARK)
                ]
            case Observed(observation=TableObservation() as seen):
                self._now, self._seen_s, self._released = seen.environment, event.t, ""
            case SkillStarting():
                self._running = event.args
            case SkillEnded(state="done"):
                thing = self._running.get("object") or self._running.get("target")
                self._did[event.skill, str(thing)] = event.t
            case SkillEnded(skill="place_object"):
                self._released = str(self._running.get("object"))
            case FactsKnown(moment="end") if event.facts.get("hand") == self._released:
                self._released = ""

    def turn_report(self, view: MissionView) -> dict[str, Any]:
        """Return the progress of each subgoal, the next action and the state of the mission."""
        action = view.next_action
        return {
            "subgoals": [
                {"subgoal": goal.name, "done": self._done(goal), "of": len(goal.steps)}
                for goal in self._goals
            ],
            "next_action": None if action is None else action.to_dict(),
            "actions_left": len(view.remaining),
            "status": view.status,
            "reason_code": view.reason_code,
            "message": view.message,
        }

    def operator_messages(self) -> str:
        """Return sentences about reached and missed subgoals; empty before the first action."""
        if not self._goals or not self._did:
            return ""
        missed = [goal for goal in self._goals if self._done(goal) < len(goal.steps)]
        if not missed:
            done = sentence(
                "all_done", self._language, goals=", ".join(goal.name for goal in self._goals)
            )
            return " ".join((done, *self._remarks))
        unknown = self._unknown_place(missed)
        count = len(self._goals)
        code = "some_done" if count > 1 else "none_done"
        goals = "; ".join(map(self._subgoal_with_misplaced_objects, missed))
        done = sentence(code, self._language, done=count - len(missed), all=count, goals=goals)
        return " ".join((done, *unknown, *self._remarks))

    def _unknown_place(self, goals: Iterable[_Goal]) -> Iterator[str]:
        """Yield a sentence about the object whose place is not known."""
        missed = (step for goal in goals for step in goal.steps if not self._is_so(step))
        for step in missed:
            if step.thing == self._released and step.skill == "place_object":
                thing = display_name_or_id(step.thing, self._language)
                target = display_name_or_id(step.target, self._language)
                yield sentence("place_unknown", self._language, thing=thing, target=target)

    def _subgoal_with_misplaced_objects(self, goal: _Goal) -> str:
        """Return the name of a missed subgoal, with the objects that are not in place."""
        if len(goal.steps) == 1:
            return goal.name
        left = (step.thing for step in goal.steps if not self._is_so(step))
        names = [display_name_or_id(one, self._language) for one in left if one != self._released]
        if not names:
            return goal.name
        return sentence("missed", self._language, goal=goal.name, things=", ".join(names))

    def _renamed(self, goal: _Goal) -> _Goal:
        """Return a subgoal named in the language of the reports, if it only moves objects."""
        moves = tuple(
            Move(step.thing, step.target, step.side)
            for step in goal.steps
            if step.skill == "place_object"
        )
        if self._now is None or len(moves) < len(goal.steps):
            return goal
        return goal._replace(name=describe_moves(moves, self._now, self._language))

    def _done(self, goal: _Goal) -> int:
        return sum(map(self._is_so, goal.steps))

    def _is_so(self, step: _Step) -> bool:
        ended_s = self._did.get((step.skill, step.thing))
        if step.skill != "place_object" or step.side != "in":
            return ended_s is not None
        if ended_s is not None and ended_s > self._seen_s:
            return True
        now = self._now
        return now is not None and now.is_at(step.thing, step.target, step.spot)


def _subgoals(root: NodeBase) -> Iterator[_Goal]:
    """Yield the subgoals of a plan: the innermost named sequences."""
    for node in walk(root, Sequence):
        if node.name is None:
            continue
        if any(isinstance(child, Sequence) and child.name for child in node.sequence):
            continue
        last: dict[str, _Step] = {}
        for step in walk(node, Do):
            args = step.args
            target = str(args.get("target"))
            thing = str(args.get("object") or target)
            if step.do != "go_to_object" or not last:
                last.pop("", None)
                key = "" if step.do == "go_to_object" else thing
                side, spot = cast(Side, args.get("side", "in")), tuple(args.get("spot", ()))
                last[key] = _Step(step.do, thing, target, side, spot)
        yield _Goal(node.name, tuple(last.values()))
