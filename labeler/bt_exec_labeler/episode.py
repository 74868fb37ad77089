"""An episode: frames and actions with their times, whoever recorded it.

Every reader in `bt_exec_labeler.sources` gives this one form. Times are seconds since the
episode began, and they alone decide what a clip holds; nothing counts frames.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = ["Action", "Episode", "Flaw", "Frame", "Image", "State", "ordered", "stamp"]

Image: TypeAlias = NDArray[np.uint8]
"""A picture, RGB, shape (height, width, 3)."""

State: TypeAlias = Literal["done", "failed", "stopped", "unknown"]
"""How an action ended; ``unknown`` where the recording does not say."""


class Frame(Protocol):
    """One picture of an episode, read when it is asked for."""

    @property
    def t(self) -> float:
        """When it was taken [s since the episode began]."""

    @property
    def name(self) -> str:
        """What people call it."""

    def image(self) -> Image:
        """Return the picture.

        Raises:
            ValueError: If it is damaged; the message names it.
            OSError: If it cannot be read.
        """


@dataclass(frozen=True, slots=True)
class Action:
    """Something that was done.

    Attributes:
        t: When it began [s since the episode began].
        end: When it ended [s], or None where the recording does not say.
        op: What it is called, as in the vocabulary's operations.
        args: Its arguments.
        state: How it ended.
        code: The failure's code, if it failed.
        facts: What it changed, as far as the recording knows: ``{"door": "open"}``.
    """

    t: float
    end: float | None
    op: str
    args: Mapping[str, Any] = field(default_factory=dict)
    state: State = "unknown"
    code: str = ""
    facts: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Flaw:
    """Something that is wrong with a recording, in words for people.

    Attributes:
        kind: ``gap``, ``out_of_order``, ``damaged``, ``no_time`` …
        where: Which frame or line.
        message: What was found.
    """

    kind: str
    where: str
    message: str


@dataclass(frozen=True)
class Episode:
    """A recorded episode.

    Attributes:
        id: Its name; unique within its source.
        frames: Its frames, by time.
        actions: Its actions, by time.
        command: What was asked for, if that is known.
        language: Of the command: ``en``, ``ko``; empty if there is none.
        start_facts: What was known to hold at the beginning.
        origin: Where it came from: what is needed to find or repeat it.
        flaws: What is wrong with the recording.
    """

    id: str
    frames: tuple[Frame, ...]
    actions: tuple[Action, ...] = ()
    command: str = ""
    language: str = ""
    start_facts: Mapping[str, str] = field(default_factory=dict)
    origin: Mapping[str, Any] = field(default_factory=dict)
    flaws: tuple[Flaw, ...] = ()

    @property
    def duration_s(self) -> float:
        """Time of the last thing in it [s]."""
        ends = [a.end if a.end is not None else a.t for a in self.actions]
        return max([f.t for f in self.frames[-1:]] + ends, default=0.0)


@dataclass(frozen=True, slots=True)
class FileFrame:
    """A frame that is a picture file."""

    t: float
    path: Path

    @property
    def name(self) -> str:
        """The file's name."""
        return self.path.name

    def image(self) -> Image:
        """See `Frame.image`."""
        import cv2

        data = np.frombuffer(self.path.read_bytes(), np.uint8)
        found = cv2.imdecode(data, cv2.IMREAD_COLOR) if data.size else None
        if found is None:
            raise ValueError(f"{self.path} is damaged, or no picture")
        return np.ascontiguousarray(found[:, :, ::-1], np.uint8)


def ordered(frames: list[Frame], longest_s: float) -> tuple[tuple[Frame, ...], tuple[Flaw, ...]]:
    """Return frames by time, and what is wrong with their times.

    Args:
        frames: As they were recorded.
        longest_s: A longer pause between two frames is a gap [s].
    """
    flaws = [
        Flaw("out_of_order", after.name, f"at {after.t:g} s comes after {before.t:g} s")
        for before, after in pairwise(frames)
        if after.t < before.t
    ]
    sorted_frames = sorted(frames, key=lambda frame: frame.t)
    flaws += [
        Flaw("gap", after.name, f"no frame between {before.t:g} s and {after.t:g} s")
        for before, after in pairwise(sorted_frames)
        if after.t - before.t > longest_s
    ]
    return tuple(sorted_frames), tuple(flaws)


def stamp(t: float) -> str:
    """Return a time as names tell it: to the microsecond, without zeros at its end [s]."""
    return f"{t:.6f}".rstrip("0").rstrip(".")
