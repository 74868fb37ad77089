"""Vocabulary of a data set: a YAML file with the words that records may use.

::

    version: plan_v1.0
    mid_steps:
      open_the_door:
        text: {en: Open the door., ko: 문을 연다.}
        ops: [grasp, open_door]
    ops:
      open_door:
        args: {arm: {type: text, values: [left, right]}}
    done_evidence: [door_open]
    fallbacks: [step_back]
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, model_validator

from bt_exec.failure import UsageError, nearest_names
from bt_exec.files import file_errors
from bt_exec.spec.user_data_validation import UserData, load_model

__all__ = [
    "Argument",
    "Limits",
    "MidStep",
    "Operation",
    "Vocabulary",
    "digest_of",
    "load_vocabulary",
    "vocabulary_of",
]

Word = Annotated[str, Field(pattern=r"^[A-Za-z][A-Za-z0-9_.:=-]{0,63}$")]


class Argument(UserData):
    """Argument of an operation.

    Attributes:
        type: Type of the value.
        values: Allowed values; any value of the type if empty.
        minimum: Smallest allowed number.
        maximum: Largest allowed number.
        required: Whether the argument must be given.
    """

    type: Literal["text", "number", "integer", "boolean"] = "text"
    values: tuple[str | int | float, ...] = ()
    minimum: float | None = None
    maximum: float | None = None
    required: bool = True


class Operation(UserData):
    """Operation that short goals may contain.

    Attributes:
        text: Description of the operation.
        args: Arguments by name.
        skill: Skill that executes the operation; by default, the skill with the operation's name.
        done_evidence: Evidence of success.
    """

    text: str = ""
    args: Mapping[Word, Argument] = Field(default_factory=dict)
    skill: str = ""
    done_evidence: tuple[Word, ...] = ()


class MidStep(UserData):
    """Mid step: part of a mission that consists of several short goals.

    Attributes:
        text: Description by language.
        ops: Operations that its short goals may contain. If empty, they may contain any operation,
            but no recorded action belongs to the mid step.
        args: Argument values with which these operations belong to the mid step.
        fallbacks: Operations after a failure.
    """

    text: Annotated[Mapping[str, str], Field(min_length=1)]
    ops: tuple[Word, ...] = ()
    args: Mapping[Word, str | int | float | bool] = Field(default_factory=dict)
    fallbacks: tuple[Word, ...] = ()

    def matches_operation(self, op: str, args: Mapping[str, Any]) -> bool:
        """Return True if an operation with these arguments may be part of this mid step."""
        return op in self.ops and all(args.get(key) == value for key, value in self.args.items())

    def said(self, language: str) -> str:
        """Return the text in a language or, if missing, in the first available language."""
        return self.text.get(language) or next(iter(self.text.values()))


class Limits(UserData):
    """Limits of a record.

    Attributes:
        step_s: Duration of one step of ``horizon_steps`` [s].
        horizon_s: Longest duration of a short goal [s].
        goal_ops: Largest number of operations of a short goal.
        words: Largest number of entries in ``done_evidence`` and in ``fallback_if_failed``.
    """

    step_s: Annotated[float, Field(gt=0, le=60)] = 0.5
    horizon_s: Annotated[float, Field(gt=0, le=600)] = 10.0
    goal_ops: Annotated[int, Field(ge=1, le=50)] = 5
    words: Annotated[int, Field(ge=1, le=50)] = 6

    @property
    def horizon_steps(self) -> int:
        """Largest allowed value of ``horizon_steps``."""
        return max(1, int(self.horizon_s / self.step_s + 1e-9))


class Vocabulary(UserData):
    """Vocabulary of records.

    Attributes:
        version: ``schema_version`` of the records.
        site: Site with the skills of the operations, if any.
        languages: Languages of the prompts; the first is the default.
        mid_steps: 10 to 30 mid steps, by id.
        ops: Operations by name.
        done_evidence: Words for evidence that a short goal is achieved.
        fallbacks: Words for reactions to a failure.
        constraints: Forbidden actions, as text.
        limits: Limits of a record.
    """

    version: Annotated[str, Field(pattern=r"^[A-Za-z0-9_.-]{1,40}$")] = "plan_v1.0"
    site: str = ""
    languages: Annotated[tuple[str, ...], Field(min_length=1)] = ("en",)
    mid_steps: Annotated[Mapping[Word, MidStep], Field(min_length=10, max_length=30)]
    ops: Annotated[Mapping[Word, Operation], Field(min_length=1)]
    done_evidence: Annotated[tuple[Word, ...], Field(min_length=1)]
    fallbacks: tuple[Word, ...] = ()
    constraints: tuple[str, ...] = ()
    limits: Limits = Limits()

    @model_validator(mode="after")
    def _check_words(self) -> Vocabulary:
        """Validate that operations and mid steps only use words in the lists of the vocabulary."""
        for name, step in self.mid_steps.items():
            _check_listed(step.ops, self.ops, f"mid_steps.{name}.ops")
            for op in step.ops:
                _check_listed(
                    tuple(step.args), self.ops[op].args, f"mid_steps.{name}.args for {op}"
                )
            _check_listed(step.fallbacks, self.fallbacks, f"mid_steps.{name}.fallbacks")
        for name, operation in self.ops.items():
            _check_listed(operation.done_evidence, self.done_evidence, f"ops.{name}.done_evidence")
        for name, words in (("done_evidence", self.done_evidence), ("fallbacks", self.fallbacks)):
            twice = sorted({word for word in words if words.count(word) > 1})
            if twice:
                raise ValueError(f"{name} names {', '.join(twice)} more than once")
        return self

    def step_of(self, op: str, args: Mapping[str, Any]) -> str:
        """Return the id of the first mid step that an operation may be part of, or ""."""
        return next(
            (name for name, step in self.mid_steps.items() if step.matches_operation(op, args)), ""
        )


def _check_listed(words: tuple[str, ...], known: Any, where: str) -> None:
    """Raise ValueError for a word that is not in a list; the message suggests a valid word."""
    for word in words:
        if word not in known:
            near = nearest_names(word, tuple(known))
            hint = f"; did you mean {near[0]}?" if near else ""
            raise ValueError(f"{where} names {word}, which is not in any list{hint}")


def load_vocabulary(path: Path) -> Vocabulary:
    """Read a vocabulary.

    Raises:
        SpecError: If the file is invalid; contains every problem with its line.
        UsageError: If there is no such file.
    """
    return load_model(Vocabulary, path)


def digest_of(path: Path) -> str:
    """Return the SHA-256 of a vocabulary file.

    Raises:
        UsageError: If the file cannot be read.
    """
    with file_errors(path, "read"):
        return hashlib.sha256(path.read_bytes()).hexdigest()


def vocabulary_of(run: Path, words: Path, manifest: Mapping[str, Any]) -> Vocabulary:
    """Return the vocabulary of a run.

    Args:
        run: Folder of the run.
        words: File of the vocabulary.
        manifest: Settings of the run.

    Raises:
        UsageError: If the run was made with another vocabulary.
    """
    if manifest["vocabulary"] != digest_of(words):
        raise UsageError(f"{run} was made with another vocabulary than {words}")
    return load_vocabulary(words)
