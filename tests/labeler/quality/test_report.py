"""Printed report, sample for review, and agreement of reviewers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from bt_exec_labeler.quality import report as module
from bt_exec_labeler.quality.agreement import Agreement
from bt_exec_labeler.quality.report import review_figures, review_sample
from bt_exec_labeler.splits import reproducible_share

EMPTY: Mapping[str, Any] = {
    "items": 0, "records": 0, "usable": 0, "drops": {}, "uncertainty": {}, "mid_steps": {},
    "missing": [], "contradictions": {}, "duplicates": 0, "leaks": 0, "splits": {},
    "empty_splits": "", "kinds": {}, "flawed": 0, "review": 0, "agreement": {}, "fields": {},
    "people": {"reviewers": {}, "agreement": {}},
}  # fmt: skip


def test_report_of_an_empty_run_has_no_warnings() -> None:
    assert module._lines(EMPTY) == [
        "0 items, 0 records, 0 usable",
        "  uncertainty low       0 ",
        "  uncertainty mid       0 ",
        "  uncertainty high      0 ",
        "splits by episode: none; 0 for review",
    ]


def test_report_prints_every_figure() -> None:
    half = Agreement(8, 0.5, 0.25, 1 / 3)
    sure = Agreement(4, 1.0, 1.0, None)
    figures = {
        **EMPTY,
        "items": 12, "records": 10, "usable": 9, "drops": {"NOT_JSON": 2},
        "uncertainty": {"low": 9, "high": 1}, "mid_steps": {"a": 10, "b": 0}, "missing": ["b", "c"],
        "contradictions": {"HOLDS": 3}, "duplicates": 2, "leaks": 1,
        "splits": {"train": 9, "val": 1},
        "empty_splits": "! none", "kinds": {"step": 8, "failure": 1, "recovery": 1}, "flawed": 4,
        "review": 2, "agreement": {"": half, "a": sure}, "fields": {"horizon": half},
        "people": {
            "reviewers": {"ann": {"accept": 2, "reject": 1}},
            "agreement": {"labeler, ann": {"": half}},
        },
        "page": "p.html",
    }  # fmt: skip
    agreed = " 50.0 % of 8 the same,  25.0 % without pictures, kappa 0.33"
    determined = "100.0 % of 4 the same; determined by the prompt: no picture is needed"
    assert module._lines(figures) == [
        "12 items, 10 records, 9 usable",
        "  dropped      2 NOT_JSON",
        "  uncertainty low       9  90.0 %",
        "  uncertainty mid       0   0.0 %",
        "  uncertainty high      1  10.0 %",
        "      10 a",
        "       0 b",
        "! no record of b, c",
        "! 3 records: HOLDS",
        "! 2 groups of near duplicates, 1 of them between splits",
        "! 4 moments have recording flaws",
        "  of other kinds: failure 1, recovery 1",
        f"  {'horizon':24} {agreed}",
        f"  goal of {'all':24} {agreed}",
        f"  goal of {'a':24} {determined}",
        "  reviewed by ann: accept 2, reject 1",
        f"  agreement {'labeler, ann':24} {agreed}",
        "splits by episode: train 9, val 1; 2 for review",
        "! none",
        "page: p.html",
    ]
    alone = module._lines({**EMPTY, "duplicates": 2, "kinds": {"step": 3}})
    assert "! 2 groups of near duplicates" in alone
    assert not any("other kinds" in line for line in alone)


@pytest.mark.parametrize(("count", "chosen"), [(1, 1), (4, 1), (14, 1), (16, 2), (100, 10)])
def test_review_sample_is_a_tenth_of_each_mid_step_and_at_least_one_record(
    count: int, chosen: int
) -> None:
    lines = [{"mid_step_id": step, "item": f"{step}{n}"} for n in range(count) for step in "ab"]
    found = review_sample(lines)
    assert found == sorted(found)
    for step in "ab":
        mine = [item for item in found if item.startswith(step)]
        names = sorted((f"{step}{n}" for n in range(count)), key=reproducible_share)
        assert sorted(mine) == sorted(names[:chosen])
    assert review_sample(reversed(lines)) == found
    assert review_sample([]) == []


def record(item: str, goal: str) -> dict[str, Any]:
    goals = [{"op": goal, "args": {}}]
    return {"item": item, "mid_step_id": "a", "record": {"short_goal_dsl": goals}}


def test_decisions_of_reviewers_are_compared_with_each_other_and_the_labeler() -> None:
    records = [record("1", "GO"), record("2", "STAY"), record("3", "GO")]
    decided: dict[str, dict[str, Any]] = {
        "bo": {
            "1": {"decision": "accept"},
            "2": {"decision": "correct", "record": record("2", "GO")["record"]},
        },
        "ann": {
            "1": {"decision": "accept"},
            "2": {"decision": "reject"},
            "9": {"decision": "accept"},
        },
        "cy": {},
    }
    found = review_figures(records, decided)
    assert found["reviewers"] == {
        "ann": {"accept": 2, "reject": 1}, "bo": {"accept": 1, "correct": 1}, "cy": {}
    }  # fmt: skip
    assert {pair: (one[""].same, one[""].moments) for pair, one in found["agreement"].items()} == {
        "labeler, ann": (0.5, 2), "labeler, bo": (0.5, 2), "ann, bo": (0.5, 2)
    }  # fmt: skip
    assert review_figures(records, {}) == {"reviewers": {}, "agreement": {}}
    assert module._decided_records(records, decided["ann"]) == [
        records[0],
        {**records[1], "record": {"short_goal_dsl": []}},
    ]
