"""Search of the record for the action that a question about the past names.

The named action is compiled like a command: "did you open the door?" is about the plan of "open the
door". It was carried out in a mission whose finished skills are those of an execution of this plan,
and only begun in one that started its last skill.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date
from functools import partial
from typing import Any

from bt_exec.failure import BtExecError
from bt_exec.journal import Journal
from bt_exec.journal.recorded_mission import SkillRun
from bt_exec.mission.resumption import is_call_of
from bt_exec.mission.self_questions import PastAction, act_in_question
from bt_exec.planning.compiler import Compiler, Plan, Request
from bt_exec.spec.abstract_run import AbstractRun, Answers, Ends, Step
from bt_exec.spec.expand import expand
from bt_exec.spec.model import Do, NodeBase, Tree, walk
from bt_exec.spec.node_paths import Located, locate

__all__ = ["action_in_question", "was_carried_out"]


def action_in_question(
    question: str,
    journal: Journal,
    site: str,
    compiler: Compiler,
    request: Callable[[str], Request],
) -> PastAction | None:
    """Return the newest mission of today that began the action in a question, if it names one.

    Args:
        question: The question of the operator.
        journal: The records.
        site: Only missions of this site count.
        compiler: Plans the action.
        request: Returns the planning request of a command.

    Returns:
        The mission; None if the question names no known action.
    """
    if not (act := act_in_question(question)):
        return None
    asked = request(act)
    answer = compiler.compile(asked)
    if not isinstance(answer, Plan):
        return None
    try:
        root = expand(answer.spec, asked.library).root
    except BtExecError:
        return None
    steps = tuple(walk(root, Do))
    if not steps or not asked.catalogue.skill(steps[-1].do).effects:
        return None  # it ends with an observation, and the question is about what was observed
    if not all(map(_passes_all_texts, walk(root, Tree))):
        return None  # no skill shows whether the person was met
    in_english = partial(asked.messages.translate_word, language="en")
    for line in journal.missions_with_actions(site, {step.do for step in steps}, day=date.today()):
        record = journal.mission(line.id)
        before = (run for one in journal.predecessors(record) for run in one.skills)
        runs = (*before, *record.skills)
        if was_carried_out(root, runs, in_english):
            return PastAction(line, True)
        begun = any(
            is_call_of(steps[-1], run.start.skill, run.start.args, in_english) for run in runs
        )
        if begun and line.status != "satisfied":  # otherwise it did the same in another way
            return PastAction(line, False)
    return PastAction(None, False)


def _passes_all_texts(tree: Tree) -> bool:
    """Return True if every text among the arguments of a tree is passed to a skill."""
    passed = {str(value) for step in walk(tree, Do) for value in step.args.values()}
    return all(value in passed for value in tree.args.values() if isinstance(value, str))


def was_carried_out(
    root: NodeBase, runs: Sequence[SkillRun], in_english: Callable[[Any], str] = str
) -> bool:
    """Return True if the finished skills of a record contain those of one execution of a plan.

    The last step must be among them; an earlier one may have been skipped if its plan allows that.
    Arguments that refer to results are not compared.

    Args:
        root: The plan, expanded.
        runs: The calls of skills on record.
        in_english: Returns a value of an argument in one language, for comparison.
    """
    last = next(reversed(tuple(walk(root, Do))), None)
    return _CarriedOut(runs, in_english, last).run_node(locate(root), 0).done > 0


class _CarriedOut(AbstractRun[int]):
    """Run whose value is the number of skills so far that were carried out."""

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
        """Return the number after a condition, which may have had any value.

        A part with the last step of the plan was not skipped.
        """
        skips = expression is step.node.skip_if
        if skips and any(node is self._last for node in walk(step.node, Do)):
            return Answers(self.nothing, self.nothing, before)
        return Answers(before, before, before)

    def run_skill(self, step: Located[Do], before: int) -> Ends[int]:
        """Count a skill that is on record as finished."""
        found = any(
            is_call_of(step.node, start.skill, start.args, self._in_english) for start in self._done
        )
        return self.known_ends(before + 1 if found and before >= 0 else self.nothing, before)
