"""System calls that no program about a picture needs; they fail with "not permitted".

They look into other processes, change mounts or namespaces, take memory that no limit counts, or
reach far into the kernel. Sockets are among them: those to the host of a virtual machine and to the
kernel's cryptography belong to no namespace. The numbers are those of the kernel's tables for each
machine; on others there is no filter, and the rest of the sandbox holds.
"""

from __future__ import annotations

import platform
import struct

__all__ = ["refusing"]

_AUDIT = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}
_DENIED = {  # name: (x86_64, aarch64)
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
    "init_module": (175, 105),
    "finit_module": (313, 273),
}
_LOAD, _EQUAL, _GREATER, _RETURN = 0x20, 0x15, 0x25, 0x06
_ALLOW, _NOT_PERMITTED, _KILL = 0x7FFF0000, 0x00050001, 0x80000000
_X32 = 0x3FFFFFFF  # calls above it are those of x32, under other numbers


def refusing(machine: str = "") -> bytes:
    """Return the filter of a machine, this one if none is named; empty if there is none for it."""
    machine = machine or platform.machine()
    if machine not in _AUDIT:
        return b""
    numbers = [pair[list(_AUDIT).index(machine)] for pair in _DENIED.values()]
    rows = [
        (_LOAD, 0, 0, 4),  # the machine whose calls these are
        (_EQUAL, 1, 0, _AUDIT[machine]),
        (_RETURN, 0, 0, _KILL),
        (_LOAD, 0, 0, 0),  # the call
        (_GREATER, len(numbers) + 1, 0, _X32),
    ]
    rows += [(_EQUAL, len(numbers) - at, 0, number) for at, number in enumerate(numbers)]
    rows += [(_RETURN, 0, 0, _ALLOW), (_RETURN, 0, 0, _NOT_PERMITTED)]
    return b"".join(struct.pack("=HBBI", *row) for row in rows)
