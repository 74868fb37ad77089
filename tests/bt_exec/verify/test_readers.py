"""Facts that a dry run needs to track, and for which part of a plan."""

from __future__ import annotations

from typing import Any

import pytest

from bt_exec.spec.abstract_run import Step
from bt_exec.spec.model import Do, MissionSpec
from bt_exec.spec.node_paths import locate
from bt_exec.verify.dry_run import Readers
from bt_exec.verify.fact_states_and_changes import Calls
from tests.bt_exec.verify.layers import CATALOGUE

OPEN: dict[str, Any] = {"do": "open_lid", "with": {"arm": "left"}}
SHUT: dict[str, Any] = {"lid_is": {"state": "closed"}}
ASK: dict[str, Any] = {"check": SHUT}
FACT = "lid"


def readers(root: Any) -> tuple[Readers, Step]:
    """Return the readers of a plan, and the place of its first skill."""
    spec = MissionSpec.model_validate({"mission": {"command": "go"}, "root": root})
    located = locate(spec.root)
    first = next(step for step in located.walk() if isinstance(step.node, Do))
    return Readers(located, CATALOGUE, Calls(CATALOGUE)), first


@pytest.mark.parametrize(
    ("root", "kept"),
    [
        ({"sequence": [ASK, OPEN]}, False),
        ({"sequence": [OPEN, ASK]}, True),
        ({"sequence": [ASK, OPEN], "retry": 2}, True),
        ({"sequence": [ASK, OPEN], "repeat": 2}, True),
        ({"parallel": [ASK, OPEN], "succeed_when": "all"}, True),
        ({"sequence": [{**ASK, "retry": 2}, OPEN]}, False),
        ({"sequence": [OPEN, {"sequence": [OPEN], "skip_if": SHUT}]}, True),
    ],
)
def test_fact_is_tracked_until_its_last_reader(root: Any, kept: bool) -> None:
    found, place = readers(root)
    assert found.is_read_after(FACT, place) is kept


@pytest.mark.parametrize(
    ("root", "constant"),
    [
        ({"sequence": [ASK, OPEN]}, True),
        ({"parallel": [ASK, OPEN], "succeed_when": "all"}, False),
        ({"sequence": [OPEN], "while": SHUT}, False),
    ],
)
def test_fact_without_writers_is_constant(root: Any, constant: bool) -> None:
    found, _ = readers(root)
    assert found.is_constant(FACT) is constant
    assert "nobody.asks" not in found
