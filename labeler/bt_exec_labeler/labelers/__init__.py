"""Interface of labelers, which turn moments of episodes into plan records.

Labelers are registered in the entry point group ``bt_exec_labeler.labelers``. Each entry is a
callable that takes a `LabelerSettings` and returns a `Labeler`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeAlias, TypeVar, runtime_checkable

from tenacity import Retrying, stop_after_attempt

from bt_exec.plugins import load_plugin
from bt_exec_labeler.labeler_items import Item, Role
from bt_exec_labeler.plan_record import Breach, Record
from bt_exec_labeler.vocabulary import Vocabulary

__all__ = [
    "BACKOFF_S",
    "Allowance",
    "BudgetSpentError",
    "Labeler",
    "LabelerFailure",
    "LabelerSettings",
    "Labelled",
    "Pipelined",
    "RequestThreads",
    "Reservation",
    "Unlimited",
    "find_labeler",
    "retry_controller",
]


_GROUP = "bt_exec_labeler.labelers"


@dataclass(frozen=True)
class Labelled:
    """Result for one item.

    Attributes:
        record: Record, or None if the item was dropped.
        breaches: Violations for which the item was dropped.
        attempts: Number of requests about the item.
        provenance: Model, prompt digest and share of the cost. They are not part of the record.
    """

    record: Record | None
    breaches: tuple[Breach, ...] = ()
    attempts: int = 1
    provenance: Mapping[str, Any] = field(default_factory=dict)


class BudgetSpentError(Exception):
    """Raised when a request does not fit into the budget; the message states the limit."""


@dataclass(frozen=True, slots=True)
class Reservation:
    """Expenses reserved for a request.

    Attributes:
        amounts: Maximum expenses, by kind.
        owner: Identifier of the task that made the reservation, on a cluster.
    """

    amounts: Mapping[str, float]
    owner: str = ""


class Allowance(Protocol):
    """Permission to send requests, shared by all workers of a run."""

    @property
    def limited_kinds(self) -> frozenset[str]:
        """Kinds of expenses that have a limit: ``requests``, ``tokens``, ``cost``."""

    def reserve(self, amounts: Mapping[str, float]) -> Reservation:
        """Reserve expenses; wait while requests in flight may still release enough for them.

        Args:
            amounts: Maximum expenses, by kind. The kind ``requests`` is never released.

        Raises:
            BudgetSpentError: If the expenses do not fit into the budget.
        """

    def settle(self, reserved: Reservation, actual: Mapping[str, float] | None) -> None:
        """Replace reserved expenses by the actual ones; if these are None, keep the reservation."""


class Unlimited:
    """Allowance without limits."""

    limited_kinds: frozenset[str] = frozenset()

    def reserve(self, amounts: Mapping[str, float]) -> Reservation:
        """Return a reservation without checking a limit."""
        return Reservation(amounts)

    def settle(self, reserved: Reservation, actual: Mapping[str, float] | None) -> None:
        """Do nothing."""


@dataclass(frozen=True)
class LabelerSettings:
    """Settings of a labeler.

    Attributes:
        role: Role that the records are for.
        vocabulary: Vocabulary of the records.
        options: Settings of the particular labeler, which it validates itself.
        allowance: Account at which every request is reserved before it is sent.
    """

    role: Role
    vocabulary: Vocabulary
    options: Mapping[str, Any] = field(default_factory=dict)
    allowance: Allowance = field(default_factory=Unlimited)


class Labeler(Protocol):
    """Labeler of moments; called by several threads at the same time."""

    @property
    def name(self) -> str:
        """Name of the labeler, such as ``rules`` or ``model``."""

    def label(self, items: Sequence[Item]) -> Sequence[Labelled]:
        """Return one result for each item, in the order of the items.

        Raises:
            LabelerFailure: If no item can be answered now, for example because a server is
                unreachable.
        """

    def usage(self) -> Mapping[str, float]:
        """Return the expenses of all calls so far, by kind: requests, tokens, cost."""


@runtime_checkable
class Pipelined(Labeler, Protocol):
    """Labeler that limits its concurrent requests itself and prepares further batches meanwhile."""

    def limit_requests(self, at_once: int) -> None:
        """Set the maximum number of concurrent requests; called before `label`."""


class LabelerFailure(Exception):  # noqa: N818 - a failed batch, not a program error
    """Raised when items of a batch got no answer and still have to be labelled.

    Args:
        code: Stable name; ``BUDGET_SPENT`` ends the run.
        message: Cause, for the operator.
        done: Results of the items that were answered, by their index in the batch.
    """

    def __init__(self, code: str, message: str, done: Mapping[int, Labelled] | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.done = dict(done or {})


LabelerFactory: TypeAlias = Callable[[LabelerSettings], Labeler]


def find_labeler(name: str, settings: LabelerSettings) -> Labeler:
    """Return the installed labeler called `name`.

    Raises:
        UnknownName: If no installed package registers it.
        UsageError: If it cannot be imported, or rejects its settings.
    """
    factory: LabelerFactory = load_plugin(_GROUP, "labeler", name)
    return factory(settings)


BACKOFF_S = (1.0, 2.0, 4.0)
"""Pauses before the retries of a batch [s]; the last pause is used for all further retries."""

_Answer = TypeVar("_Answer")


class RequestThreads:
    """Pool of threads that send requests; each sends the next one as soon as it has an answer.

    With a semaphore, another thread would have to wake up first. On a busy machine, that takes 10
    ms, during which the server would be idle.
    """

    def __init__(self) -> None:
        self._pool: ThreadPoolExecutor | None = None

    def limit(self, at_once: int) -> None:
        """Limit the number of concurrent requests, which is unlimited until this call."""
        self._pool = ThreadPoolExecutor(at_once, "request")

    def call(self, send: Callable[..., _Answer], *args: Any) -> _Answer:
        """Run ``send(*args)`` as soon as a thread is free, and return its result."""
        return send(*args) if self._pool is None else self._pool.submit(send, *args).result()


def retry_controller(retries: int, sleep: Callable[[float], None] | None, **how: Any) -> Retrying:
    """Return the `tenacity` controller for the attempts of one batch.

    Args:
        retries: Number of further attempts.
        sleep: Replacement of `time.sleep` in tests.
        how: Further arguments of `tenacity.Retrying`, such as the condition and the pause.
    """
    waits: dict[str, Any] = {} if sleep is None else {"sleep": sleep}
    return Retrying(stop=stop_after_attempt(1 + retries), **waits, **how)
