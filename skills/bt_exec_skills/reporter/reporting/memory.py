"""Mission reporter of the pack: reports to the user, and earlier missions of the day."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from bt_exec.events import Event, NodeChanged, SkillEnded
from bt_exec.failure import Failure
from bt_exec.reporting import Action, EarlierMission, MissionReporter
from bt_exec_skills.reporter.reporting.notebook import Notebook, PastMission
from bt_exec_skills.reporter.reporting.phrasing import sentence

__all__ = ["Memory"]

_USER = "user"


class Memory(MissionReporter):
    """Mission reporter that updates the notebook and keeps the reports to the user.

    Args:
        services: Services of the rig; ``notebook`` is updated.
    """

    def __init__(self, services: Mapping[str, Any]) -> None:
        super().__init__(services)
        self._notebook: Notebook = services["notebook"]
        self._told = ""

    def on(self, event: Event) -> None:
        """Record an event."""
        self._notebook.on(event)
        match event:
            case SkillEnded(state="done", skill="talk_to_person") if event.result.get(
                "person"
            ) == _USER and not event.result.get("answer"):
                self._told = str(event.result.get("said", ""))
            case NodeChanged(state="failed", failure=Failure(kind="timeout") as failure) if (
                failure.path == event.path  # enclosing nodes fail with it
            ):
                facts = {"skill": failure.node, "code": failure.code, "message": failure.message}
                self._notebook.note(event.t, "failed", None, **{**failure.args, **facts})

    def recall(self, today: Callable[[], Sequence[EarlierMission]]) -> None:
        """Load the missions of the day, oldest first."""
        self._notebook.past[:] = [
            PastMission(line.command, line.status, line.message, line.started_at)
            for line in today()
        ]

    def achieved(self, done: Sequence[Action]) -> bool:
        """Return True if the mission had a result: a finding, talk, delivery or visit."""
        base = self._notebook.site.base
        return any(
            action.name not in ("summarize_mission", "fail_and_report")
            and action.args.get("target") not in (base, _USER)
            for action in done
        )

    def told(self) -> str:
        """Return the reports to the user in this mission, or the findings if there are none."""
        book = self._notebook
        found = (note for note in book.news() if note.kind not in ("went", "failed"))
        return self._told or " ".join(sentence(note, book.site, book.language()) for note in found)
