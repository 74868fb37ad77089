"""Mutation testing: ``python -m tests.mutants`` inserts small faults and runs the tests."""

from __future__ import annotations

import argparse
import random
import sys
import time
from pathlib import Path

from tests.mutants.groups import Known, changed_files, groups
from tests.mutants.mutators import mutants_of
from tests.mutants.results import Table
from tests.mutants.trial import Trial
from tests.mutants.warm import warm_up

ROOT = Path(__file__).parents[2]


def main() -> int:
    """Try mutants; print the survivors and a table."""
    options = _options()
    table = Table()
    warm_up()
    everything = groups(ROOT)
    watched = sorted({file for group in everything for file in group.files})
    known = Known()
    for group in everything:
        if options.group not in (None, group.name):
            continue
        files = [file for file in group.files if _wanted(file, options)]
        mutants = [m for f in files for m in mutants_of(f, (ROOT / f).read_text(encoding="utf-8"))]
        if options.lines:
            first, _, last = options.lines.partition("-")
            mutants = [m for m in mutants if int(first) <= m.line <= int(last or first)]
        equivalent = [mutant for mutant in mutants if mutant in known]
        mutants = [mutant for mutant in mutants if mutant not in known]
        if not options.lines:
            for line in known.gone(files):
                print(f"equivalent.yaml: there is no such mutant: {line}", file=sys.stderr)
        if options.sample and options.sample < len(mutants):
            mutants = random.Random(options.seed).sample(mutants, options.sample)
            mutants.sort(key=lambda each: (each.file, each.line))
        if not mutants:
            continue
        table.begin(group.name, len(mutants), 0 if options.sample else len(equivalent))
        tests = options.tests or group.tests
        chosen = [t for t in group.tests if any(t.startswith(prefix) for prefix in tests)]
        trial = Trial(ROOT, watched, chosen, options.jobs, options.budget)
        for number, result in enumerate(trial.run(mutants), 1):
            table.add(group.name, result)
            if sys.stderr.isatty():
                print(f"\r{number}/{len(mutants)} ", end="", file=sys.stderr)
    print(table.text())
    if options.write:
        table.write(ROOT, Path(__file__).parent / "RESULTS.md", options)
    return 0


def _wanted(file: str, options: argparse.Namespace) -> bool:
    if options.files and not any(file.startswith(each) for each in options.files):
        return False
    return options.changed is None or file in changed_files(ROOT, options.changed)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.mutants", description=__doc__)
    add = parser.add_argument
    add("--group", help="only this group of groups.yaml: kernel, domains, labeler")
    add("--files", nargs="+", metavar="PATH", help="only these files or folders of the groups")
    add("--lines", metavar="A-B", help="only mutants of these lines")
    add("--changed", nargs="?", const="HEAD", metavar="BASE", help="only files that differ from it")
    add("--sample", type=int, metavar="N", help="N mutants of each group, drawn with the seed")
    add(
        "--seed", type=int, default=int(time.time()), help="of the sample; today's second if absent"
    )
    add("--tests", nargs="+", metavar="PATH", help="ask only these test files or folders")
    add("--budget", type=float, default=20.0, help="seconds of tests for one mutant (%(default)s)")
    add("--jobs", type=int, default=2, help="runs at once (%(default)s)")
    add("--write", action="store_true", help="keep the table in tests/mutants/RESULTS.md")
    return parser.parse_args()


if __name__ == "__main__":
    raise SystemExit(main())
