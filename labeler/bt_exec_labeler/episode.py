"""Data types of recorded episodes: frames and actions with their times.

Every reader in `bt_exec_labeler.sources` returns an `Episode`. Times are in seconds since the start
of the episode. The frames of a clip are selected by time, not by number.
"""

from __future__ import annotations

import hashlib
import stat
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any, Literal, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "Action",
    "Doubt",
    "Episode",
    "FileFrame",
    "Flaw",
    "Frame",
    "Image",
    "Reply",
    "ReplyKind",
    "State",
    "decode_picture",
    "encode_png",
    "file_digest",
    "order_frames",
    "printable_name",
    "time_text",
]

Image: TypeAlias = NDArray[np.uint8]
"""Picture, RGB, shape (height, width, 3)."""

State: TypeAlias = Literal["done", "failed", "stopped", "unknown"]
"""Outcome of an action; ``unknown`` if it was not recorded."""


class Frame(Protocol):
    """Picture of an episode, read on demand."""

    @property
    def t(self) -> float:
        """Capture time [s since the start of the episode]."""

    @property
    def name(self) -> str:
        """Display name."""

    def image(self) -> Image:
        """Return the picture.

        Raises:
            ValueError: If the picture is damaged; the message names it.
            OSError: If the picture cannot be read.
        """

    def digest(self) -> str:
        """Return a digest of the encoded picture.

        Raises:
            ValueError: If the picture is missing.
            OSError: If the picture cannot be read.
        """


@dataclass(frozen=True, slots=True)
class Action:
    """Executed action.

    Attributes:
        t: Start [s since the episode began].
        end: End [s], or None if it is not recorded.
        op: Name of the operation in the vocabulary.
        args: Arguments by name.
        state: Outcome of the action.
        code: Failure code; empty if the action did not fail.
        facts: Recorded effects, such as ``{"door": "open"}``.
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
    """Defect of a recording, with a message for the user.

    Attributes:
        kind: ``gap``, ``out_of_order``, ``damaged``, ``no_time`` …
        where: Frame or line with the defect.
        message: Description of the flaw.
    """

    kind: str
    where: str
    message: str


@dataclass(frozen=True, slots=True)
class Doubt:
    """Part of a recording with uncertain times or frames.

    Attributes:
        kind: ``clock_back``, ``missing_frames`` …
        where: Frame or line that caused the uncertainty.
        message: Description of the uncertainty.
        t: Start [s since the episode began].
        end: End [s].
    """

    kind: str
    where: str
    message: str
    t: float
    end: float


ReplyKind: TypeAlias = Literal["refused", "answered", "nothing_to_do"]


@dataclass(frozen=True, slots=True)
class Reply:
    """Reply to a command that led to no actions.

    Attributes:
        kind: ``refused``; ``answered``, also for greetings and thanks; or ``nothing_to_do`` if the
            goal was already reached.
        code: Code of the reason that the mission gives.
        text: Reply to the operator.
        t: Time of the reply [s since the episode began].
        missing: Words that were not understood, or information that the command lacks.
        suggestions: Commands that would have been understood.
        checks: Checked conditions, each with its verdict and evidence.
    """

    kind: ReplyKind
    code: str
    text: str
    t: float
    missing: tuple[str, ...] = ()
    suggestions: tuple[str, ...] = ()
    checks: tuple[str, ...] = ()


@dataclass(frozen=True)
class Episode:
    """Recorded episode.

    Attributes:
        id: Name, unique within its source.
        frames: Frames in chronological order.
        actions: Actions in chronological order.
        command: Command of the operator; empty if unknown.
        language: Language of the command, ``en`` or ``ko``; empty without a command.
        start_facts: Known facts at the beginning.
        origin: Data for finding the recording or repeating the mission.
        flaws: Flaws of the recording.
        doubts: Uncertain parts; their moments are marked.
        reply: Reply of a mission without actions.
    """

    id: str
    frames: tuple[Frame, ...]
    actions: tuple[Action, ...] = ()
    command: str = ""
    language: str = ""
    start_facts: Mapping[str, str] = field(default_factory=dict)
    origin: Mapping[str, Any] = field(default_factory=dict)
    flaws: tuple[Flaw, ...] = ()
    doubts: tuple[Doubt, ...] = ()
    reply: Reply | None = None

    @cached_property
    def times(self) -> tuple[float, ...]:
        """Times of the frames [s]."""
        return tuple(frame.t for frame in self.frames)

    @property
    def duration_s(self) -> float:
        """Time of the last frame or action [s]."""
        ends = [a.end if a.end is not None else a.t for a in self.actions]
        return max([f.t for f in self.frames[-1:]] + ends, default=0.0)


@dataclass(frozen=True, slots=True)
class FileFrame:
    """Frame in a picture file."""

    t: float
    path: Path

    @property
    def name(self) -> str:
        """Name of the file."""
        return printable_name(self.path)

    def image(self) -> Image:
        """Implement `Frame.image`."""
        return decode_picture(self.path.read_bytes(), printable_name(self.path))

    def digest(self) -> str:
        """Implement `Frame.digest`."""
        return file_digest(self.path)


def printable_name(path: Path) -> str:
    """Return the name of a file or folder; bytes that are not UTF-8 are escaped."""
    return path.name.encode("utf-8", "backslashreplace").decode("utf-8")


def decode_picture(data: bytes, name: str) -> Image:
    """Return the picture that the bytes of a picture file encode.

    Raises:
        ValueError: If the picture is damaged or too large; the message names it.
    """
    import cv2

    try:
        found = cv2.imdecode(np.frombuffer(data, np.uint8), cv2.IMREAD_COLOR) if data else None
    except cv2.error as error:  # more pixels than OpenCV supports
        raise ValueError(f"{name} is damaged, or too large: {error.err}") from error
    if found is None:
        raise ValueError(f"{name} is damaged, or not a picture")
    return np.ascontiguousarray(found[:, :, ::-1], np.uint8)


def encode_png(image: Image) -> bytes:
    """Return a picture as the bytes of a PNG file, without loss."""
    import cv2

    done, coded = cv2.imencode(".png", cv2.cvtColor(image, cv2.COLOR_RGB2BGR))
    assert done
    return bytes(coded.tobytes())


def file_digest(path: Path) -> str:
    """Return the SHA-256 of a file; it is cached until the file changes.

    Raises:
        ValueError: If the path is a pipe or a device.
        OSError: If it cannot be read.
    """
    found = path.stat()
    if not stat.S_ISREG(found.st_mode) and not stat.S_ISDIR(found.st_mode):
        raise ValueError(f"{printable_name(path)} is a pipe or a device")
    return _file_digest(path, found.st_size, found.st_mtime_ns)


@lru_cache(maxsize=4096)
def _file_digest(path: Path, _size: int, _changed: int) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def order_frames(
    frames: list[Frame], longest_s: float
) -> tuple[tuple[Frame, ...], tuple[Flaw, ...], tuple[Doubt, ...]]:
    """Return the frames in order of time, the flaws in their times, and the uncertain parts.

    If the clock jumped back, a time range occurs twice, and its frames are dropped. Frames that are
    only stored in another order are sorted. If several frames have the same time, the last one is
    used.

    Args:
        frames: Frames in the order of the recording.
        longest_s: Longest time between two frames that is not a gap [s].
    """
    doubts = _repeated_ranges(frames)
    flaws = [Flaw(doubt.kind, doubt.where, doubt.message) for doubt in doubts]
    if not doubts:
        flaws += [
            Flaw("out_of_order", after.name, f"at {after.t:g} s comes after {before.t:g} s")
            for before, after in pairwise(frames)
            if after.t < before.t
        ]
    kept = [f for f in frames if not any(d.t <= f.t <= d.end for d in doubts)]
    by_time = {frame.t: frame for frame in kept}
    if len(by_time) < len(kept):
        count = len(kept) - len(by_time)
        first = next(b for a, b in pairwise(sorted(kept, key=_time)) if a.t == b.t)
        message = f"{count} frames have the time of another, the first at {first.t:g} s"
        flaws.append(Flaw("double_time", first.name, message))
    in_order = sorted(by_time.values(), key=_time)
    gaps = []
    for before, after in pairwise(in_order):
        if after.t - before.t > longest_s + _EARLY_S:
            message = f"no frame between {before.t:g} s and {after.t:g} s"
            flaws.append(Flaw("gap", after.name, message))
            inside = (before.t + _EARLY_S, after.t - _EARLY_S)
            gaps.append(Doubt("missing_frames", after.name, message, *inside))
    for last in in_order[-1:]:
        late = (last.t + longest_s + _EARLY_S, float("inf"))
        gaps.append(Doubt("missing_frames", last.name, f"no frame after {last.t:g} s", *late))
    return tuple(in_order), tuple(flaws), (*doubts, *gaps)


_EARLY_S = 1e-6  # tolerance of times, which are floats


_MOST_JUMPS = 5  # maximum number of backward jumps of a clock; more mean an arbitrary order


def _time(frame: Frame) -> float:
    return frame.t


def _repeated_ranges(frames: list[Frame]) -> tuple[Doubt, ...]:
    """Return the time ranges that occur twice because the clock jumped back."""
    starts = [n for n, (a, b) in enumerate(pairwise(frames), start=1) if b.t < a.t]
    if not starts or len(starts) > _MOST_JUMPS:
        return ()
    rows = [frames[a:b] for a, b in pairwise([0, *starts, len(frames)])]
    doubts = []
    for before, after in pairwise(rows):
        begin, end = max(before[0].t, after[0].t), min(before[-1].t, after[-1].t)
        if all(sum(begin <= frame.t <= end for frame in row) > 1 for row in (before, after)):
            message = (
                f"the clock jumps back from {before[-1].t:g} s to {after[0].t:g} s; frames from "
                f"{begin:g} s to {end:g} s are left out: these times occur twice"
            )
            doubts.append(Doubt("clock_back", after[0].name, message, begin, end))
    return tuple(doubts)


def time_text(t: float) -> str:
    """Return a time [s] as text for identifiers, to the microsecond, without trailing zeros."""
    return f"{t:.6f}".rstrip("0").rstrip(".")
