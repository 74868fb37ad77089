"""Trial of mutants: mapping of tests to lines, then the tests that reach each mutant."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from tests.mutants import trace
from tests.mutants.choose import Only, chosen, in_two
from tests.mutants.mutators import Mutant
from tests.mutants.warm import Job, run_all

__all__ = ["Result", "Trial"]


@dataclass(frozen=True)
class Result:
    """Result of a mutant; `by` is the test that detected it, or empty."""

    mutant: Mutant
    by: str
    asked: int


class Trial:
    """Tries mutants of some files against some tests.

    Args:
        root: The repository.
        files: Modules that may be mutated, relative to the root.
        tests: Test files, relative to the root.
        jobs: Number of parallel runs.
        budget_s: Total processor time of the tests of one mutant [s].
    """

    def __init__(
        self, root: Path, files: list[str], tests: list[str], jobs: int, budget_s: float
    ) -> None:
        self._root = root
        self._jobs = jobs
        self._budget_s = budget_s
        self._maps = self._mapped(files, tests)
        self._seconds: dict[str, float] = {}
        self._costs: dict[str, float] = {}
        for kept in self._maps:
            self._seconds |= kept["seconds"]
            self._costs |= kept["costs"]
        self._trusted: set[str] = set()

    def run(self, mutants: list[Mutant]) -> Iterator[Result]:
        """Try each mutant; a test that also fails without the mutant does not count."""
        left = {id(mutant): self._parts(mutant) for mutant in mutants}
        asked = dict.fromkeys(left, 0)
        again = mutants
        while again:
            again, rest = [], again
            starts = (partial(self._start, mutant, left[id(mutant)][0]) for mutant in rest)
            for job in run_all(starts, self._jobs):
                mutant, by = job.name, self._noticed_by(job)
                parts = left[id(mutant)]
                if by in self._seconds and not self._trust(by):
                    del self._seconds[by]
                    parts[0].remove(by)
                    again.append(mutant)
                    continue
                asked[id(mutant)] += len(parts.pop(0))
                if not by and parts:
                    again.append(mutant)
                else:
                    yield Result(mutant, by, asked[id(mutant)])

    def _parts(self, mutant: Mutant) -> list[list[str]]:
        source = (self._root / mutant.file).read_text(encoding="utf-8")
        reached = trace.tests_of(source, mutant.file, mutant.line, mutant.last, self._maps)
        every = self._seconds.keys()  # a module without functions: tests that import it
        known = reached & every if reached else set(every)
        tests = chosen(known, mutant.file, self._costs, self._budget_s)
        return in_two(tests, mutant.file)

    def _start(self, mutant: Mutant, tests: list[str]) -> Job:
        return self._job(mutant, tests, (self._root / mutant.file, mutant.text))

    def _job(self, name: Any, tests: list[str], mutant: tuple[Path, str] | None) -> Job:
        files = list(dict.fromkeys(test.partition("::")[0] for test in tests))
        arguments = ["-x", *files] if files else ["--version"]
        return Job(name, arguments, lambda: [Only(tests)], self._seconds, mutant)

    @staticmethod
    def _noticed_by(job: Job) -> str:
        if job.code in (0, 5):
            return ""
        failed = re.search(r"^(?:FAILED|ERROR) (.*?)(?: - .*)?$", job.said, re.MULTILINE)
        return failed.group(1) if failed else f"the run: {job.code}"

    def _trust(self, test: str) -> bool:
        """Return True if a test passes here without a mutant."""
        if test not in self._trusted:
            for job in run_all(iter([lambda: self._job(test, [test], None)]), 1):
                if job.code != 0:
                    print(f"not asked, it fails without a mutant: {test}", file=sys.stderr)
                    return False
            self._trusted.add(test)
        return True

    def _mapped(self, files: list[str], tests: list[str]) -> list[dict[str, Any]]:
        trace.CACHE.mkdir(exist_ok=True)
        places = {test: trace.kept_at(self._root, self._root / test, files) for test in tests}
        missing = [test for test, place in places.items() if not place.exists()]
        starts = (partial(self._trace, test, files, places[test]) for test in missing)
        for number, job in enumerate(run_all(starts, self._jobs), 1):
            print(f"\rmapping {number}/{len(missing)} {job.name:60}", end="", file=sys.stderr)
            if job.code not in (0, 1, 5):
                print(f"\n{job.name}: ended with {job.code}\n{job.said[-1500:]}", file=sys.stderr)
        if missing:
            print(file=sys.stderr)
        return [trace.read(place) for place in places.values() if place.exists()]

    def _trace(self, test: str, files: list[str], place: Path) -> Job:
        return Job(test, [test], lambda: [Mapping(self._root, files, place)], {})


class Mapping(trace.Tracer):
    """Writes the trace when the session ends."""

    def __init__(self, root: Path, files: list[str], place: Path) -> None:
        super().__init__(root, files)
        self._place = place

    def pytest_sessionfinish(self) -> None:
        written = self._place.with_suffix(".part")
        found = {"seconds": self.seconds, "costs": self.costs, "hits": self.hits}
        written.write_text(json.dumps(found))
        written.replace(self._place)
