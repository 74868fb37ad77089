"""Plan records of moments, and their validation.

A labeler returns a `Record`. `build_record` adds the fields ``schema_version`` and ``plan_id``.
Every violation has a code, so that it can be counted, reported and sent back.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, get_args

from bt_exec.failure import nearest_names
from bt_exec_labeler.answer_violation import Breach, make_breach
from bt_exec_labeler.episode import time_text
from bt_exec_labeler.sources.json_lines_parser import serialisable_value
from bt_exec_labeler.vocabulary import Argument, Vocabulary

__all__ = [
    "FIELDS",
    "Breach",
    "Goal",
    "Record",
    "Terminate",
    "Uncertainty",
    "build_record",
    "read_record",
]

Terminate: TypeAlias = Literal["done_evidence_or_replan", "strict_horizon"]
Uncertainty: TypeAlias = Literal["low", "mid", "high"]

FIELDS = (
    "mid_step_id",
    "short_goal_dsl",
    "horizon_steps",
    "terminate_on",
    "done_evidence",
    "fallback_if_failed",
    "uncertainty",
)
"""Fields of a record, in the order in which they are written."""

INJECTED = ("schema_version", "plan_id")
"""Fields that `build_record` adds. An answer that contains them is rejected."""

_LARGEST = 1e300  # JSON has no infinity, and larger integers may overflow a float


@dataclass(frozen=True, slots=True)
class Goal:
    """Operation in a short goal."""

    op: str
    args: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Record:
    """Label of a moment: the next actions and their success criterion.

    Attributes:
        mid_step_id: Mid step to which the record belongs.
        short_goal_dsl: Next operations, in order; 1 to 10 seconds of work.
        horizon_steps: Duration of the short goal, in units of ``step_s`` of the vocabulary.
        terminate_on: Whether the short goal ends with evidence of success, or after its duration.
        done_evidence: Evidence of success.
        fallback_if_failed: Operations after a failure.
        uncertainty: Uncertainty of the labeler about the record.
    """

    mid_step_id: str
    short_goal_dsl: tuple[Goal, ...]
    horizon_steps: int
    terminate_on: Terminate = "done_evidence_or_replan"
    done_evidence: tuple[str, ...] = ()
    fallback_if_failed: tuple[str, ...] = ()
    uncertainty: Uncertainty = "low"

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> Record:
        """Return the record in data written by `to_dict` or `build_record`."""
        goals = tuple(Goal(goal["op"], goal["args"]) for goal in data["short_goal_dsl"])
        values = {name: data[name] for name in FIELDS}
        lists = {name: tuple(data[name]) for name in ("done_evidence", "fallback_if_failed")}
        return cls(**{**values, **lists, "short_goal_dsl": goals})

    def to_dict(self) -> dict[str, Any]:
        """Return the record as plain JSON data."""
        goals = [{"op": goal.op, "args": dict(goal.args)} for goal in self.short_goal_dsl]
        lists = {
            name: list(getattr(self, name)) for name in ("done_evidence", "fallback_if_failed")
        }
        values = {name: getattr(self, name) for name in FIELDS}
        return {**values, **lists, "short_goal_dsl": goals}


def build_record(record: Record, vocabulary: Vocabulary, episode: str, t: float) -> dict[str, Any]:
    """Return a record for a data set, with ``schema_version`` and ``plan_id``."""
    return {
        "schema_version": vocabulary.version,
        "plan_id": f"plan_{episode}_{time_text(t)}",
        **record.to_dict(),
    }


def read_record(
    data: Any, vocabulary: Vocabulary, mid_step: str | None = None
) -> Record | tuple[Breach, ...]:
    """Return the record in the data of an answer, or all its breaches.

    Args:
        data: Parsed data of an answer.
        vocabulary: Vocabulary of the record.
        mid_step: Requested mid step; a record of another one is a breach. None allows any.
    """
    if not isinstance(data, Mapping):
        return (make_breach("NOT_AN_OBJECT", "record", "object", found=_short_text(data)),)
    try:
        serialisable_value(data)
    except ValueError:
        return (make_breach("NOT_STORABLE", "record", "not_storable"),)
    reader = _Reader(vocabulary)
    for name in data:
        if name in INJECTED:
            reader.add_breach("INJECTED_FIELD", name, "injected")
        elif name not in FIELDS:
            reader.add_breach("UNKNOWN_FIELD", str(name), "no_field", allowed=", ".join(FIELDS))
    missing = [name for name in FIELDS if name not in data]
    for name in missing:
        reader.add_breach("MISSING_FIELD", name, "missing")
    values = {name: reader.field(name, data[name]) for name in FIELDS if name in data}
    asked, found = mid_step, values.get("mid_step_id")
    if asked is not None and found is not None and found != asked:
        reader.add_breach("OTHER_MID_STEP", "mid_step_id", "other_step", asked=asked, found=found)
    if not reader.breaches:
        reader.check_combinations(values)
    return tuple(reader.breaches) or Record(**values)


class _Reader:
    """Parser for the fields of one record that collects their breaches."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self.vocabulary = vocabulary
        self.breaches: list[Breach] = []
        words = vocabulary.limits.words
        self._fields: dict[str, Callable[[str, Any], Any]] = {
            "mid_step_id": self._word_reader("UNKNOWN_MID_STEP", vocabulary.mid_steps),
            "short_goal_dsl": self._read_goals,
            "horizon_steps": self._read_horizon,
            "terminate_on": self._word_reader("UNKNOWN_TERMINATE", get_args(Terminate)),
            "done_evidence": self._word_list_reader(
                "UNKNOWN_EVIDENCE", vocabulary.done_evidence, words
            ),
            "fallback_if_failed": self._word_list_reader(
                "UNKNOWN_FALLBACK", vocabulary.fallbacks, words
            ),
            "uncertainty": self._word_reader("UNKNOWN_UNCERTAINTY", get_args(Uncertainty)),
        }

    def add_breach(self, code: str, where: str, sentence: str, **facts: Any) -> None:
        """Add a breach."""
        self.breaches.append(make_breach(code, where, sentence, **facts))

    def field(self, name: str, value: Any) -> Any:
        """Return the parsed value of a field, and add its breaches."""
        return self._fields[name](name, value)

    def check_combinations(self, values: Mapping[str, Any]) -> None:
        """Add breaches of rules that concern several fields."""
        if values["terminate_on"] == "done_evidence_or_replan" and not values["done_evidence"]:
            self.add_breach("NO_EVIDENCE", "done_evidence", "no_evidence")
        step = self.vocabulary.mid_steps[values["mid_step_id"]]
        for at, goal in enumerate(values["short_goal_dsl"]):
            if step.ops and not step.matches_operation(goal.op, goal.args):
                allowed = ", ".join(step.ops)
                if step.args:
                    allowed += " with " + ", ".join(f"{k} {v}" for k, v in step.args.items())
                facts = {"op": goal.op, "step": values["mid_step_id"], "allowed": allowed}
                self.add_breach("OP_NOT_OF_STEP", f"short_goal_dsl[{at}]", "not_of_step", **facts)

    def _word_reader(self, code: str, known: Any) -> Callable[[str, Any], str]:
        def read(where: str, value: Any) -> str:
            if not isinstance(value, str):
                self.add_breach("WRONG_TYPE", where, "text", found=_short_text(value))
            elif value not in known:
                self.add_breach(code, where, "unlisted", **_unknown_value_facts(value, known))
            return str(value)

        return read

    def _word_list_reader(
        self, code: str, known: Sequence[str], most: int
    ) -> Callable[[str, Any], tuple[str, ...]]:
        one = self._word_reader(code, known)

        def read(where: str, value: Any) -> tuple[str, ...]:
            if not isinstance(value, list):
                self.add_breach("WRONG_TYPE", where, "texts", found=_short_text(value))
                return ()
            if len(value) > most:
                self.add_breach("TOO_MANY", where, "too_many", count=len(value), most=most)
            if len({str(word) for word in value}) < len(value):
                self.add_breach("TWICE", where, "twice")
            return tuple(one(f"{where}[{at}]", word) for at, word in enumerate(value[:most]))

        return read

    def _read_horizon(self, where: str, value: Any) -> int:
        most = self.vocabulary.limits.horizon_steps
        if isinstance(value, bool) or not isinstance(value, int):
            self.add_breach("WRONG_TYPE", where, "whole", found=_short_text(value))
            return 1
        if not 1 <= value <= most:
            self.add_breach("HORIZON_RANGE", where, "range", low=1, high=most, found=value)
        return value

    def _read_goals(self, where: str, value: Any) -> tuple[Goal, ...]:
        if not isinstance(value, list):
            self.add_breach("WRONG_TYPE", where, "list", found=_short_text(value))
            return ()
        most = self.vocabulary.limits.goal_ops
        if not value:
            self.add_breach("EMPTY_GOAL", where, "no_goal")
        if len(value) > most:
            self.add_breach("GOAL_TOO_LONG", where, "long_goal", count=len(value), most=most)
        goals = [self._read_goal(f"{where}[{at}]", entry) for at, entry in enumerate(value[:most])]
        return tuple(goal for goal in goals if goal is not None)

    def _read_goal(self, where: str, entry: Any) -> Goal | None:
        if not isinstance(entry, Mapping):
            self.add_breach("WRONG_TYPE", where, "object", found=_short_text(entry))
            return None
        for key in set(entry) - {"op", "args"}:
            self.add_breach("UNKNOWN_FIELD", f"{where}.{key}", "no_field", allowed="op, args")
        name, args = entry.get("op"), entry.get("args", {})
        if not isinstance(name, str) or name not in self.vocabulary.ops:
            self.add_breach(
                "UNKNOWN_OP",
                f"{where}.op",
                "unlisted",
                **_unknown_value_facts(name, self.vocabulary.ops),
            )
            return None
        if not isinstance(args, Mapping):
            self.add_breach("WRONG_TYPE", f"{where}.args", "object", found=_short_text(args))
            return None
        known = self.vocabulary.ops[name].args
        for key in args:
            if key not in known:
                place = f"{where}.args.{key}"
                self.add_breach(
                    "UNKNOWN_ARGUMENT", place, "unlisted", **_unknown_value_facts(key, known)
                )
        for key, argument in known.items():
            place = f"{where}.args.{key}"
            if key in args:
                self._read_argument(place, args[key], argument)
            elif argument.required:
                self.add_breach("MISSING_ARGUMENT", place, "missing")
        return Goal(name, dict(args))

    def _read_argument(self, where: str, value: Any, argument: Argument) -> None:
        kinds: Mapping[str, tuple[type, ...]] = {
            "text": (str,),
            "number": (int, float),
            "integer": (int,),
            "boolean": (bool,),
        }
        kind = kinds[argument.type]
        if not isinstance(value, kind) or (isinstance(value, bool) and bool not in kind):
            self.add_breach(
                "ARGUMENT_TYPE", where, f"kind_{argument.type}", found=_short_text(value)
            )
        elif argument.values and value not in argument.values:
            known = [str(v) for v in argument.values]
            self.add_breach(
                "ARGUMENT_VALUE", where, "unlisted", **_unknown_value_facts(value, known)
            )
        elif isinstance(value, int | float) and not isinstance(value, bool):
            low = -_LARGEST if argument.minimum is None else argument.minimum
            high = _LARGEST if argument.maximum is None else argument.maximum
            if not low <= value <= high:
                bounds = {"low": f"{low:g}", "high": f"{high:g}", "found": _short_text(value)}
                self.add_breach("ARGUMENT_RANGE", where, "range", **bounds)


def _unknown_value_facts(value: Any, known: Any) -> dict[str, str]:
    """Return an invalid value and the most similar allowed ones, as texts for a message."""
    names = [str(name) for name in known]
    near = nearest_names(str(value), names) or tuple(names[:5])
    more = " …" if len(near) < len(names) else ""
    return {"found": _short_text(value), "allowed": f"{', '.join(near)}{more}"}


def _short_text(value: Any) -> str:
    """Return a value as shortened text."""
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}…"
