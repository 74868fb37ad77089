"""Search of the journal for the action in a question about the past.

The action is compiled like a command: "did you open the door?" is about the plan for "open the
door". If it cannot be planned without a world, it is compiled in the situation at the start of each
mission. A mission carried out the action if its finished skills include all skills of one execution
of this plan. Otherwise, it began the action if it started at least the last skill of the plan.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import date
from functools import partial
from typing import Any

from bt_exec.events import Observed
from bt_exec.failure import BtExecError
from bt_exec.journal import Journal, MissionSummary
from bt_exec.journal.recorded_mission import MissionRecord, SkillRun
from bt_exec.language.meaning import Context
from bt_exec.mission.resumption import is_call_of
from bt_exec.mission.self_questions import PastAction, act_in_question, denies_action
from bt_exec.observation import Situation
from bt_exec.planning.compiler import Compiler, Plan, Request
from bt_exec.spec.abstract_run import AbstractRun, Answers, Ends, Step
from bt_exec.spec.expand import expand
from bt_exec.spec.library import Library
from bt_exec.spec.model import Do, NodeBase, Tree, rebuild, walk
from bt_exec.spec.node_paths import Located, locate

__all__ = ["action_in_question", "was_carried_out"]


def action_in_question(
    question: str,
    journal: Journal,
    site: str,
    compiler: Compiler,
    request: Callable[[str], Request],
) -> PastAction | None:
    """Return the newest mission of today that began the action which a question names.

    Args:
        question: The question of the operator.
        journal: Journal with the missions to search.
        site: Name of the site; missions of other sites are ignored.
        compiler: Plans the action.
        request: Returns the planning request of a command.

    For a question why an action was not done, a newer mission whose plan contains the action also
    counts, although it did not begin it, for example because a condition was not met.

    Returns:
        The mission and whether it carried out the action; None if the question names no action
        that can be searched for, or names it in part ("did you deliver the box?", without the
        recipient) and no mission began what earlier commands of the session complete it to.
    """
    if not (act := act_in_question(question)):
        return None
    asked = request(act)
    in_english = partial(asked.messages.translate_word, language="en")
    # earlier commands may complete the action in another way than the question means it
    alone = replace(asked, context=Context())
    root = _action_plan(compiler, alone)
    complete = root is not None
    root = root or _action_plan(compiler, asked)
    if root is None and not getattr(compiler, "needs_observation", False):
        return None  # no situation would change the plan
    denied = denies_action(question)
    lines = (
        journal.missions_of_day(site, date.today())
        if root is None or denied
        else journal.missions_with_actions(
            site, {step.do for step in walk(root, Do)}, day=date.today()
        )
    )
    unfinished: MissionSummary | None = None
    for line in lines:
        record = journal.mission(line.id)
        plan = root
        if plan is None:
            there = _situation_at_start(record)
            plan = _action_plan(compiler, replace(alone, situation=there))
            complete = complete or plan is not None
            plan = plan or _action_plan(compiler, replace(asked, situation=there))
        if plan is None:
            continue
        before = (run for one in journal.predecessors(record) for run in one.skills)
        runs = (*before, *record.skills)
        if was_carried_out(plan, runs, in_english):
            return PastAction(unfinished or line, unfinished is None, line if unfinished else None)
        if unfinished is not None:
            continue
        *_, last = walk(plan, Do)
        begun = any(is_call_of(last, run.start.skill, run.start.args, in_english) for run in runs)
        if denied and not begun and _plans_call(record, last, in_english):
            return PastAction(line, False, begun=False)
        # a satisfied mission that did not carry out the plan had another command
        if begun and line.status != "satisfied":
            unfinished = line
    return PastAction(unfinished, False) if complete or unfinished is not None else None


def _plans_call(record: MissionRecord, node: Do, in_english: Callable[[Any], str]) -> bool:
    """Return True if the last plan of a mission contains a call that `node` describes."""
    calls = walk(record.plans[-1].event.spec.root, Do) if record.plans else ()
    return any(is_call_of(node, call.do, call.args, in_english) for call in calls)


def _action_plan(compiler: Compiler, asked: Request) -> NodeBase | None:
    """Return the expanded plan of an action; None if there is no plan that can be searched for."""
    answer = compiler.compile(asked)
    if not isinstance(answer, Plan):
        return None
    try:
        root = expand(answer.spec, asked.library).root
    except BtExecError:
        return None
    steps = tuple(walk(root, Do))
    last = asked.catalogue.skill(steps[-1].do) if steps else None
    if last is None or not (last.effects or last.irreversible):
        return None  # the question is about the result of an observation, not about an action
    if not all(map(_passes_all_texts, walk(root, Tree))):
        return None  # an argument that no skill gets, such as a person's name, cannot be compared
    return rebuild(root, partial(_without_default_arguments, library=asked.library))


def _without_default_arguments(node: NodeBase, library: Library) -> NodeBase:
    """Return a tree without the skill arguments that come from defaults of its parameters.

    The question does not name their values: after "open the door with your left arm", the answer to
    "did you open the door?" is yes, although the right arm is the default.
    """
    if not isinstance(node, Tree) or node.body is None:
        return node
    params = library.get(node.tree).params
    defaults = [one.default for name, one in params.items() if name not in node.args]

    def open_up(step: NodeBase) -> NodeBase:
        if not isinstance(step, Do):
            return step
        named = {key: value for key, value in step.args.items() if value not in defaults}
        return step.model_copy(update={"args": named})

    return node.model_copy(update={"body": rebuild(node.body, open_up)})


def _situation_at_start(record: MissionRecord) -> Situation:
    """Return the situation in which a mission was planned, in order to plan it again.

    Some compilers plan actions only with objects that are present.
    """
    seen = (one.observation for one in record.events if isinstance(one, Observed))
    first = next(seen, None)
    labels = tuple(first.labels()) if first is not None else ()
    return Situation(labels, record.facts_at_start, "")


def _passes_all_texts(tree: Tree) -> bool:
    """Return True if every text among the arguments of a tree is passed to a skill."""
    passed = {str(value) for step in walk(tree, Do) for value in step.args.values()}
    return all(value in passed for value in tree.args.values() if isinstance(value, str))


def was_carried_out(
    root: NodeBase, runs: Sequence[SkillRun], in_english: Callable[[Any], str] = str
) -> bool:
    """Return True if a record contains, as finished, all skills of one execution of a plan.

    The last step of the plan must be among them. Earlier steps may be missing where the plan allows
    skipping them. Arguments that refer to results are not compared.

    Args:
        root: The plan, expanded.
        runs: The calls of skills on record.
        in_english: Translates the value of an argument to English, for comparison.
    """
    last = next(reversed(tuple(walk(root, Do))), None)
    return _CarriedOut(runs, in_english, last).run_node(locate(root), 0).done > 0


class _CarriedOut(AbstractRun[int]):
    """Abstract run of a plan that counts the skills of the plan that were carried out."""

    nothing = -1

    def __init__(
        self, runs: Sequence[SkillRun], in_english: Callable[[Any], str], last: Do | None
    ) -> None:
        self._in_english = in_english
        self._last = last
        self._done = [run.start for run in runs if run.end is not None and run.end.state == "done"]

    def join_values(self, *values: int) -> int:
        """Return the largest count of the joined branches."""
        return max(values)

    def run_condition(self, step: Step, expression: Any, before: int) -> Answers[int]:
        """Return the count for each value of a condition, because the record lacks the true value.

        The skip condition of a node that contains the last step of the plan counts as false.
        """
        skips = expression is step.node.skip_if
        if skips and any(node is self._last for node in walk(step.node, Do)):
            return Answers(self.nothing, self.nothing, before)
        return Answers(before, before, before)

    def run_skill(self, step: Located[Do], before: int) -> Ends[int]:
        """Return the count after a skill, one higher if the record contains it as finished."""
        found = any(
            is_call_of(step.node, start.skill, start.args, self._in_english) for start in self._done
        )
        return self.known_ends(before + 1 if found and before >= 0 else self.nothing, before)
