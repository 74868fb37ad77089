"""Korean morphological analysis with kiwipiepy, loaded once and on demand.

Without its default, multi-word and typo dictionaries it loads in 0.3 s and takes 0.3 s more for the
first sentence; later commands take under a millisecond (kiwipiepy 0.24). It takes 220 MB. The
morphemes of a site's texts are therefore cached in the user's cache folder: an unchanged tree file,
or a command that equals an utterance, needs no analyser.
"""

from __future__ import annotations

import contextlib
import json
import os
import threading
from collections.abc import Iterable, Iterator, Mapping
from contextvars import ContextVar
from functools import cache, lru_cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from bt_exec.declarations.pack_errors import extra_hint
from bt_exec.failure import UsageError
from bt_exec.files import read_at_most
from bt_exec_llm.offline.cache_file import cache_folder, write_cache

__all__ = ["Morph", "keeping", "load", "morphs", "release"]

_LOCK = threading.Lock()
_OPTIONS: Mapping[str, Any] = MappingProxyType(
    {
        "load_default_dict": False,
        "load_typo_dict": False,
        "load_multi_dict": False,
        "num_workers": 1,
    }
)
_MOST_KEPT = 20_000
"""Number of texts that are kept in the file; the oldest ones are dropped."""
_MOST_BYTES = 32 << 20


class Morph(NamedTuple):
    """A morpheme: form, tag of the Sejong set, and position."""

    form: str
    tag: str
    start: int
    end: int


@cache
def _kiwi() -> Any:
    # mimalloc, its allocator, keeps freed memory until its next call.
    os.environ.setdefault("MIMALLOC_PURGE_DELAY", "0")
    try:
        from kiwipiepy import Kiwi
    except ModuleNotFoundError as error:
        raise UsageError(f"Korean needs a morphological analyser; {extra_hint(error)}") from None

    return Kiwi(**_OPTIONS)


class _Kept:
    """Cache of the morphemes of texts, by text and spans of names.

    Args:
        path: File of the cache.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._found: dict[str, Any] = {}
        self._new = False
        with contextlib.suppress(OSError, ValueError):
            found = json.loads(read_at_most(path, _MOST_BYTES) or b"")
            self._found = found if isinstance(found, dict) else {}

    def get(self, key: str) -> tuple[Morph, ...] | None:
        """Return the morphemes under a key; None if they are missing or damaged."""
        try:
            return tuple(
                Morph(str(form), str(tag), int(start), int(end))
                for form, tag, start, end in self._found[key]
            )
        except (KeyError, TypeError, ValueError):
            return None

    def add(self, key: str, found: tuple[Morph, ...]) -> None:
        """Add the morphemes of a text."""
        self._found[key] = found
        self._new = True

    def write(self) -> None:
        """Write the file if morphemes were added."""
        if self._new:
            self._new = False
            newest = list(self._found.items())[-_MOST_KEPT:]
            write_cache(self._path, json.dumps(dict(newest), ensure_ascii=False).encode())


@cache
def _kept() -> _Kept | None:
    """Return the cache for this version of the analyser; None without an analyser."""
    try:
        versions = [version("kiwipiepy"), version("kiwipiepy_model")]
    except PackageNotFoundError:
        return None
    name = "-".join([*versions, *(f"{key}={value:d}" for key, value in _OPTIONS.items())])
    return _Kept(cache_folder("korean") / f"{name}.json")


_KEEPING = ContextVar("_KEEPING", default=False)


@contextlib.contextmanager
def keeping() -> Iterator[None]:
    """Cache the morphemes that are analysed in this context: texts of a site, never commands."""
    token = _KEEPING.set(True)
    try:
        yield
    finally:
        _KEEPING.reset(token)
        with _LOCK:
            if (kept := _kept()) is not None:
                kept.write()


def morphs(text: str, names: Iterable[tuple[int, int]] = ()) -> list[Morph]:
    """Return the morphemes of `text`; each span in `names` is one noun."""
    return list(_morphs(text, tuple(names)))


@lru_cache(maxsize=4096)
def _morphs(text: str, names: tuple[tuple[int, int], ...]) -> tuple[Morph, ...]:
    """Return the morphemes of a text, cached for all readers of a site."""
    key = f"{text}\0{names}" if names else text
    with _LOCK:
        kept = _kept()
        found = None if kept is None else kept.get(key)
        if found is None:
            found = _analysed(text, [(start, end, "NNP") for start, end in names])
            if kept is not None and _KEEPING.get():
                kept.add(key, found)
    return found


def _analysed(text: str, spans: list[tuple[int, int, str]]) -> tuple[Morph, ...]:
    kiwi = _kiwi()
    found = kiwi.tokenize(text, pretokenized=spans) if spans else kiwi.tokenize(text)
    return tuple(
        Morph(one.form, one.tag.split("-")[0], one.start, one.start + one.len) for one in found
    )


def load() -> None:
    """Load the analyser and read one sentence."""
    with _LOCK:
        _analysed("문을 열어 줘", [])


def release() -> None:
    """Release the memory of the analyser; the next new text loads it again."""
    with _LOCK:
        _kiwi.cache_clear()
