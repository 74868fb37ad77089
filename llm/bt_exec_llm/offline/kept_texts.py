"""Disk cache of the analyses of a site's texts: what a language's analyser found in each.

Loading an analyser takes longer than reading a command. An unchanged tree file, or a command of the
same words, needs none. Analyses for the shipped sites are part of the package; ``make analyses``
writes them.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator
from contextvars import ContextVar
from pathlib import Path
from typing import Any
from weakref import WeakSet

from bt_exec.files import read_at_most
from bt_exec_llm.offline.cache_file import cache_folder, write_cache

__all__ = ["KeptTexts", "keep_analyses"]

_MOST_KEPT = 20_000
"""Number of texts that are kept in a file; the oldest ones are dropped."""
_MOST_BYTES = 32 << 20
_SHIPPED = Path(__file__).with_name("analyses")


class KeptTexts:
    """Cache of analyses by text. New ones are kept only in the context `keep_analyses`.

    Args:
        language: Name of the language, of its folder in the user's cache and in the package.
        analyser: Name of the analyser with its version and options; others' analyses are not used.
    """

    def __init__(self, language: str, analyser: str) -> None:
        self._path = cache_folder(language) / f"{analyser}.json"
        self._found = _read(self._path)
        self._shipped = _read(_SHIPPED / language / self._path.name)
        self._new = False
        _ALL.add(self)

    def get(self, key: str) -> Any:
        """Return the analysis under a key, as read from JSON and not checked; None if missing."""
        return self._found.get(key, self._shipped.get(key))

    def add(self, key: str, found: Any) -> None:
        """Keep the analysis of a text of a site."""
        if _KEEPING.get():
            self._found[key] = found
            self._new = True

    def write(self) -> None:
        """Write the file if analyses were added."""
        if self._new:
            self._new = False
            newest = list(self._found.items())[-_MOST_KEPT:]
            write_cache(self._path, json.dumps(dict(newest), ensure_ascii=False).encode())


def _read(path: Path) -> dict[str, Any]:
    """Return the content of a file; empty if it is missing or damaged."""
    with contextlib.suppress(OSError, ValueError):
        found = json.loads(read_at_most(path, _MOST_BYTES) or b"")
        return found if isinstance(found, dict) else {}
    return {}


_ALL: WeakSet[KeptTexts] = WeakSet()
_KEEPING = ContextVar("_KEEPING", default=False)


@contextlib.contextmanager
def keep_analyses() -> Iterator[None]:
    """Keep what is analysed in this context: texts of a site, never commands."""
    token = _KEEPING.set(True)
    try:
        yield
    finally:
        _KEEPING.reset(token)
        for kept in tuple(_ALL):
            kept.write()
