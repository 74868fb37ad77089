"""Progress of a mission: completed, skipped and remaining steps, for turn reports."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from bt_exec.events import (
    Asked,
    Event,
    NodeChanged,
    Planned,
    Planning,
    SkillEnded,
    SkillStarting,
    Turn,
)
from bt_exec.failure import Failure
from bt_exec.mission.pack_reporters import Reporters
from bt_exec.mission.undone_parts import Undone, still_undone, undone_parts
from bt_exec.mission_reporter import Action, MissionView, Skip
from bt_exec.observation import ObservationBuffer
from bt_exec.pack import Catalogue
from bt_exec.planning.assumed_facts_and_first_cause import DoneAction, first_cause
from bt_exec.rig import PackSettings, checked_facts
from bt_exec.skill import Verdict
from bt_exec.spec.expand import fill_results
from bt_exec.spec.model import Do, MissionSpec, NodeBase, Tree
from bt_exec.spec.node_paths import enclosing_paths, label_of, nodes_with_paths

__all__ = ["MissionProgress"]


class MissionProgress:
    """Running account of one mission, updated by its events.

    Attributes:
        spec: The plan in force.
        started: Names of the skills that were started.
        latest: The skill that was started last.
        done: Finished actions of all plans, in order.
        skipped: Skipped actions, in order.
        answered: Questions of the operator with their verdicts, in order, by text of the question.
        verdicts: The last verdict of every condition, by text of the condition.
        failures: Every failure that ended a plan, in order.
        undone: Parts that were not done although the mission continued.
        seen: Facts of the newest observations at the time of each answer, by text of the question.
    """

    def __init__(
        self,
        command: str,
        language: str,
        reporters: Reporters,
        buffers: Mapping[str, ObservationBuffer[Any]],
        settings: Mapping[str, PackSettings],
        emit: Callable[[Event], None],
    ) -> None:
        self.command = command
        self.language = language
        self.spec: MissionSpec | None = None
        self.started: set[str] = set()
        self.latest = ""
        self.done: list[Action] = []
        self.skipped: list[Skip] = []
        self.answered: dict[str, Asked] = {}
        self.verdicts: dict[str, Verdict] = {}
        self.failures: list[Failure] = []
        self.undone: tuple[Undone, ...] = ()
        self.seen: dict[str, dict[str, str]] = {}
        self._reporters = reporters
        self._buffers = buffers
        self._settings = settings
        self._emit = emit
        self._actions: dict[str, Action] = {}  # skills of the plan by path, in document order
        self._nodes: dict[str, NodeBase] = {}  # nodes of the plan by path
        self._given: dict[str, Mapping[str, Any]] = {}  # arguments of started skills by path
        self._finished: set[str] = set()  # paths of finished nodes
        self._doubted = False
        self._done_before: list[int] = []  # number of done actions at the end of each failed plan

    def on(self, event: Event) -> None:
        """Update the progress and emit turn reports.

        Reports are emitted before each action, and when a condition is unknown for the first time
        in a plan before any action is done.
        """
        match event:
            case Planning(failure=Failure()):
                self._done_before.append(len(self.done))
            case Planned():
                self._take_plan(event.spec)
            case SkillStarting():
                self.started.add(event.skill)
                self.latest = event.skill
                self._finished.discard(event.path)
                self._given[event.path] = event.args
                action = Action(event.skill, event.args, event.path)
                self.emit_turn_reports(event.t, event.tick, action)
            case SkillEnded(state="done"):
                self._finished.add(event.path)
                action = self._actions[event.path]
                self.done.append(
                    replace(action, args=fill_results(action.args, self._given.get(event.path, {})))
                )
            case NodeChanged(state="skipped"):
                self._record_skip(event)
            case Asked():
                self.verdicts[event.question] = event.verdict
                if event.told and event.verdict.holds is not None:
                    self.answered[event.question] = event
                    self.seen[event.question] = self._observed_facts()
                if event.verdict.holds is None and not self._doubted and not self.done:
                    self._doubted = True  # report uncertainty only once per plan
                    self.emit_turn_reports(event.t, event.tick, None)

    def _take_plan(self, spec: MissionSpec) -> None:
        self.spec = spec
        self._nodes = dict(nodes_with_paths(spec.root))
        self._actions = {
            path: Action(node.do, node.args, path) for path, node in nodes_with_paths(spec.root, Do)
        }
        self._finished = set(spec.mission.kept)
        self._doubted = False

    def _record_skip(self, event: NodeChanged) -> None:
        self._finished.add(event.path)
        skip = Skip(label_of(self._nodes[event.path]), event.detail, event.path, event.t)
        if skip not in self.skipped:
            self.skipped.append(skip)

    def _observed_facts(self) -> dict[str, str]:
        """Return the facts established by the newest observations."""
        facts: dict[str, str] = {}
        for buffer in self._buffers.values():
            if buffer.observations:
                facts.update(checked_facts(buffer.observations[-1].facts()))
        return facts

    def record_undone(
        self, spec: MissionSpec, noted: Iterable[tuple[str, Failure]], catalogue: Catalogue
    ) -> None:
        """Record the parts that a plan left undone."""
        number = len(self._done_before)
        begun = self._done_before[-1] if number else 0
        done = [DoneAction(one.name, one.args) for one in self.done[begun:]]
        self.undone = still_undone(self.undone, undone_parts(spec.root, noted), done, catalogue)

    @property
    def plan_version(self) -> int:
        """Version of the plan in force; 0 before the first."""
        return self.spec.mission.plan_version if self.spec is not None else 0

    def results(self, saved: Mapping[str, Any]) -> dict[str, Any]:
        """Return the ``returns`` values by field; empty unless the plan is a single tree."""
        if self.spec is None or not isinstance(self.spec.root, Tree):
            return {}
        return {field: saved[name] for field, name in self.spec.root.save.items() if name in saved}

    def all_failures(self) -> tuple[Failure, ...]:
        """Return every failure: those that ended a plan, then those that were only recorded."""
        noted = (part.failure for part in self.undone)
        return (*self.failures, *(one for one in noted if one not in self.failures))

    def achieved_actions(self) -> tuple[Action, ...]:
        """Return the finished actions, except actions that only prepared an undone part."""
        return tuple(
            one for one in self.done if not any(one.path in part.means for part in self.undone)
        )

    def actions_done_after(self, number: int) -> tuple[Action, ...]:
        """Return the actions finished since the failure with index `number` in `failures`."""
        before = self._done_before
        return tuple(self.done[before[number] :]) if number < len(before) else ()

    def decisive_failures(self, last: Failure, catalogue: Catalogue) -> tuple[Failure, ...]:
        """Return the first cause of the end, then the failures of that plan and of all later ones.

        A failure that did not end a plan, such as a lost simulation, is its own cause.
        """
        if last not in self.failures:
            return (last,)
        after = [
            (failure, [DoneAction(one.name, one.args) for one in self.actions_done_after(number)])
            for number, failure in enumerate(self.failures)
        ]
        found = first_cause(after, catalogue)
        assert found is not None  # `last` is always included
        number, root = found
        return (root, *self.failures[number:])

    def remaining_actions(self) -> tuple[Action, ...]:
        """Return the actions of the plan that have not ended, in order."""
        return tuple(
            action
            for path, action in self._actions.items()
            if self._finished.isdisjoint(enclosing_paths(path))
        )

    def emit_turn_reports(
        self,
        t: float,
        tick: int,
        next_action: Action | None,
        status: Any = "in_progress",
        reason_code: str = "OK",
        message: str = "",
        failure: Failure | None = None,
    ) -> None:
        """Ask every pack for its report of this turn and emit the reports."""
        spec = self.spec
        if spec is None:
            return

        def view_of(pack: str) -> MissionView:
            buffer = self._buffers.get(pack)
            return MissionView(
                command=self.command,
                language=self.language,
                spec=spec,
                observation=buffer.observations[-1] if buffer and buffer.observations else None,
                next_action=next_action,
                remaining=self.remaining_actions() if status == "in_progress" else (),
                done=tuple(self.done),
                skipped=tuple(self.skipped),
                verdicts=dict(self.verdicts),
                status=status,
                reason_code=reason_code,
                message=message,
                failure=failure,
                settings=self._settings[pack],
            )

        for report in self._reporters.turn_reports(view_of):
            self._emit(Turn(t, tick, report))
