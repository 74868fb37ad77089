"""Preparation of plans: expansion, checkers, passes and verification."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from bt_exec.failure import Problem, Refusal, SpecError
from bt_exec.language.korean_errors import korean_mistake
from bt_exec.language.meaning import Meaning
from bt_exec.observation import Situation
from bt_exec.pack import PassContext
from bt_exec.planning.compiler import PREPARE, Plan, Request, VerifiedPlan
from bt_exec.planning.robot_views import apply_to_parts, plan_parts_of_pack, situation_for_pack
from bt_exec.spec.expand import expand
from bt_exec.spec.model import MissionSpec, NodeBase, Tree, rebuild
from bt_exec.verify import verify_document, verify_mission
from bt_exec.verify.bounds_and_claims import CLAIMED_TWICE
from bt_exec.verify.effects_on_facts import NEED_NOT_MET
from bt_exec.verify.type_checks import convert_word

__all__ = [
    "NEED_NOT_MET",
    "Examined",
    "examine",
    "prepare",
    "prepare_answer",
    "verification_refusal",
    "with_converted_tree_arguments",
]


@dataclass(frozen=True)
class Examined:
    """Result of examining a written plan: the plan as it would run, and its problems.

    Attributes:
        written: The plan as its compiler wrote it.
        situation: The observed situation at the examination.
        expanded: The plan with expanded subtrees, before passes; None if it cannot be expanded.
        plan: The plan as it would run; None if it cannot be expanded. Passes are applied only if
            the written plan is valid.
        problems: All problems that were found.
    """

    written: MissionSpec
    situation: Situation
    expanded: MissionSpec | None
    plan: MissionSpec | None
    problems: tuple[Problem, ...]

    def verified_plan(self) -> VerifiedPlan:
        """Return the plan as it will run, marked as verified.

        Raises:
            SpecError: Contains every problem that was found.
        """
        if self.problems or self.plan is None:
            raise SpecError(self.problems)
        return VerifiedPlan(self.plan, self.written, self.situation, made_by=PREPARE)


def prepare(spec: MissionSpec, request: Request, meaning: Meaning | None = None) -> VerifiedPlan:
    """Return the plan as it will run: subtrees expanded, passes applied, verified.

    Raises:
        SpecError: Contains every problem that was found.
    """
    return examine(spec, request, meaning=meaning).verified_plan()


def prepare_answer(answer: Plan, request: Request) -> VerifiedPlan:
    """Return the verified plan of an answer; a plan already verified for this request is reused.

    Raises:
        SpecError: Contains every problem that was found.
    """
    verified = answer.verified
    if verified is not None and verified.is_of(answer.spec, request.situation):
        return verified
    return prepare(answer.spec, request, answer.meaning)


def verification_refusal(error: SpecError, request: Request) -> Refusal:
    """Return the refusal for a plan that failed verification.

    If only the current or expected state prevents the plan (such as a full hand), the message
    reports that state. A pack may define sentences for the problem codes of its checkers.
    """
    problems = tuple(map(str, error.problems))
    say, language = request.messages.say, request.language
    facts = dict.fromkeys(problem.found for problem in error.problems)
    known = all({fact, f"first {fact}"} & request.messages.codes() for fact in facts)
    if known and all(problem.code == NEED_NOT_MET for problem in error.problems):
        now = request.situation.facts.items()
        so = all(fact in {f"{key}={value}" for key, value in now} for fact in facts)
        states = request.messages.blocking_facts(facts, language)
        message = say(NEED_NOT_MET if so else "NEED_NOT_MET_THEN", language, facts=states)
        return Refusal(NEED_NOT_MET, message, problems=problems)
    twice = [problem.found for problem in error.problems if problem.code == CLAIMED_TWICE]
    if twice and all(one.code in (CLAIMED_TWICE, NEED_NOT_MET) for one in error.problems):
        message = say(CLAIMED_TWICE, language, what=twice[0])
        return Refusal(CLAIMED_TWICE, message, problems=problems)
    why = [
        say(problem.code, language, found=problem.found, allowed=list(problem.allowed))
        for problem in error.problems
        if problem.code in request.messages and problem.code not in (NEED_NOT_MET, CLAIMED_TWICE)
    ]
    message = " ".join(dict.fromkeys(why))
    if len(why) < len(problems):  # some problem code has no sentence, so quote the first problem
        first = error.problems[0]
        quoted = korean_mistake(first) if language == "ko" else first.message
        cause = why[0] if why else quoted
        message = say("PLAN_REJECTED", language, why=cause.rstrip("."))
    return Refusal("PLAN_REJECTED", message, problems=problems)


def with_converted_tree_arguments(spec: MissionSpec, request: Request) -> MissionSpec:
    """Return a plan with arguments of trees converted to their declared types, such as "3" to 3."""

    def with_converted_arguments(node: NodeBase) -> NodeBase:
        if not isinstance(node, Tree) or node.body is not None or node.tree not in request.library:
            return node
        params, types = request.library.get(node.tree).params, request.catalogue.types
        args = {
            name: convert_word(types.get(params[name].type), value) if name in params else value
            for name, value in node.args.items()
        }
        return node.model_copy(update={"args": args}) if args != node.args else node

    root = rebuild(spec.root, with_converted_arguments)
    return spec if root is spec.root else spec.model_copy(update={"root": root})


def examine(
    spec: MissionSpec,
    request: Request,
    *,
    meant: MissionSpec | None = None,
    stated: Mapping[str, Any] | None = None,
    meaning: Meaning | None = None,
) -> Examined:
    """Expand a written plan, run the checkers, apply the passes, and verify the result.

    Compilers that let a model repair its plan call this and send the problems back.

    Args:
        spec: The plan as written.
        request: The request.
        meant: See `PassContext`.
        stated: See `PassContext`.
        meaning: See `PassContext`.
    """
    written, situation = spec, request.situation
    spec = with_converted_tree_arguments(spec, request)
    problems = list(verify_document(spec, request.catalogue, request.library))
    try:
        expanded = expand(spec, request.library)
    except SpecError as error:
        return Examined(
            written, situation, None, None, _distinct_problems([*problems, *error.problems])
        )
    sound = not problems
    catalogue = request.catalogue
    contexts = {
        pack.name: PassContext(
            situation_for_pack(pack.name, situation, catalogue),
            request.settings_of(pack),
            request.command,
            None if meant is None else catalogue.with_pack_names(pack.name, meant),
            stated or {},
            meaning.for_agent(pack.name) if meaning is not None else None,
        )
        for pack in catalogue.packs
    }
    for pack in catalogue.packs:
        for own in plan_parts_of_pack(pack.name, expanded, catalogue) if pack.checkers else ():
            for checker in pack.checkers:
                problems.extend(checker(own, contexts[pack.name]))
    if not sound:
        return Examined(written, situation, expanded, expanded, _distinct_problems(problems))
    plan, notes = expanded, list(expanded.mission.notes)
    for pack in catalogue.packs:
        context = replace(contexts[pack.name], meant=None, stated={})  # they are for checkers only
        for step in pack.passes:
            plan, changes = apply_to_parts(pack.name, plan, catalogue, step, context)
            notes.extend(f"{step.name}: {change}" for change in changes)
    plan = plan.with_header(notes=tuple(dict.fromkeys(notes)))
    problems += verify_mission(
        plan,
        request.catalogue,
        labels=request.situation.labels if request.failure is None else None,
        labels_by=request.situation.labels_by,
        facts=request.situation.facts,
    )
    return Examined(written, situation, expanded, plan, _distinct_problems(problems))


def _distinct_problems(problems: list[Problem]) -> tuple[Problem, ...]:
    """Return the problems without duplicates, because two layers may find the same mistake."""
    first: dict[tuple[str, str, str], Problem] = {}
    for problem in problems:
        first.setdefault((problem.code, problem.place, problem.found), problem)
    return tuple(first.values())
