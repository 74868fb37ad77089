"""The report of a mission as a Markdown file with its pictures beside it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from bt_exec.journal import write_png
from bt_exec_skills.reporter.reporting.notebook import Note, Notebook
from bt_exec_skills.reporter.reporting.phrasing import clock_of, report_of, say, sentence

__all__ = ["Report"]

_UNSAFE = re.compile(r"[^\w.-]+")
_MARKS = re.compile(r"([\\`*_{}\[\]<>#|!])")


class Report:
    """Report to be written.

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
        for note in self._notebook.all():
            if note.frame is not None:
                picture = f"{self.path.stem}-{len(shown) + 1}.png"
                write_png(self._folder / picture, note.frame)
                shown.append((note, picture))
                yield
        self.path.write_text(self._text(shown), encoding="utf-8")

    def _text(self, shown: list[tuple[Note, str]]) -> str:
        book, language = self._notebook, self._language

        def title(key: str) -> str:
            return say(key, language)

        lines = [f"# {title('TITLE')}", ""]
        if book.command:
            lines += [f"**{title('COMMAND')}:** {_escaped(book.command)}", ""]
        lines += [f"## {title('SUMMARY')}", ""]
        told = [note for note in book.all() if note.kind != "went"]
        lines += [f"- {_escaped(sentence(note, book.site, language))}" for note in told]
        if not told:
            lines.append(_escaped(report_of(book, language)))
        head = [title(key) for key in ("TIME", "WHERE", "WHAT")]
        lines += ["", f"## {title('TIMELINE')}", "", f"| {' | '.join(head)} |", "|---|---|---|"]
        for note in book.notes:
            at = clock_of(note.t - book.started, language)
            where = book.site.called(note.place, language) if note.place else "–"
            what = sentence(note, book.site, language)
            lines.append(f"| {at} | {_escaped(where)} | {_escaped(what)} |")
        if shown:
            lines += ["", f"## {title('PICTURES')}"]
        for note, picture in shown:
            caption = _escaped(book.site.called(note.place or "", language))
            lines += ["", f"![{caption}]({picture})", "", caption]
        return "\n".join(lines) + "\n"


def _escaped(text: str) -> str:
    """Return `text` escaped for Markdown, on one line."""
    return _MARKS.sub(r"\\\1", " ".join(text.split()))
