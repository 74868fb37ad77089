"""Dry run compared with the brute-force oracle on random plans."""

from __future__ import annotations

import random
from typing import Any

import pytest

from bt_exec.spec.model import MissionSpec
from bt_exec.verify import verify_mission
from tests.bt_exec.random_parts import FACTS, SITE, SKILLS, WORDS, asked
from tests.bt_exec.verify.dry_run_oracle import Step, hits
from tests.cases import cases

KINDS = ("do", "do", "do", "check", "sequence", "sequence", "fallback", "parallel")


class Draw:
    """Random plan with few leaves, and the initial facts."""

    def __init__(self, seed: int) -> None:
        self.dice = random.Random(seed)
        self.left = 4  # leaves
        self.facts = {fact: self.dice.choice(WORDS) for fact in FACTS}
        self.plan: Step = {"sequence": [self.step(2), self.step(2)]}

    def step(self, depth: int) -> Step:
        dice, step = self.dice, {}
        kind = dice.choice(KINDS)
        if depth == 0 or self.left <= 1 or kind == "do":
            name = dice.choice(list(SKILLS))
            step = {"do": name, **SKILLS[name]}
            self.left -= 1
        elif kind == "check":
            step = {"check": self.fact()}
            self.left -= 1
        else:
            count = 2 if kind == "parallel" else dice.randint(1, 3)
            step = {kind: [self.step(depth - 1) for _ in range(count)]}
            if kind == "parallel":
                step["needed"] = dice.choice((1, 2, 2))
        for key, chance in (("skip_if", 0.15), ("while", 0.1)):
            if dice.random() < chance:
                step[key] = self.fact()
        for key, chance in (("retry", 0.1), ("repeat", 0.1)):
            if dice.random() < chance:
                step[key] = 2
        if dice.random() < 0.07:
            step["timeout"] = "5s"
        return step

    def fact(self) -> tuple[str, str]:
        return self.dice.choice(FACTS), self.dice.choice(WORDS)


def document(step: Step) -> dict[str, Any]:
    """Return a step in document form."""
    out: dict[str, Any] = {}
    for key, value in step.items():
        if key in ("sequence", "fallback", "parallel"):
            out[key] = [document(child) for child in value]
        elif key in ("skip_if", "while", "check"):
            out[key] = asked(value)
        elif key == "needed":
            out["succeed_when"] = value
        elif key not in ("needs", "effects"):
            out[key] = value
    return out


def has(step: Step, key: str) -> bool:
    inner = step.get("sequence", step.get("fallback", step.get("parallel", [])))
    return key in step or any(has(child, key) for child in inner)


def compare(seeds: range, runs: int) -> dict[str, int]:
    """Compare the dry run with the oracle and return the kinds of compared cases."""
    count = dict.fromkeys(("accepted", "rejected", "strict", "unsure"), 0)
    for seed in seeds:
        draw = Draw(seed)
        header = {"command": "go"}
        spec = MissionSpec.model_validate({"mission": header, "root": document(draw.plan)})
        found = verify_mission(spec, SITE.catalogue, facts=draw.facts)
        found = tuple(one for one in found if one.code != "CLAIMED_TWICE")
        assert {one.code for one in found} <= {"NEED_NOT_MET"}, (seed, found)
        hit = hits(draw.plan, draw.facts, runs)
        if not found:
            assert not hit, f"seed {seed}: accepted, and meets an unmet need"
        elif hit is False:  # conservative result: see the docstring of `dry_run`
            beside = has(draw.plan, "parallel") or has(draw.plan, "while")
            assert beside, f"seed {seed}: rejected without a reason {found}"
            count["strict"] += 1
        count["rejected" if found else "accepted"] += 1
        count["unsure"] += hit is None
    return count


def hold(count: dict[str, int], plans: int) -> None:
    """Check that there were enough cases of each kind, and few false rejections."""
    assert count["accepted"] >= plans / 4
    assert count["rejected"] >= plans / 4
    assert count["strict"] <= plans / 100
    assert count["unsure"] <= plans / 10


def test_dry_run_agrees_with_the_oracle() -> None:
    hold(compare(range(500), runs=1_000), 500)


@pytest.mark.slow
@pytest.mark.parametrize("first", range(1_000, cases(21_000, 3_500), 2_500))
def test_dry_run_agrees_with_the_oracle_on_many_plans(first: int) -> None:
    """With ``BT_EXEC_LONG=1``, 20,000 plans are compared."""
    hold(compare(range(first, first + 2_500), runs=5_000), 2_500)
