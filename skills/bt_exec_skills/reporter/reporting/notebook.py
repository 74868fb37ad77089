"""Notebook: observations, speech and failures of the robot, with times and places.

Skills share it as a service, so that one skill can report what others found. The event
`MissionStarted` (see `Notebook.on`) or a call of `begin` clears it. Without either, notes
accumulate, and only those not yet reported are reported.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

from bt_exec.events import Event, Finished, MissionStarted, SkillEnded
from bt_exec.language.messages import language_of
from bt_exec_skills.perception.picture import Frame
from bt_exec_skills.reporter.sitemap import SiteMap

__all__ = ["Note", "NoteKind", "Notebook", "PastMission"]

NoteKind = Literal["went", "saw", "asked", "said", "delivered", "failed"]


@dataclass(frozen=True)
class Note:
    """A note of an event.

    Attributes:
        t: Time [s, mission clock].
        kind: Kind of the event.
        place: Place of the robot; None between places.
        facts: Fields of the skill's result; for a failure its ``skill``, ``code``, ``message`` and
            arguments.
        frame: Picture of the event, or None.
    """

    t: float
    kind: NoteKind
    place: str | None
    facts: Mapping[str, Any] = field(default_factory=dict)
    frame: Frame | None = field(default=None, repr=False, compare=False)

    @property
    def task(self) -> tuple[str, ...]:
        """Key of the task; two notes of one task are two attempts."""
        skill = {
            "went": "navigate",
            "saw": "observe_scene",
            "asked": "talk_to_person",
            "said": "talk_to_person",
            "delivered": "deliver_object",
        }.get(self.kind, str(self.facts.get("skill")))
        names = {
            "navigate": ("target",),
            "observe_scene": ("target", "query"),
            "talk_to_person": ("target", "topic"),
            "deliver_object": ("object", "recipient"),
        }.get(skill, ())
        return (skill, *(str(self.facts.get(name)) for name in names))


@dataclass(frozen=True)
class PastMission:
    """A mission that is over: what was asked and how it ended, in words.

    Attributes:
        command: What was asked; empty if a plan came without a command.
        status: How it ended.
        message: The same in words.
        started_at: When it began, in local time; None if it is not recorded.
    """

    command: str
    status: str
    message: str
    started_at: datetime | None = None


class Notebook:
    """Notes of the present mission, and what became of earlier ones.

    Args:
        site: The map.
        reports: Folder for written reports, or None to write none.

    Attributes:
        site: As given.
        reports: As given.
        command: The command; empty if unknown.
        mission_id: Id of the mission's record; empty if unknown.
        started: When the mission began [s].
        notes: What happened, in order.
        past: Earlier missions of this robot, oldest first.
        where: Gives the place where the robot is now; None between places, or where unknown.
    """

    def __init__(self, site: SiteMap, reports: Path | None = None) -> None:
        self.site = site
        self.reports = reports
        self.command = ""
        self.mission_id = ""
        self.started = 0.0
        self.notes: list[Note] = []
        self.past: list[PastMission] = []
        self.where: Callable[[], str | None] = lambda: None
        self._language = ""
        self._told = 0

    def begin(self, command: str, language: str, mission_id: str = "", t: float = 0.0) -> None:
        """Clear the notes for a new mission."""
        self.command, self.mission_id, self.started = command, mission_id, t
        self._language = language
        self.notes.clear()
        self._told = 0

    def on(self, event: Event) -> None:
        """Record events of the mission: its start, its end, external failures.

        A skill notes its own failures, but not those from outside: a timeout or an injected
        fault.
        """
        match event:
            case MissionStarted():
                self.begin(event.command, event.language, event.mission_id, event.t)
            case SkillEnded(state="failed") if event.failure is not None:
                failure = event.failure
                facts = {
                    **failure.evidence,
                    **failure.args,
                    "skill": event.skill,
                    "code": failure.code,
                    "message": failure.message,
                }
                note = Note(event.t, "failed", None, facts)
                last = self.notes[-1] if self.notes else None
                if last is not None and last.kind == "failed" and last.task == note.task:
                    self.notes.pop()  # the same, as the skill itself saw it
                    note = Note(event.t, "failed", last.place, {**last.facts, **facts})
                self.notes.append(note)
            case Finished():
                outcome = event.outcome
                self.past.append(PastMission(outcome.command, outcome.status, outcome.message))

    def language(self, text: str = "") -> str:
        """Return the language of reports: the mission's, else that of `text`."""
        return self._language or language_of(text)

    def note(
        self,
        t: float,
        kind: NoteKind,
        place: str | None,
        frame: Frame | None = None,
        /,
        **facts: Any,
    ) -> None:
        """Add a note; see `Note` for the arguments."""
        self.notes.append(Note(t, kind, place, facts, frame))

    def news(self) -> list[Note]:
        """Return notes not yet reported, except failures that a later note of the task replaces."""
        return _last_of_each(self.notes[self._told :])

    def all(self) -> list[Note]:
        """Return everything, likewise."""
        return _last_of_each(self.notes)

    def mark_told(self) -> None:
        """Mark all notes as reported."""
        self._told = len(self.notes)


def _last_of_each(notes: list[Note]) -> list[Note]:
    """Leave out a failure if its task is noted again later."""
    return [
        note
        for number, note in enumerate(notes)
        if note.kind != "failed" or all(note.task != later.task for later in notes[number + 1 :])
    ]
