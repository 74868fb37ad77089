"""Seccomp filter that blocks system calls that generated programs do not need (error EPERM).

Blocked are calls that access other processes, change mounts or namespaces, allocate memory outside
the limits, or expose a large part of the kernel. Sockets are blocked as well, because sockets to
the host of a virtual machine and to the kernel's cryptography do not belong to any namespace. New
processes are blocked but threads are allowed, so that the kernel's limits of memory and processor
time, which are per process, apply to the whole program. Signals and calls that change the priority
or the limits of another process are blocked, so that the program cannot affect the guard, which has
the same user. The numbers are those of the kernel's tables for each machine type. For other machine
types there is no filter, and no program is run.
"""

from __future__ import annotations

import platform
import struct

__all__ = ["build_call_filter"]

_AUDIT = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_DENIED: dict[str, tuple[int, int | None]] = {  # name: (x86_64, aarch64)
    "socket": (41, 198),
    "ptrace": (101, 117),
    "process_vm_readv": (310, 270),
    "process_vm_writev": (311, 271),
    "pidfd_getfd": (438, 438),
    "unshare": (272, 97),
    "setns": (308, 268),
    "mount": (165, 40),
    "umount2": (166, 39),
    "pivot_root": (155, 41),
    "chroot": (161, 51),
    "open_tree": (428, 428),
    "move_mount": (429, 429),
    "fsopen": (430, 430),
    "mount_setattr": (442, 442),
    "memfd_create": (319, 279),
    "memfd_secret": (447, 447),
    "shmget": (29, 194),
    "msgget": (68, 186),
    "mq_open": (240, 180),
    "add_key": (248, 217),
    "request_key": (249, 218),
    "keyctl": (250, 219),
    "bpf": (321, 280),
    "perf_event_open": (298, 241),
    "userfaultfd": (323, 282),
    "io_uring_setup": (425, 425),
    "kexec_load": (246, 104),
    "fork": (57, None),
    "vfork": (58, None),
    "kill": (62, 129),
    "tkill": (200, 130),
    "tgkill": (234, 131),
    "rt_sigqueueinfo": (129, 138),
    "rt_tgsigqueueinfo": (297, 240),
    "pidfd_send_signal": (424, 424),
    "setpriority": (141, 140),
    "sched_setparam": (142, 118),
    "sched_setscheduler": (144, 119),
    "sched_setattr": (314, 274),
    "sched_setaffinity": (203, 122),
    "ioprio_set": (251, 30),
    "init_module": (175, 105),
    "finit_module": (313, 273),
}
_CLONE = {"x86_64": 56, "aarch64": 220}
_PRLIMIT = {"x86_64": 302, "aarch64": 261}
_CLONE3 = 435
_THREAD = 0x00010000  # CLONE_THREAD
_LOAD, _EQUAL, _GREATER, _ANY_BIT, _RETURN = 0x20, 0x15, 0x25, 0x45, 0x06
_ALLOW, _NOT_PERMITTED, _KILL = 0x7FFF0000, 0x00050001, 0x80000000
_NO_SUCH_CALL = 0x00050026  # ENOSYS: the C library then uses clone, whose flags can be checked
_NUMBER, _MACHINE, _FIRST_ARGUMENT = 0, 4, 16  # offsets in struct seccomp_data
_X32 = 0x3FFFFFFF  # higher numbers are calls of the x32 ABI


def build_call_filter(machine: str = "") -> bytes:
    """Return the filter for a machine type (default: this machine); empty for unknown types."""
    machine = machine or platform.machine()
    if machine not in _AUDIT:
        return b""
    column = list(_AUDIT).index(machine)
    numbers = [number for pair in _DENIED.values() if (number := pair[column]) is not None]
    rows = [
        (_LOAD, 0, 0, _MACHINE),  # architecture of the calls
        (_EQUAL, 1, 0, _AUDIT[machine]),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, _NUMBER),
        *_allow_if_first_argument(_CLONE[machine], _ANY_BIT, _THREAD),
        *_allow_if_first_argument(_PRLIMIT[machine], _EQUAL, 0),  # 0 is the calling process
        (_EQUAL, 0, 1, _CLONE3),
        (_RETURN, 0, 0, _NO_SUCH_CALL),
        (_GREATER, len(numbers) + 1, 0, _X32),
    ]
    rows += [(_EQUAL, len(numbers) - at, 0, number) for at, number in enumerate(numbers)]
    rows += [(_RETURN, 0, 0, _ALLOW), (_RETURN, 0, 0, _NOT_PERMITTED)]
    return b"".join(struct.pack("=HBBI", *row) for row in rows)


def _allow_if_first_argument(number: int, test: int, value: int) -> list[tuple[int, int, int, int]]:
    """Return the BPF instructions that allow a call only if its first argument passes a test."""
    return [
        (_EQUAL, 0, 4, number),
        (_LOAD, 0, 0, _FIRST_ARGUMENT),
        (test, 0, 1, value),
        (_RETURN, 0, 0, _ALLOW),
        (_RETURN, 0, 0, _NOT_PERMITTED),
    ]
