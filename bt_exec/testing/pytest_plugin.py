"""The pytest plugin: fixtures for people who test skills and trees. Imports nothing until used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["mission_run", "skill_run"]


@pytest.fixture
def skill_run() -> Callable[..., Any]:
    """Give `bt_exec.testing.run_skill`: start one skill and tick it by hand."""
    from bt_exec.testing.skills import run_skill

    return run_skill


@pytest.fixture
def mission_run() -> Callable[..., Any]:
    """Give `bt_exec.testing.run_tree`: run a tree with scripted parts and get its trace."""
    from bt_exec.testing.missions import run_tree

    return run_tree
