"""Properties of the rules over random plans with any nesting."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bt_exec.observation import Situation
from bt_exec.pack import PassContext
from bt_exec.spec.dump import dump_yaml
from bt_exec.spec.load import load_text
from bt_exec.spec.model import Do, Mission, MissionSpec, walk
from bt_exec_skills.reporter.rules.passes_and_checkers import PASSES
from bt_exec_skills.reporter.rules.plan_steps import (
    actions,
    drives_to_base,
    flattened_steps,
    is_core_work,
    tells_user,
)
from tests.cases import examples
from tests.skills.reporter.rules.report_keywords import REPORT_KEYWORDS

PLACES = ("basecamp", "professor_office", "corridor_center", "lounge", "break_room")
FAST = settings(
    max_examples=examples(40),
    suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow],
)


def _do(action, **args):
    return Do.model_validate({"do": action, "with": args})


places = st.sampled_from(PLACES)
texts = st.sampled_from(["report", "", "people", "people, light", "언제?", "무엇이든"])
ACTIONS = st.one_of(
    st.builds(lambda p: _do("navigate", target=p), places),
    st.builds(lambda p, q: _do("observe_scene", target=p, query=q), places, texts),
    st.builds(
        lambda w, t: _do("talk_to_person", target=w, topic=t),
        st.sampled_from(["user", "professor", "assistant"]),
        texts,
    ),
    st.builds(
        lambda w: _do("deliver_object", recipient=w, object="서류"),
        st.sampled_from(["professor", "assistant"]),
    ),
    st.just(_do("summarize_mission")),
    st.just(_do("fail_and_report", reason="끝")),
)


def _composite(children):
    def make(kind, inner):
        return {kind: inner}

    several = st.lists(children, min_size=1, max_size=4)
    two = st.lists(children, min_size=2, max_size=3)
    return st.one_of(
        st.builds(make, st.sampled_from(["sequence", "fallback"]), several),
        st.builds(make, st.just("parallel"), two),
        st.builds(lambda body: {"tree": "look_at", "body": body}, children),
        st.builds(lambda body: {"sequence": [body], "name": "part", "retry": 2}, children),
    )


trees = st.recursive(ACTIONS, _composite, max_leaves=14)
plans = st.lists(trees, min_size=1, max_size=6).map(
    lambda steps: MissionSpec.model_validate(
        {"mission": Mission(command=""), "root": {"sequence": steps}}
    )
)
reports = st.sampled_from(
    [*REPORT_KEYWORDS, "보고 와 주세요", "알려주세요", "come back and tell me", "report back"]
)
subjects = st.sampled_from(["복도 ", "라운지랑 휴게실 ", "the lounge, ", "", "교수님께 여쭤보고 "])


def _passed(spec: MissionSpec, context: PassContext) -> MissionSpec:
    for step in PASSES:
        spec, _ = step.apply(spec, context)
    return spec


def _context(building, command, at="basecamp"):
    settings = building.packs["reporter"]
    return PassContext(Situation(facts={"at": at}), settings, command)


def _concerns_professor(node: Do) -> bool:
    return bool({"professor", "professor_office"} & set(map(str, node.args.values())))


@FAST
@given(plans, subjects, reports, st.sampled_from(PLACES))
def test_report_is_given_at_the_base_after_all_other_steps(building, spec, subject, report, at):
    found = _passed(spec, _context(building, subject + report, at))
    every = [node for node in walk(found.root) if isinstance(node, Do)]
    last = max((n for n, node in enumerate(every) if is_core_work(node)), default=-1)
    after = every[last + 1 :]
    certain = {id(node) for node in actions(found.root)}
    told = [n for n, node in enumerate(after) if tells_user(node) and id(node) in certain]
    homes = [n for n, node in enumerate(after) if drives_to_base(node) and id(node) in certain]
    assert told
    if last >= 0 or at != "basecamp":
        assert homes
        assert homes[0] < told[-1]
    steps = flattened_steps(found.root)
    summaries = [n for n, s in enumerate(steps) if getattr(s, "do", "") == "summarize_mission"]
    last_told = max(n for n, s in enumerate(steps) if any(map(tells_user, walk(s))))
    assert all(n > last_told for n in summaries)


@FAST
@given(
    plans, st.sampled_from(["복도 보고 와", "라운지 봐", "check the lounge", "오늘 한 일 알려줘"])
)
def test_plan_without_the_keyword_does_not_visit_the_professor(building, spec, command):
    found = _passed(spec, _context(building, command))
    assert not any(isinstance(n, Do) and _concerns_professor(n) for n in walk(found.root))


@FAST
@given(plans, st.sampled_from(["교수님께 여쭤보고 와", "ask the professor", "교수님 방 보고 와줘"]))
def test_professor_is_visited_first_if_the_command_contains_the_keyword(building, spec, command):
    found = _passed(spec, _context(building, command))
    first = next(node for node in actions(found.root) if is_core_work(node))
    assert _concerns_professor(first)


@FAST
@given(plans, subjects, st.one_of(reports, st.sampled_from(["봐", "오늘 한 일 요약해줘", "가"])))
def test_passes_are_pure_and_idempotent_and_return_valid_plans(building, spec, subject, rest):
    context = _context(building, subject + rest)
    before = spec.model_copy(deep=True)
    found = _passed(spec, context)
    assert spec == before
    assert _passed(spec, context) == found
    again = _passed(found, context)
    assert again == found
    assert load_text(dump_yaml(found)).document == found


@pytest.mark.parametrize("step", PASSES, ids=lambda step: step.name)
def test_each_pass_is_idempotent(step, building):
    @FAST
    @given(plans, subjects, reports)
    def holds(spec, subject, report):
        context = _context(building, subject + report)
        once, changes = step.apply(spec, context)
        assert (once == spec) == (not changes)
        assert step.apply(once, context) == (once, ())

    holds()


def test_names_of_passes_are_unique():
    names = [step.name for step in PASSES]
    assert len(set(names)) == len(names)
    assert "fix_plan" in names
