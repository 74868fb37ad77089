"""Vocabulary of a data set: the only words that a record may use, in one YAML file.

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

from bt_exec.failure import UsageError, nearest
from bt_exec.spec.user_data import UserData, load_model

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
        values: The only ones allowed; any if empty.
        minimum: The least number allowed.
        maximum: The greatest number allowed.
        required: Whether it must be given.
    """

    type: Literal["text", "number", "integer", "boolean"] = "text"
    values: tuple[str | int | float, ...] = ()
    minimum: float | None = None
    maximum: float | None = None
    required: bool = True


class Operation(UserData):
    """Operation of the short goals.

    Attributes:
        text: Description of the operation.
        args: Arguments by name.
        skill: The skill of a pack that does it; its own name if it is one of the site's.
        done_evidence: Evidence of success.
    """

    text: str = ""
    args: Mapping[Word, Argument] = Field(default_factory=dict)
    skill: str = ""
    done_evidence: tuple[Word, ...] = ()


class MidStep(UserData):
    """Step of a mission, between the whole and a short goal.

    Attributes:
        text: Description by language.
        ops: The operations that belong to it; any if empty.
        args: Values that arguments of these operations must have to belong to it.
        fallbacks: Operations after a failure.
    """

    text: Annotated[Mapping[str, str], Field(min_length=1)]
    ops: tuple[Word, ...] = ()
    args: Mapping[Word, str | int | float | bool] = Field(default_factory=dict)
    fallbacks: tuple[Word, ...] = ()

    def takes(self, op: str, args: Mapping[str, Any]) -> bool:
        """Return True if an operation with these arguments belongs to it."""
        return op in self.ops and all(args.get(key) == value for key, value in self.args.items())

    def said(self, language: str) -> str:
        """Return the text in a language, else in the first available one."""
        return self.text.get(language) or next(iter(self.text.values()))


class Limits(UserData):
    """Limits of a record.

    Attributes:
        step_s: Duration of one step of ``horizon_steps`` [s].
        horizon_s: The longest a short goal may take [s].
        goal_ops: Largest number of operations of a short goal.
        words: Largest number of pieces of evidence, and of fallbacks, of a record.
    """

    step_s: Annotated[float, Field(gt=0, le=60)] = 0.5
    horizon_s: Annotated[float, Field(gt=0, le=600)] = 10.0
    goal_ops: Annotated[int, Field(ge=1, le=50)] = 5
    words: Annotated[int, Field(ge=1, le=50)] = 6

    @property
    def horizon_steps(self) -> int:
        """Maximum of ``horizon_steps``."""
        return max(1, int(self.horizon_s / self.step_s + 1e-9))


class Vocabulary(UserData):
    """Vocabulary of records.

    Attributes:
        version: ``schema_version`` of its records.
        site: Site of the skills that the operations refer to, if any.
        languages: Languages of the prompts; the first is the default.
        mid_steps: 10 to 30 steps by id.
        ops: Operations by name.
        done_evidence: Words for what shows that something is done.
        fallbacks: Words for what is done after a failure.
        constraints: Forbidden actions, as text.
        limits: Bounds.
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
        """Refuse words that are not in its own lists."""
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
        """Return the mid step of an operation: the first that matches, or ""."""
        return next((name for name, step in self.mid_steps.items() if step.takes(op, args)), "")


def _check_listed(words: tuple[str, ...], known: Any, where: str) -> None:
    """Refuse a word that is not in a list, with the nearest valid one."""
    for word in words:
        if word not in known:
            near = nearest(word, tuple(known))
            hint = f"; did you mean {near[0]}?" if near else ""
            raise ValueError(f"{where} names {word}, which is not in any list{hint}")


def load_vocabulary(path: Path) -> Vocabulary:
    """Read a vocabulary.

    Raises:
        SpecError: If the file is invalid; every problem with its line.
        UsageError: If there is no such file.
    """
    return load_model(Vocabulary, path)


def digest_of(path: Path) -> str:
    """Return the SHA-256 of a vocabulary's file.

    Raises:
        UsageError: If it cannot be read.
    """
    try:
        return hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from error


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
