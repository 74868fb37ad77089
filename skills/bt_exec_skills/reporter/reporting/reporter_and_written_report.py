"""Mission reporter that updates the notebook, and written reports in Markdown."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from bt_exec.events import Event, NodeChanged, SkillEnded
from bt_exec.failure import Failure
from bt_exec.journal import write_png
from bt_exec.mission_reporter import Action, EarlierMission, FinishedStep, MissionReporter
from bt_exec_skills.reporter.reporting.notebook import Note, Notebook, PastMission
from bt_exec_skills.reporter.reporting.phrasing import (
    catalogue_sentence,
    elapsed_time_text,
    note_sentence,
    recorded_answer,
    report_of,
)

__all__ = ["NotebookReporter", "Report"]


_USER = "user"


class NotebookReporter(MissionReporter):
    """Mission reporter that updates the notebook and keeps the last report to the user.

    Args:
        services: Services of the rig; ``notebook`` is updated.
    """

    def __init__(self, services: Mapping[str, Any]) -> None:
        super().__init__(services)
        self._notebook: Notebook = services["notebook"]
        self._told = ""

    def on(self, event: Event) -> None:
        """Record an event in the notebook; keep the text of a report to the user."""
        self._notebook.on(event)
        match event:
            case SkillEnded(state="done") if self._is_report(event.skill, event.result):
                self._told = str(event.result.get("said", ""))
            case NodeChanged(state="failed", failure=Failure(kind="timeout") as failure) if (
                failure.path == event.path  # only once: enclosing nodes fail with the same failure
            ):
                facts = {"skill": failure.node, "code": failure.code, "message": failure.message}
                self._notebook.add_note(event.t, "failed", None, **{**failure.args, **facts})

    def load_earlier_missions(self, today: Callable[[], Sequence[EarlierMission]]) -> None:
        """Load the earlier missions of the day into the notebook, oldest first."""
        self._notebook.past[:] = [
            PastMission(line.command, line.status, line.message, line.started_at)
            for line in today()
        ]

    def load_finished_steps(self, done: Sequence[FinishedStep]) -> None:
        """Load the finished steps of the mission that this one continues into the notebook."""
        for step in done:
            facts = {**step.args, **step.result}
            if self._is_report(step.skill, step.result):
                self._told = str(step.result.get("said", ""))
                self._notebook.mark_reported()
            elif not step.skipped:
                if step.skill == "observe_scene":
                    language = self._notebook.language()
                    facts["answer"] = recorded_answer(facts, language, self._notebook.site)
                self._notebook.add_earlier_note(step.t, step.skill, facts)

    @staticmethod
    def _is_report(skill: str, result: Mapping[str, Any]) -> bool:
        to_user = skill == "talk_to_person" and result.get("person") == _USER
        return to_user and not result.get("answer")

    def achieved(self, done: Sequence[Action]) -> bool:
        """Return True if the mission had a result: a finding, talk, delivery or visit."""
        base = self._notebook.site.base
        return any(
            action.name not in ("summarize_mission", "fail_and_report")
            and action.args.get("target") not in (base, _USER)
            for action in done
        )

    def operator_messages(self) -> str:
        """Return the last report to the user in this mission; without one, the findings."""
        book = self._notebook
        found = (note for note in book.unreported_notes() if note.kind not in ("went", "failed"))
        return self._told or " ".join(
            note_sentence(note, book.site, book.language()) for note in found
        )


_UNSAFE = re.compile(r"[^\w.-]+")
_MARKS = re.compile(r"([\\`*_{}\[\]<>#|!])")


class Report:
    """Written report of a mission: a Markdown file with pictures.

    Args:
        notebook: Notes of the mission.
        language: ``en`` or ``ko``.
        folder: Target folder; created if it does not exist.

    Attributes:
        path: Path of the Markdown file; it does not exist yet.
    """

    def __init__(self, notebook: Notebook, language: str, folder: Path) -> None:
        self._notebook = notebook
        self._language = language
        self._folder = folder
        name = _UNSAFE.sub("-", notebook.mission_id) or "report"
        self.path = folder / f"{name}.md"
        number = 1
        while self.path.exists():
            number += 1
            self.path = folder / f"{name}-{number}.md"

    def write(self) -> Iterator[None]:
        """Write the pictures, then the text, one file per step to keep ticks short.

        Raises:
            OSError: If a file cannot be written.
        """
        self._folder.mkdir(parents=True, exist_ok=True)
        shown: list[tuple[Note, str]] = []
        for note in self._notebook.current_notes():
            if note.frame is not None:
                picture = f"{self.path.stem}-{len(shown) + 1}.png"
                write_png(self._folder / picture, note.frame)
                shown.append((note, picture))
                yield
        self.path.write_text(self._text(shown), encoding="utf-8")

    def _text(self, shown: list[tuple[Note, str]]) -> str:
        book, language = self._notebook, self._language

        def title(key: str) -> str:
            return catalogue_sentence(key, language)

        lines = [f"# {title('TITLE')}", ""]
        if book.command:
            lines += [f"**{title('COMMAND')}:** {_escape_markdown(book.command)}", ""]
        lines += [f"## {title('SUMMARY')}", ""]
        notes = [note for note in book.current_notes() if note.kind != "went"]
        lines += [
            f"- {_escape_markdown(note_sentence(note, book.site, language))}" for note in notes
        ]
        if not notes:
            lines.append(_escape_markdown(report_of(book, language)))
        head = [title(key) for key in ("TIME", "WHERE", "WHAT")]
        lines += ["", f"## {title('TIMELINE')}", "", f"| {' | '.join(head)} |", "|---|---|---|"]
        for note in book.notes:
            at = elapsed_time_text(note.t - book.started, language)
            where = book.site.display_name(note.place, language) if note.place else "–"
            what = note_sentence(note, book.site, language)
            lines.append(f"| {at} | {_escape_markdown(where)} | {_escape_markdown(what)} |")
        if shown:
            lines += ["", f"## {title('PICTURES')}"]
        for note, picture in shown:
            caption = _escape_markdown(book.site.display_name(note.place or "", language))
            lines += ["", f"![{caption}]({picture})", "", caption]
        return "\n".join(lines) + "\n"


def _escape_markdown(text: str) -> str:
    """Return `text` escaped for Markdown, on one line."""
    return _MARKS.sub(r"\\\1", " ".join(text.split()))
