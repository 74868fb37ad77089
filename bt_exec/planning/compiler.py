"""Interface of compilers, which answer a request with a plan, a reply or a refusal.

A compiler turns a command into a spec. After a failure it repairs the failed part and keeps the
finished work. It is called once per mission and once per re-plan, on a worker, never inside a tick.
A plan uses only skills and conditions of the catalogue, trees of the library, and observed objects.

Compilers are found through the entry-point group ``bt_exec.compilers``. Each entry point is a
callable that takes the site's compiler settings and returns a `Compiler`.
"""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import InitVar, dataclass, field
from typing import Any, Literal, Protocol, TypeAlias, get_args, runtime_checkable

from bt_exec.declarations.exception_description import describe_error, is_interrupt
from bt_exec.failure import BtExecError, Failure, Problem, Refusal, UsageError
from bt_exec.language.meaning import Context, Meaning, Unclear
from bt_exec.language.messages import Messages
from bt_exec.observation import Situation
from bt_exec.pack import Catalogue, Pack
from bt_exec.plugins import load_plugin, plugin_names
from bt_exec.rig import PackSettings
from bt_exec.spec.library import Library
from bt_exec.spec.model import MissionSpec

__all__ = [
    "PREPARE",
    "REPLIES",
    "AnswerRecorder",
    "Compiler",
    "CompilerFactory",
    "Done",
    "Plan",
    "Prompting",
    "Reader",
    "Reply",
    "ReplyCode",
    "Request",
    "Suggesting",
    "VerifiedPlan",
    "Warming",
    "WordsChecker",
    "Wrapping",
    "WrappingOne",
    "compiler_names",
    "find_compiler",
]

_GROUP = "bt_exec.compilers"


@dataclass(frozen=True)
class Done:
    """A finished node of the current plan.

    Attributes:
        path: Path in the plan.
        skill: Name of the skill that the node ran.
        args: Arguments of the skill. In a `for_each`, the arguments for the last item; empty if the
            last item was skipped.
        skipped: Reason why the node was skipped; empty if it was not.
        result: Fields of the skill's result.
        t: Time at which the node ended [s, mission clock].
    """

    path: str
    skill: str
    args: Mapping[str, Any]
    skipped: str = ""
    result: Mapping[str, Any] = field(default_factory=dict)
    t: float = field(default=0.0, compare=False)


class AnswerRecorder(Protocol):
    """Thread-safe callback that stores the raw answers of models, by request digest."""

    def __call__(
        self, *, compiler: str, model: str, request: str, answer: str, usage: Mapping[str, float]
    ) -> None:
        """Store one request to a model with its answer."""


@dataclass(frozen=True)
class Request:
    """Input of a compiler.

    Attributes:
        command: The command as typed.
        language: ``en`` or ``ko``.
        catalogue: Skills, conditions and types of the site.
        library: Trees of the site.
        messages: Sentences and words of the site.
        situation: The observed situation.
        previous: The plan that failed, or None for the first plan.
        failure: Failure of that plan, or None for the first plan.
        done: Finished nodes of that plan, in order.
        tried: All failures of this mission so far, in order.
        assumed: Facts that hold if all completed skills had their declared effects; ``"?"`` is
            uncertain.
        settings: The site's settings by pack; a missing pack has its default settings.
        cancel: Set when the request is cancelled; slow compilers should poll it.
        limit_s: Time limit of the answer [s]; None for no limit.
        record: Stores the raw answers of models in the journal; None to discard them.
        context: Earlier commands of the session.
    """

    command: str
    language: str
    catalogue: Catalogue
    library: Library
    messages: Messages = field(default_factory=Messages)
    situation: Situation = field(default_factory=Situation)
    previous: MissionSpec | None = None
    failure: Failure | None = None
    done: tuple[Done, ...] = ()
    tried: tuple[Failure, ...] = ()
    assumed: Mapping[str, str] = field(default_factory=dict)
    settings: Mapping[str, PackSettings] = field(default_factory=dict)
    cancel: threading.Event = field(default_factory=threading.Event, compare=False, repr=False)
    limit_s: float | None = None
    record: AnswerRecorder | None = field(default=None, compare=False, repr=False)
    context: Context = field(default_factory=Context)

    def settings_of(self, pack: Pack) -> PackSettings:
        """Return the site's settings of a pack, or the pack's defaults if there are none."""
        return self.settings.get(pack.name) or pack.settings()

    @property
    def plan_version(self) -> int:
        """Version of the requested plan."""
        return 1 if self.previous is None else self.previous.mission.plan_version + 1


@dataclass(frozen=True)
class Plan:
    """Plan of a compiler, not yet verified; it may refer to subtrees of the library by name.

    Attributes:
        spec: The mission.
        calls: Number of planner calls, including the repair rounds of a model.
        usage: Cost by kind, such as tokens or seconds.
        requests: Number of requests to a language model.
        unconfirmed: Reason why the plan could not be compared with the command, as a sentence in
            the language of the command; empty if it was compared. See
            `bt_exec.planning.confirmation`.
        verified: The same plan, if its compiler already verified it for this request.
        meaning: The meaning of the command, if it was parsed unambiguously.
    """

    spec: MissionSpec
    calls: int = 1
    usage: Mapping[str, float] = field(default_factory=dict)
    requests: int = 0
    unconfirmed: str = ""
    verified: VerifiedPlan | None = None
    meaning: Meaning | None = None


ReplyCode: TypeAlias = Literal["COURTESY", "HELP", "WHY", "DONE", "WHERE"]
REPLIES: frozenset[str] = frozenset(get_args(ReplyCode))
"""Reason codes of commands that were answered with a reply, without a plan."""


@dataclass(frozen=True)
class Reply:
    """Answer to a text that needs no plan, such as a greeting or a question about past missions.

    Attributes:
        code: Kind of the text.
        message: The answer, in the language of the command.
    """

    code: ReplyCode
    message: str


class Compiler(Protocol):
    """Compiler of a request into a plan, a reply or a refusal.

    Further attributes are optional: ``needs_observation = True`` for a compiler that resolves
    objects, so that `bt-exec compile` asks the robot for an observation first;
    ``warm_up(language)`` loads what a language needs ahead of time.
    """

    @property
    def name(self) -> str:
        """Name in plans, journals and the terminal, such as ``offline``."""

    def compile(self, request: Request) -> Plan | Refusal | Reply:
        """Answer a request. Runs on a worker thread and may take a long time."""


@runtime_checkable
class WordsChecker(Protocol):
    """A compiler that checks the lexicons of packs."""

    def problems(self, request: Request) -> Iterable[Problem]:
        """Return a problem for each word with an unknown name and for each ambiguous phrase."""


@runtime_checkable
class Warming(Protocol):
    """A compiler that loads resources before it can read a language."""

    def warm_up(self, language: str) -> None:
        """Start loading on a separate thread; return at once."""


@runtime_checkable
class Suggesting(Protocol):
    """A compiler that can list the commands it would accept in a situation."""

    def suggestions(self, request: Request) -> tuple[str, ...]:
        """Return the commands that would be accepted, in the language of the request."""


@runtime_checkable
class Prompting(Protocol):
    """A compiler that asks a model, and can show the prompt beforehand."""

    def prompt(self, request: Request) -> str:
        """Return the prompt as readable text, without sending it."""

    def estimate(self, request: Request) -> Mapping[str, float]:
        """Return the prompt's size in characters and tokens and its cost; nothing is sent."""


@runtime_checkable
class Reader(Protocol):
    """A compiler that can report the meaning of a command without making a plan.

    With the optional attribute ``reads_alone = True``, the meaning depends on the site and the
    session only, not on the situation. Commands that cannot be parsed are then refused, and texts
    that need no plan are answered, before a robot is opened.
    """

    def read(self, request: Request) -> Meaning | Unclear | Reply:
        """Return the meaning of a command, or why it cannot be parsed; no model is asked."""


class Wrapping(ABC):
    """Base class of compilers that delegate to other compilers."""

    @property
    @abstractmethod
    def inner_compilers(self) -> tuple[Compiler, ...]:
        """Compilers to which this one delegates."""

    @property
    def needs_observation(self) -> bool:
        """Whether one of the inner compilers resolves objects."""
        return any(getattr(one, "needs_observation", False) for one in self.inner_compilers)

    def problems(self, request: Request) -> Iterable[Problem]:
        """Yield the problems that the inner compilers find in the lexicons of packs."""
        for one in self.inner_compilers:
            if isinstance(one, WordsChecker):
                yield from one.problems(request)

    def suggestions(self, request: Request) -> tuple[str, ...]:
        """Return the commands that the inner compilers would accept."""
        every = (
            one.suggestions(request) for one in self.inner_compilers if isinstance(one, Suggesting)
        )
        return tuple(text for texts in every for text in texts)

    def warm_up(self, language: str) -> None:
        """Start loading a language in the inner compilers."""
        for one in self.inner_compilers:
            if isinstance(one, Warming):
                one.warm_up(language)


@dataclass(frozen=True)
class WrappingOne(Wrapping):
    """Base class of compilers that delegate to one other compiler.

    Attributes:
        inner: The other compiler.
    """

    inner: Compiler

    @property
    def inner_compilers(self) -> tuple[Compiler, ...]:
        """The inner compiler, as a tuple of one."""
        return (self.inner,)

    @property
    def name(self) -> str:
        """Name of the inner compiler."""
        return self.inner.name

    @property
    def reads_alone(self) -> bool:
        """Whether a reading depends on the site and the session alone."""
        return isinstance(self.inner, Reader) and getattr(self.inner, "reads_alone", False)


CompilerFactory = Callable[[Mapping[str, Any]], Compiler]


def compiler_names() -> tuple[str, ...]:
    """Return the names of all installed compilers."""
    return plugin_names(_GROUP)


def find_compiler(name: str, settings: Mapping[str, Any]) -> Compiler:
    """Return the installed compiler called `name`, created with `settings`.

    Raises:
        UnknownName: If no installed package registers it.
        UsageError: If it is registered but cannot be imported, or rejects its settings.
    """
    factory: CompilerFactory = load_plugin(_GROUP, "compiler", name)
    try:
        return factory(settings)
    except BtExecError:
        raise
    except BaseException as error:  # third-party code may raise anything
        if is_interrupt(error):
            raise
        raise UsageError(f"compiler {name!r} cannot be made: {describe_error(error)}") from error


PREPARE = object()
"""Token with which `prepare` and the test kit create verified plans."""


@dataclass(frozen=True)
class VerifiedPlan:
    """A verified mission with expanded subtrees and applied passes.

    Attributes:
        spec: The mission as it runs.
        written: The mission as its compiler wrote it.
        situation: The situation for which it was verified.
        made_by: `PREPARE`, which shows that the plan was created by `prepare` or the test kit.

    Raises:
        TypeError: If `made_by` is another object.
    """

    spec: MissionSpec
    written: MissionSpec
    situation: Situation
    made_by: InitVar[object]

    def __post_init__(self, made_by: object) -> None:
        """Raise TypeError if `made_by` is not `PREPARE`."""
        if made_by is not PREPARE:
            raise TypeError(
                "verified plans can be created only by bt_exec.planning.plan_preparation.prepare"
            )

    def is_of(self, written: MissionSpec, situation: Situation) -> bool:
        """Return True if this plan was made from `written` and verified for `situation`."""
        return self.written is written and self.situation is situation
