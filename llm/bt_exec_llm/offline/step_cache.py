"""Disk cache for the steps that a library's utterances are converted to.

Parsing an utterance takes milliseconds, and utterances seldom change. The result is stored in the
user's cache folder under a digest of the utterances, the lexicon and the source code of the reader.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Sequence
from pathlib import Path

from bt_exec import language
from bt_exec_llm.offline.cache_file import cache_folder, write_cache
from bt_exec_llm.offline.command_reader import Reader
from bt_exec_llm.offline.step import Step

__all__ = ["LARGE", "cached_steps"]

LARGE = 10
"""Minimum number of utterances for which a cache file is kept."""


def cached_steps(reader: Reader, texts: Sequence[str]) -> list[list[Step]]:
    """Return the steps of each utterance, in order; no steps for one that is not understood."""
    if len(texts) < LARGE:
        return _read_texts(reader, texts)
    from pydantic import TypeAdapter

    adapter = TypeAdapter(list[list[Step]])
    path = cache_folder("utterances") / f"{_digest_inputs(reader, texts)}.json"
    with contextlib.suppress(OSError, ValueError):
        kept = adapter.validate_json(path.read_bytes())
        if len(kept) == len(texts):
            path.touch()  # the files that were not used for the longest time are deleted
            return kept
    found = _read_texts(reader, texts)
    write_cache(path, adapter.dump_json(found))
    return found


def _read_texts(reader: Reader, texts: Sequence[str]) -> list[list[Step]]:
    return [reader.read_steps(text.strip()) for text in texts]


def _digest_inputs(reader: Reader, texts: Sequence[str]) -> str:
    """Return a digest of everything that the steps depend on."""
    digest = hashlib.sha256()
    words = Path(language.__file__).parent
    sources = *Path(__file__).parent.glob("*.py"), *words.rglob("*.py"), *words.rglob("*.yaml")
    for file in sorted(sources):
        state = file.stat()
        digest.update(f"{file.name} {state.st_size} {state.st_mtime_ns}\n".encode())
    digest.update(reader.lexicon.model_dump_json().encode())
    for text in texts:
        digest.update(f"\0{text}".encode())
    return digest.hexdigest()
