"""Evaluation of compilers with known quality."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from bt_exec.campaign.statistics import Rate
from bt_exec.evaluation.cases import Case, Cases, Step, load_cases, plan_mistake
from bt_exec.evaluation.run import answer_mistake, collect_answers, compare_compilers, evaluate
from bt_exec.failure import Refusal, SpecError
from bt_exec.planning.compiler import Plan, Reply
from bt_exec.site.site import load_site
from bt_exec.spec.model import Do, Mission, MissionSpec

DOOR = {"arm": "right", "object_label": "door-handle"}
ACT = 12
REFUSE = 8


def cases_of() -> Cases:
    act = [{"say": f"open it {n}", "want": "act", "actions": [["open_door"]]} for n in range(ACT)]
    refuse = [{"say": f"dance {n}", "want": "refuse"} for n in range(REFUSE)]
    return Cases.model_validate({"commands": [*act, *refuse], "on_the_way": ["return_home"]})


class Scripted:
    """Compiler that is right for the first commands of each kind, then makes one kind of error."""

    def __init__(self, name, right, error):
        self.name, self.right, self.error, self.asked = name, right, error, 0

    def compile(self, request):
        self.asked += 1
        kind, number = request.command.rsplit(" ", 1)
        act, good = kind == "open it", int(number) < self.right
        if self.error == "talks" and not good:
            return Reply("COURTESY", "Hello.")
        if (act and good) or (self.error == "acts" and not good and not act):
            return self.plan(request, "open_door", DOOR)
        if act and self.error == "closes":
            return self.plan(request, "close_door", DOOR)
        if act and self.error == "invalid":
            return self.plan(request, "open_dor", DOOR)
        problems = ("plan: x [UNKNOWN_SKILL]",) if self.error == "objects" and not good else ()
        return Refusal("NOT_UNDERSTOOD", "?", problems=problems, requests=3)

    def plan(self, request, skill, args):
        spec = MissionSpec(
            mission=Mission(command=request.command), root=Do(do=skill, **{"with": args})
        )
        usage = {"input_tokens": 100, "output_tokens": 10, "cost": 0.25}
        return Plan(spec, usage=usage, requests=1)


@pytest.fixture(scope="module")
def site():
    return load_site("door")


@pytest.mark.parametrize(
    ("error", "right", "understood", "wrong", "refused", "objection"),
    [
        ("none", 99, ACT, 0, REFUSE, "NOT_UNDERSTOOD"),
        ("refuses", 9, 9, 0, REFUSE, "NOT_UNDERSTOOD"),
        ("closes", 9, 9, 3, REFUSE, "NOT_UNDERSTOOD"),
        ("acts", 6, 6, 2, 6, "NOT_UNDERSTOOD"),
        ("invalid", 9, 9, 0, REFUSE, "UNKNOWN_SKILL"),
        ("objects", 9, 9, 0, REFUSE, "UNKNOWN_SKILL"),
        ("talks", 9, 9, 0, REFUSE, "NOT_UNDERSTOOD"),
    ],
)
def test_figures_match_the_errors_of_a_scripted_compiler(
    site, error, right, understood, wrong, refused, objection
):
    cases = cases_of()
    lines = list(collect_answers(site, cases, {error: Scripted(error, right, error)}))
    (found,) = evaluate(cases, lines)
    assert found.understood == Rate(understood, ACT)
    assert found.wrong == Rate(wrong, ACT + REFUSE)
    assert found.refused == Rate(refused, REFUSE)
    assert found.objections[objection] > 0
    plans = sum(line["usage"] != {} for line in lines)
    assert (found.tokens, found.cost) == (110 * plans, 0.25 * plans)
    assert found.requests == plans + 3 * sum(line["code"] == "NOT_UNDERSTOOD" for line in lines)


def test_compilers_are_compared_by_command(site):
    cases = cases_of()
    both = {"good": Scripted("good", 99, ""), "weak": Scripted("weak", 4, "closes")}
    lines = list(collect_answers(site, cases, both))
    found = compare_compilers(cases, lines)["weak"]
    assert (found.better, found.worse) == (0, 8)
    assert found.p == pytest.approx(2 / 2**8)


def test_recorded_answers_are_not_requested_again(site):
    cases, compiler = cases_of(), Scripted("one", 9, "closes")
    first = list(collect_answers(site, cases, {"one": compiler}))
    assert compiler.asked == len(first) == ACT + REFUSE
    again = list(
        collect_answers(site, cases, {"one": compiler}, json.loads(json.dumps(first[:-2])))
    )
    assert compiler.asked == len(first) + 2
    assert evaluate(cases, again)[0]._replace(seconds=0) == evaluate(cases, first)[0]._replace(
        seconds=0
    )


@pytest.mark.parametrize(
    ("label", "plan", "fault"),
    [
        ({"actions": [["a", {"x": "the box"}]]}, [("a", {"x": "box"})], "not what was asked"),
        ({"actions": [["a", {"x": "box"}]]}, [("a", {"x": "the Boxs"})], ""),
        ({"actions": [["a"], ["b"]]}, [("b", {}), ("a", {})], "not what was asked"),
        ({"actions": [["a"], ["b"]]}, [("a", {}), ("c", {}), ("b", {})], ""),
        ({"actions": [["a"]], "only": True}, [("a", {}), ("c", {})], "also c"),
        ({"actions": [["a"]], "only": True}, [("a", {}), ("way", {})], ""),
        ({"actions": [["a"]], "forbid": ["c"]}, [("a", {}), ("c", {})], "forbidden skill"),
        ({"actions": [["a"]], "never": ["x"]}, [("a", {"to": "x"})], "forbidden argument"),
        ({"actions": [["a"]], "condition": True}, [("a", {})], "without the condition"),
        ({"want": "refuse"}, [("a", {})], "should be refused"),
        ({"want": "refuse", "question": True}, [], ""),
        ({"want": "either"}, [("a", {})], "also a"),
    ],
)
def test_plans_are_compared_with_their_label(label, plan, fault):
    case = Case.model_validate({"say": "x", "want": "act", **label})
    assert plan_mistake(case, [Step(*step) for step in plan], frozenset({"way"})) == fault


def test_invalid_file_is_reported_with_its_position(tmp_path: Path):
    file = tmp_path / "c.yaml"
    file.write_text("- {say: go, want: act}\n- {say: go, want: perhaps}\n")
    with pytest.raises(SpecError, match=r"c\.yaml:2:19: .*want") as error:
        load_cases(file)
    assert len(error.value.problems) == 1


def test_refusal_is_not_counted_as_a_fault(site):
    cases = cases_of()
    lines = list(collect_answers(site, cases, {"x": Scripted("x", 0, "refuses")}))
    assert not any(answer_mistake(cases, line) for line in lines)
