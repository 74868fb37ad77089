"""Layer 6: TOO_DEEP, TOO_BIG, TOO_LONG_RUNNING."""

from __future__ import annotations

from typing import Any

import pytest

from bt_exec.spec.model import MissionSpec
from bt_exec.verify import bounds_and_claims, verify_mission
from bt_exec.verify.bounds_and_claims import MAX_DEPTH, longest_s
from bt_exec.verify.context import Context
from tests.bt_exec.verify.layers import CATALOGUE

LOOK: dict[str, Any] = {"do": "look"}
LIT: dict[str, Any] = {"check": "lit"}
LONG: dict[str, Any] = {"do": "follow", "with": {"points": []}}


def mission(root: Any) -> MissionSpec:
    return MissionSpec.model_validate({"mission": {"command": "go"}, "root": root})


def found(root: Any) -> list[str]:
    problems = verify_mission(mission(root), CATALOGUE)
    return [f"{problem.code} {problem.place}: {problem.message}" for problem in problems]


def nested(depth: int) -> Any:
    root: Any = LOOK
    for _ in range(depth - 1):
        root = {"sequence": [root]}
    return root


def test_nesting_depth_is_limited() -> None:
    assert found(nested(MAX_DEPTH)) == []
    place = "root" + "/sequence[0]" * 3 + "/sequence"
    assert found(nested(MAX_DEPTH + 1)) == [f"TOO_DEEP {place}: nodes are nested more than 40 deep"]


def test_number_of_nodes_is_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounds_and_claims, "MAX_NODES", 300)
    assert found({"sequence": [LIT] * 299}) == []
    assert found({"sequence": [LIT] * 300}) == ["TOO_BIG root: has 301 nodes; the limit is 300"]
    (problem,) = verify_mission(mission({"sequence": [LIT] * 300}), CATALOGUE)
    assert problem.found == "301"


def test_duration_is_limited() -> None:
    assert found({**LONG, "repeat": 24}) == []
    assert found({**LONG, "repeat": 25}) == [
        "TOO_LONG_RUNNING root: could run for 25 hours, at most 24 are allowed; lower 'repeat', "
        "'retry' or 'timeout'"
    ]
    (told,) = found({**LOOK, "timeout": "35982.36s", "repeat": 100})  # 999.51 hours
    assert "could run for 1000 hours," in told
    forever = {**LONG, "repeat": 1000, "retry": 1000}
    assert found({"sequence": [LOOK, {"fallback": [forever]}]}) == [
        "TOO_LONG_RUNNING root/sequence[1]/fallback[0]: could run for more than 1000 hours, at "
        "most 24 are allowed; lower 'repeat', 'retry' or 'timeout'"
    ]


def test_limit_of_the_duration_grows_with_the_steps() -> None:
    """A long list of steps may take long, but not a loop or a long timeout."""
    assert found({"sequence": [{**LONG, "retry": 4}] * 50}) == []
    (told,) = found({"sequence": [{**LONG, "retry": 5}] * 50})
    assert "could run for 250 hours, at most 200 are allowed" in told
    (told,) = found({"sequence": [{**LOOK, "timeout": "7200s"}] * 13})
    assert "could run for 26 hours, at most 24 are allowed" in told


def test_maximum_duration_includes_retries_repetitions_and_children() -> None:
    def longest(root: Any) -> float:
        spec = mission(root)
        return longest_s(Context(spec, CATALOGUE), spec.root)

    assert longest(LOOK) == 60.0
    assert longest({"do": "open_lid", "with": {"arm": "left"}}) == 20.0
    assert longest({**LOOK, "timeout": "5s", "retry": 2, "repeat": 3}) == 30.0
    assert longest({"check": "lit"}) == 0.0
    assert longest({"sequence": [LOOK, LONG]}) == 3660.0
    assert longest({"parallel": [LOOK, LONG]}) == 3600.0
    assert longest({"fallback": [LOOK, LONG], "timeout": "10s", "retry": 2}) == 20.0
