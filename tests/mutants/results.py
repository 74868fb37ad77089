"""The table of a run, and the place where the last one is kept."""

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


class Table:
    """Counts what became of mutants; prints each survivor when it comes."""

    def __init__(self) -> None:
        self._rows: dict[str, _Row] = {}

    def begin(self, group: str, mutants: int, equivalent: int) -> None:
        """Add a group with so many mutants to try, and so many left out as equivalent."""
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
        lines = [
            "| group | mutants | noticed | survived | equivalent | noticed % |",
            "| --- | --: | --: | --: | --: | --: |",
        ]
        for name, row in self._rows.items():
            share = f"{100 * row.noticed / row.mutants:.1f}"
            cells = (row.mutants, row.noticed, len(row.survived), row.equivalent, share)
            lines.append(f"| {name} | " + " | ".join(map(str, cells)) + " |")
        return "\n".join(["", *lines])

    def write(self, root: Path, path: Path, options: argparse.Namespace) -> None:
        """Keep the table, with the day, the commit and how to make it again."""
        say = ["git", "rev-parse", "--short", "HEAD"]
        commit = subprocess.run(say, cwd=root, capture_output=True, text=True).stdout.strip()
        day = datetime.datetime.now(datetime.UTC).date()
        sample = f" --sample {options.sample} --seed {options.seed}" if options.sample else ""
        group = f" --group {options.group}" if options.group else ""
        survivors = [
            f"- `{each.mutant.file}:{each.mutant.line}` `{each.mutant.was}` → `{each.mutant.now}`"
            for row in self._rows.values()
            for each in row.survived
        ]
        files = f" --files {' '.join(options.files)}" if options.files else ""
        tests = f" --tests {' '.join(options.tests)}" if options.tests else ""
        more = f"{group}{files}{tests}{sample} --budget {options.budget:g}"
        head = f"`python -m tests.mutants{more}`"
        parts = ["# Mutants", f"{day}, commit {commit}: {head}", self.text().strip()]
        if survivors:
            parts += ["Survivors:", "\n".join(survivors)]
        path.write_text("\n\n".join(parts) + "\n", encoding="utf-8")
