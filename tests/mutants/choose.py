"""Selection and order of the tests for a mutant."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import PurePosixPath
from typing import Any

import pytest

__all__ = ["Only", "chosen", "in_two"]


def chosen(tests: Iterable[str], file: str, costs: dict[str, float], budget_s: float) -> list[str]:
    """Return the tests to run: nearest first, then fastest, within the budget.

    Of a test with many cases, the first case comes before the second case of any other test, since
    cases of one test detect similar faults.

    Args:
        tests: All tests that run the mutated line.
        file: The mutated module.
        costs: Processor time of each test [s].
        budget_s: Total processor time of the tests of one mutant [s].
    """
    case: dict[str, int] = {}
    ranked = []
    for test in sorted(tests, key=lambda each: (costs[each], each)):
        function = test.partition("[")[0]
        case[function] = case.get(function, -1) + 1
        near = _distance(test, file)
        ranked.append((case[function] // 4, near, case[function], costs[test], test))
    spent, found = 0.0, []
    for *_, test in sorted(ranked):
        if spent + costs[test] <= budget_s or not found:
            spent += costs[test]
            found.append(test)
    return sorted(found, key=lambda each: (_distance(each, file), costs[each]))


def in_two(tests: list[str], file: str) -> list[list[str]]:
    """Return the tests near a module, and the others, which most mutants do not need."""
    near = [test for test in tests if _distance(test, file) < 2][:150] or tests[:15]
    parts = [near, [test for test in tests if test not in near]]
    return [part for part in parts if part] or [[]]


def _distance(test: str, file: str) -> int:
    """Return the distance of a test from a module: 0 is its own file, 1 its folder."""
    place, module = PurePosixPath(test.partition("::")[0]), PurePosixPath(file)
    folders = [part for part in module.parts[:-1] if not part.startswith("bt_exec_")]
    near = list(place.parts[1:-1]) == folders
    if module.stem in place.stem:
        return 0 if near else 1
    return 1 if near else 2


class Only:
    """A pytest plugin that runs these tests only, in this order."""

    def __init__(self, tests: list[str]) -> None:
        self._order = {test: number for number, test in enumerate(tests)}

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items: list[Any]) -> None:
        items[:] = [item for item in items if item.nodeid in self._order]
        items.sort(key=lambda item: self._order[item.nodeid])
