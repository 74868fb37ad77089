"""Resource limits of a written program."""

from __future__ import annotations

import resource
from dataclasses import dataclass

__all__ = ["Limits", "limit_process"]


@dataclass(frozen=True)
class Limits:
    """Resource limits of one run, each enforced.

    Attributes:
        wall_s: From its start until it is killed with all that it started [s].
        cpu_s: Processor time of the process with its threads [s].
        memory_bytes: Address space of the process.
        file_bytes: Of one file, and of its folder.
        open_files: Of one process.
        processes: Threads at a time; enforced only in namespaces.
        output_bytes: Of what it prints and returns.
    """

    wall_s: float = 30.0
    cpu_s: int = 20
    memory_bytes: int = 2_000_000_000
    file_bytes: int = 64_000_000
    open_files: int = 64
    processes: int = 24
    output_bytes: int = 1_000_000


def limit_process(limits: Limits, *, processes: bool) -> None:
    """Bind this process, and what it starts, to `limits`.

    Args:
        limits: What it may use.
        processes: Whether their number is limited; outside a user namespace that would count
            every process of the user.
    """
    bounds = {
        resource.RLIMIT_CPU: limits.cpu_s,
        resource.RLIMIT_AS: limits.memory_bytes,
        resource.RLIMIT_FSIZE: limits.file_bytes,
        resource.RLIMIT_NOFILE: limits.open_files,
        resource.RLIMIT_CORE: 0,
    }
    if processes:
        bounds[resource.RLIMIT_NPROC] = limits.processes
    for which, most in bounds.items():
        resource.setrlimit(which, (most, most))
