"""Linux system calls that Python 3.11 lacks: namespaces, mounts, privileges.

Numbers and flags are those of ``linux/sched.h``, ``linux/mount.h``, ``linux/prctl.h`` and
``linux/capability.h``.
"""

from __future__ import annotations

import ctypes
import os
import signal
import struct

__all__ = [
    "bind_mount",
    "die_with_parent",
    "drop_privileges",
    "enter_new_namespaces",
    "filter_calls",
    "keep_mounts_private",
    "make_read_only",
    "mount",
    "pivot_root",
]

_NAMESPACES = {
    "CLONE_NEWNS": 0x00020000,
    "CLONE_NEWUTS": 0x04000000,
    "CLONE_NEWIPC": 0x08000000,
    "CLONE_NEWUSER": 0x10000000,
    "CLONE_NEWPID": 0x20000000,
    "CLONE_NEWNET": 0x40000000,
}
_MS_BIND, _MS_REC, _MS_PRIVATE = 0x1000, 0x4000, 0x40000
_MOUNT_SETATTR, _AT_RECURSIVE = 442, 0x8000
_RDONLY, _NOSUID, _NODEV = 1, 2, 4  # identical for mount and mount_setattr
_PR_SET_PDEATHSIG, _PR_SET_DUMPABLE, _PR_SET_NO_NEW_PRIVS, _PR_SET_SECCOMP = 1, 4, 38, 22
_SECCOMP_MODE_FILTER = 2
_CAPABILITY_VERSION_3 = 0x20080522
_DETACH = 2
_AT_FDCWD = -100

_libc = ctypes.CDLL(None, use_errno=True)


def _call_libc(name: str, *args: object) -> None:
    """Call a function of the C library.

    Raises:
        OSError: If the call fails, or the function does not exist on this system.
    """
    function = getattr(_libc, name, None)
    if function is None:
        raise OSError(38, f"this system has no {name}")
    if function(*args) < 0:
        number = ctypes.get_errno()
        raise OSError(number, f"{name}: {os.strerror(number)}")


def enter_new_namespaces() -> None:
    """Enter new namespaces of users, mounts, networks, processes, IPC and host names.

    The next child is the first process in the namespace of processes.
    """
    _call_libc("unshare", sum(_NAMESPACES.values()))


def mount(kind: str, where: str, options: str = "") -> None:
    """Mount a file system of the kind ``tmpfs`` or ``proc``."""
    flags = _NOSUID | _NODEV
    _call_libc("mount", kind.encode(), where.encode(), kind.encode(), flags, options.encode())


def keep_mounts_private() -> None:
    """Make mounts private, so that they do not propagate in either direction."""
    _call_libc("mount", None, b"/", None, _MS_REC | _MS_PRIVATE, None)


def bind_mount(source: str, where: str) -> None:
    """Bind a file or folder, including its mounts, to another path."""
    _call_libc("mount", source.encode(), where.encode(), None, _MS_BIND | _MS_REC, None)


def make_read_only(where: str) -> None:
    """Make a mount and all mounts below it read-only (Linux 5.12)."""
    wanted = struct.pack("=QQQQ", _RDONLY | _NOSUID, 0, 0, 0)
    _call_libc(
        "syscall", _MOUNT_SETATTR, _AT_FDCWD, where.encode(), _AT_RECURSIVE, wanted, len(wanted)
    )


def pivot_root(where: str) -> None:
    """Make a mount the root, and detach the old root."""
    os.chdir(where)
    _call_libc("pivot_root", b".", b".")
    _call_libc("umount2", b".", _DETACH)
    os.chdir("/")


def die_with_parent() -> None:
    """Request that the kernel kills this process when its parent ends."""
    _call_libc("prctl", _PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)


def drop_privileges() -> None:
    """Drop every capability permanently, and forbid other processes to inspect this one."""
    header = struct.pack("=Ii", _CAPABILITY_VERSION_3, 0)
    _call_libc("capset", header, b"\0" * 24)
    _call_libc("prctl", _PR_SET_DUMPABLE, 0, 0, 0, 0)
    _call_libc("prctl", _PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)


def filter_calls(program: bytes) -> None:
    """Install a permanent system call filter for this process and its children.

    Args:
        program: Instructions of classic BPF, 8 bytes each.
    """
    code = ctypes.create_string_buffer(program, len(program))
    filtering = struct.pack("@HP", len(program) // 8, ctypes.addressof(code))
    _call_libc("prctl", _PR_SET_SECCOMP, _SECCOMP_MODE_FILTER, filtering, 0, 0)
