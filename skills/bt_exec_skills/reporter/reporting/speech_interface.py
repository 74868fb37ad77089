"""Speech interface: non-blocking speech output and listening for one reply at a time."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple, Protocol

__all__ = ["Listening", "Reply", "Said", "ScriptedSpeaker", "Speaker"]


class Reply(NamedTuple):
    """Reply of a person.

    Attributes:
        text: Words of the person, as recognised.
        refused: Whether the person refused to answer.
    """

    text: str
    refused: bool = False


class Listening(Protocol):
    """Pending reply of a person; polled once a tick."""

    @property
    def reply(self) -> Reply | None:
        """The reply, or None until it arrives."""

    @property
    def over(self) -> bool:
        """Whether no reply can arrive any more."""

    def stop(self) -> None:
        """Stop listening. Does nothing if listening has ended."""


class Speaker(Protocol):
    """Speech output and recognition of the robot.

    Attributes:
        patience_s: Time limit for a reply [s, mission clock].
    """

    patience_s: float

    def say(self, person: str, text: str, language: str) -> None:
        """Speak `text` to a person, and return at once."""

    def listen(self, person: str, language: str) -> Listening:
        """Start to listen for the reply of a person."""

    def close(self) -> None:
        """Release the resources."""


class Said(NamedTuple):
    """An utterance of the robot: time [s], addressed person, words."""

    t: float
    person: str
    text: str


class _Later:
    def __init__(self, reply: Reply | None, at: float, clock: Callable[[], float]) -> None:
        self._reply, self._at, self._clock = reply, at, clock
        self._stopped = False

    @property
    def reply(self) -> Reply | None:
        return self._reply if self._clock() >= self._at else None

    @property
    def over(self) -> bool:
        return self._stopped

    def stop(self) -> None:
        self._reply, self._stopped = None, True


class ScriptedSpeaker:
    """Speaker with scripted replies, for simulations and tests.

    Args:
        clock: Function that returns the time [s].
        replies: Reply of each person, by person and language; the person ``*`` is the default.
            None for a person who does not reply.
        hears: Function that returns True if a person is near enough to hear the robot. By default,
            every person is.
        delay_s: Delay of replies [s].

    Attributes:
        said: All utterances of the robot, in order.
    """

    patience_s = 20.0

    def __init__(
        self,
        clock: Callable[[], float],
        replies: Mapping[str, Mapping[str, Reply] | None],
        hears: Callable[[str], bool] | None = None,
        delay_s: float = 2.5,
    ) -> None:
        self.said: list[Said] = []
        self._hears = hears
        self._clock = clock
        self._replies = replies
        self._delay_s = delay_s

    def say(self, person: str, text: str, language: str) -> None:
        """Implement `Speaker.say`."""
        del language  # the text is already in that language
        self.said.append(Said(self._clock(), person, text))

    def listen(self, person: str, language: str) -> Listening:
        """Implement `Speaker.listen`."""
        script = self._replies.get(person, self._replies.get("*"))
        heard = self._hears is None or self._hears(person)
        reply = script.get(language) if script is not None and heard else None
        return _Later(reply, self._clock() + self._delay_s, self._clock)

    def close(self) -> None:
        """Do nothing, because there are no resources to release."""
