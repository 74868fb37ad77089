"""Lock that makes one process the only driver of a robot.

A lock belongs to the robot, not to a site: its name is the identity that the driver declares, such
as a serial number or a network address. It is a POSIX record lock: the kernel releases it when a
process is killed, and a forked child does not inherit it. The content of the file only describes
the holder.

The driver locks byte 0 of the file; a guardian locks byte 1 while it stops the robot
(`bt_exec.guardian`).
"""

from __future__ import annotations

import contextlib
import fcntl
import getpass
import hashlib
import json
import os
import re
import socket
import stat
import struct
import time
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from bt_exec.failure import UsageError

__all__ = ["RobotLock", "lock_folder", "network_identity", "report_file"]

GUARDIAN_S = 5.0
"""Time limit for a guardian to stop the robot of a dead process [s]."""

_FLOCK = "hhqqi4x"  # struct flock of 64-bit Linux: type, whence, start, length, process
_OPEN = os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC
_SHARED = (Path("/run/lock"), Path("/tmp"))  # noqa: S108 - the first one that all users can write


def lock_folder() -> Path:
    """Return the folder of the locks, which is the same for all users of the machine.

    Only ``BT_EXEC_LOCKS`` overrides it. Variables that differ between users (``TMPDIR``,
    ``XDG_STATE_HOME``) and the permissions of the user have no influence.
    """
    if named := os.environ.get("BT_EXEC_LOCKS"):
        return Path(named)
    for folder in _SHARED:
        with contextlib.suppress(OSError):
            if folder.stat().st_mode & stat.S_IWOTH:
                return folder / "bt-exec"
    return _SHARED[-1] / "bt-exec"


def network_identity(address: str) -> str:
    """Return the identity of a robot at a network address, such as ``127.0.0.1:8800``.

    Different names of the same host give the same identity if they can be resolved.

    Args:
        address: A URL, or ``host:port``.
    """
    parts = urlsplit(address if "//" in address else f"//{address}")
    host = (parts.hostname or "").rstrip(".")
    with contextlib.suppress(OSError, UnicodeError):
        found = socket.getaddrinfo(host, None, family=socket.AF_INET, type=socket.SOCK_STREAM)
        host = str(min(entry[4][0] for entry in found))
    if host in ("::1", "0.0.0.0") or host.startswith("127."):  # noqa: S104 - compared, not bound
        host = "127.0.0.1"
    port = parts.port or {"https": 443, "wss": 443}.get(parts.scheme, 80)
    return f"{host}:{port}"


def report_file(robots: str) -> Path:
    """Return the path of the report that a guardian of these robots writes."""
    return lock_folder() / _file_name(f"{robots} guardian")


class RobotLock:
    """Lock of a robot, held by this process.

    Args:
        identity: Identity of the robot; equal identities mean the same robot.
        site: Name of the site, for messages.
        shared: Whether the lock is shared. It then only ensures that no other process drives the
            robot; `take` makes it exclusive.
        folder: Folder of the lock files.

    Attributes:
        path: The lock file.

    Raises:
        UsageError: If the robot is in use (the message names the holder), or cannot be locked.
    """

    def __init__(
        self, identity: str, site: str = "", *, shared: bool = False, folder: Path | None = None
    ) -> None:
        self.identity = identity
        self._site = site
        self.path = (folder or lock_folder()) / _file_name(identity)
        self._file = -1
        self._pid = os.getpid()
        holder = _HELD.get(self.path)
        if holder is not None and holder._pid == self._pid and holder._file >= 0:
            raise UsageError(self._in_use(f"this process ({self._pid})"))
        if not shared:
            self.take()
            return
        with contextlib.suppress(OSError):  # without a file, the robot was never driven
            self._file = os.open(self.path, _OPEN)
        if self._file >= 0:
            self._try_lock(fcntl.LOCK_SH)

    def take(self) -> None:
        """Make the lock exclusive.

        Raises:
            UsageError: If another process has taken it meanwhile.
        """
        if self._file < 0:
            self._file = self._open()
        fcntl.lockf(self._file, fcntl.LOCK_UN, 1, 0)
        self._try_lock(fcntl.LOCK_EX)
        _HELD[self.path] = self
        self._write_description()

    def release(self) -> None:
        """Release the robot; no effect if already released, or in a forked child."""
        file, self._file = self._file, -1
        if file < 0:
            return
        with contextlib.suppress(OSError):  # pack code may have closed the file
            if os.getpid() == self._pid:
                if _HELD.get(self.path) is self:
                    del _HELD[self.path]
                fcntl.lockf(file, fcntl.LOCK_UN)
            os.close(file)

    def _open(self) -> int:
        """Open the file with permissions for every user of the machine."""
        folder = self.path.parent
        try:
            if not folder.is_dir():
                folder.mkdir(parents=True, exist_ok=True)
                if folder.parent in _SHARED:
                    folder.chmod(0o1777)
            with contextlib.suppress(FileNotFoundError):
                return os.open(self.path, _OPEN)
            file = os.open(self.path, _OPEN | os.O_CREAT, 0o666)
            os.fchmod(file, 0o666)
        except OSError as error:
            raise UsageError(f"cannot lock the robot {self.identity}: {error}") from error
        return file

    def _try_lock(self, kind: int) -> None:
        """Lock the file; close it on failure."""
        try:
            self._lock(kind)
        except BaseException:
            self.release()
            raise

    def _lock(self, kind: int) -> None:
        try:
            fcntl.lockf(self._file, kind | fcntl.LOCK_NB, 1, 0)
        except OSError:
            raise UsageError(self._in_use(self._holder(0))) from None
        until = time.monotonic() + GUARDIAN_S
        while self._holding_process(1):
            if time.monotonic() > until:
                raise UsageError(
                    f"a guardian is still stopping the robot {self.identity}: {self._holder(1)}; "
                    f"look at the robot, then try again (lock {self.path})"
                )
            time.sleep(0.02)

    def _write_description(self) -> None:
        """Write the description of the holder."""
        held = {"pid": self._pid, "owner": _user(), "since": time.time(), "site": self._site}
        data = json.dumps(held).encode()
        with contextlib.suppress(OSError):  # full disk: the lock works without a description
            os.ftruncate(self._file, 0)
            os.pwrite(self._file, data, 0)

    def _holding_process(self, byte: int) -> int:
        """Return the process that locks a byte of the file; 0 if none, -1 if its ID is unknown.

        The ID is unknown if the process runs in another PID namespace.
        """
        asked = struct.pack(_FLOCK, fcntl.F_WRLCK, os.SEEK_SET, byte, 1, 0)
        kind, _, _, _, pid = struct.unpack(_FLOCK, fcntl.fcntl(self._file, fcntl.F_GETLK, asked))
        return 0 if kind == fcntl.F_UNLCK else int(pid) or -1

    def _holder(self, byte: int) -> str:
        """Return the description of the process that locks a byte of the file."""
        pid = self._holding_process(byte)
        process = f"process {pid}" if pid > 0 else "another process"
        try:
            held: dict[str, Any] = json.loads(os.pread(self._file, 4096, 0))
            if held["pid"] != pid:
                return process
            minutes, seconds = divmod(max(0, int(time.time() - held["since"])), 60)
            site = f" (site {held['site']})" if held["site"] else ""
            return f"{process} of {held['owner']}{site}, for {minutes} min {seconds} s"
        except (ValueError, KeyError, TypeError, OSError):
            return process

    def _in_use(self, holder: str) -> str:
        return (
            f"the robot {self.identity} is in use by {holder}; wait until it ends or stop it, "
            f"then try again (lock {self.path})"
        )


_HELD: dict[Path, RobotLock] = {}
"""Locks of this process, because record locks do not exclude their own process."""


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):  # a container may have no user name
        return f"user {os.getuid()}"


def _file_name(identity: str) -> str:
    """Return a file name that is unique to an identity."""
    plain = re.sub(r"[^\w.-]", "_", identity)[:80]
    if plain == identity:
        return f"{plain}.lock"
    return f"{plain}-{hashlib.sha256(identity.encode()).hexdigest()[:8]}.lock"
