"""Folders of numbered frames with ``actions.jsonl``, as recorders of games and robots write them.

::

    run_07/
        episode.yaml      fps: 10, command: go to the gate, language: en     (optional)
        frames.jsonl      {"file": "000001.jpg", "t": 0.1}                   (or fps)
        actions.jsonl     {"t": 0.5, "end": 2.0, "op": "MOVE_NAV", "args": {}, "state": "done"}
        000001.jpg …
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from bt_exec.failure import SpecError, UsageError
from bt_exec.spec.source import read_file
from bt_exec_labeler.episode import Episode, FileFrame, Flaw, Frame, ordered
from bt_exec_labeler.sources.actions import read_actions

__all__ = ["read_folder"]

_PICTURES = {".jpg", ".jpeg", ".png", ".bmp", ".webp"}
_NUMBER = re.compile(r"\d+")
_PAUSES = 4  # a gap is a pause of more than so many usual ones


class _Header(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    fps: Annotated[float, Field(gt=0, le=1000)] | None = None
    command: str = ""
    language: str = ""
    start_facts: dict[str, str] = Field(default_factory=dict)


def read_folder(path: Path) -> Iterator[Episode]:
    """Return the episode of a folder, or those of its folders by name.

    Raises:
        SpecError: If a file of an episode is wrong.
        UsageError: If the times of the frames are nowhere.
    """
    if (path / "actions.jsonl").is_file():
        yield _episode(path)
        return
    for folder in sorted(path.iterdir()):
        if (folder / "actions.jsonl").is_file():
            yield _episode(folder)


def _episode(folder: Path) -> Episode:
    header = _header(folder)
    found, flaws = _frames(folder, header.fps)
    pauses = sorted(b.t - a.t for a, b in pairwise(found) if b.t > a.t)
    usual_s = pauses[len(pauses) // 2] if pauses else 0.0
    frames, wrong = ordered(found, max(_PAUSES * usual_s, 1.0))
    actions, late = read_actions(folder / "actions.jsonl")
    return Episode(
        folder.name,
        frames,
        actions,
        header.command,
        header.language,
        header.start_facts,
        {"folder": str(folder)},
        (*flaws, *wrong, *late),
    )


def _header(folder: Path) -> _Header:
    path = folder / "episode.yaml"
    if not path.is_file():
        return _Header()
    source = read_file(path)
    try:
        return _Header.model_validate(source.data)
    except ValidationError as error:
        raise SpecError(
            [source.problem(f["type"].upper(), f["msg"].lower(), f["loc"]) for f in error.errors()]
        ) from None


def _frames(folder: Path, fps: float | None) -> tuple[list[Frame], tuple[Flaw, ...]]:
    """Return the frames of a folder in the order in which they were recorded."""
    listing = folder / "frames.jsonl"
    if listing.is_file():
        return _listed(listing)
    pictures = [p for p in folder.iterdir() if p.suffix.lower() in _PICTURES]
    if pictures and fps is None:
        raise UsageError(
            f"{folder}: when its frames were taken is not known; say fps in episode.yaml, or t of "
            "each in frames.jsonl"
        )
    numbered = [(int(n[-1]), p) for p in pictures if (n := _NUMBER.findall(p.stem))]
    flaws = tuple(
        Flaw("no_time", p.name, "has no number in its name")
        for p in pictures
        if not _NUMBER.search(p.stem)
    )
    numbered.sort()
    first = numbered[0][0] if numbered else 0
    frames: list[Frame] = [FileFrame((n - first) / (fps or 1.0), p) for n, p in numbered]
    return frames, flaws


def _listed(listing: Path) -> tuple[list[Frame], tuple[Flaw, ...]]:
    """Return the frames that ``frames.jsonl`` names; a line that says nothing usable is a flaw."""
    frames: list[Frame] = []
    flaws: list[Flaw] = []
    for number, text in enumerate(listing.read_text(encoding="utf-8").splitlines(), start=1):
        if not text.strip():
            continue
        where = f"{listing.name}:{number}"
        try:
            line = json.loads(text)
            file, t = str(line["file"]), float(line["t"])
        except (ValueError, KeyError, TypeError):
            flaws.append(Flaw("no_time", where, 'is not {"file": …, "t": …}'))
            continue
        path = (listing.parent / file).resolve()
        if not path.is_relative_to(listing.parent.resolve()) or not path.is_file():
            flaws.append(Flaw("damaged", where, f"{file} is no file of this folder"))
        elif not (0 <= t < float("inf")):
            flaws.append(Flaw("no_time", where, f"t is {t}"))
        else:
            frames.append(FileFrame(t, path))
    return frames, tuple(flaws)
