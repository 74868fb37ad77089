"""Mutated modules (the groups of `groups.yaml`), and the mutants known to be equivalent."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from bt_exec.spec.shipped_yaml import parse_yaml
from tests.mutants.mutators import Mutant

__all__ = ["Group", "Known", "changed_files", "groups"]

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Group:
    """Modules and their tests.

    Args:
        name: Name in `groups.yaml`.
        files: The modules, relative to the root.
        tests: The test files, relative to the root.
    """

    name: str
    files: list[str]
    tests: list[str]


def groups(root: Path, path: Path = HERE / "groups.yaml") -> list[Group]:
    """Return the groups.

    Raises:
        SystemExit: If a path of the file matches nothing.
    """
    found = []
    for name, parts in parse_yaml(path.read_text(encoding="utf-8")).items():
        files: list[str] = []
        for pattern in parts["files"]:
            matches = sorted(str(each.relative_to(root)) for each in root.glob(pattern))
            if not matches:
                raise SystemExit(f"{path.name}: {name}: nothing is at {pattern}")
            files += [each for each in matches if each not in files]
        tests: list[str] = []
        for folder in parts["tests"]:
            tests += sorted(str(t.relative_to(root)) for t in root.glob(f"{folder}/**/test_*.py"))
        found.append(Group(name, files, tests))
    return found


class Known:
    """The mutants listed as equivalent."""

    def __init__(self, path: Path = HERE / "equivalent.yaml") -> None:
        listed = parse_yaml(path.read_text(encoding="utf-8")) or []
        self._met: set[tuple[str, ...]] = set()
        self._known: set[tuple[str, ...]] = {
            tuple(" ".join(str(each[part]).split()) for part in ("file", "was", "now"))
            for each in listed
        }

    def __contains__(self, mutant: Mutant) -> bool:
        found = (mutant.file, mutant.was, mutant.now)
        self._met.add(found)
        return found in self._known

    def gone(self, files: Iterable[str]) -> list[str]:
        """Return the listed mutants of `files` that no longer exist."""
        return [" | ".join(each) for each in sorted(self._known - self._met) if each[0] in files]


def changed_files(root: Path, base: str) -> set[str]:
    """Return the files that differ from a commit, including new ones."""
    commands = (["diff", "--name-only", base], ["ls-files", "--others", "--exclude-standard"])
    names: set[str] = set()
    for command in commands:
        said = subprocess.run(["git", *command], cwd=root, capture_output=True, text=True)
        if said.returncode:
            raise SystemExit(said.stderr.strip())
        names |= set(said.stdout.split())
    return names
