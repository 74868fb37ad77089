"""Skills and conditions: what a robot can do and what it can tell.

A **skill** is a generator. It yields `Running` while it works, one step a tick and never blocking;
it returns its result; it raises `Failed` when it could not. Cancelling closes the generator, so
its ``finally`` is the whole clean-up::

    @skill(fails={"DOOR_STUCK"}, needs={"hand.{arm}": "empty"}, effects={"door": "open"},
           uses={"arm.{arm}"}, timeout_s=30)
    def open_door(robot: DoorRobot, arm: Arm, object_label: DoorLabel) -> Steps:
        motion = robot.pull_open(arm, object_label)
        try:
            while not motion.done:
                yield Running(motion.progress, "pulling")
        finally:
            motion.stop()
        if motion.blocked:
            raise Failed("DOOR_STUCK", motion.reason)

A **condition** is a function that returns a `Verdict`: holds, does not hold, or not known yet.

Both name what they want: the parameters ``robot`` and ``world`` are given by the executive (the
pack's robot, and a `bt_exec.observation.World` of scenes); every other parameter is an argument, checked
against its annotation. What is wrong with a signature is found when the module is imported.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Generator, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeAlias

from pydantic import BaseModel, ConfigDict, create_model
from typing_extensions import TypeVar

from bt_exec.declaration import Declaration
from bt_exec.failure import RegistrationError

__all__ = [
    "Condition",
    "ConditionFunction",
    "Label",
    "Running",
    "Said",
    "Signature",
    "Skill",
    "Steps",
    "Verdict",
    "condition",
    "skill",
]

DEFAULT_TIMEOUT_S = 60.0
"""How long a skill may run when neither it nor the spec says otherwise [s]."""

R = TypeVar("R", default=None)


@dataclass(frozen=True, slots=True)
class Running:
    """What a skill yields once a tick while it works.

    Attributes:
        progress: How much is behind us, 0..1, or None where nobody can tell.
        doing: The present phase in a word or two: "pulling".
    """

    progress: float | None = None
    doing: str = ""


Steps: TypeAlias = Generator[Running, None, R]
"""What a skill function returns: ``Steps`` without a result, ``Steps[Grip]`` with one.

A result is a dataclass, a NamedTuple or a TypedDict; its fields are what ``save:`` can name.
"""


class Label:
    """Marks an argument as the label of something seen: ``Annotated[Literal["cup"], Label()]``.

    The grounding layer of verification requires such labels to be among the detections.
    """


class Said:
    """Marks an argument as text that people hear or read: ``Annotated[str, Said()]``.

    What a language model wants said is compared with the command; see the model compiler.
    """


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a condition found.

    Attributes:
        holds: True, False, or None for *not known yet*: the condition is asked again on the next
            tick, within its patience.
        why: What was found, in a few words for people: "door open 0.9".
        evidence: The facts behind it: ("primary:interior_visible", …).
        age_s: How old the evidence is [s].
    """

    holds: bool | None
    why: str = ""
    evidence: tuple[str, ...] = ()
    age_s: float = 0.0

    @classmethod
    def yes(cls, why: str = "", evidence: Iterable[str] = (), age_s: float = 0.0) -> Verdict:
        """It holds."""
        return cls(True, why, tuple(evidence), age_s)

    @classmethod
    def no(cls, why: str = "", evidence: Iterable[str] = (), age_s: float = 0.0) -> Verdict:
        """It does not hold."""
        return cls(False, why, tuple(evidence), age_s)

    @classmethod
    def unknown(cls, why: str = "", evidence: Iterable[str] = (), age_s: float = 0.0) -> Verdict:
        """Nobody can tell yet; ask again."""
        return cls(None, why, tuple(evidence), age_s)


@dataclass(frozen=True)
class Signature:
    """The part that skills and conditions share: a name, arguments with types, a description.

    Attributes:
        name: Name in the tree language.
        function: The function as written.
        summary: First line of its docstring.
        doc: The whole docstring.
        arguments: Types by argument name, in order.
        required: Arguments without a default.
        injected: Which of ``robot`` and ``world`` it wants.
    """

    name: str
    function: Callable[..., Any]
    summary: str
    doc: str
    arguments: Mapping[str, Any]
    required: frozenset[str]
    injected: frozenset[str]

    @cached_property
    def model(self) -> type[BaseModel]:
        """The arguments as a pydantic model: checks values, gives the JSON Schema."""
        parameters = inspect.signature(self.function).parameters
        fields: dict[str, Any] = {
            name: (hint, ... if name in self.required else parameters[name].default)
            for name, hint in self.arguments.items()
        }
        config = ConfigDict(extra="forbid", strict=False, arbitrary_types_allowed=True)
        return create_model(self.name, __config__=config, **fields)

    def validate(self, args: Mapping[str, Any]) -> dict[str, Any]:
        """Return `args` completed by defaults and converted to their types.

        Raises:
            pydantic.ValidationError: If an argument is missing, unknown or of a wrong type.
        """
        checked = self.model.model_validate(dict(args))
        return {name: getattr(checked, name) for name in self.arguments}

    def labels(self) -> frozenset[str]:
        """Return the names of the arguments that are labels of things seen."""
        return frozenset(
            name
            for name, hint in self.arguments.items()
            if any(isinstance(mark, Label) or mark is Label for mark in _marks(hint))
        )

    def said(self) -> frozenset[str]:
        """Return the names of the arguments that people hear or read."""
        return frozenset(
            name
            for name, hint in self.arguments.items()
            if any(isinstance(mark, Said) or mark is Said for mark in _marks(hint))
        )

    def inject(self, robot: Any, world: Any) -> dict[str, Any]:
        """Return the keyword arguments that the executive gives."""
        given = {"robot": robot, "world": world}
        return {name: given[name] for name in self.injected}


def _marks(hint: Any) -> tuple[Any, ...]:
    return tuple(getattr(hint, "__metadata__", ()))


@dataclass(frozen=True)
class Skill(Signature):
    """A declared skill. Calling it starts its generator: ``open_door(robot=robot, arm="left")``.

    Attributes:
        fails: Codes it may raise with `Failed`; any other code is a bug of the skill.
        needs: Facts that must hold before, as templates over the arguments:
            ``{"hand.{arm}": "empty"}``. Several allowed values are separated by ``|``.
        effects: Facts that hold after success, likewise. ``"?"`` says "nobody knows".
        uses: Resources it claims while it runs: ``{"arm.{arm}"}``. Two skills that run in
            parallel may not claim the same one.
        timeout_s: How long it may run when the spec does not say [s].
        results: Types of the fields of its result, by name; what ``save:`` can name.
    """

    fails: frozenset[str] = frozenset()
    needs: Mapping[str, str] = field(default_factory=dict)
    effects: Mapping[str, str] = field(default_factory=dict)
    uses: frozenset[str] = frozenset()
    timeout_s: float = DEFAULT_TIMEOUT_S
    results: Mapping[str, Any] = field(default_factory=dict)

    def __call__(self, *args: Any, **kwargs: Any) -> Steps[Any]:
        """Start the skill: return its generator, nothing has moved yet."""
        steps: Steps[Any] = self.function(*args, **kwargs)
        return steps


@dataclass(frozen=True)
class Condition(Signature):
    """A declared condition. Calling it returns its verdict.

    Attributes:
        patience_s: How long *not known yet* is accepted before the check fails [s].
        unknown: Code of that failure.
        skip_reason: What the skip log says when this condition makes a node unnecessary, as a
            template over the arguments: ``"already {state}"``.
        establishes: The fact it is about, as templates: ``{"door": "{state}"}``. The dry run
            takes it as given after a check that held.
    """

    patience_s: float = 3.0
    unknown: str = "UNCERTAIN"
    skip_reason: str = ""
    establishes: Mapping[str, str] = field(default_factory=dict)

    def __call__(self, *args: Any, **kwargs: Any) -> Verdict:
        """Ask: return the verdict of this moment."""
        verdict: Verdict = self.function(*args, **kwargs)
        return verdict


def skill(
    *,
    fails: Iterable[str] = (),
    needs: Mapping[str, str] | None = None,
    effects: Mapping[str, str] | None = None,
    uses: Iterable[str] = (),
    timeout_s: float = DEFAULT_TIMEOUT_S,
    name: str | None = None,
) -> Callable[[Callable[..., Steps[Any]]], Skill]:
    """Declare a generator function to be a skill; see `Skill` for the meaning of each argument.

    Raises:
        RegistrationError: If the function is no generator, lacks an annotation or a docstring, or
            a template names an argument that does not exist; and if what it declares has another
            form: a text where a set of texts is meant, say.
    """

    def declare(function: Callable[..., Steps[Any]]) -> Skill:
        if not inspect.isgeneratorfunction(function):
            raise RegistrationError(f"skill {function.__name__} must be a generator: it must yield")
        declaration = Declaration(function, name)
        return Skill(
            **declaration.signature(),
            fails=declaration.codes("fails", fails),
            needs=declaration.facts("needs", needs),
            effects=declaration.facts("effects", effects),
            uses=declaration.templates("uses", uses),
            timeout_s=declaration.seconds("timeout_s", timeout_s, positive=True),
            results=declaration.results(),
        )

    return declare


ConditionFunction: TypeAlias = Callable[..., Verdict]


def condition(
    *,
    patience_s: float = 3.0,
    unknown: str = "UNCERTAIN",
    skip_reason: str = "",
    establishes: Mapping[str, str] | None = None,
    name: str | None = None,
) -> Callable[[ConditionFunction], Condition]:
    """Declare a function to be a condition; see `Condition` for the meaning of each argument.

    Raises:
        RegistrationError: If the function is a generator, lacks an annotation or a docstring, or
            a template names an argument that does not exist.
    """

    def declare(function: ConditionFunction) -> Condition:
        if inspect.isgeneratorfunction(function):
            raise RegistrationError(f"condition {function.__name__} must return, not yield")
        declaration = Declaration(function, name)
        declaration.templates("skip_reason", [skip_reason])
        return Condition(
            **declaration.signature(),
            patience_s=declaration.seconds("patience_s", patience_s),
            unknown=unknown,
            skip_reason=skip_reason,
            establishes=declaration.facts("establishes", establishes),
        )

    return declare
