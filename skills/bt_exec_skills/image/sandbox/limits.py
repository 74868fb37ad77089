"""Resource limits of a generated program."""

from __future__ import annotations

import resource
from dataclasses import dataclass

__all__ = ["Limits", "limit_process"]


@dataclass(frozen=True)
class Limits:
    """Resource limits of one run.

    Attributes:
        wall_s: Wall time after which the program and its children are killed [s].
        cpu_s: Maximum processor time of the process with its threads [s].
        memory_bytes: Maximum address space of the process [bytes].
        file_bytes: Maximum size of one file, and of the writable folder [bytes].
        open_files: Maximum number of open files of one process.
        processes: Maximum number of threads at a time; enforced only in namespaces.
        output_bytes: Maximum size of the program's output and result together [bytes].
    """

    wall_s: float = 30.0
    cpu_s: int = 20
    memory_bytes: int = 2_000_000_000
    file_bytes: int = 64_000_000
    open_files: int = 64
    processes: int = 24
    output_bytes: int = 1_000_000


def limit_process(limits: Limits, *, processes: bool) -> None:
    """Apply `limits` to this process and its children.

    Args:
        limits: Limits to apply.
        processes: Whether to limit the number of processes; outside a user namespace, the kernel
            would count every process of the user.
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
