"""Stages of a mission, and compilation of a command without running it.

The stages are the same as in planners with subgoals: the command and the initial situation, the
subgoals with their tasks, the tree with the states of its nodes, and the outcome.
"""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Mapping
from typing import Any

from bt_exec.events import NodeChanged, Observed, Planned
from bt_exec.journal import Journal, MissionRecord
from bt_exec.language.messages import language_of
from bt_exec.observation import Situation
from bt_exec.planning.compiler import Request, Suggesting
from bt_exec.serve.page_rows import page_view, plan_parts
from bt_exec.site.compile_command import compile_command, make_compiler
from bt_exec.site.site import Site
from bt_exec.spec.dump import dump_yaml
from bt_exec.spec.model import Do, MissionSpec
from bt_exec.spec.node_paths import encloses, is_kept, nodes_with_paths
from bt_exec.tui.mission_history import mission_entry_data
from bt_exec.tui.node_text import arguments_text
from bt_exec.tui.recorded_mission_messages import catalogue_and_messages, mission_explanation
from bt_exec.tui.view_model import ViewModel

__all__ = [
    "RecordReader",
    "compile_in_situation",
    "pascal_case_name",
    "plan_data",
    "stages_of",
    "suggested_commands",
    "tasks_of",
]


_KEPT = 32  # maximum number of cached missions
_FRESH_S = 1.0  # cache time of a running mission [s]


class RecordReader:
    """Thread-safe reader of recorded missions with a cache; running missions are cached briefly.

    Args:
        journal: Journal of the missions.
    """

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._kept: OrderedDict[str, tuple[float, dict[str, Any]]] = OrderedDict()
        self._lock = threading.Lock()

    def read(self, mission_id: str) -> dict[str, Any]:
        """Return the stages of a mission; see `stages_of`.

        Raises:
            UnknownName: If there is no such mission.
            UsageError: If the journal cannot be read.
        """
        with self._lock:
            at, data = self._kept.get(mission_id, (0.0, {}))
            ended = bool(data) and data["ended_at"] is not None
            if data and (ended or (time.monotonic() - at < _FRESH_S and self._is_unchanged(data))):
                return data
            data = stages_of(self._journal.mission(mission_id))
            self._kept[mission_id] = (time.monotonic(), data)
            self._kept.move_to_end(mission_id)
            while len(self._kept) > _KEPT:
                self._kept.popitem(last=False)
            return data

    def _is_unchanged(self, data: Mapping[str, Any]) -> bool:
        """Return True if the status of a cached mission is still the same in the journal."""
        line = self._journal.mission_summary(data["mission_id"])
        return line is not None and mission_entry_data(line)["status"] == data["status"]


def stages_of(record: MissionRecord) -> dict[str, Any]:
    """Return the stages of a mission (state, plan, run, results), and the reason for its end."""
    catalogue, messages = catalogue_and_messages(record)
    model = ViewModel(messages=messages, wall=lambda: 0.0)
    objects: dict[str, None] = {}
    spec: MissionSpec | None = None
    for event in record.events:
        model.on(event)
        if isinstance(event, Planned):
            spec = event.spec
        elif isinstance(event, Observed) and spec is None:
            objects.update(dict.fromkeys(event.observation.labels()))
    why = mission_explanation(record)
    outcome = record.outcome
    return {
        **mission_entry_data(record.line),
        "state": {
            "command": record.command,
            "language": record.line.language,
            "objects": list(objects),
            "skills": {
                name: skill.summary
                for name, skill in catalogue.skills.items()
                if catalogue.owner(name)
            },
        },
        "plan": None if spec is None else plan_data(spec),
        "run": page_view(model),
        "results": {
            "tasks": [] if spec is None else tasks_of(spec, record),
            "outcome": None if outcome is None else outcome.to_dict(),
        },
        "why": {"cause": why.cause(), "said": [list(row) for row in why.course_lines()]},
    }


def tasks_of(spec: MissionSpec, record: MissionRecord) -> list[dict[str, str]]:
    """Return the tasks of the last plan in order, each with its result."""
    last = {event.path: event for event in record.transitions if event.state != "kept"}
    return [
        {
            "skill": node.do,
            "target": _task_target(node),
            "result": _task_result(path, last, is_kept(spec, path)),
        }
        for path, node in nodes_with_paths(spec.root, Do)
    ]


def pascal_case_name(skill: str) -> str:
    """Return a skill's name in Pascal case, as in other planners: ``GoToObject``."""
    words = skill.rpartition(".")[2].split("_")
    return "".join(word[:1].upper() + word[1:] for word in words)


def plan_data(spec: MissionSpec) -> dict[str, Any]:
    """Return a plan as subgoals with their tasks."""
    mission, parts = spec.mission, plan_parts(spec)
    return {
        "version": mission.plan_version,
        "compiler": mission.compiler,
        "model": mission.model,
        "subgoals": [part.text for part in parts],
        "tasks": [
            {
                "subgoal": part.text,
                "tasks": [
                    {"skill": node.do, "target": _task_target(node), "args": dict(node.args)}
                    for path, node in nodes_with_paths(spec.root, Do)
                    if part.path and encloses(part.path, path)
                ],
            }
            for part in parts
        ],
    }


def _task_target(node: Do) -> str:
    """Return the argument ``target`` of a task; if there is none, all arguments as text."""
    target = node.args.get("target")
    return target if isinstance(target, str) else arguments_text(node.args)


def _task_result(path: str, last: Mapping[str, NodeChanged], kept: bool) -> str:
    """Return the result of a task.

    Args:
        path: Path of the task's node.
        last: Last state change of each node in the whole mission, by path.
        kept: Whether the last plan keeps the task as finished.
    """
    own = last.get(path)
    around = [last[above] for above in last if above != path and encloses(above, path)]
    skip = next((event for event in around if event.state == "skipped"), None)
    if own is None or own.state == "skipped":
        skip = own or skip
        return "Not done" if skip is None else f"Skipped: {skip.detail or 'not needed'}"
    if own.state == "done" or kept:
        return "Ok"
    if own.state == "failed":
        failure = own.failure
        return "Failed" if failure is None else f"Failed: {failure.code}: {failure.message}"
    return "Stopped" if own.state == "stopped" else "Not finished"


_MOST_SUGGESTED = 8


def compile_in_situation(
    site: Site, command: str, compiler: str | None, situation: Situation
) -> dict[str, Any]:
    """Return the plan for a command in a situation, or a refusal or reply, as plain data."""
    found = compile_command(site, command, compiler=compiler, situation=situation)
    refusal, reply = found.refusal, found.reply
    return {
        "ok": found.ok,
        "plan": None if found.plan is None else dump_yaml(found.plan),
        "written": None if found.written is None else dump_yaml(found.written),
        **({} if found.plan is None else plan_data(found.plan)),
        "refusal": None
        if refusal is None
        else {
            "code": refusal.code,
            "message": refusal.message,
            "nearest": list(refusal.nearest),
            "did_you_mean": list(refusal.did_you_mean),
            "missing": list(refusal.missing),
            "question": refusal.question,
            "problems": list(refusal.problems),
        },
        **({} if reply is None else {"reply": {"code": reply.code, "message": reply.message}}),
    }


def suggested_commands(
    site: Site, compiler: str | None, situation: Situation, language: str
) -> tuple[str, ...]:
    """Return commands that would be accepted in a situation.

    They are suggested by the compiler if it supports suggestions. Otherwise they are the first
    utterances of the trees.
    """
    chosen = make_compiler(site, compiler)
    if isinstance(chosen, Suggesting):
        request = Request("", language, site.catalogue, site.library, site.messages, situation)
        return chosen.suggestions(request)[:_MOST_SUGGESTED]
    own = (
        next((text for text in tree.utterances if language_of(text) == language), "")
        for tree in site.library
    )
    return tuple(filter(None, own))[:_MOST_SUGGESTED]
