"""Labeler that takes actions and results from the recording and uses no model.

Its records are exact if actions have recorded ends and outcomes, as in the journal of bt-exec. They
are the reference for models.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from bt_exec.failure import UsageError
from bt_exec_labeler.episode import Action
from bt_exec_labeler.labeler_items import Item
from bt_exec_labeler.labelers import Labeler, LabelerSettings, Labelled
from bt_exec_labeler.plan_record import Breach, Goal, Record, Uncertainty, read_record
from bt_exec_labeler.vocabulary import Vocabulary

__all__ = ["RulesLabeler", "create"]


class RulesLabeler:
    """Labeler that derives records from the recorded actions.

    The record of a moment contains the current and following actions of the span, up to the longest
    horizon.

    Args:
        vocabulary: Vocabulary of the records.
    """

    name = "rules"

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary

    def label(self, items: Sequence[Item]) -> Sequence[Labelled]:
        """Implement `Labeler.label`."""
        return [self._label_item(item) for item in items]

    def usage(self) -> Mapping[str, float]:
        """Return an empty mapping, because there are no requests."""
        return {}

    def _label_item(self, item: Item) -> Labelled:
        span = item.span
        if span is None:
            breach = Breach("NO_ACTIONS", "episode", "the recording contains no actions")
            return Labelled(None, (breach,))
        limits = self.vocabulary.limits
        reach = item.t + limits.horizon_s
        ahead = [a for a in span.actions if _end_time(a, span.end) > item.t and a.t < reach]
        ahead = ahead[: limits.goal_ops] or [span.actions[-1]]
        until = min(_end_time(ahead[-1], span.end), reach)
        finished = [a for a in ahead if _end_time(a, span.end) <= reach]
        complete = len(finished) == len(ahead) and ahead[-1] is span.actions[-1]
        evidence = self._evidence(finished) if complete else ()
        record = Record(
            span.mid_step_id,
            tuple(self._goal_of_action(action) for action in ahead),
            min(limits.horizon_steps, max(1, math.ceil((until - item.t) / limits.step_s - 1e-9))),
            "done_evidence_or_replan" if evidence else "strict_horizon",
            evidence,
            self._fallbacks(span.mid_step_id, ahead[-1], span.after),
            _uncertainty(ahead, complete),
        )
        checked = read_record(record.to_dict(), self.vocabulary, item.mid_step_id)
        return Labelled(checked) if isinstance(checked, Record) else Labelled(None, checked)

    def _goal_of_action(self, action: Action) -> Goal:
        """Return an action as a goal; arguments that the vocabulary lacks are dropped."""
        known = self.vocabulary.ops[action.op].args
        return Goal(action.op, {key: v for key, v in action.args.items() if key in known})

    def _evidence(self, actions: Sequence[Action]) -> tuple[str, ...]:
        """Return the evidence of success of the last operation, then the effects of all actions.

        Only evidence in the vocabulary is returned.
        """
        facts: dict[str, str] = {}
        for action in actions:
            facts.update(action.facts)
        said = [f"{fact}={value}" for fact, value in facts.items()]
        last = self.vocabulary.ops[actions[-1].op].done_evidence if actions else ()
        known = [w for w in (*last, *said) if w in self.vocabulary.done_evidence]
        return tuple(dict.fromkeys(known))[: self.vocabulary.limits.words]

    def _fallbacks(self, step: str, last: Action, after: Action | None) -> tuple[str, ...]:
        """Return the action that followed a failed one, then the fallbacks of the mid step.

        Only fallbacks in the vocabulary are returned.
        """
        usual = self.vocabulary.mid_steps[step].fallbacks
        tried = (after.op,) if last.state == "failed" and after is not None else ()
        known = [word for word in (*tried, *usual) if word in self.vocabulary.fallbacks]
        return tuple(dict.fromkeys(known))[: self.vocabulary.limits.words]


def create(settings: LabelerSettings) -> Labeler:
    """Return the labeler.

    Raises:
        UsageError: If settings are given; this labeler has none.
    """
    if settings.options:
        raise UsageError(f"the labeler rules has no setting {next(iter(settings.options))!r}")
    return RulesLabeler(settings.vocabulary)


def _end_time(action: Action, otherwise: float) -> float:
    return otherwise if action.end is None else action.end


def _uncertainty(actions: Sequence[Action], complete: bool) -> Uncertainty:
    """Return ``high`` after a failure, ``low`` if the span ends successfully, otherwise ``mid``."""
    states = {action.state for action in actions}
    if states & {"failed", "stopped"}:
        return "high"
    return "low" if complete and states == {"done"} else "mid"
