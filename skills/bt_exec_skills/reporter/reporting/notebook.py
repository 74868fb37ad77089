"""Notebook of a mission: observations, speech and failures, with times and places.

Skills share it as a service, so that one skill can report the findings of others. The event
`MissionStarted` (see `Notebook.on`) or a call of `start_mission` clears it. Within a mission, notes
accumulate, and a report covers the notes since the last report.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import Any, Literal

from bt_exec.events import Asked, Event, Finished, MissionStarted, SkillEnded
from bt_exec.language.messages import language_of
from bt_exec_skills.perception.pictures_and_boxes import Frame
from bt_exec_skills.reporter.places_and_people import SiteMap
from bt_exec_skills.reporter.reporting.place_comparison import compare_places
from bt_exec_skills.reporter.reporting.question_aspects import expects_answer

__all__ = ["Note", "NoteKind", "Notebook", "PastMission"]

NoteKind = Literal["went", "saw", "asked", "said", "delivered", "compared", "failed"]


_KINDS: Mapping[str, NoteKind] = {
    "navigate": "went",
    "observe_scene": "saw",
    "talk_to_person": "said",
    "deliver_object": "delivered",
}


@dataclass(frozen=True)
class Note:
    """Note about an event of the mission.

    Attributes:
        t: Time [s, mission clock].
        kind: Kind of the event.
        place: Place of the robot at that time; None between places.
        facts: Fields of the skill's result; for a failure the ``skill``, ``code``, ``message`` and
            the skill's arguments.
        frame: Picture of the event, or None.
        earlier: Whether the note is from an earlier mission that the present one continues.
    """

    t: float
    kind: NoteKind
    place: str | None
    facts: Mapping[str, Any] = field(default_factory=dict)
    frame: Frame | None = field(default=None, repr=False, compare=False)
    earlier: bool = False

    @property
    def task(self) -> tuple[str, ...]:
        """Key of the task; two notes with the same key are two attempts."""
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
    """Command and outcome of an earlier mission.

    Attributes:
        command: Command; empty for a plan without one.
        status: Final status.
        message: Final message.
        started_at: Start in local time; None if it is not recorded.
    """

    command: str
    status: str
    message: str
    started_at: datetime | None = None


class Notebook:
    """Notes of the present mission, and summaries of earlier ones.

    Args:
        site: Map of the site.
        reports: Folder for written reports, or None to write none.

    Attributes:
        site: Map of the site.
        reports: Folder for written reports, or None.
        command: The command; empty if unknown.
        mission_id: Id of the mission in the journal; empty if unknown.
        started: Start of the mission [s].
        notes: Notes in order.
        past: Earlier missions of this robot, oldest first.
        where: Function that returns the current place of the robot; None between places or if
            unknown.
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

    def start_mission(
        self, command: str, language: str, mission_id: str = "", t: float = 0.0
    ) -> None:
        """Clear the notes for a new mission."""
        self.command, self.mission_id, self.started = command, mission_id, t
        self._language = language
        self.notes.clear()
        self._told = 0

    def on(self, event: Event) -> None:
        """Record start and end of the mission, failures of skills, and comparisons of places.

        A skill notes failures that it raises, but not external ones such as an injected fault.
        """
        match event:
            case MissionStarted():
                self.start_mission(event.command, event.language, event.mission_id, event.t)
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
                    self.notes.pop()  # the skill has noted this failure already
                    note = Note(event.t, "failed", last.place, {**last.facts, **facts})
                self.notes.append(note)
            case Asked(told=True):
                self._note_comparison(event)
            case Finished():
                outcome = event.outcome
                self.past.append(PastMission(outcome.command, outcome.status, outcome.message))

    def _note_comparison(self, event: Asked) -> None:
        """Record a comparison of places: an answer with the evidence ``compared:ASPECT:ORDER``."""
        kind, *more = ":".join(event.verdict.evidence[:1]).split(":")
        if kind != "compared":
            return
        aspect, order = more
        found = compare_places(
            self.observed_facts(), aspect, "least" if order == "least" else "most"
        )
        levels = {str(facts["target"]): facts for facts in self.observed_facts()}
        compared = {place: levels[place] for place in found.places}
        self.add_note(event.t, "compared", None, comparison=found, looks=compared)

    def observed_facts(self) -> list[Mapping[str, Any]]:
        """Return the facts of the observations of places, in their order."""
        return [note.facts for note in self.notes if note.kind == "saw"]

    def language(self, text: str = "") -> str:
        """Return the language of the mission, or of `text` if the former is unknown."""
        return self._language or language_of(text)

    def add_note(
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

    def add_earlier_note(self, t: float, skill: str, facts: Mapping[str, Any]) -> None:
        """Add a note of a finished step of the earlier mission that the present one continues.

        Args:
            t: Time of the step [s, mission clock].
            skill: Skill of the step.
            facts: Arguments of the step and the fields of its result.
        """
        kind = _KINDS.get(skill)
        if skill == "talk_to_person" and expects_answer(str(facts.get("topic", ""))):
            kind = "asked"
        if kind is not None:
            place = facts.get("place", facts.get("target"))
            where = str(place) if place in self.site.places else None
            self.notes.append(Note(t, kind, where, facts, earlier=True))

    def unreported_notes(self) -> list[Note]:
        """Return unreported notes, except failed or `earlier` notes whose task has a later note."""
        return _without_repeated_tasks(self.notes[self._told :])

    def current_notes(self) -> list[Note]:
        """Return all notes, except failed or `earlier` notes whose task has a later note."""
        return _without_repeated_tasks(self.notes)

    def mark_reported(self) -> None:
        """Mark all notes as reported."""
        self._told = len(self.notes)


def _without_repeated_tasks(notes: list[Note]) -> list[Note]:
    """Remove failed and `earlier` notes (see `Note`) whose task has a later note."""
    return [
        note
        for number, note in enumerate(notes)
        if not (note.kind == "failed" or note.earlier)
        or all(note.task != later.task for later in notes[number + 1 :])
    ]
