"""File system of the sandbox: Python, the tools and the picture, all read-only.

The sandbox also has one writable folder in memory, four devices, and its own ``/proc``. No other
files of this machine are visible.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from bt_exec_skills.image.sandbox import system_call_wrappers

__all__ = ["FOLDER", "change_root"]

FOLDER = "/run/program"
"""Writable folder of a program."""

_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/etc/ld.so.cache")
_DEVICES = ("/dev/null", "/dev/zero", "/dev/random", "/dev/urandom")
_NESTED = "sys/user/max_user_namespaces"


def change_root(root: str, readable: Sequence[str], folder_bytes: int, owner: int) -> None:
    """Make `root` the root folder of this process and its children.

    Args:
        root: An empty folder.
        readable: Files and folders that are visible at the same paths, read-only.
        folder_bytes: Maximum size of the writable folder [bytes].
        owner: Owner of the writable folder, as a user id of the namespace.

    Raises:
        OSError: If the kernel does not allow it.
    """
    system_call_wrappers.keep_mounts_private()
    system_call_wrappers.mount("tmpfs", root, "mode=0755,size=1m")
    for path in _SYSTEM:
        if Path(path).is_symlink():
            _path_under_root(root, path).symlink_to(Path(path).readlink())
        elif Path(path).exists():
            _bind_same_path(root, path)
    for path in readable:
        if not _path_under_root(root, path).exists():  # a parent folder may already be bound
            _bind_same_path(root, path)
    for path in _DEVICES:
        _bind_same_path(root, path)
    folder, proc = _path_under_root(root, FOLDER), _path_under_root(root, "/proc")
    folder.mkdir(parents=True, exist_ok=True)
    proc.mkdir()
    options = f"mode=0700,size={folder_bytes},nr_inodes=1024,uid={owner},gid={owner}"
    _mount_proc(proc)
    system_call_wrappers.pivot_root(root)
    system_call_wrappers.make_read_only("/")
    system_call_wrappers.mount("tmpfs", FOLDER, options)


def _path_under_root(root: str, path: str) -> Path:
    return Path(root, path.lstrip("/"))


def _bind_same_path(root: str, path: str) -> None:
    """Bind a file or folder to the same path in the sandbox."""
    place = _path_under_root(root, path)
    place.parent.mkdir(parents=True, exist_ok=True)
    if Path(path).is_dir():
        place.mkdir(exist_ok=True)
    else:
        place.touch()
    system_call_wrappers.bind_mount(path, str(place))


def _mount_proc(place: Path) -> None:
    """Mount ``/proc`` for the namespace, unless that is forbidden, as in some containers."""
    try:
        system_call_wrappers.mount("proc", str(place))
    except OSError:
        return
    (place / _NESTED).write_text("0")  # disables nested user namespaces
