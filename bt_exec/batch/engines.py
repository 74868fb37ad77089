"""Execution engines: run a function on many tasks, in local processes or on a Ray cluster.

A task whose worker dies is tried again. If the second attempt fails as well, the result is None;
other tasks are not affected.
"""

from __future__ import annotations

import logging
import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from itertools import islice
from os import environ
from typing import Any, TypeVar

from bt_exec.failure import UnknownName, UsageError

__all__ = ["ENGINES", "connect_ray", "interrupt_check", "run_tasks"]


_Task = TypeVar("_Task")
_Result = TypeVar("_Result")

ENGINES = ("processes", "ray")

_AHEAD = 2  # submitted tasks per worker, so that no worker waits for the next task


def run_tasks(
    function: Callable[[_Task], _Result],
    tasks: Iterable[_Task],
    *,
    engine: str = "processes",
    workers: int = 1,
    stop: Callable[[], bool] = lambda: False,
) -> Iterator[tuple[_Task, _Result | None]]:
    """Yield each task with its result, in the order of completion.

    Args:
        function: A function at module level, which workers can import by name.
        tasks: Arguments of the calls; tasks and results must be picklable.
        engine: ``processes`` or ``ray``.
        workers: Number of tasks that run at the same time on this machine.
        stop: Called before each task; if it returns True, the run ends after the tasks in progress.

    Raises:
        UnknownName: If there is no such engine.
        UsageError: If Ray is not installed, or its cluster cannot be reached.
    """
    if engine not in ENGINES:
        raise UnknownName("engine", engine, ENGINES)
    left = (task for task in tasks if not stop())
    if engine == "ray":
        yield from _on_ray(function, left, workers)
        return
    while True:
        lost: list[_Task] = []
        yield from _run_in_processes(function, left, workers, lost)
        if not lost:
            return
        for task in lost:
            again: list[_Task] = []
            yield from _run_in_processes(function, iter((task,)), 1, again)
            yield from ((culprit, None) for culprit in again)


def _run_in_processes(
    function: Callable[[_Task], _Result],
    tasks: Iterator[_Task],
    workers: int,
    lost: list[_Task],
) -> Iterator[tuple[_Task, _Result]]:
    """Yield results until a worker dies; add the tasks in progress at that time to `lost`."""
    under_way: dict[Future[_Result], _Task] = {}
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(workers, context, initializer=_initialize_worker) as pool:
        try:
            while True:
                for task in islice(tasks, _AHEAD * workers - len(under_way)):
                    try:
                        under_way[pool.submit(function, task)] = task
                    except BrokenProcessPool:
                        lost.append(task)
                        raise
                if not under_way:
                    return
                for future in wait(under_way, return_when=FIRST_COMPLETED).done:
                    result = future.result()
                    yield under_way.pop(future), result
        except BrokenProcessPool:
            lost += under_way.values()


def _initialize_worker() -> None:
    """Ignore Ctrl-C, which the parent handles, and end this worker if the parent is killed."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    logging.getLogger("bt_exec").setLevel(logging.ERROR)
    parent = multiprocessing.parent_process()

    def exit_with_parent() -> None:
        if parent is not None:
            parent.join()
        os._exit(1)

    threading.Thread(target=exit_with_parent, name="parent", daemon=True).start()


def _on_ray(
    function: Callable[[_Task], _Result], tasks: Iterator[_Task], workers: int
) -> Iterator[tuple[_Task, _Result | None]]:
    ray: Any = connect_ray(workers)
    try:
        remote = ray.remote(num_cpus=1, max_retries=3)(function)
        under_way: dict[Any, _Task] = {}
        while True:
            at_once = _AHEAD * max(workers, int(ray.cluster_resources().get("CPU", 1)))
            for task in islice(tasks, at_once - len(under_way)):
                under_way[remote.remote(task)] = task
            if not under_way:
                return
            for reference in ray.wait(list(under_way))[0]:
                task = under_way.pop(reference)
                try:
                    yield task, ray.get(reference)
                except ray.exceptions.RayError:
                    yield task, None
    finally:
        ray.shutdown()


@contextmanager
def interrupt_check() -> Iterator[Callable[[], bool]]:
    """Yield a function that returns True after Ctrl-C; a second Ctrl-C ends the program."""
    pressed: list[int] = []

    def note_interrupt(number: int, _: Any) -> None:
        pressed.append(number)
        signal.signal(signal.SIGINT, before)
        sys.stderr.write("\nfinishing the tasks in progress; Ctrl-C again ends at once\n")

    before = signal.signal(signal.SIGINT, note_interrupt)
    try:
        yield lambda: bool(pressed)
    finally:
        signal.signal(signal.SIGINT, before)


def connect_ray(workers: int) -> Any:
    """Return the module ``ray`` after connecting it to a cluster.

    If ``RAY_ADDRESS`` is set, that cluster is used, otherwise one on this machine.

    Args:
        workers: Number of workers of a cluster on this machine.

    Raises:
        UsageError: If Ray is not installed, or its cluster cannot be reached.
    """
    try:
        import ray
    except ImportError:
        raise UsageError("--engine ray needs ray: pip install 'bt-exec[ray]'") from None
    environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")  # otherwise Ray sends usage statistics
    own: Mapping[str, Any] = {} if environ.get("RAY_ADDRESS") else {"num_cpus": workers}
    try:
        ray.init(include_dashboard=False, log_to_driver=False, logging_level="error", **own)
    except (ConnectionError, RuntimeError, ValueError) as error:
        raise UsageError(f"the Ray cluster cannot be used: {error}") from error
    return ray
