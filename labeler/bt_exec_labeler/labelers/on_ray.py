"""Labeler that runs on a Ray cluster: each batch is a task.

Cache and output stay in the calling process, so that a run writes the same bytes on any cluster.
The budget is an actor on the node of that process, at which workers reserve every request before
they send it. If a worker dies, its batch is given to another worker, and its reservations count as
spent. Frames must have the same paths on every node. ``RAY_ADDRESS`` selects the cluster; by
default, one is started on this machine. Needs the extra ``ray``.
"""

from __future__ import annotations

import threading
import uuid
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from bt_exec.batch.engines import connect_ray
from bt_exec.batch.store import ResultStore
from bt_exec_labeler.batch.budget import Budget, Ledger
from bt_exec_labeler.labeler_items import Item
from bt_exec_labeler.labelers import (
    Allowance,
    BudgetSpentError,
    Labeler,
    LabelerFailure,
    Labelled,
    Reservation,
)

__all__ = ["RayLabeler"]

_RETRIES = 3  # attempts after the first for a batch whose worker died
_WAITING = 1000  # maximum number of waiting reservations
_made: dict[
    str, tuple[Labeler, _WorkerAllowance]
] = {}  # in a worker: its labelers with their allowances

Outcome = tuple[dict[int, Labelled], tuple[str, str] | None, dict[str, float]]
"""Answers by index in the batch, the failure if there was one, and the usage."""


class RayLabeler:
    """Labeler that runs on the workers of a cluster.

    Args:
        labeler: Local labeler with the same settings; its creation has validated the settings.
        make: Function that creates a labeler in a worker, with its allowance.
        workers: Number of concurrent batches on this machine.
        budget: Limits of the run.
        store: File of the run's store; if None, expenses are not saved.

    Raises:
        UsageError: If Ray is not installed, or its cluster is unreachable.
    """

    def __init__(
        self,
        labeler: Labeler,
        make: Callable[[Allowance], Labeler],
        workers: int,
        *,
        budget: Budget = Budget(),  # noqa: B008 - frozen
        store: Path | None = None,
    ) -> None:
        self.name = labeler.name
        self._ray: Any = connect_ray(workers)
        self._lock = threading.Lock()
        self._usage: dict[str, float] = defaultdict(float)
        self._ledger = self._start_ledger(budget, store)
        self._make = self._ray.put(make)
        self._key = uuid.uuid4().hex
        self._task = self._ray.remote(num_cpus=1, max_retries=0)(_label_in_worker)

    def _start_ledger(self, budget: Budget, store: Path | None) -> Any:
        """Return a new actor that keeps the budget of the run, on the node of this process."""
        from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy

        here = NodeAffinitySchedulingStrategy(
            self._ray.get_runtime_context().get_node_id(), soft=False
        )
        actor = self._ray.remote(
            num_cpus=0, max_concurrency=_WAITING, scheduling_strategy=here, max_restarts=0
        )(_SharedLedger)
        return actor.remote(budget, store)

    def label(self, items: Sequence[Item]) -> Sequence[Labelled]:
        """Implement `Labeler.label`."""
        for attempt in range(1 + _RETRIES):
            owner = uuid.uuid4().hex
            task = self._task.remote(self._key, self._make, self._ledger, owner, tuple(items))
            try:
                return self._answers_in_outcome(self._ray.get(task), len(items))
            except self._ray.exceptions.RayError as error:
                # others must not wait for reservations of a dead worker
                self._ray.get(self._ledger.abandon.remote(owner))
                if attempt == _RETRIES or isinstance(error, self._ray.exceptions.RayTaskError):
                    why = str(error).strip().splitlines()[-1:] or [type(error).__name__]
                    message = f"no worker could do it: {why[0]}"
                    raise LabelerFailure("RAY_FAILED", message) from error
        raise AssertionError("the last attempt returns or raises")

    def _answers_in_outcome(self, outcome: Outcome, count: int) -> Sequence[Labelled]:
        answers, failure, usage = outcome
        with self._lock:
            for name, value in usage.items():
                self._usage[name] += value
        if failure is not None:
            raise LabelerFailure(*failure, answers)
        return [answers[place] for place in range(count)]

    def usage(self) -> Mapping[str, float]:
        """Return the expenses of all workers."""
        with self._lock:
            return dict(self._usage)

    def close(self) -> None:
        """Disconnect from the cluster, and stop it if it was started here."""
        self._ray.shutdown()


class _SharedLedger:
    """Ray actor that keeps the budget of a run and the owner of each reservation."""

    def __init__(self, budget: Budget, store: Path | None) -> None:
        self._ledger = Ledger(budget)
        self._held: dict[str, list[Reservation]] = defaultdict(list)
        if store is not None:
            self._ledger.persist_in(ResultStore(store))

    def limited_kinds(self) -> frozenset[str]:
        return self._ledger.limited_kinds

    def reserve(self, owner: str, amounts: dict[str, float]) -> Reservation | str:
        """Return the reservation, or the reason why there is none."""
        try:
            reserved = replace(self._ledger.reserve(amounts), owner=owner)
        except BudgetSpentError as error:
            return str(error)
        self._held[owner].append(reserved)
        return reserved

    def settle(self, reserved: Reservation, actual: dict[str, float] | None) -> None:
        if reserved in self._held[reserved.owner]:
            self._held[reserved.owner].remove(reserved)
            self._ledger.settle(reserved, actual)

    def abandon(self, owner: str) -> None:
        """Count the reservations of a dead worker as spent."""
        for reserved in self._held.pop(owner, []):
            self._ledger.settle(reserved, None)


class _WorkerAllowance:
    """Allowance of a worker that reserves requests from the budget of the run."""

    def __init__(self, ledger: Any) -> None:
        import ray

        self._ray: Any = ray
        self._ledger = ledger
        self.owner = ""
        self.limited_kinds: frozenset[str] = ray.get(ledger.limited_kinds.remote())

    def reserve(self, amounts: Mapping[str, float]) -> Reservation:
        """Implement `bt_exec_labeler.labelers.Allowance.reserve`."""
        found = self._ray.get(self._ledger.reserve.remote(self.owner, dict(amounts)))
        if not isinstance(found, Reservation):
            raise BudgetSpentError(found)
        return found

    def settle(self, reserved: Reservation, actual: Mapping[str, float] | None) -> None:
        """Implement `bt_exec_labeler.labelers.Allowance.settle`."""
        self._ray.get(self._ledger.settle.remote(reserved, actual))


def _label_in_worker(
    key: str,
    make: Callable[[Allowance], Labeler],
    ledger: Any,
    owner: str,
    items: Sequence[Item],
) -> Outcome:
    """Label a batch in a worker; return its answers, the failure if any, and its expenses."""
    if key not in _made:
        allowance = _WorkerAllowance(ledger)
        _made[key] = (make(allowance), allowance)
    labeler, allowance = _made[key]
    allowance.owner = owner
    before = labeler.usage()
    failure: tuple[str, str] | None = None
    try:
        answers = dict(enumerate(labeler.label(items)))
    except LabelerFailure as raised:
        answers, failure = raised.done, (raised.code, str(raised))
    after = labeler.usage()
    return answers, failure, {k: value - before.get(k, 0.0) for k, value in after.items()}
