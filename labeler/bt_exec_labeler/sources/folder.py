"""Reader for folders of numbered frames with ``actions.jsonl``.

::

    run_07/
        episode.yaml      fps: 10, command: go to the gate, language: en     (optional)
        frames.jsonl      {"file": "000001.jpg", "t": 0.1}                   (or fps)
        actions.jsonl     {"t": 0.5, "end": 2.0, "op": "MOVE_NAV", "args": {}, "state": "done"}
        000001.jpg …
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from contextlib import suppress
from itertools import pairwise
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from bt_exec.failure import BtExecError, UsageError, nearest_names
from bt_exec.files import read_at_most
from bt_exec.spec.user_data_validation import UserData, first_error
from bt_exec.spec.yaml_source import MAX_BYTES, read_file, read_text
from bt_exec_labeler.episode import (
    Action,
    Episode,
    FileFrame,
    Flaw,
    Frame,
    order_frames,
    printable_name,
)
from bt_exec_labeler.sources.json_lines_parser import Seconds, read_actions, read_json_lines

__all__ = ["is_episode", "read_folder"]

_ACTIONS, _FRAMES, _HEADER = "actions.jsonl", "frames.jsonl", "episode.yaml"

_PICTURES = {".jpg", ".jpeg", ".png", ".bmp", ".webp"}
_NUMBER = re.compile(r"\d{1,18}")
_PAUSES = 4  # a gap is a pause of more than this many usual intervals


class _Header(UserData):
    fps: Annotated[float, Field(gt=0, le=1000)] | None = None
    command: str = ""
    language: str = ""
    start_facts: dict[str, str] = Field(default_factory=dict)


def read_folder(path: Path) -> Iterator[Episode]:
    """Yield the episode in a folder, or those in its subfolders, in order of their names.

    Problems of an episode are reported as its flaws and do not affect other episodes.
    """
    if is_episode(path):
        yield _episode(path)
        return
    for folder in sorted(path.iterdir()):
        if folder.is_dir() and (is_episode(folder) or any(map(_is_picture, folder.iterdir()))):
            yield _episode(folder)


def is_episode(folder: Path) -> bool:
    """Return True if a folder contains a file that only episodes have."""
    return any((folder / name).is_file() for name in (_ACTIONS, _FRAMES, _HEADER))


def _is_picture(path: Path) -> bool:
    return path.suffix.lower() in _PICTURES


def _episode(folder: Path) -> Episode:
    header, flaws = _read_header(folder)
    found, unusable = _read_frames(folder, header.fps)
    pauses = sorted(b.t - a.t for a, b in pairwise(found) if b.t > a.t)
    usual_s = pauses[len(pauses) // 2] if pauses else 0.0
    frames, wrong, doubts = order_frames(found, max(_PAUSES * usual_s, 1.0))
    actions, late = _actions(folder / _ACTIONS)
    if not frames:
        late = (*late, Flaw("no_frames", printable_name(folder), "has no frames that can be used"))
    return Episode(
        printable_name(folder),
        frames,
        actions,
        header.command,
        header.language,
        header.start_facts,
        {"folder": str(folder)},
        (*flaws, *unusable, *wrong, *late),
        doubts,
    )


def _actions(path: Path) -> tuple[tuple[Action, ...], tuple[Flaw, ...]]:
    try:
        return read_actions(path)
    except FileNotFoundError:
        why = "is missing; nothing can be labelled"
    except OSError as error:
        why = f"cannot be read: {error.strerror}"
    return (), (Flaw("no_actions", path.name, why),)


def _read_header(folder: Path) -> tuple[_Header, tuple[Flaw, ...]]:
    """Return the header of an episode; invalid keys are dropped and reported."""
    path = folder / _HEADER
    if not path.is_file():
        return _Header(), ()
    flaws: list[Flaw] = []
    try:
        data = read_file(path).data
    except (BtExecError, UsageError) as error:
        data = _readable_keys(path)
        flaws.append(Flaw("header", path.name, f"cannot be read: {error}; the rest is used"))
    if not isinstance(data, Mapping):
        return _Header(), (Flaw("header", path.name, "must be a list of keys and values"),)
    good = dict(data)
    while True:
        try:
            return _Header.model_validate(good), tuple(flaws)
        except ValidationError as error:
            for found in error.errors():
                key = found["loc"][0]
                near = nearest_names(str(key), tuple(_Header.model_fields))
                hint = f"; did you mean {near[0]}?" if near and near[0] != key else ""
                message = f"{key}: {found['msg'].lower()}; it is left out{hint}"
                flaws.append(Flaw("unknown_key", path.name, message))
                good.pop(key, None)


def _readable_keys(path: Path) -> dict[str, Any]:
    """Return the entries of a damaged header that are valid on their own and have a unique key."""
    found: dict[str, list[Any]] = {}
    for part in re.split(rb"(?m)^(?=\S)", read_at_most(path, MAX_BYTES) or b""):
        with suppress(BtExecError, UnicodeDecodeError):
            data = read_text(part.decode()).data
            for key, value in data.items() if isinstance(data, Mapping) else ():
                found.setdefault(key, []).append(value)
    return {key: values[0] for key, values in found.items() if len(values) == 1}


def _read_frames(folder: Path, fps: float | None) -> tuple[list[Frame], tuple[Flaw, ...]]:
    """Return the frames of a folder in the order of the recording."""
    listing = folder / _FRAMES
    if listing.is_file():
        return _listed_frames(listing)
    pictures = [path for path in folder.iterdir() if _is_picture(path)]
    if pictures and fps is None:
        why = "has no times of its frames; add fps to episode.yaml, or t of each to frames.jsonl"
        return [], (Flaw("no_time", printable_name(folder), why),)
    numbered = [(int(n[-1]), p) for p in pictures if (n := _NUMBER.findall(p.stem))]
    flaws = tuple(
        Flaw("no_time", printable_name(p), "has no number in its name")
        for p in pictures
        if not _NUMBER.search(p.stem)
    )
    numbered.sort()
    first = numbered[0][0] if numbered else 0
    frames: list[Frame] = [FileFrame((n - first) / (fps or 1.0), p) for n, p in numbered]
    return frames, flaws


def _listed_frames(listing: Path) -> tuple[list[Frame], tuple[Flaw, ...]]:
    """Return the frames listed in ``frames.jsonl``, and a flaw for each unusable line."""
    frames: list[Frame] = []
    flaws: list[Flaw] = []
    folder = listing.parent.resolve()
    for where, line in read_json_lines(listing):
        found = line if isinstance(line, Flaw) else _parse_frame(folder, where, line)
        if isinstance(found, Flaw):
            flaws.append(found)
        else:
            frames.append(found)
    return frames, tuple(flaws)


class _Line(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")

    file: str
    t: Seconds


def _parse_frame(folder: Path, where: str, data: Any) -> Frame | Flaw:
    """Return the frame in a line of ``frames.jsonl``, or a flaw if it cannot be used."""
    try:
        line = _Line.model_validate(data)
    except ValidationError as error:
        return Flaw("no_time", where, f"{first_error(error)}; the frame is left out")
    try:
        path = (folder / line.file.replace("\0", "")).resolve()
        found = path.is_relative_to(folder) and path.is_file()
    except (OSError, RuntimeError):  # pathlib raises RuntimeError for circular symbolic links
        found = False
    if not found:
        return Flaw("damaged", where, f"{line.file} is not a file of this folder")
    return FileFrame(line.t, path)
