"""Any labeler on the workers of a Ray cluster: batches go out as tasks, answers come back.

Cache, budget and output stay with whoever runs it, so that a run writes the same bytes wherever its
batches are labelled. A task whose worker dies is done again by another. Frames must be found under
the same paths on every node. With ``RAY_ADDRESS`` set that cluster is used, else one on this
machine. Needs the extra ``ray``.
"""

from __future__ import annotations

import threading
import uuid
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from os import environ
from typing import Any

from bt_exec.failure import UsageError
from bt_exec_labeler.items import Item
from bt_exec_labeler.labelers import Labeler, LabelerFailure, Labelled

__all__ = ["RayLabeler"]

_RETRIES = 3  # of a task whose worker died
_made: dict[str, Labeler] = {}  # in a worker: the labelers that it has made


class RayLabeler:
    """Lets workers label.

    Args:
        labeler: What the workers are to be: made here once, so that slips are told here.
        make: Makes such a labeler in a worker.
        workers: How many batches are labelled at the same time on this machine.

    Raises:
        UsageError: If Ray is not installed, or its cluster cannot be reached.
    """

    def __init__(self, labeler: Labeler, make: Callable[[], Labeler], workers: int) -> None:
        try:
            import ray
        except ImportError:
            raise UsageError("--engine ray needs ray: pip install 'bt-exec[ray]'") from None
        self.name = labeler.name
        self._ray: Any = ray
        self._lock = threading.Lock()
        self._usage = Counter[str]()
        environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # it would tell its makers otherwise
        own: Mapping[str, Any] = {} if environ.get("RAY_ADDRESS") else {"num_cpus": workers}
        try:
            ray.init(include_dashboard=False, log_to_driver=False, logging_level="error", **own)
        except (ConnectionError, RuntimeError, ValueError) as error:
            raise UsageError(f"the Ray cluster cannot be used: {error}") from error
        self._make = ray.put(make)
        self._key = uuid.uuid4().hex
        self._task = ray.remote(num_cpus=1, max_retries=_RETRIES)(_label)

    def label(self, items: Sequence[Item]) -> Sequence[Labelled]:
        """See `Labeler.label`."""
        task = self._task.remote(self._key, self._make, tuple(items))
        try:
            found, usage = self._ray.get(task)
        except self._ray.exceptions.RayError as error:
            why = str(error).strip().splitlines()[-1:] or [type(error).__name__]
            raise LabelerFailure("RAY_FAILED", f"no worker could do it: {why[0]}") from error
        with self._lock:
            for name, value in usage.items():
                self._usage[name] += value
        if isinstance(found, tuple):
            raise LabelerFailure(*found)
        return list(found)

    def usage(self) -> Mapping[str, float]:
        """Return what all workers cost."""
        with self._lock:
            return dict(self._usage)

    def close(self) -> None:
        """Leave the cluster; one on this machine ends."""
        self._ray.shutdown()


def _label(
    key: str, make: Callable[[], Labeler], items: Sequence[Item]
) -> tuple[Sequence[Labelled] | tuple[str, str], Mapping[str, float]]:
    """Label a batch in a worker; return what became of it, or its failure, and what it cost."""
    if key not in _made:
        _made[key] = make()
    labeler = _made[key]
    before = labeler.usage()
    found: Sequence[Labelled] | tuple[str, str]
    try:
        found = list(labeler.label(items))
    except LabelerFailure as failure:
        found = (failure.code, str(failure))
    after = labeler.usage()
    return found, {name: value - before.get(name, 0.0) for name, value in after.items()}
