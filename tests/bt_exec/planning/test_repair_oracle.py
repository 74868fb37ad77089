"""Plan reuse compared with the brute-force oracle: random plans, failures and undone effects."""

from __future__ import annotations

import random
from typing import Any

import pytest

from bt_exec.failure import Failure
from bt_exec.observation import Situation
from bt_exec.planning.compiler import Done, Request
from bt_exec.planning.failed_part_repair import kept_paths
from bt_exec.spec.expand import expand
from bt_exec.spec.model import MissionSpec
from tests.bt_exec.planning.repair_oracle import Run, Step, may_be_kept
from tests.bt_exec.random_parts import FACTS, SITE, SKILLS, WORDS, asked
from tests.cases import cases


class Case:
    """Random failed plan, and the data that a compiler gets about it."""

    def __init__(self, seed: int) -> None:
        self.dice = random.Random(seed)
        self.count = 0
        steps = [self.step(2) for _ in range(self.dice.randint(1, 3))]
        part = {"tree": self.step(2), "inside": True}
        self.plan: Step = {"sequence": [*steps, part, self.step(1)]}
        self._place(self.plan, "")
        world = {fact: self.dice.choice(WORDS) for fact in FACTS}
        self.run = Run(world, self.dice, luck=0.8)
        self.failed = not self.run.run(self.plan)
        for fact in FACTS:  # effects of others
            if self.dice.random() < 0.15:
                world[fact] = self.dice.choice(WORDS)
        self.situation = {fact: word for fact, word in world.items() if self.dice.random() < 0.4}

    def step(self, depth: int) -> Step:
        dice, step = self.dice, {}
        kind = dice.choice(("do", "do", "do", "check", "sequence", "sequence", "fallback"))
        if depth == 0 or kind == "do":
            name = dice.choice(list(SKILLS))
            step = {"do": name, **SKILLS[name]}
        elif kind == "check":
            step = {"check": self.fact()}
        else:
            step = {kind: [self.step(depth - 1) for _ in range(dice.randint(1, 3))]}
        if dice.random() < 0.12:
            step["skip_if"] = self.fact()
        if dice.random() < 0.08:
            step["while"] = self.fact()
        return step

    def fact(self) -> tuple[str, str]:
        return self.dice.choice(FACTS), self.dice.choice(WORDS)

    def _place(self, step: Step, prefix: str) -> None:
        """Assign a name and a path to every leaf."""
        if "do" in step or "check" in step:
            step["name"] = f"n{self.count}"
            step["path"] = prefix + step["name"]
            self.count += 1
        for child in step.get("sequence", step.get("fallback", ())):
            self._place(child, prefix)
        if "tree" in step:
            self._place(step["tree"], prefix + "part/")

    def leaves(self, step: Step | None = None) -> list[Step]:
        step = self.plan if step is None else step
        inner = step.get("sequence", step.get("fallback", [step["tree"]] if "tree" in step else []))
        own = [step] if "path" in step else []
        return own + [leaf for child in inner for leaf in self.leaves(child)]

    def spec(self, step: Step) -> dict[str, Any]:
        """Return a step in document form."""
        out: dict[str, Any] = {
            key: asked(step[key]) for key in ("skip_if", "while", "check") if key in step
        }
        if "path" in step:
            out["name"] = step["name"]
        if "do" in step:
            out["do"] = step["do"]
        for kind in ("sequence", "fallback"):
            if kind in step:
                out[kind] = [self.spec(child) for child in step[kind]]
        if "tree" in step:
            out.update(tree="part", body=self.spec(step["tree"]))
        return out

    def request(self) -> Request:
        header = {"command": "go"}
        mission = MissionSpec.model_validate({"mission": header, "root": self.spec(self.plan)})
        ran = {leaf["path"]: leaf for leaf in self.leaves()}
        done = [
            Done(path, ran[path].get("do", ""), {}, "skipped" if skipped else "")
            for path, skipped in self.run.done.items()
        ]
        return Request(
            "go",
            "en",
            SITE.catalogue,
            SITE.library,
            situation=Situation(facts=self.situation),
            previous=expand(mission, SITE.library),
            failure=Failure("NO", path=self.run.failed),
            done=tuple(done),
            assumed=self.run.assumed,
        )

    def achieved(self) -> dict[str, dict[str, str]]:
        """Return the effects of finished steps outside the failed part that were not undone."""
        flat = not self.run.failed.startswith("part/")
        found, last = {}, {}
        for leaf in self.leaves():
            path = leaf["path"]
            if path not in self.run.done:
                continue
            if "check" in leaf:
                gave = dict([leaf["check"]])
            elif self.run.done[path]:
                gave = dict([leaf["skip_if"]])
            else:
                gave = {fact: word for fact, word in leaf["effects"].items() if word != "?"}
            if "check" not in leaf:
                last.update(dict.fromkeys(gave, path))
            if flat or not path.startswith("part/"):
                found[path] = gave
        checks = {leaf["path"] for leaf in self.leaves() if "check" in leaf}
        undone = {
            path
            for path, gave in found.items()
            for fact, word in gave.items()
            if (path in checks or last[fact] == path)
            and self.run.assumed.get(fact) == word
            and self.situation.get(fact, word) != word
        }
        return {path: gave for path, gave in found.items() if path not in undone}

    def now(self) -> dict[str, str]:
        facts = {**self.run.assumed, **self.situation}
        return {fact: word for fact, word in facts.items() if word != "?"}


def compare(seeds: range) -> dict[str, int]:
    """Compare the kept steps with the oracle and return the kinds of compared cases."""
    count = dict.fromkeys(("failed", "kept", "again", "strict"), 0)
    for seed in seeds:
        case = Case(seed)
        if not case.failed:
            continue
        candidates, now = case.achieved(), case.now()
        kept = kept_paths(case.request())
        assert set(kept) <= set(candidates), f"seed {seed}: kept what was undone"
        chosen = {path: candidates[path] for path in candidates if path in kept}
        assert list(kept) == list(chosen), f"seed {seed}: order"
        assert may_be_kept(case.plan, chosen, now), f"seed {seed}: kept too much: {kept}"
        count["failed"] += 1
        count["kept"] += len(kept)
        for path in candidates.keys() - chosen.keys():
            count["again"] += 1
            more = {p: candidates[p] for p in candidates if p in chosen or p == path}
            count["strict"] += may_be_kept(case.plan, more, now)
    return count


def hold(count: dict[str, int], failed: int) -> None:
    """Check that there were enough cases, and few unnecessary repetitions.

    Facts after different branches of a fallback are merged, so a step may be repeated although no
    single run needs it.
    """
    assert count["failed"] >= failed
    assert count["kept"] >= failed / 2
    assert count["again"] >= failed / 30
    assert count["strict"] <= count["again"] / 3


def test_kept_steps_agree_with_the_oracle() -> None:
    hold(compare(range(650)), 500)


@pytest.mark.slow
def test_kept_steps_agree_with_the_oracle_in_many_cases() -> None:
    worlds = cases(23_000, 10_000)
    hold(compare(range(10_000, 10_000 + worlds)), worlds * 20 // 23)
