"""From a compiler's answer to a plan that may move: expand, rules, passes, verification."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bt_exec.failure import Problem, Refusal, SpecError
from bt_exec.language.meaning import Meaning
from bt_exec.planning.compiler import Request
from bt_exec.planning.passes import PassContext
from bt_exec.planning.verified_plan import PREPARE, VerifiedPlan
from bt_exec.spec.expand import expand
from bt_exec.spec.model import MissionSpec, NodeBase, Tree, rebuild
from bt_exec.verify import verify_document, verify_mission
from bt_exec.verify.facts import NEED_NOT_MET
from bt_exec.verify.resources import CLAIMED_TWICE
from bt_exec.verify.types import read_word

__all__ = ["NEED_NOT_MET", "examine", "prepare", "rejection", "with_typed_words"]


def prepare(spec: MissionSpec, request: Request, meaning: Meaning | None = None) -> VerifiedPlan:
    """Return the plan as it will run: subtrees expanded, passes applied, verified.

    Raises:
        SpecError: Holding every problem that was found.
    """
    plan, problems = examine(spec, request, meaning=meaning)
    if problems or plan is None:
        raise SpecError(problems)
    return VerifiedPlan(plan, spec, request.situation, made_by=PREPARE)


def rejection(error: SpecError, request: Request) -> Refusal:
    """Return why a plan that does not verify is not run, for the person who gave the command.

    Where nothing is wrong but how things stand (a hand is full), or will by then, that is told.
    """
    problems = tuple(map(str, error.problems))
    say, language = request.messages.say, request.language
    facts = dict.fromkeys(problem.found for problem in error.problems)
    known = all({fact, f"first {fact}"} & request.messages.codes() for fact in facts)
    if known and all(problem.code == NEED_NOT_MET for problem in error.problems):
        now = request.situation.facts.items()
        so = all(fact in {f"{key}={value}" for key, value in now} for fact in facts)
        told = request.messages.in_the_way(facts, language)
        message = say(NEED_NOT_MET if so else "NEED_NOT_MET_THEN", language, facts=told)
        return Refusal(NEED_NOT_MET, message, problems=problems)
    twice = [problem.found for problem in error.problems if problem.code == CLAIMED_TWICE]
    if twice and all(one.code in (CLAIMED_TWICE, NEED_NOT_MET) for one in error.problems):
        message = say(CLAIMED_TWICE, language, what=twice[0])
        return Refusal(CLAIMED_TWICE, message, problems=problems)
    return Refusal("PLAN_REJECTED", say("PLAN_REJECTED", language), problems=problems)


def with_typed_words(spec: MissionSpec, request: Request) -> MissionSpec:
    """Return a plan whose trees get numbers where numbers are meant: a lexicon has only words."""

    def typed(node: NodeBase) -> NodeBase:
        if not isinstance(node, Tree) or node.body is not None or node.tree not in request.library:
            return node
        params, types = request.library.get(node.tree).params, request.catalogue.types
        args = {
            name: read_word(types.get(params[name].type), value) if name in params else value
            for name, value in node.args.items()
        }
        return node.model_copy(update={"args": args}) if args != node.args else node

    root = rebuild(spec.root, typed)
    return spec if root is spec.root else spec.model_copy(update={"root": root})


def examine(
    spec: MissionSpec,
    request: Request,
    *,
    meant: MissionSpec | None = None,
    stated: Mapping[str, Any] | None = None,
    meaning: Meaning | None = None,
) -> tuple[MissionSpec | None, tuple[Problem, ...]]:
    """Return the plan as it would run, as far as it comes, and everything that is wrong with it.

    Compilers that let a model repair its plan call this: the problems are what they send back.

    Args:
        spec: The plan as written.
        request: What was asked for.
        meant: See `PassContext`.
        stated: See `PassContext`.
        meaning: See `PassContext`.
    """
    spec = with_typed_words(spec, request)
    problems = list(verify_document(spec, request.catalogue, request.library))
    try:
        expanded = expand(spec, request.library)
    except SpecError as error:
        return None, _once([*problems, *error.problems])
    sound = not problems
    notes = list(expanded.mission.notes)
    contexts = {
        pack.name: PassContext(
            request.situation,
            request.settings_of(pack),
            request.command,
            meant,
            stated or {},
            meaning,
        )
        for pack in request.catalogue.packs
    }
    for pack in request.catalogue.packs:
        for rule in pack.checkers:
            problems.extend(rule(expanded, contexts[pack.name]))
    if not sound:
        return expanded, _once(problems)
    for pack in request.catalogue.packs:
        for step in pack.passes:
            expanded, changes = step.apply(expanded, contexts[pack.name])
            notes.extend(f"{step.name}: {change}" for change in changes)
    header = expanded.mission.model_copy(update={"notes": tuple(dict.fromkeys(notes))})
    expanded = expanded.model_copy(update={"mission": header})
    problems += verify_mission(
        expanded,
        request.catalogue,
        labels=request.situation.labels if request.failure is None else None,
        facts=request.situation.facts,
    )
    return expanded, _once(problems)


def _once(problems: list[Problem]) -> tuple[Problem, ...]:
    """Return the problems without repetitions: two layers may meet the same mistake."""
    first: dict[tuple[str, str, str], Problem] = {}
    for problem in problems:
        first.setdefault((problem.code, problem.place, problem.found), problem)
    return tuple(first.values())
