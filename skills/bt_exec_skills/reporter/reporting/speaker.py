"""Speech interface: saying something and listening for one reply at a time, without blocking."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple, Protocol

__all__ = ["Listening", "Reply", "Said", "ScriptedSpeaker", "Speaker"]


class Reply(NamedTuple):
    """What somebody answered.

    Attributes:
        text: Their words.
        refused: Whether they refused to answer.
    """

    text: str
    refused: bool = False


class Listening(Protocol):
    """A pending reply; polled once a tick."""

    @property
    def reply(self) -> Reply | None:
        """The reply, or None if there is none yet."""

    @property
    def over(self) -> bool:
        """Whether no reply can come any more."""

    def stop(self) -> None:
        """Stop listening; does nothing if it is over."""


class Speaker(Protocol):
    """Voice and speech recognition.

    Attributes:
        patience_s: How long to wait for a reply [s, mission clock].
    """

    patience_s: float

    def say(self, person: str, text: str, language: str) -> None:
        """Say `text` to somebody; returns at once."""

    def listen(self, person: str, language: str) -> Listening:
        """Start to listen for the reply of somebody."""

    def close(self) -> None:
        """Release its resources."""


class Said(NamedTuple):
    """Something that was said: when [s], to whom, the words."""

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
    """Scripted people, for simulations and tests.

    Args:
        clock: Gives the time [s].
        replies: What each person answers, by language; the entry ``*`` is for everybody else.
            None for silence.
        hears: Whether a person is near enough to hear the robot; everybody is if not given.
        delay_s: How long they think [s].

    Attributes:
        said: Everything the robot has said, in order.
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
        del language  # the text is in that language already
        self.said.append(Said(self._clock(), person, text))

    def listen(self, person: str, language: str) -> Listening:
        """Implement `Speaker.listen`."""
        script = self._replies.get(person, self._replies.get("*"))
        heard = self._hears is None or self._hears(person)
        reply = script.get(language) if script is not None and heard else None
        return _Later(reply, self._clock() + self._delay_s, self._clock)

    def close(self) -> None:
        """Do nothing: there is nothing to release."""
