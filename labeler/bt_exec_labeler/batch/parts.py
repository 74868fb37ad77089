"""The output of a run: one file a batch, written whole or not at all, joined at the end.

::

    OUT/
        run.json            what is labelled, how: a run goes on only with the same
        parts/000007.jsonl  what became of the items of a batch
        records.jsonl       records, in the order of the items (made at the end)
        drops.jsonl         what was dropped, with every reason (made at the end)
        provenance.jsonl    who said it, when asked how often (made at the end)

Killed at any time, a run loses at most the batches in flight: parts that exist are complete.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from bt_exec.failure import UsageError

__all__ = ["Output", "read_lines"]

_FILES = ("records", "drops", "provenance")


class Output:
    """The folder of a run.

    Args:
        folder: Where it is.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.parts = folder / "parts"

    def begin(self, manifest: Mapping[str, Any], *, resume: bool) -> None:
        """Make the folder, or take up the run that is there.

        Raises:
            UsageError: If there is another run, or one that nobody asked to go on with.
        """
        file = self.folder / "run.json"
        text = _json(manifest)
        if file.is_file():
            before = json.loads(file.read_text(encoding="utf-8"))
            changed = [key for key in manifest if before.get(key) != json.loads(text)[key]]
            if changed:
                raise UsageError(
                    f"{self.folder} holds another run: {', '.join(changed)} differ; name another "
                    "folder with --out"
                )
            if not resume:
                raise UsageError(f"{self.folder} holds this run already; go on with it: --resume")
        elif self.folder.is_dir() and any(p.suffix != ".part" for p in self.folder.iterdir()):
            raise UsageError(f"{self.folder} is not empty; name another folder with --out")
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            if not file.is_file():  # first: a folder with parts always says whose they are
                _write(file, text)
            self.parts.mkdir(exist_ok=True)
        except OSError as error:
            raise UsageError(f"{self.folder} cannot be written: {error.strerror}") from error

    def manifest(self) -> dict[str, Any]:
        """Return what is labelled here, and how.

        Raises:
            UsageError: If there is no run.
        """
        try:
            data: dict[str, Any] = json.loads((self.folder / "run.json").read_text("utf-8"))
        except (OSError, ValueError):
            raise UsageError(f"{self.folder} holds no run of bt-exec label run") from None
        return data

    def done(self) -> set[int]:
        """Return the numbers of the batches that are complete."""
        return {int(path.stem) for path in self.parts.glob("*.jsonl")}

    def put(self, number: int, lines: Sequence[Mapping[str, Any]]) -> None:
        """Write what became of a batch, whole or not at all."""
        _write(self.parts / f"{number:06d}.jsonl", "".join(f"{_json(line)}\n" for line in lines))

    def part(self, number: int) -> list[dict[str, Any]]:
        """Return what became of the items of a batch."""
        return list(read_lines(self.parts / f"{number:06d}.jsonl"))

    def lines(self) -> Iterator[dict[str, Any]]:
        """Return what became of every item so far, in the order of the items."""
        for path in sorted(self.parts.glob("*.jsonl")):
            yield from read_lines(path)

    def join(self) -> None:
        """Make the files that people and tools read, from the parts."""
        made = {name: self.folder / f"{name}.jsonl.part" for name in _FILES}
        files = {name: path.open("w", encoding="utf-8") for name, path in made.items()}
        try:
            for line in self.lines():
                about = {key: line[key] for key in ("item", "role", "episode", "t", "mid_step_id")}
                kind = "records" if line["record"] is not None else "drops"
                body = {"record": line["record"]} if kind == "records" else {"why": line["why"]}
                files[kind].write(_json({**about, **body}) + "\n")
                files["provenance"].write(_json({**about, **line["provenance"]}) + "\n")
        finally:
            for file in files.values():
                file.close()
        for name, path in made.items():
            path.replace(self.folder / f"{name}.jsonl")


def read_lines(path: Path) -> Iterator[dict[str, Any]]:
    """Return the objects of a JSON Lines file.

    Raises:
        UsageError: If a line cannot be read.
    """
    try:
        with path.open(encoding="utf-8") as file:
            for number, text in enumerate(file, start=1):
                try:
                    yield json.loads(text)
                except json.JSONDecodeError as error:
                    raise UsageError(f"{path}:{number} is no JSON: {error}") from None
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from error


def _write(path: Path, text: str) -> None:
    """Write a file so that it is there whole, also after a crash, or not at all."""
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    with part.open("w", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    part.replace(path)


def _json(value: Mapping[str, Any] | Iterable[Any]) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=False, separators=(",", ":"))
