"""Shipped sets of labelled commands, with compilers whose quality is known."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from bt_exec.campaign.statistics import Rate
from bt_exec.cli.compile import observed_situation
from bt_exec.evaluation.cases import load_cases
from bt_exec.evaluation.run import collect_answers, compare_compilers, evaluate
from bt_exec.failure import Refusal
from bt_exec.planning.compiler import Plan, Reply
from bt_exec.site.compile_command import make_compiler
from bt_exec.site.shipped_data import data_path, site_names
from bt_exec.site.site import load_site
from bt_exec.spec.model import Do, Mission, MissionSpec
from tests.cases import cases as sizes

SETS = sorted(path.stem for path in data_path("configs", "commands").glob("*.yaml"))
SLOW = pytest.mark.slow
EVERY = 4
MOST = sizes(10_000, 32)
ERRORS = {"refuses": "MODEL_DECLINED", "waits": "", "invalid": "UNKNOWN_SKILL", "talks": ""}
"""Kinds of errors, and the code of their objection; only ``waits`` does something else."""


@dataclass
class Degraded:
    """The compiler of a site, with an error of one kind in every fourth answer."""

    inner: object
    error: str
    known: dict
    asked: int = 0

    @property
    def name(self):
        return self.error

    def compile(self, request):
        self.asked += 1
        if self.error == "none" or self.asked % EVERY:
            if request.command not in self.known:
                self.known[request.command] = self.inner.compile(request)
            return self.known[request.command]
        if self.error == "refuses":
            return Refusal("MODEL_DECLINED", "No.", requests=2)
        if self.error == "talks":
            return Reply("COURTESY", "Hello.")
        skill = "wait" if self.error == "waits" else "wiat"
        plan = MissionSpec(
            mission=Mission(command=request.command),
            root=Do(do=skill, **{"with": {"seconds": 0.1}}),
        )
        return Plan(plan, usage={"input_tokens": 90, "output_tokens": 10, "cost": 0.5}, requests=1)


def test_each_site_has_an_evaluation_set_in_both_languages():
    assert set(SETS) == set(site_names())
    for name in SETS:
        cases = load_cases(Path(name))
        korean = [any("가" <= letter <= "힣" for letter in case.say) for case in cases.commands]
        refused = [case.want == "refuse" for case in cases.commands]
        assert min(korean.count(True), korean.count(False)) >= 18, name
        assert refused.count(True) >= 8, name


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", [name if name != "building" else pytest.param(name, marks=SLOW) for name in SETS]
)
def test_figures_of_an_evaluation_set_match_the_recorded_ones(name):
    site, cases = load_site(name), load_cases(Path(name))
    inner = make_compiler(site)
    situation = observed_situation(
        site, inner, [f"{key}={cases.world[key]}" for key in cases.world]
    )
    some = cases.commands[:: max(1, len(cases.commands) // MOST)]
    cases = cases.model_copy(update={"commands": some})
    known = {}
    best = Degraded(inner, "none", known)
    lines = list(collect_answers(site, cases, {"none": best}, situation=situation))
    right = [
        cases.commands[line["item"]]
        for line in lines
        for (one,) in [evaluate(cases, [line])]
        if one.understood.good or one.refused.good
    ]
    assert len(right) >= 0.8 * len(lines)
    cases = cases.model_copy(update={"commands": right})
    errors = dict(ERRORS)
    if name == "building":  # its passes add steps for the words of the command to any plan
        del errors["waits"]
    compilers = {error: Degraded(inner, error, known) for error in ("none", *errors)}
    lines = list(collect_answers(site, cases, compilers, situation=situation))
    found = {one.compiler: one for one in evaluate(cases, lines)}
    hit = [case.want for number, case in enumerate(right, 1) if not number % EVERY]
    act = sum(case.want == "act" for case in right)
    refuse = len(right) - act
    assert found["none"].understood == Rate(act, act)
    assert found["none"].refused == Rate(refuse, refuse)
    for error, code in errors.items():
        own = [line for line in lines if line["compiler"] == error][EVERY - 1 :: EVERY]
        done = [want for want, line in zip(hit, own, strict=True) if line["steps"] is not None]
        assert len(done) == 0 if error != "waits" else len(done) >= 1
        one = found[error]
        assert one.understood == Rate(act - hit.count("act"), act), error
        assert one.wrong == Rate(len(done), len(right)), error
        assert one.refused == Rate(refuse - done.count("refuse"), refuse), error
        if code:
            base = found["none"].objections.get(code, 0)
            assert one.objections[code] == base + len(hit), error
        against = compare_compilers(cases, lines)[error]
        assert (against.better, against.worse) == (0, hit.count("act") + done.count("refuse"))
    plans = found["invalid"]
    assert (plans.tokens, plans.cost) == (100 * len(hit), 0.5 * len(hit))
    assert found["refuses"].requests == 2 * len(hit)
