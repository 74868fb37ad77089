"""Resumption of a mission that was interrupted, stopped or failed, keeping its finished work.

The record contains the finished steps and the step in progress. The rest is planned as after a
failure: the compiler repairs the plan, and finished steps are kept if their effects hold in the
current observations. Facts that the interrupted step changes are unknown until they are observed
again. A step whose skill is declared ``irreversible`` is repeated only after confirmation by the
operator.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from bt_exec.events import Event, NodeChanged, Planned, SkillEnded, SkillStarting
from bt_exec.failure import Failure, Refusal, SpecError
from bt_exec.journal import Journal, MissionRecord
from bt_exec.language.meaning import Meaning
from bt_exec.pack import Catalogue
from bt_exec.planning.assumed_facts_and_first_cause import Assumed, certain_facts
from bt_exec.planning.compiler import Compiler, Done, Plan, Reply, Request
from bt_exec.planning.failed_part_repair import unrepeated_leaf_paths, with_decided_conditions
from bt_exec.planning.plan_preparation import NEED_NOT_MET, prepare
from bt_exec.spec.expand import has_reference
from bt_exec.spec.model import Do, Fallback, Mission, MissionSpec, Sequence, Tree
from bt_exec.spec.node_paths import is_kept, locate, nodes_with_paths
from bt_exec.verify.effects_on_facts import (
    facts_after_success,
    fill_arguments,
    has_known_arguments,
    needs_of,
    truth_value,
    unmet_needs,
)

__all__ = [
    "ENDED",
    "INTERRUPTED",
    "ResumingCompiler",
    "Work",
    "interrupted_step_in_effect",
    "is_call_of",
    "is_left_halfway",
    "recorded_work",
    "recovery_trees",
    "unfinished_mission",
]

INTERRUPTED = "INTERRUPTED_STEP"
"""Failure code of a step that was in progress when its mission ended."""

_TODAY = timedelta(hours=24)
"""Maximum age of a mission to which "go on" may refer."""

ENDED = frozenset({"done", "skipped", "kept"})
"""States of finished nodes."""


@dataclass(frozen=True)
class Work:
    """Completed work of a mission at its end.

    Attributes:
        mission_id: The mission.
        command: The operator's command.
        language: Language of the command.
        spec: The plan in force; None if there was none.
        done: Finished leaves.
        failure: The failure that ended it, or the step in progress as a failure; None without a
            plan.
        assumed: Facts that hold if the skills had their declared effects; ``"?"`` if unknown.
        saved: Results of skills, by name.
        started: Names and arguments of irreversible skills that were started.
    """

    mission_id: str
    command: str
    language: str
    spec: MissionSpec | None = None
    done: tuple[Done, ...] = ()
    failure: Failure | None = None
    assumed: Mapping[str, str] = field(default_factory=dict)
    saved: Mapping[str, Any] = field(default_factory=dict)
    started: tuple[tuple[str, Mapping[str, Any]], ...] = ()


def recorded_work(record: MissionRecord, catalogue: Catalogue, *, lost: bool = False) -> Work:
    """Return the completed work of a recorded mission.

    Args:
        record: The mission.
        catalogue: Declares the effects of skills.
        lost: Whether its world is lost, so that none of its work counts as done.
    """
    work = Work(record.id, record.command, record.line.language)
    if lost or not record.plans:
        return work
    spec = record.plans[-1].event.spec
    assumed = Assumed(catalogue)
    latest: list[Event] = []
    for event in record.events:
        if _has_installed_skill(event, catalogue):
            assumed.on(event)
        latest = [] if isinstance(event, Planned) else [*latest, event]
    irreversible = [
        (run.start.skill, run.start.args)
        for run in record.skills
        if run.start.skill in catalogue.skills and catalogue.skills[run.start.skill].irreversible
    ]
    failure = _interrupted_step(record, latest, spec)
    running = [e for e in latest if isinstance(e, SkillStarting) and e.path == failure.path]
    facts = dict(assumed.facts)
    for event in running[-1:]:
        if event.skill in catalogue.skills:
            skill = catalogue.skills[event.skill]
            written = (
                fill_arguments(key, event.args)
                for key in skill.effects
                if has_known_arguments(key, event.args)
            )
            facts.update(dict.fromkeys(written, "?"))
    return replace(
        work,
        spec=spec,
        done=tuple(_finished_leaves(latest, spec)),
        failure=failure,
        assumed=facts,
        saved=record.saved,
        started=tuple(irreversible),
    )


def _has_installed_skill(event: Event, catalogue: Catalogue) -> bool:
    """Return False for the start or end of a skill that is not installed."""
    return not isinstance(event, SkillStarting | SkillEnded) or event.skill in catalogue.skills


def _interrupted_step(record: MissionRecord, latest: list[Event], spec: MissionSpec) -> Failure:
    """Return the step that was in progress when the mission ended, as a failure."""
    open_calls: dict[tuple[str, int], SkillStarting] = {}
    failed: Failure | None = None
    for event in latest:
        if isinstance(event, SkillStarting):
            open_calls[event.skill, event.call] = event
        elif isinstance(event, SkillEnded):
            if event.state != "stopped":
                open_calls.pop((event.skill, event.call), None)
            failed = event.failure or failed
    for start in reversed(open_calls.values()):
        return Failure(
            INTERRUPTED,
            "this step was in progress",
            start.path,
            node=start.skill,
            args=dict(start.args),
        )
    if failed is not None and record.status != "unfinished":
        return failed
    root, _ = next(iter(nodes_with_paths(spec.root)))
    return Failure(INTERRUPTED, "no step was in progress", root)


def _finished_leaves(latest: list[Event], spec: MissionSpec) -> Iterator[Done]:
    """Yield the finished leaves of a plan, except those inside a failed branch or a loop."""
    states: dict[str, NodeChanged] = {}
    starts: dict[str, SkillStarting] = {}
    ends: dict[str, SkillEnded] = {}
    for event in latest:
        if isinstance(event, NodeChanged):
            states[event.path] = event
        elif isinstance(event, SkillStarting):
            starts[event.path] = event
            ends.pop(event.path, None)
        elif isinstance(event, SkillEnded):
            ends[event.path] = event
    root = locate(spec.root)
    branches = {child.path for step in root.walk(Fallback) for child in step.children}
    undecided = (
        step
        for step in root.walk()
        if (step.node.repeat or step.node.for_each or step.path in branches)
        and (step.path not in states or states[step.path].state not in ENDED)
    )
    inside = {inner.path for step in undecided for child in step.children for inner in child.walk()}
    for step in root.walk():
        path, node = step.path, step.node
        if step.children or path in inside:
            continue
        end, state = ends.get(path), states.get(path)
        if isinstance(node, Do) and end is not None and end.state == "done":
            yield Done(path, node.do, dict(starts[path].args), "", dict(end.result), end.t)
        elif state is not None and state.state == "skipped":
            yield Done(path, node.do if isinstance(node, Do) else "", {}, state.detail)
        elif not isinstance(node, Do) and state is not None and state.state == "done":
            yield Done(path, "", {})


def unfinished_mission(journal: Journal, site: str, world_id: str) -> MissionRecord | None:
    """Return the mission to which "go on" refers; None if no mission is unfinished.

    This is the last unfinished mission in this world; if there is none, the last unfinished mission
    at this site within 24 hours.

    Args:
        journal: The records.
        site: Name of the site.
        world_id: Identifier of the session and its world.

    Raises:
        UsageError: If the journal cannot be read.
    """
    line = journal.last_unfinished(site, world_id) or journal.last_unfinished(site)
    if line is None or datetime.now().astimezone() - line.started_at > _TODAY:
        return None
    return journal.mission(line.id)


def interrupted_step_in_effect(work: Work, request: Request) -> tuple[Done, ...]:
    """Return the interrupted step as a finished one if it has taken effect; empty otherwise.

    It has taken effect if an observed fact has the value that the step sets, and the step could not
    have started with that value. For instance, the hand holds an object, but a grasp needs an empty
    hand.

    Args:
        work: The completed work of the mission.
        request: A request with the known facts.
    """
    failure, spec = work.failure, work.spec
    nodes = dict(nodes_with_paths(spec.root)) if spec is not None else {}
    node = nodes.get(failure.path) if failure is not None else None
    if failure is None or not isinstance(node, Do) or node.save:
        return ()  # a later step needs the result of this step, which is unknown
    skill, args = request.catalogue.skill(node.do), failure.args
    after, facts = facts_after_success({}, skill, args), request.situation.facts
    in_effect = any(
        fact in after and after[fact] not in allowed and facts.get(fact) == after[fact]
        for fact, allowed in needs_of(skill, args)
    )
    return (Done(failure.path, failure.node, dict(args)),) if in_effect else ()


def is_left_halfway(work: Work, request: Request) -> bool:
    """Return True if the interrupted step left a fact between its old and its new value.

    Also return True if the step will be skipped, for instance because the door is already open,
    although another of its effects is not known to hold.

    Args:
        work: The completed work of the mission.
        request: A request with the known facts.
    """
    failure, skills, facts = work.failure, request.catalogue.skills, request.situation.facts
    if failure is None or failure.code != INTERRUPTED or failure.node not in skills:
        return False
    skill = skills[failure.node]
    after = facts_after_success({}, skill, failure.args)
    lacking = unmet_needs(facts, skill, failure.args)
    if any(after.get(fact) != value for fact, _, value in lacking):
        return True
    nodes = dict(nodes_with_paths(work.spec.root)) if work.spec is not None else {}
    skip_if = nodes[failure.path].skip_if if failure.path in nodes else None
    skipped = skip_if is not None and truth_value(skip_if, facts, request.catalogue) is True
    return skipped and not certain_facts(after).items() <= facts.items()


def recovery_trees(request: Request) -> tuple[Tree, ...]:
    """Return the trees that bring the robots into a state from which plans can start."""
    names = (
        request.catalogue.tree_name_on_site(pack.name, pack.recovery)
        for pack in request.catalogue.packs
        if pack.recovery
    )
    return tuple(Tree.model_validate({"tree": name}) for name in names if name in request.library)


class ResumingCompiler:
    """A compiler that plans the rest of a mission and delegates re-plans to another compiler.

    Args:
        compiler: The site's compiler.
        work: The completed work.
    """

    def __init__(self, compiler: Compiler, work: Work) -> None:
        self.name = compiler.name
        self._compiler = compiler
        self._work = work

    def compile(self, request: Request) -> Plan | Refusal | Reply:
        """Return the rest of the plan; if it cannot be planned, a new plan for the command.

        If the current state prevents both, or the interrupted step left a fact in an intermediate
        state, a recovery plan first brings the robot into a state from which plans can start. The
        rest is then planned from the new observations.
        """
        recovered = request.previous is not None and request.previous.mission.turn == "open"
        if request.previous is not None and not recovered:
            return self._compiler.compile(request)
        first = replace(request, previous=None, failure=None, done=())
        if not recovered and is_left_halfway(self._work, first):
            recovery = self._recovery_plan(first)
            if recovery is not None:
                return recovery
        version = request.plan_version
        rest = self._rest_of_plan(first, version, self._work.done)
        if rest is None and (more := interrupted_step_in_effect(self._work, first)):
            rest = self._rest_of_plan(first, version, (*self._work.done, *more))
        if rest is not None:
            return self._mark_repetitions(rest, first)
        anew = self._compiler.compile(first)
        if isinstance(anew, Plan):
            try:
                prepare(anew.spec, first, anew.meaning)
            except SpecError as error:
                blocked = all(problem.code == NEED_NOT_MET for problem in error.problems)
                recovery = self._recovery_plan(first) if blocked and not recovered else None
                if recovery is not None:
                    return recovery
            spec = anew.spec.with_header(plan_version=version)
            anew = replace(anew, spec=spec, verified=None)
        return self._mark_repetitions(anew, first)

    def _rest_of_plan(self, request: Request, version: int, done: tuple[Done, ...]) -> Plan | None:
        """Return the verified rest of the plan; None if it cannot run."""
        work = self._work
        if work.spec is None or work.spec.mission.turn is not None:
            return None
        again = replace(
            request,
            previous=work.spec,
            failure=work.failure,
            done=done,
            tried=(work.failure,) if work.failure is not None else (),
            assumed=work.assumed,
        )
        again = with_decided_conditions(again)
        assert again.previous is not None
        answer = self._compiler.compile(again)
        plan = answer if isinstance(answer, Plan) else Plan(again.previous)
        kept = plan.spec.mission.kept
        if plan.spec.root == again.previous.root:
            kept = unrepeated_leaf_paths(again)
        rest = plan.spec.with_header(plan_version=version, parent=None, kept=kept, turn=None)
        asked = plan.meaning or Meaning(request.language, ())  # by default, no acts
        try:
            return replace(plan, spec=rest, verified=prepare(rest, again, asked), meaning=asked)
        except SpecError:
            return None

    def _recovery_plan(self, request: Request) -> Plan | None:
        """Return the plan of the recovery trees; None if there are none."""
        trees = recovery_trees(request)
        if not trees:
            return None
        header = Mission(
            command=request.command,
            language="ko" if request.language == "ko" else "en",
            turn="open",
        )
        root = trees[0] if len(trees) == 1 else Sequence(sequence=trees)
        return Plan(MissionSpec(mission=header, root=root))

    def _mark_repetitions(
        self, answer: Plan | Refusal | Reply, request: Request
    ) -> Plan | Refusal | Reply:
        """Return the answer; mark a plan for confirmation if it repeats an irreversible skill."""
        if not isinstance(answer, Plan):
            return answer
        spec = answer.spec if answer.verified is None else answer.verified.spec
        started = [one for one in self._work.started if not self._had_no_effect(one, request)]
        left: list[Do] = []
        word = partial(request.messages.translate_word, language="en")
        for path, node in nodes_with_paths(spec.root, Do):
            calls = [one for one in started if is_call_of(node, *one, word)]
            if not is_kept(spec, path):
                left.append(node)
            elif calls:
                started.remove(calls[0])
        repeated = [
            (node.do, node.args)
            for node in left
            if any(is_call_of(node, *one, word) for one in started)
        ]
        if answer.verified is None:
            repeated = [one for one in started if one not in repeated] + repeated
        if not repeated:
            return answer
        messages, language = request.messages, request.language
        said = (messages.phrase(name, language, args) for name, args in repeated)
        what = ", ".join(dict.fromkeys(said))
        why = messages.say("REPEATS_IRREVERSIBLE", language, what=what)
        return replace(answer, unconfirmed=" ".join(filter(None, (answer.unconfirmed, why))))

    def _had_no_effect(self, started: tuple[str, Mapping[str, Any]], request: Request) -> bool:
        """Return True if the known facts contradict every effect of the interrupted skill.

        For instance, an object that is still on the tray was not handed over.
        """
        failure = self._work.failure
        if failure is None or started != (failure.node, failure.args):
            return False
        after = facts_after_success({}, request.catalogue.skill(failure.node), failure.args)
        facts = request.situation.facts
        return bool(after) and all(facts.get(fact, value) != value for fact, value in after.items())


def is_call_of(
    node: Do, skill: str, args: Mapping[str, Any], in_english: Callable[[Any], str] = str
) -> bool:
    """Return True if a recorded call may have been made by a node.

    Args:
        node: The node; its references to results are not compared.
        skill: Name of the called skill.
        args: Arguments of the call.
        in_english: Translates a value to English, because the values may be in either language.
    """
    return node.do == skill and all(
        key in args and (args[key] == value or in_english(args[key]) == in_english(value))
        for key, value in node.args.items()
        if not has_reference(value)
    )
