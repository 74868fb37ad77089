"""Lossless encoding of events as journal rows, and decoding of rows.

Rows keep the field names of the event and omit empty optional fields. Three kinds of fields are
encoded specially: a spec by its digest, an observation by the data that can be shown without its
pack, and a failure as returned by `Failure.to_dict`.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import MISSING, asdict, dataclass, field, fields
from functools import partial
from pathlib import Path
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from bt_exec.events import Event
from bt_exec.failure import Failure, Problem, Refusal
from bt_exec.journal.png_frames import read_png
from bt_exec.journal.typed_value_decoding import build_checked, checked_value
from bt_exec.language.messages import LANGUAGES
from bt_exec.mission_outcome import Outcome
from bt_exec.robot import Observation
from bt_exec.skill import Verdict
from bt_exec.spec.load import load_text
from bt_exec.spec.model import MissionSpec

__all__ = [
    "RecordedObservation",
    "Specs",
    "digest_of",
    "event_from_row",
    "extra_event_data",
    "observation_data",
    "outcome_from_data",
]

_CLASSES: Mapping[str, type[Any]] = {cls.__name__: cls for cls in get_args(Event)}
_COLUMNS = ("t", "tick", "path", "call")  # fields that are stored in separate columns
_FIELDS = {
    cls: tuple(
        (f.name, f.default is not MISSING or f.default_factory is not MISSING)
        for f in fields(cls)
        if f.name not in _COLUMNS
    )
    for cls in _CLASSES.values()
}
_HAS = {name: {f.name for f in fields(cls)} & set(_COLUMNS) for name, cls in _CLASSES.items()}


@dataclass(frozen=True)
class RecordedObservation:
    """A recorded observation; implements `bt_exec.robot.Observation`.

    Attributes:
        t: Capture time of the frame [s, mission clock].
        data: The result of the observation's `record`.
        seen: Labels of the detected objects.
        established: Facts that the observation established.
        text: Summary line, in the language of the command.
        frame_file: Path of its frame, if one was kept and not dropped.
        texts: Summary lines in other languages, by language.
    """

    t: float
    data: Mapping[str, Any] = field(default_factory=dict)
    seen: tuple[str, ...] = ()
    established: Mapping[str, str] = field(default_factory=dict)
    text: str = ""
    frame_file: Path | None = field(default=None, compare=False)
    texts: Mapping[str, str] = field(default_factory=dict, compare=False)

    @property
    def frame(self) -> NDArray[np.uint8] | None:
        """The picture, read from its file; None if it is missing or unreadable."""
        try:
            return None if self.frame_file is None else read_png(self.frame_file)
        except (OSError, ValueError):
            return None

    def labels(self) -> tuple[str, ...]:
        """Return the labels of the detected objects."""
        return self.seen

    def facts(self) -> Mapping[str, str]:
        """Return the facts that the observation established."""
        return self.established

    def describe(self, language: str) -> str:
        """Return the summary line in `language` if recorded, else in the command's language."""
        return self.texts.get(language, self.text)

    def record(self) -> dict[str, Any]:
        """Return the recorded data of the observation."""
        return dict(self.data)


def digest_of(text: str) -> str:
    """Return the SHA-256 of a text, which identifies a spec or request in the journal."""
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()


class Specs:
    """Cache of plans by digest; each is read once.

    Args:
        text_of: Returns the text of the plan with a given digest.

    Attributes:
        texts: The texts of the plans that were read.
    """

    def __init__(self, text_of: Callable[[str], str]) -> None:
        self.texts: dict[str, str] = {}
        self._specs: dict[str, MissionSpec] = {}
        self._text_of = text_of

    def __call__(self, digest: str) -> MissionSpec:
        """Return the plan with the given digest.

        Raises:
            Exception: Any exception, if the plan is missing or damaged.
        """
        if digest not in self._specs:
            text = self._text_of(digest)
            if digest_of(text) != digest:
                raise ValueError(f"the plan {digest[:12]} is damaged")
            document = load_text(text, f"the plan {digest[:12]}").document
            assert isinstance(document, MissionSpec)
            self.texts[digest], self._specs[digest] = text, document
        return self._specs[digest]


def observation_data(observation: Observation, language: str, frame: str | None) -> dict[str, Any]:
    """Return the recorded form of an observation; `frame` is the name of its frame's file."""
    data, text = observation.record(), observation.describe(language)
    texts = {other: observation.describe(other) for other in LANGUAGES if other != language}
    others = {other: said for other, said in texts.items() if said != text}
    return {
        "t": observation.t,
        "data": data,
        "seen": observation.labels(),
        "established": observation.facts(),
        "text": text,
        **({"texts": others} if others else {}),
        "frame": frame,
    }


def extra_event_data(event: Event, replaced: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of `event` that have no column, as data for `to_json`.

    Args:
        event: Any event.
        replaced: Values that replace fields, by name, such as the digest of a spec.
    """
    data: dict[str, Any] = {}
    for name, optional in _FIELDS[type(event)]:
        value = replaced[name] if name in replaced else getattr(event, name)
        if optional and not value:
            continue
        write = _WRITE.get(name)
        data[name] = value if write is None or name in replaced else write(value)
    return data


def event_from_row(
    kind: str,
    columns: Mapping[str, Any],
    data: Mapping[str, Any],
    spec_of: Callable[[str], MissionSpec],
    frames: Path,
) -> Event:
    """Return the event that was recorded as a row.

    Args:
        kind: Name of the event's class.
        columns: ``t``, ``tick``, ``path``, ``call``.
        data: The result of `extra_event_data`.
        spec_of: Finds a spec by its digest.
        frames: The folder of the mission's frames.

    Raises:
        Exception: Any exception, if the row was not written by this program.
    """
    if "unwritable" in data:
        raise ValueError(data["unwritable"])
    cls = _CLASSES[kind]
    values = {name: columns[name] for name in _HAS[kind]}
    for name, _ in _FIELDS[cls]:
        if name not in data:
            continue
        value = data[name]
        if name == "spec":
            value = None if value is None else spec_of(value)
        elif name == "observation":
            value = _observation_from_data(value, frames)
        elif name in _READ:
            value = _READ[name](value)
        values[name] = value
    event: Event = build_checked(cls, values)
    return event


def _observation_from_data(data: Mapping[str, Any], frames: Path) -> RecordedObservation:
    """Return the observation that `observation_data` converted to `data`."""
    values = {name: data[name] for name in ("t", "data", "seen", "established", "text")}
    frame = data["frame"]
    if frame is not None and Path(frame).name != frame:
        raise ValueError(f"{str(frame)[:40]!r} is not the file name of a frame")
    values["frame_file"] = None if frame is None else frames / frame
    values["texts"] = data.get("texts", {})  # records of older versions have none
    observation: RecordedObservation = build_checked(RecordedObservation, values)
    return observation


def _failure(data: Mapping[str, Any]) -> Any:
    return checked_value(Failure.from_dict(data), Failure, "failure")


_VERDICT = tuple(f.name for f in fields(Verdict))


def outcome_from_data(data: Mapping[str, Any]) -> Outcome:
    """Return the outcome that `Outcome.to_dict` converted to `data`.

    Raises:
        Exception: Any exception, if the data is not an outcome.
    """
    outcome: Outcome = build_checked(Outcome, data)
    for failure in outcome.failures:
        _failure(failure)
    for part in outcome.undone:
        for name in ("what", "why", "path"):
            checked_value(part.get(name, ""), str, name)
    for skip in outcome.skipped:
        for name, text in skip.items():
            checked_value(text, str, name)
    return outcome


_WRITE: Mapping[str, Callable[[Any], Any]] = {
    "failure": Failure.to_dict,
    "verdict": lambda verdict: {name: getattr(verdict, name) for name in _VERDICT},
    "refusal": asdict,
    "problems": lambda problems: [asdict(problem) for problem in problems],
    "outcome": Outcome.to_dict,
}
_READ: Mapping[str, Callable[[Any], Any]] = {
    "failure": _failure,
    "verdict": partial(build_checked, Verdict),
    "refusal": partial(build_checked, Refusal),
    "problems": lambda problems: tuple(build_checked(Problem, problem) for problem in problems),
    "outcome": outcome_from_data,
}
