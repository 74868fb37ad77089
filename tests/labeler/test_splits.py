from __future__ import annotations

import json
import random
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from bt_exec_labeler.splits import (
    SPLITS,
    assign_splits,
    missing_splits,
    reproducible_share,
    splits_of_run,
)


@pytest.mark.parametrize("count", [3, 4, 7, 10, 30, 200])
def test_every_split_has_an_episode_if_there_are_at_least_three(count: int) -> None:
    chance = random.Random(count)
    steps = {f"e{n}": {chance.choice("abc"), "d"} for n in range(count)}
    found = assign_splits(steps)
    assert set(found.values()) == set(SPLITS)
    assert missing_splits(found.values(), count) == ""
    if count >= 30:
        sizes = Counter(found.values())
        assert sizes["train"] == pytest.approx(0.8 * count, abs=0.06 * count)


@pytest.mark.parametrize("count", [10, 20, 50])
def test_val_and_test_splits_each_get_a_tenth_of_similar_episodes(count: int) -> None:
    sizes = Counter(assign_splits({f"e{n}": {"same"} for n in range(count)}).values())
    assert sizes == {"train": 8 * count // 10, "val": count // 10, "test": count // 10}


def test_splits_have_similar_contents() -> None:
    steps = {f"e{n}": {"common"} if n % 10 else {"rare"} for n in range(200)}
    found = assign_splits(steps)
    rare = Counter(found[name] for name, shown in steps.items() if "rare" in shown)
    assert (rare["train"], rare["val"], rare["test"]) == (16, 2, 2)


def test_assigned_episodes_stay_when_the_recording_grows(tmp_path: Path) -> None:
    def lines(count: int) -> list[dict[str, Any]]:
        return [{"episode": f"e{n}", "mid_step_id": "m"} for n in range(count)]

    first = splits_of_run(tmp_path, lines(12), keep=True)
    second = splits_of_run(tmp_path, lines(40), keep=True)
    assert {name: second[name] for name in first} == first
    assert json.loads((tmp_path / "splits.json").read_text()) == second
    assert splits_of_run(tmp_path, reversed(lines(40))) == second


def test_empty_splits_are_reported() -> None:
    found = assign_splits({"one": {"a"}, "two": {"a"}})
    assert missing_splits(found.values(), 2) == (
        "! no records for val and test: 2 episodes have records; 3 are needed"
    )


def test_number_derived_from_a_text_is_stable_and_uniformly_distributed() -> None:
    assert reproducible_share("") == pytest.approx(0.8894159948913374)
    shares = [reproducible_share(str(number)) for number in range(1000)]
    assert 0.0 <= min(shares) < 0.01
    assert 0.99 < max(shares) < 1.0
    assert sum(shares) / 1000 == pytest.approx(0.5, abs=0.03)
