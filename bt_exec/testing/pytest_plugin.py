"""Pytest plugin with fixtures for skills and trees; it imports `bt_exec` only when it is used.

``--bt-cov`` prints the nodes of the trees under test and the declared failure codes that no test
reached; with pytest-xdist, in all workers together. ``--bt-update`` writes the files of golden
plans.
"""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

    from bt_exec.testing.tree_coverage import Coverage

__all__ = ["golden_plan", "mission_run", "skill_run"]

_COVERAGE: pytest.StashKey[Coverage] = pytest.StashKey()


@pytest.fixture
def skill_run() -> Callable[..., Any]:
    """Return `bt_exec.testing.run_skill`, which starts one skill for the test to tick."""
    from bt_exec.testing.skill_run import run_skill

    return run_skill


@pytest.fixture
def mission_run() -> Callable[..., Any]:
    """Return `bt_exec.testing.run_tree`, which runs a tree with scripted skills and conditions."""
    from bt_exec.testing.tree_run import run_tree

    return run_tree


@pytest.fixture
def golden_plan(request: pytest.FixtureRequest) -> Callable[..., None]:
    """Return a function that compares the plan of a command with ``golden/TEST.yaml``.

    It takes the command, the site and, if a test has several plans, ``name=``.
    """
    import re

    from bt_exec.testing.golden_plans import check_plan

    def compare(command: str, site: str, *, name: str = "") -> None:
        stem = re.sub(r"\W+", "_", name or request.node.name).strip("_")
        file = request.path.parent / "golden" / f"{stem}.yaml"
        check_plan(command, site, file, update=request.config.getoption("--bt-update"))

    return compare


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add ``--bt-cov`` and ``--bt-update``."""
    group = parser.getgroup("bt-exec")
    group.addoption(
        "--bt-update", action="store_true", help="write golden plans instead of comparing them"
    )
    group.addoption(
        "--bt-cov",
        action="store_true",
        help="print which nodes of trees and which failure codes no test reached",
    )


def pytest_configure(config: pytest.Config) -> None:
    """Start recording the coverage of all missions if ``--bt-cov`` is given."""
    if not config.getoption("--bt-cov"):
        return
    from bt_exec.testing import tree_run
    from bt_exec.testing.tree_coverage import Coverage

    coverage = config.stash[_COVERAGE] = Coverage(config.rootpath)
    stack = ExitStack()
    stack.enter_context(coverage.observe_all_runs())
    before, tree_run.COVERAGE = tree_run.COVERAGE, coverage

    def end() -> None:
        tree_run.COVERAGE = before
        stack.close()

    config.add_cleanup(end)


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Send coverage from a pytest-xdist worker to the controller."""
    output = getattr(session.config, "workeroutput", None)
    if output is not None and _COVERAGE in session.config.stash:
        output["bt_cov"] = session.config.stash[_COVERAGE].to_dict()


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any) -> None:
    """Merge the coverage of a pytest-xdist worker."""
    reached = getattr(node, "workeroutput", {}).get("bt_cov")
    if reached is not None:
        node.config.stash[_COVERAGE].merge(reached)


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """Print the unreached nodes and failure codes."""
    if _COVERAGE in config.stash:
        terminalreporter.section("bt-exec coverage")
        for line in config.stash[_COVERAGE].report():
            terminalreporter.line(line)
