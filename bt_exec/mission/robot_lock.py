"""One process drives a robot: a lock file for each robot of a site, let go when the process dies.

The kernel holds the lock (`flock`), so a process that is killed leaves none behind; the file only
says who it was. Simulations need none: each process has its own.
"""

from __future__ import annotations

import fcntl
import getpass
import json
import os
import re
import time
from pathlib import Path
from typing import IO, Any

import platformdirs

from bt_exec.failure import UsageError

__all__ = ["RobotLock", "lock_folder"]


def lock_folder() -> Path:
    """Return where the locks of this user are."""
    return platformdirs.user_state_path("bt-exec", appauthor=False) / "robots"


class RobotLock:
    """Holds the robot of a site for this session.

    Args:
        site: The site.
        robot: Pack and robot: ``door.real``.
        folder: Where lock files are.

    Raises:
        UsageError: If another process, or another session of this one, drives the robot; it says
            whose it is, since when, and what to do.
    """

    def __init__(self, site: str, robot: str, folder: Path | None = None) -> None:
        self.path = (folder or lock_folder()) / f"{_plain(site)}.{_plain(robot)}.lock"
        self._file: IO[str] = self._open()
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            owner = _owner(self._file)
            self._file.close()
            raise UsageError(
                f"the robot {robot} of site {site!r} is driven by {owner}; wait for its end or "
                f"stop it, then try again (lock {self.path})"
            ) from None
        self._file.seek(0)
        self._file.truncate()
        told = {"pid": os.getpid(), "owner": getpass.getuser(), "since": time.time()}
        json.dump(told, self._file)
        self._file.flush()

    def release(self) -> None:
        """Let the robot go; harmless when done before."""
        self._file.close()

    def _open(self) -> IO[str]:
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            return self.path.open("a+", encoding="utf-8")
        except OSError as error:
            raise UsageError(f"the robot cannot be locked: {error}") from error


def _owner(file: IO[str]) -> str:
    """Return who holds a lock, in words."""
    try:
        file.seek(0)
        told: dict[str, Any] = json.loads(file.read())
        minutes, seconds = divmod(max(0, int(time.time() - told["since"])), 60)
        return f"process {told['pid']} of {told['owner']}, for {minutes} min {seconds} s"
    except (ValueError, KeyError, TypeError, OSError):
        return "another process, which does not say who it is"


def _plain(name: str) -> str:
    return re.sub(r"[^\w.-]", "_", name)
