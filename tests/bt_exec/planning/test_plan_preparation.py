"""Preparation of a plan: verification, rules, passes, and messages about refusals."""

from __future__ import annotations

import dataclasses
from dataclasses import replace
from typing import Annotated, Literal

import pytest

from bt_exec.failure import Failure, Problem, SpecError
from bt_exec.language.meaning import Meaning
from bt_exec.language.messages import Messages
from bt_exec.observation import Situation
from bt_exec.pack import Catalogue, Pack, Pass
from bt_exec.planning.compiler import Plan, Request, VerifiedPlan
from bt_exec.planning.plan_preparation import (
    examine,
    prepare,
    prepare_answer,
    verification_refusal,
    with_converted_tree_arguments,
)
from bt_exec.rig import PackSettings
from bt_exec.skill import Label, Steps, skill
from bt_exec.spec.load import load_text
from bt_exec.spec.model import Do, Mission, MissionSpec, Sequence, Tree
from bt_exec.testing import scripted_skill
from bt_exec.testing.tree_run import scripted_site

INNER = "tree: inner\nroot: {do: a}"


def spec_of(root: str, notes: tuple[str, ...] = ()) -> MissionSpec:
    header = Mission(command="go", compiler="test", notes=notes)
    return MissionSpec(mission=header, root=load_text(f"tree: t\nroot: {root}").document.root)


@pytest.fixture
def request_of():
    def request_of(*packs: Pack, **more) -> Request:
        site = scripted_site([scripted_skill("a", needs={"hand": "empty"})], [INNER])
        (own,) = site.catalogue.packs
        catalogue = Catalogue([own, *packs])
        given = {"settings": {"one": {"k": 1}}, **more}
        return replace(Request("go", "en", catalogue, site.library, Messages()), **given)

    return request_of


def test_verified_plan_can_only_be_created_by_prepare():
    spec = spec_of("{tree: inner}")
    with pytest.raises(
        TypeError, match=r"created only by bt_exec\.planning\.plan_preparation\.prepare"
    ):
        VerifiedPlan(spec, spec, Situation(), made_by=None)


def test_verified_plan_belongs_to_one_text_and_situation(request_of):
    request, written = request_of(), spec_of("{tree: inner}")
    plan = prepare(written, request)
    assert plan.is_of(written, request.situation)
    assert not plan.is_of(spec_of("{tree: inner}"), request.situation)
    assert not plan.is_of(written, Situation(("cup",)))


def test_subtrees_are_expanded_and_passes_applied_in_order(request_of):
    contexts = []

    def step(name):
        def apply(spec, context):
            contexts.append((name, context))
            root = Sequence(sequence=(spec.root, Do(do="a", name=name)))
            return spec.model_copy(update={"root": root}), (f"adds {name}",)

        return Pass(name, apply)

    one = Pack("one", passes=(step("p"), step("q")))
    two = Pack("two", passes=(step("r"),))
    request = request_of(one, two, situation=Situation(("cup",), {"hand": "empty"}))
    plan = prepare(spec_of("{tree: inner}", notes=("written", "p: adds p")), request).spec
    assert plan.mission.notes == ("written", "p: adds p", "q: adds q", "r: adds r")  # each once
    assert [name for name, _ in contexts] == ["p", "q", "r"]
    assert plan.root.sequence[0].sequence[0].sequence[0].body.do == "a"
    given = contexts[0][1]
    assert (given.situation, given.settings, given.command) == (request.situation, {"k": 1}, "go")
    assert (given.meant, given.stated, contexts[-1][1].settings) == (None, {}, PackSettings())


def test_rules_receive_the_expanded_plan_and_the_meaning_before_passes(request_of):
    situation = []

    def rule(spec, context):
        situation.append((spec.root.body.do, context.meant, context.stated))
        return [Problem("TOO_FAR", "too far", "root")]

    meant = spec_of("{do: a}")
    request = request_of(Pack("one", checkers=(rule,)))
    found = examine(spec_of("{tree: inner}"), request, meant=meant, stated={"n": 1})
    plan, problems = found.plan, found.problems
    assert situation == [("a", meant, {"n": 1})]
    assert problems == (Problem("TOO_FAR", "too far", "root"),)
    assert plan is not None
    with pytest.raises(SpecError) as told:
        prepare(spec_of("{tree: inner}"), request)
    assert told.value.problems == problems


def test_meaning_is_passed_to_checkers_and_the_reading_to_checkers_and_passes(request_of):
    seen = {}

    def checker(spec, context):
        seen["checker"] = context
        return []

    def step(spec, context):
        seen["pass"] = context
        return spec, ()

    meant, meaning = spec_of("{do: a}"), Meaning("en", ())
    request = request_of(Pack("one", checkers=(checker,), passes=(Pass("p", step),)))
    examine(spec_of("{do: a}"), request, meant=meant, stated={"n": 1}, meaning=meaning)
    told = {name: (one.meant, one.stated, one.meaning) for name, one in seen.items()}
    assert told == {"checker": (meant, {"n": 1}, meaning), "pass": (None, {}, meaning)}
    prepare(spec_of("{do: a}"), request, meaning)
    assert {one.meaning for one in seen.values()} == {meaning}


def test_plan_verified_by_its_compiler_is_not_verified_again(request_of):
    request, spec = request_of(), spec_of("{tree: inner}")
    plan = prepare(spec, request)
    assert prepare_answer(Plan(spec, verified=plan), request) is plan
    other = replace(request, situation=Situation(("cup",)))
    again = prepare_answer(Plan(spec, verified=plan), other)
    assert (again is plan, again.is_of(spec, other.situation)) == (False, True)
    assert prepare_answer(Plan(spec), request) is not plan
    with pytest.raises(SpecError):
        prepare_answer(Plan(spec_of("{do: b}"), verified=plan), request)


def test_prepared_plan_contains_the_written_plan_and_its_time(request_of):
    request = request_of(situation=Situation(("cup",)))
    for root, expands in (("{tree: inner}", True), ("{do: b}", True), ("{tree: nowhere}", False)):
        spec = spec_of(root)
        found = examine(spec, request)
        assert found.written is spec
        assert found.situation is request.situation
        assert (found.expanded is not None, found.plan is not None) == (expands, expands)
    plan = prepare(spec_of("{tree: inner}"), request)
    assert plan.situation is request.situation


def test_invalid_plan_is_checked_by_rules_but_not_passes(request_of):
    asked = []
    rules = (lambda spec, context: asked.append("rule") or [],)
    passes = (Pass("p", lambda spec, context: asked.append("pass") or (spec, ())),)
    request = request_of(Pack("one", checkers=rules, passes=passes))
    found = examine(spec_of("{do: b}"), request)
    plan, problems = found.plan, found.problems
    assert [problem.code for problem in problems] == ["UNKNOWN_SKILL"]
    assert (asked, plan is not None) == (["rule"], True)


def test_plan_that_cannot_be_expanded_is_refused(request_of):
    found = examine(spec_of("{tree: nowhere}"), request_of())
    plan, problems = found.plan, found.problems
    assert plan is None
    assert [problem.code for problem in problems] == ["UNKNOWN_TREE"]
    with pytest.raises(SpecError):
        prepare(spec_of("{tree: nowhere}"), request_of())


def test_problem_found_by_two_layers_is_reported_once(request_of):
    def rule(spec, context):
        same = Problem("X", "one way to say it", "root", found="a")
        return [
            same,
            dataclasses.replace(same, message="another way to say it"),
            dataclasses.replace(same, found="b"),
            dataclasses.replace(same, place="root/do"),
            dataclasses.replace(same, code="Y"),
        ]

    problems = examine(spec_of("{do: a}"), request_of(Pack("one", checkers=(rule,)))).problems
    assert [(p.code, p.place, p.found, p.message) for p in problems] == [
        ("X", "root", "a", "one way to say it"),
        ("X", "root", "b", "one way to say it"),
        ("X", "root/do", "a", "one way to say it"),
        ("Y", "root", "a", "one way to say it"),
    ]


@pytest.mark.parametrize(("failure", "codes"), [(None, ["LABEL_NOT_SEEN"]), (Failure("STUCK"), [])])
def test_objects_must_be_visible_only_for_the_first_plan(failure, codes):
    """After a failure the robot may block the view."""

    @skill()
    def take(thing: Annotated[Literal["cup"], Label()]) -> Steps:
        """Take an object."""
        yield

    site = scripted_site([take])
    request = Request("go", "en", site.catalogue, site.library, situation=Situation(("box",)))
    spec = spec_of("{do: take, with: {thing: cup}}")
    problems = examine(spec, replace(request, failure=failure)).problems
    assert [problem.code for problem in problems] == codes


WORDS = """
hand=cup: {en: The hand holds a cup., ko: 손에 컵이 있습니다.}
door=shut: {en: The door is shut., ko: 문이 닫혀 있습니다.}
first gap=left: {en: The left arm is in it. Draw it back., ko: 왼팔을 빼십시오.}
lid=shut: {en: The lid is shut., ko: 뚜껑이 닫혀 있습니다.}
first lid=shut: {en: The lid is shut. Open it., ko: 뚜껑을 여십시오.}
CLAIMED_TWICE: {en: "Both want {what}.", ko: "둘 다 {what}."}
NEED_NOT_MET: {en: "Not now. {facts}", ko: "지금은 안 됩니다. {facts}"}
NEED_NOT_MET_THEN: {en: "By then: {facts}", ko: "그때: {facts}"}
PLAN_REJECTED: {en: "Rejected: {why}.", ko: "거절: {why}."}
"""


@pytest.fixture
def words(tmp_path) -> Messages:
    file = tmp_path / "words.yaml"
    file.write_text(WORDS, encoding="utf-8")
    return Messages.load([file])


def needs(*facts: str) -> SpecError:
    return SpecError([Problem("NEED_NOT_MET", "not met", found=fact) for fact in facts])


def twice(*facts: str) -> SpecError:
    return SpecError([Problem("CLAIMED_TWICE", "both", found="gap"), *needs(*facts).problems])


@pytest.mark.parametrize(
    ("error", "code", "message"),
    [
        (needs("hand=cup"), "NEED_NOT_MET", "Not now. The hand holds a cup."),
        (
            needs("hand=cup", "hand=cup"),
            "NEED_NOT_MET",
            "Not now. The hand holds a cup.",  # once
        ),
        (needs("door=shut"), "NEED_NOT_MET", "By then: The door is shut."),
        (
            needs("hand=cup", "door=shut"),
            "NEED_NOT_MET",
            "By then: The hand holds a cup. The door is shut.",
        ),
        (needs("gap=left"), "NEED_NOT_MET", "By then: The left arm is in it. Draw it back."),
        (needs("lid=shut"), "NEED_NOT_MET", "By then: The lid is shut. Open it."),
        (twice(), "CLAIMED_TWICE", "Both want gap."),
        (twice("gap=left"), "CLAIMED_TWICE", "Both want gap."),
        (needs("hand=box"), "PLAN_REJECTED", "Rejected: not met."),  # has no message
        (needs("hand=cup", "hand=box"), "PLAN_REJECTED", "Rejected: not met."),
        (
            SpecError([Problem("TOO_FAR", "far", found="hand=cup")]),
            "PLAN_REJECTED",
            "Rejected: far.",
        ),
        (
            SpecError([*needs("hand=cup").problems, Problem("X", "x", found="hand=cup")]),
            "PLAN_REJECTED",
            "Rejected: not met.",
        ),
    ],
)
def test_refused_plan_has_the_code_and_message_of_its_error(
    request_of, words, error, code, message
):
    request = request_of(situation=Situation(facts={"hand": "cup"}), messages=words)
    found = verification_refusal(error, request)
    assert (found.code, found.message) == (code, message)
    assert found.problems == tuple(map(str, error.problems))


def broken(*codes: str) -> SpecError:
    return SpecError([Problem(code, "wrong", str(at), found="x") for at, code in enumerate(codes)])


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (broken("FAR"), "X is far."),
        (broken("FAR", "FAR"), "X is far."),  # once
        (broken("FAR", "HOT"), "X is far. X is hot."),
        (broken("FAR", "ELSE"), "Rejected: X is far."),  # one of them has no message
        (SpecError([*broken("FAR").problems, *needs("hand=cup").problems]), "Rejected: X is far."),
        (SpecError([*broken("FAR").problems, *twice().problems]), "Rejected: X is far."),
    ],
)
def test_pack_can_provide_messages_for_problems_of_its_checkers(
    request_of, tmp_path, error, message
):
    file = tmp_path / "words.yaml"
    far, hot = 'FAR: {en: "{found} is far.", ko: 멂.}', 'HOT: {en: "{found} is hot.", ko: 뜨거움.}'
    file.write_text(f"{WORDS}{far}\n{hot}\n", encoding="utf-8")
    refusal = verification_refusal(error, request_of(messages=Messages.load([file])))
    assert (refusal.code, refusal.message) == ("PLAN_REJECTED", message)


COUNTING = """
tree: count
params: {n: {type: integer}, word: {type: text}}
root: {do: a}
"""


@pytest.mark.parametrize(
    ("root", "args"),
    [
        ("{tree: count, with: {n: '3', word: '3'}}", {"n": 3, "word": "3"}),
        ("{tree: count, with: {n: three, word: x}}", {"n": "three", "word": "x"}),
        ("{tree: count, with: {n: '3', other: '3'}}", {"n": 3, "other": "3"}),
        ("{tree: nowhere, with: {n: '3'}}", {"n": "3"}),
        ("{do: a, with: {n: '3'}}", {"n": "3"}),
    ],
)
def test_strings_are_converted_to_numbers_for_numeric_parameters(root, args):
    site = scripted_site([scripted_skill("a")], [COUNTING])
    request = Request("go", "en", site.catalogue, site.library)
    spec = spec_of(f"{{sequence: [{root}]}}")
    typed = with_converted_tree_arguments(spec, request)
    assert typed.root.sequence[0].args == args
    assert (typed is spec) is (spec.root.sequence[0].args == args)
    assert typed.mission == spec.mission


def test_expanded_tree_is_not_expanded_again():
    site = scripted_site([scripted_skill("a")], [COUNTING])
    request = Request("go", "en", site.catalogue, site.library)
    body = Tree.model_validate({"tree": "count", "with": {"n": "3", "word": "x"}})
    spec = spec_of("{do: a}")
    spec = spec.model_copy(update={"root": body.model_copy(update={"body": Do(do="a")})})
    assert with_converted_tree_arguments(spec, request) is spec


def test_reason_for_a_refused_plan_is_in_the_language_of_the_command(request_of, words):
    request = request_of(situation=Situation(facts={"hand": "cup"}), messages=words, language="ko")
    assert verification_refusal(needs("hand=cup"), request).message == (
        "지금은 안 됩니다. 손에 컵이 있습니다."
    )
    assert verification_refusal(needs("hand=box"), request).message == (
        "거절: 그 시점에는 동작에 필요한 상태가 아닙니다."
    )
