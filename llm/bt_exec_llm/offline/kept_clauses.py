"""Clauses of the utterances of a large library, kept on disk from one process to the next.

Reading a thousand trees takes seconds, and they change seldom. What was read is kept in the user's
cache folder under a digest of everything that it depends on: the utterances, the words, and the
reader itself. What cannot be read or written there is read anew: the file is a convenience only.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import tempfile
from collections.abc import Sequence
from importlib.metadata import version
from pathlib import Path

from bt_exec.language.messages import language_of
from bt_exec_llm.offline.piece import Clause
from bt_exec_llm.offline.reader import Reader

__all__ = ["LARGE", "clauses_of"]

LARGE = 400
"""How many utterances a library has at least for which a file is kept."""
_MOST_FILES = 8


def clauses_of(reader: Reader, texts: Sequence[str]) -> list[list[Clause]]:
    """Return the clauses of each utterance, in order."""
    if len(texts) < LARGE:
        return _read(reader, texts)
    import platformdirs
    from pydantic import TypeAdapter

    adapter = TypeAdapter(list[list[Clause]])
    folder = Path(platformdirs.user_cache_path("bt-exec", appauthor=False)) / "utterances"
    path = folder / f"{_digest(reader, texts)}.json"
    with contextlib.suppress(OSError, ValueError):
        kept = adapter.validate_json(path.read_bytes())
        if len(kept) == len(texts):
            return kept
    found = _read(reader, texts)
    with contextlib.suppress(OSError):
        _write(path, adapter.dump_json(found))
    return found


def _read(reader: Reader, texts: Sequence[str]) -> list[list[Clause]]:
    return [reader.clauses(text.strip(), language_of(text)) for text in texts]


def _digest(reader: Reader, texts: Sequence[str]) -> str:
    """Return a name for everything that the clauses depend on."""
    digest = hashlib.sha256()
    for file in sorted(Path(__file__).parent.rglob("*.*")):
        if file.suffix in (".py", ".yaml"):
            state = file.stat()
            digest.update(f"{file.name} {state.st_size} {state.st_mtime_ns}\n".encode())
    for library in ("kiwipiepy", "simplemma"):
        digest.update(f"{library} {version(library)}\n".encode())
    digest.update(reader.lexicon.model_dump_json().encode())
    for text in texts:
        digest.update(f"\0{text}".encode())
    return digest.hexdigest()


def _write(path: Path, data: bytes) -> None:
    """Write a file whole or not at all; the oldest go when there are many."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent)
    with os.fdopen(handle, "wb") as file:
        file.write(data)
    Path(name).replace(path)
    files = sorted(path.parent.glob("*.json"), key=lambda file: file.stat().st_mtime)
    for old in files[:-_MOST_FILES]:
        old.unlink(missing_ok=True)
