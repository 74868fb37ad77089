"""Skills and conditions: the actions of a robot and the checks of its world.

A **skill** is a generator. It yields `Running` once a tick while it works and never blocks. It
returns its result, or raises `Failed`. Cancelling closes the generator, so that ``finally`` is the
whole clean-up::

    @skill(fails={"DOOR_STUCK"}, needs={"hand.{arm}": "empty"}, effects={"door": "open"},
           uses={"arm.{arm}"}, timeout_s=30)
    def open_door(robot: DoorRobot, arm: Arm, object_label: DoorLabel) -> Steps:
        motion = robot.pull_open(arm, object_label)
        try:
            while not motion.done:
                yield Running(motion.progress, "pulling")
        finally:
            motion.stop()
        if motion.failure is not None:
            raise Failed("DOOR_STUCK", motion.failure.message)

A **condition** is a function that returns a `Verdict`: holds, does not hold, or not known yet.

Parameters are injected by name: ``robot`` is the pack's robot, ``world`` a
`bt_exec.observation.World` of observations, and a parameter annotated ``Service[T]`` the pack's
service of that name. Every other parameter is an argument, checked against its annotation. Errors
in a signature are raised when the module is imported.

Both decorators work with and without parentheses, and keep the signature of the function for type
checkers. ``from bt_exec import skill`` imports this module, which is callable as the decorator:
a package cannot have a module and a function of the same name.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Generator, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from types import MappingProxyType, ModuleType
from typing import Annotated, Any, Generic, Protocol, TypeAlias, overload

from pydantic import BaseModel, ConfigDict, create_model
from typing_extensions import ParamSpec, TypeVar

from bt_exec.declarations.function_declaration import SERVICE, Declaration
from bt_exec.failure import RegistrationError, nearest_names

__all__ = [
    "Condition",
    "ConditionFunction",
    "Label",
    "Running",
    "Said",
    "SameType",
    "Service",
    "Signature",
    "Skill",
    "Steps",
    "Verdict",
    "condition",
    "skill",
]

DEFAULT_TIMEOUT_S = 60.0
"""Timeout of a skill if neither it nor the spec sets one [s]."""

R = TypeVar("R", default=None)
P = ParamSpec("P", default=...)
T = TypeVar("T", default=Any)


@dataclass(frozen=True, slots=True)
class Running:
    """Value that a skill yields once per tick while it works.

    Attributes:
        progress: Fraction of the work that is done, 0..1; None if unknown.
        doing: The current phase in a word or two: "pulling".
    """

    progress: float | None = None
    doing: str = ""


Steps: TypeAlias = Generator[Running, None, R]
"""Return type of a skill function: ``Steps`` without a result, ``Steps[Grip]`` with one.

A result is a dataclass, a NamedTuple or a TypedDict; ``save:`` can refer to its fields.
"""


S = TypeVar("S")
Service: TypeAlias = Annotated[S, SERVICE]
"""Annotation of a parameter as the pack's service of that name: ``site_map: Service[SiteMap]``."""


class Label:
    """Marker of an argument as a visible object's label: ``Annotated[Literal["cup"], Label()]``.

    The grounding layer of verification requires such labels to be among the detections.
    """


@dataclass(frozen=True, slots=True)
class SameType:
    """Marker of an argument whose value has the type of another argument, or is a list of these.

    ``value: Any, limit: Annotated[Any, SameType("value")]``: if a plan sets ``value`` to a name,
    verification checks ``limit`` against the type of the named value.

    Attributes:
        argument: The other argument.
    """

    argument: str


class Said:
    """Marker of an argument as text that is shown or spoken: ``Annotated[str, Said()]``.

    If a language model writes such a text, it is compared with the command; see the model compiler.
    """


@dataclass(frozen=True, slots=True)
class Verdict:
    """Result of a condition.

    Attributes:
        holds: True, False, or None for *not known yet*: the condition is evaluated again on the
            next tick, within its patience.
        why: Short reason for display: "door open 0.9".
        evidence: The observed facts that determined the verdict: ("primary:interior_visible", …).
        age_s: Age of the evidence [s].
    """

    holds: bool | None
    why: str = ""
    evidence: tuple[str, ...] = ()
    age_s: float = 0.0

    @classmethod
    def yes(cls, why: str = "", evidence: Iterable[str] = (), age_s: float = 0.0) -> Verdict:
        """Return the verdict that the condition holds."""
        if not (why or age_s) and type(evidence) is tuple and not evidence:
            return _YES
        return cls(True, why, tuple(evidence), age_s)

    @classmethod
    def no(cls, why: str = "", evidence: Iterable[str] = (), age_s: float = 0.0) -> Verdict:
        """Return the verdict that the condition does not hold."""
        return cls(False, why, tuple(evidence), age_s)

    @classmethod
    def unknown(cls, why: str = "", evidence: Iterable[str] = (), age_s: float = 0.0) -> Verdict:
        """Return the verdict *not known yet*; the condition is then evaluated again."""
        return cls(None, why, tuple(evidence), age_s)


_YES = Verdict(True)


@dataclass(frozen=True)
class Signature:
    """Common base of skills and conditions: a name, typed arguments and a description.

    Attributes:
        name: Name in the tree language.
        function: The function as written.
        summary: First line of its docstring.
        doc: The whole docstring.
        arguments: Types by argument name, in order.
        required: Arguments without a default.
        injected: Subset of ``robot`` and ``world`` that the function takes.
        services: Types of the pack's services that it takes, by name.
    """

    name: str
    function: Callable[..., Any]
    summary: str
    doc: str
    arguments: Mapping[str, Any]
    required: frozenset[str]
    injected: frozenset[str]
    services: Mapping[str, Any]

    @cached_property
    def model(self) -> type[BaseModel]:
        """The arguments as a pydantic model, for validation and the JSON Schema."""
        parameters = inspect.signature(self.function).parameters
        fields: dict[str, Any] = {
            name: (hint, ... if name in self.required else parameters[name].default)
            for name, hint in self.arguments.items()
        }
        config = ConfigDict(extra="forbid", arbitrary_types_allowed=True)
        return create_model(self.name, __config__=config, **fields)

    def validate(self, args: Mapping[str, Any]) -> dict[str, Any]:
        """Return `args` completed with defaults and converted to their types.

        Raises:
            pydantic.ValidationError: If an argument is missing, unknown or of a wrong type.
        """
        checked = self.model.model_validate(dict(args))
        return {name: getattr(checked, name) for name in self.arguments}

    def label_arguments(self) -> frozenset[str]:
        """Return the names of the arguments that are labels of visible objects."""
        return frozenset(
            name
            for name, hint in self.arguments.items()
            if any(isinstance(mark, Label) or mark is Label for mark in _annotated_metadata(hint))
        )

    def said_arguments(self) -> frozenset[str]:
        """Return the names of the arguments that are shown or spoken (`Said`)."""
        return frozenset(
            name
            for name, hint in self.arguments.items()
            if any(isinstance(mark, Said) or mark is Said for mark in _annotated_metadata(hint))
        )

    def injected_arguments(
        self, robot: Any, world: Any, services: Mapping[str, Any] = MappingProxyType({})
    ) -> dict[str, Any]:
        """Return the keyword arguments that the executive supplies."""
        given = {"robot": robot, "world": world}
        own = {name: services[name] for name in self.services}
        return {name: given[name] for name in self.injected} | own


def _annotated_metadata(hint: Any) -> tuple[Any, ...]:
    return tuple(getattr(hint, "__metadata__", ()))


@dataclass(frozen=True)
class Skill(Signature, Generic[P, T]):
    """A declared skill. Calling it starts its generator: ``open_door(robot=robot, arm="left")``.

    For type checkers ``Skill[P, T]`` has the parameters and the result of its function; plain
    ``Skill`` is any skill.

    Attributes:
        fails: Codes it may raise with `Failed`; any other code is a bug of the skill.
        needs: Facts that must hold before it runs, as templates over the arguments:
            ``{"hand.{arm}": "empty"}``. Several allowed values are separated by ``|``.
        effects: Facts that hold after success, as templates. ``"?"`` means unknown afterwards.
        uses: Resources it claims while it runs: ``{"arm.{arm}"}``. Two skills that run in
            parallel must not claim the same resource.
        timeout_s: Timeout if the spec does not set one [s].
        results: Types of the fields of its result, by name; ``save:`` can refer to them.
        irreversible: Whether repeating it may do harm: handing something over, asking a person.
            A resumed mission asks for confirmation before it repeats such a skill.
    """

    fails: frozenset[str] = frozenset()
    needs: Mapping[str, str] = field(default_factory=dict)
    effects: Mapping[str, str] = field(default_factory=dict)
    uses: frozenset[str] = frozenset()
    timeout_s: float = DEFAULT_TIMEOUT_S
    results: Mapping[str, Any] = field(default_factory=dict)
    irreversible: bool = False

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> Steps[T]:
        """Return the skill's generator. Nothing moves before its first step."""
        steps: Steps[T] = self.function(*args, **kwargs)
        return steps


@dataclass(frozen=True)
class Condition(Signature, Generic[P]):
    """A declared condition. Calling it returns its verdict.

    For type checkers ``Condition[P]`` has the parameters of its function.

    Attributes:
        patience_s: How long *not known yet* is accepted before the check fails [s].
        unknown: Code of the failure of a check that stays unknown.
        skip_reason: Reason in the skip log if this condition makes a node unnecessary, as a
            template over the arguments: ``"already {state}"``.
        establishes: The facts it tests, as templates: ``{"door": "{state}"}``. The dry run
            assumes them after a check that held.
        notes: Whether it only records a failure: as the last branch of a fallback it lets the
            mission continue without the failed part, and the mission ends as ``partial`` at best.
    """

    patience_s: float = 3.0
    unknown: str = "UNCERTAIN"
    skip_reason: str = ""
    establishes: Mapping[str, str] = field(default_factory=dict)
    notes: bool = False

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> Verdict:
        """Evaluate the condition; return its verdict."""
        verdict: Verdict = self.function(*args, **kwargs)
        return verdict


class _DeclareSkill(Protocol):
    def __call__(self, function: Callable[P, Steps[T]], /) -> Skill[P, T]: ...


class _DeclareCondition(Protocol):
    def __call__(self, function: Callable[P, Verdict], /) -> Condition[P]: ...


@overload
def skill(function: Callable[P, Steps[T]], /) -> Skill[P, T]: ...


@overload
def skill(
    *,
    fails: Iterable[str] = (),
    needs: Mapping[str, str] | None = None,
    effects: Mapping[str, str] | None = None,
    uses: Iterable[str] = (),
    timeout_s: float = DEFAULT_TIMEOUT_S,
    name: str | None = None,
    irreversible: bool = False,
) -> _DeclareSkill: ...


def skill(
    function: Callable[..., Steps[Any]] | None = None,
    /,
    *,
    fails: Iterable[str] = (),
    needs: Mapping[str, str] | None = None,
    effects: Mapping[str, str] | None = None,
    uses: Iterable[str] = (),
    timeout_s: float = DEFAULT_TIMEOUT_S,
    name: str | None = None,
    irreversible: bool = False,
    **unknown_arguments: Any,
) -> Any:
    """Declare a generator function to be a skill; see `Skill` for the meaning of each argument.

    Raises:
        RegistrationError: If the function is not a generator, lacks an annotation or a docstring,
            or has a default of a wrong type; if a template names an argument that does not exist;
            or if an option is unknown or malformed, such as a text instead of a set.
    """
    _refuse_unknown_arguments("skill", unknown_arguments)

    def declare(function: Callable[P, Steps[T]], /) -> Skill[P, T]:
        declaration = Declaration(function, name, "skill")
        if not inspect.isgeneratorfunction(function):
            raise RegistrationError(f"skill {function.__name__} must be a generator: it must yield")
        return Skill(
            **declaration.signature(),
            fails=declaration.checked_texts("fails", fails),
            needs=declaration.checked_facts("needs", needs),
            effects=declaration.checked_facts("effects", effects),
            uses=declaration.checked_templates("uses", uses),
            timeout_s=declaration.checked_seconds("timeout_s", timeout_s, positive=True),
            results=declaration.results(),
            irreversible=declaration.checked_boolean("irreversible", irreversible),
        )

    if function is None:
        return declare
    return declare(function)


ConditionFunction: TypeAlias = Callable[..., Verdict]


@overload
def condition(function: Callable[P, Verdict], /) -> Condition[P]: ...


@overload
def condition(
    *,
    patience_s: float = 3.0,
    unknown: str = "UNCERTAIN",
    skip_reason: str = "",
    establishes: Mapping[str, str] | None = None,
    notes: bool = False,
    name: str | None = None,
) -> _DeclareCondition: ...


def condition(
    function: ConditionFunction | None = None,
    /,
    *,
    patience_s: float = 3.0,
    unknown: str = "UNCERTAIN",
    skip_reason: str = "",
    establishes: Mapping[str, str] | None = None,
    notes: bool = False,
    name: str | None = None,
    **unknown_arguments: Any,
) -> Any:
    """Declare a function to be a condition; see `Condition` for the meaning of each argument.

    Raises:
        RegistrationError: If the function is a generator, does not return a `Verdict`, lacks an
            annotation or a docstring, or has a default of a wrong type; if a template names an
            argument that does not exist; or if an option is unknown.
    """
    _refuse_unknown_arguments("condition", unknown_arguments)

    def declare(function: Callable[P, Verdict], /) -> Condition[P]:
        declaration = Declaration(function, name, "condition")
        if inspect.isgeneratorfunction(function):
            raise RegistrationError(f"condition {function.__name__} must return, not yield")
        declaration.check_return_type(Verdict)
        return Condition(
            **declaration.signature(),
            patience_s=declaration.checked_seconds("patience_s", patience_s),
            unknown=declaration.checked_code("unknown", unknown),
            skip_reason=declaration.checked_template("skip_reason", skip_reason),
            establishes=declaration.checked_facts("establishes", establishes),
            notes=declaration.checked_boolean("notes", notes),
        )

    if function is None:
        return declare
    return declare(function)


def _refuse_unknown_arguments(decorator: str, given: Mapping[str, Any]) -> None:
    """Raise RegistrationError for an unknown option of a decorator; list the nearest ones."""
    for name in given:
        parameters = inspect.signature(globals()[decorator]).parameters.values()
        allowed = [one.name for one in parameters if one.kind is one.KEYWORD_ONLY]
        listed = ", ".join(nearest_names(name, allowed, count=len(allowed)) or allowed)
        raise RegistrationError(f"@{decorator} has no argument {name!r}; nearest first: {listed}")


class _CallableModule(ModuleType):
    """Module type that makes this module callable as the decorator `skill`."""

    @staticmethod
    def __call__(*args: Any, **declared: Any) -> Any:
        return skill(*args, **declared)


sys.modules[__name__].__class__ = _CallableModule
