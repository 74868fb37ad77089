"""A motion under way, made of a generator that gives the wheels a new command every period."""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import NamedTuple, TypeAlias

__all__ = ["Blocked", "Command", "Commands", "SteppedMotion"]


class Command(NamedTuple):
    """What a motion wants for the next control period.

    Attributes:
        progress: How much is behind it, 0..1.
        doing: Its phase in a word or two.
        speed: Forwards [m/s].
        turn: To the left [rad/s].
    """

    progress: float
    doing: str
    speed: float = 0.0
    turn: float = 0.0


Commands: TypeAlias = Generator[Command, None, None]


class Blocked(Exception):  # noqa: N818 - it ends a motion, it is no error of the program
    """Raised inside a motion that cannot reach its goal.

    Args:
        code: UNREACHABLE, BLOCKED_PATH, NOTHING_TO_DELIVER, NO_ANSWER or REFUSED.
        why: What was found, in a sentence.
    """

    def __init__(self, code: str, why: str) -> None:
        super().__init__(f"{code}: {why}")


class SteppedMotion:
    """The handle of a motion; implements `bt_exec.robot.Motion`.

    Args:
        commands: The motion.
        freeze: Makes the base stand still at once; called when the motion is over.
    """

    def __init__(self, commands: Commands, freeze: Callable[[], None]) -> None:
        self._commands = commands
        self._freeze = freeze
        self.done = False
        self.progress = 0.0
        self.blocked = False
        self.reason = ""
        self.doing = "planning"

    def advance(self) -> Command | None:
        """Return the command of the next period, or None when the motion is over."""
        if self.done:
            return None
        try:
            command = next(self._commands)
        except StopIteration:
            self.done, self.progress = True, 1.0
        except Blocked as blocked:
            self.done, self.blocked, self.reason = True, True, str(blocked)
        else:
            self.progress = max(self.progress, min(command.progress, 1.0))
            self.doing = command.doing
            return command
        self._freeze()
        return None

    def stop(self) -> None:
        """End the motion where it is; harmless when already done."""
        if self.done:
            return
        self.done, self.blocked, self.reason = True, True, "STOPPED: it was asked to stop"
        self._commands.close()
        self._freeze()
