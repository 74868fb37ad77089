"""Table of results of a run, and its file."""

from __future__ import annotations

import argparse
import datetime
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

from tests.mutants.trial import Result

__all__ = ["Table"]


@dataclass
class _Row:
    mutants: int
    equivalent: int
    noticed: int = 0
    survived: list[Result] = field(default_factory=list)

    def line(self, name: str) -> str:
        """Return the row of a table in Markdown."""
        share = f"{100 * self.noticed / self.mutants:.1f}"
        cells = (name, self.mutants, self.noticed, len(self.survived), self.equivalent, share)
        return f"| {' | '.join(map(str, cells))} |"


class Table:
    """Counts the results of mutants; prints each survivor."""

    def __init__(self) -> None:
        self._rows: dict[str, _Row] = {}

    def begin(self, group: str, mutants: int, equivalent: int) -> None:
        """Add a group with its numbers of mutants and of equivalent ones."""
        self._rows[group] = _Row(mutants, equivalent)

    def add(self, group: str, result: Result) -> None:
        """Count one result."""
        row = self._rows[group]
        if result.by:
            row.noticed += 1
            return
        row.survived.append(result)
        mutant = result.mutant
        asked = f"{result.asked} tests asked" if result.asked else "no test runs it"
        print(f"\n{mutant.file}:{mutant.line}  {mutant.kind}, {asked}", flush=True)
        print(f"  - {mutant.was}\n  + {mutant.now}", flush=True)

    def text(self) -> str:
        """Return the table in Markdown."""
        return "\n".join(["", *_HEAD, *(row.line(name) for name, row in self._rows.items())])

    def write(self, root: Path, path: Path, options: argparse.Namespace) -> None:
        """Write the table, with the day, the commit and the command.

        Each group has a section; sections of groups that were not tried are kept.
        """
        say = ["git", "rev-parse", "--short", "HEAD"]
        commit = subprocess.run(say, cwd=root, capture_output=True, text=True).stdout.strip()
        day = datetime.datetime.now(datetime.UTC).date()
        sample = f" --sample {options.sample} --seed {options.seed}" if options.sample else ""
        files = f" --files {' '.join(options.files)}" if options.files else ""
        tests = f" --tests {' '.join(options.tests)}" if options.tests else ""
        sections = _sections(path)
        for name, row in self._rows.items():
            more = f" --group {name}{files}{tests}{sample} --budget {options.budget:g}"
            head = f"{day}, commit {commit}: `python -m tests.mutants{more}`"
            parts = [head, "\n".join([*_HEAD, row.line(name)])]
            if row.survived:
                parts += ["Survivors:", "\n".join(map(_survivor, row.survived))]
            sections[name] = "\n\n".join(parts)
        whole = ["# Mutants", *(f"## {name}\n\n{text}" for name, text in sections.items())]
        path.write_text("\n\n".join(whole) + "\n", encoding="utf-8")


_HEAD = [
    "| group | mutants | noticed | survived | equivalent | noticed % |",
    "| --- | --: | --: | --: | --: | --: |",
]


def _survivor(result: Result) -> str:
    mutant = result.mutant
    return f"- `{mutant.file}:{mutant.line}` `{mutant.was}` → `{mutant.now}`"


def _sections(path: Path) -> dict[str, str]:
    """Return the existing section of each group, by name."""
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    parts = (part.partition("\n") for part in text.split("\n## ")[1:])
    return {name: body.strip() for name, _, body in parts}
