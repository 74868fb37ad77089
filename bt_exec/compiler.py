"""What a compiler is: a request goes in, a plan or a refusal comes out.

A compiler turns a command into a spec; after a failure it repairs the part that failed and keeps
what is finished. It is called once per mission and once per re-plan, on a worker, never inside a
tick. It selects from what exists (the catalogue, the library, what is seen) and adds nothing to it.

Compilers are found through the entry-point group ``bt_exec.compilers``: a callable that takes the
site's compiler settings and returns a `Compiler`.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol, TypeAlias, runtime_checkable

from bt_exec.failure import Failure, Problem
from bt_exec.messages import Messages
from bt_exec.pack import Catalogue
from bt_exec.plugins import load_plugin, plugin_names
from bt_exec.spec.library import Library
from bt_exec.spec.model import MissionSpec

__all__ = [
    "Compiler",
    "CompilerFactory",
    "Done",
    "Pass",
    "PassContext",
    "Plan",
    "Prompting",
    "Record",
    "Refusal",
    "Request",
    "Rule",
    "Seen",
    "compiler_names",
    "find_compiler",
]

_GROUP = "bt_exec.compilers"


@dataclass(frozen=True)
class Seen:
    """What is seen when a plan is asked for.

    Attributes:
        labels: Labels of what is detected.
        facts: What the view and the robot establish: ``{"door": "open", "hand.left": "empty"}``.
        text: One line for people and prompts.
        frame: The picture, for compilers that look at it, or None.
    """

    labels: tuple[str, ...] = ()
    facts: Mapping[str, str] = field(default_factory=dict)
    text: str = ""
    frame: Any = None


@dataclass(frozen=True)
class Done:
    """A finished node of the plan so far.

    Attributes:
        path: Its path in the plan.
        skill: The skill it ran.
        args: The arguments it ran with.
        skipped: Why it was not run, if it was skipped.
    """

    path: str
    skill: str
    args: Mapping[str, Any]
    skipped: str = ""


class Record(Protocol):
    """Keeps a model's raw answer under the digest of its request; from any thread."""

    def __call__(
        self, *, compiler: str, model: str, request: str, answer: str, usage: Mapping[str, float]
    ) -> None:
        """Keep one exchange."""


@dataclass(frozen=True)
class Request:
    """Everything a compiler may know.

    Attributes:
        command: What the person typed.
        language: ``en`` or ``ko``.
        catalogue: Skills, conditions and types of the site.
        library: Trees of the site.
        messages: Sentences and words of the site.
        seen: What is seen now.
        previous: The plan that failed, or None for the first plan.
        failure: Why it failed, or None for the first plan.
        done: What that plan finished, in order.
        tried: Every failure of this mission so far, first to last.
        settings: The site's settings by pack, such as ``{"door": {"material_arm": "right"}}``.
        cancel: Set when nobody waits for the answer any more; a slow compiler heeds it.
        limit_s: How long the answer is waited for [s], or None if nobody said.
        record: Takes the raw answers of models, for the journal; None keeps none.
    """

    command: str
    language: str
    catalogue: Catalogue
    library: Library
    messages: Messages = field(default_factory=Messages)
    seen: Seen = field(default_factory=Seen)
    previous: MissionSpec | None = None
    failure: Failure | None = None
    done: tuple[Done, ...] = ()
    tried: tuple[Failure, ...] = ()
    settings: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    cancel: threading.Event = field(default_factory=threading.Event, compare=False, repr=False)
    limit_s: float | None = None
    record: Record | None = field(default=None, compare=False, repr=False)

    @property
    def plan_version(self) -> int:
        """The version of the plan that is asked for."""
        return 1 if self.previous is None else self.previous.mission.plan_version + 1


@dataclass(frozen=True)
class Plan:
    """A spec, not yet verified; subtrees of the library may stand in it by name.

    Attributes:
        spec: The mission.
        calls: How many times a planner was asked for it (a model's repair rounds count).
        usage: What it cost, by kind: tokens, seconds.
    """

    spec: MissionSpec
    calls: int = 1
    usage: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class Refusal:
    """Why no plan is made, for the person who typed the command.

    Attributes:
        code: Stable name: ``NOT_UNDERSTOOD``, ``UNKNOWN_OBJECT``, ``NEGATED``, ``EMPTY`` …
        message: One or two sentences in the language of the command.
        nearest: Commands that would be understood, nearest first, in that language.
        calls: How many times a planner was asked.
        problems: What was wrong with the plans that it turned down, for people who read details.
    """

    code: str
    message: str
    nearest: tuple[str, ...] = ()
    calls: int = 1
    problems: tuple[str, ...] = ()


class Compiler(Protocol):
    """Turns a request into a plan or a refusal."""

    @property
    def name(self) -> str:
        """Its name in plans, journals and the terminal: ``offline``."""

    def compile(self, request: Request) -> Plan | Refusal:
        """Answer a request; runs on a worker thread and may take long."""


@runtime_checkable
class Prompting(Protocol):
    """A compiler that asks a model, and shows beforehand what it would ask."""

    def prompt(self, request: Request) -> str:
        """Return the question as people read it; nothing is sent."""

    def estimate(self, request: Request) -> Mapping[str, float]:
        """Return its size in characters and tokens, and its cost, by name; nothing is sent."""


CompilerFactory = Callable[[Mapping[str, Any]], Compiler]


@dataclass(frozen=True)
class PassContext:
    """What a pass or a rule may look at.

    Attributes:
        seen: What is seen now.
        settings: The settings of its pack.
        catalogue: Skills, conditions and types of the site.
        command: What the person typed.
        meant: What the command means to somebody who understands it without a model: a plan for
            it, expanded; None if nobody does. Only rules get it.
        stated: What a model said beside its plan, as plain data. Only rules get it.
    """

    seen: Seen
    settings: Mapping[str, Any]
    catalogue: Catalogue
    command: str = ""
    meant: MissionSpec | None = None
    stated: Mapping[str, Any] = field(default_factory=dict)


class Pass(NamedTuple):
    """A transformation of a spec after the front end: pure, named, idempotent.

    Attributes:
        name: What the plan's notes call it.
        apply: Takes the spec (subtrees expanded) and the context; returns the new spec and what
            it changed, one short sentence per change, none if nothing.
    """

    name: str
    apply: Callable[[MissionSpec, PassContext], tuple[MissionSpec, tuple[str, ...]]]


Rule: TypeAlias = Callable[[MissionSpec, PassContext], Iterable[Problem]]
"""What a pack demands of a plan for a command: returns what is wrong with the spec, subtrees
expanded, before passes. It must bear names that nothing answers to: other layers report those."""


def compiler_names() -> tuple[str, ...]:
    """Return the names of all installed compilers."""
    return plugin_names(_GROUP, "compiler")


def find_compiler(name: str, settings: Mapping[str, Any]) -> Compiler:
    """Return the installed compiler called `name`, made with `settings`.

    Raises:
        UnknownName: If no installed package registers it.
        UsageError: If it is registered but cannot be imported, or refuses its settings.
    """
    factory: CompilerFactory = load_plugin(_GROUP, "compiler", name)
    return factory(settings)
