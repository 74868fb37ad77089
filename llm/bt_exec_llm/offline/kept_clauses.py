"""Disk cache of the parsed utterances of libraries.

Parsing a tree takes milliseconds, and utterances seldom change. The result is kept in the user's
cache folder under a digest of the utterances, the words and the source of the parser.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from bt_exec import language
from bt_exec.language.closed import CLOSED_FILES
from bt_exec.language.messages import language_of
from bt_exec_llm.offline.cache_file import cache_folder, write_cache
from bt_exec_llm.offline.piece import Clause
from bt_exec_llm.offline.reader import Reader

__all__ = ["LARGE", "cached_clauses"]

LARGE = 40
"""Smallest number of utterances for which a file is kept."""


def cached_clauses(reader: Reader, texts: Sequence[str]) -> list[list[Clause]]:
    """Return the clauses of each utterance, in order."""
    if len(texts) < LARGE:
        return _parse_texts(reader, texts)
    from pydantic import TypeAdapter

    adapter = TypeAdapter(list[list[Clause]])
    path = cache_folder("utterances") / f"{_digest_inputs(reader, texts)}.json"
    with contextlib.suppress(OSError, ValueError):
        kept = adapter.validate_json(path.read_bytes())
        if len(kept) == len(texts):
            return kept
    found = _parse_texts(reader, texts)
    write_cache(path, adapter.dump_json(found))
    return found


def _parse_texts(reader: Reader, texts: Sequence[str]) -> list[list[Clause]]:
    return [reader.parse_clauses(text.strip(), language_of(text)) for text in texts]


def _digest_inputs(reader: Reader, texts: Sequence[str]) -> str:
    """Return a digest of everything that the clauses depend on."""
    digest = hashlib.sha256()
    sources = *Path(__file__).parent.glob("*.py"), *Path(language.__file__).parent.rglob("*.py")
    for file in (*sorted(sources), *CLOSED_FILES):
        state = file.stat()
        digest.update(f"{file.name} {state.st_size} {state.st_mtime_ns}\n".encode())
    for library in ("kiwipiepy", "simplemma"):
        with contextlib.suppress(PackageNotFoundError):  # Korean is an extra
            digest.update(f"{library} {version(library)}\n".encode())
    digest.update(reader.lexicon.model_dump_json().encode())
    for text in texts:
        digest.update(f"\0{text}".encode())
    return digest.hexdigest()
