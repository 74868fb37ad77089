"""Korean morphological analysis with kiwipiepy, loaded once and on demand.

Without its default, multi-word and typo dictionaries it loads in 0.3 s and takes 0.3 s more for the
first sentence; later commands take under a millisecond (kiwipiepy 0.24). It takes 220 MB. The
morphemes of a site's texts are therefore cached (`kept_texts`): an unchanged tree file, or a
command that equals an utterance, needs no analyser.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from importlib.metadata import PackageNotFoundError, version
from types import MappingProxyType
from typing import Any, NamedTuple

from bt_exec.declarations.pack_errors import extra_hint
from bt_exec.failure import UsageError
from bt_exec_llm.offline.kept_texts import KeptTexts

__all__ = ["Morph", "analyse_morphemes", "load_analyser", "release_analyser"]

_LOCK = threading.Lock()
_OPTIONS: Mapping[str, Any] = MappingProxyType(
    {
        "load_default_dict": False,
        "load_typo_dict": False,
        "load_multi_dict": False,
        "num_workers": 1,
    }
)


class Morph(NamedTuple):
    """A morpheme: form, tag of the Sejong set, and position."""

    form: str
    tag: str
    start: int
    end: int


@cache
def _load_kiwi() -> Any:
    # mimalloc, its allocator, keeps freed memory until its next call.
    os.environ.setdefault("MIMALLOC_PURGE_DELAY", "0")
    try:
        from kiwipiepy import Kiwi
    except ModuleNotFoundError as error:
        raise UsageError(f"Korean needs a morphological analyser; {extra_hint(error)}") from None

    return Kiwi(**_OPTIONS)


@cache
def _morph_cache() -> KeptTexts | None:
    """Return the cache for this version of the analyser; None without an analyser."""
    try:
        versions = [version("kiwipiepy"), version("kiwipiepy_model")]
    except PackageNotFoundError:
        return None
    name = "-".join([*versions, *(f"{key}={value:d}" for key, value in _OPTIONS.items())])
    return KeptTexts("korean", name)


def analyse_morphemes(text: str, names: Iterable[tuple[int, int]] = ()) -> list[Morph]:
    """Return the morphemes of `text`; each span in `names` is one noun."""
    return list(_cached_morphemes(text, tuple(names)))


@lru_cache(maxsize=4096)
def _cached_morphemes(text: str, names: tuple[tuple[int, int], ...]) -> tuple[Morph, ...]:
    """Return the morphemes of a text, cached for all readers of a site."""
    key = f"{text}\0{names}" if names else text
    with _LOCK:
        kept = _morph_cache()
        found = None if kept is None else _parse_cached_morphemes(kept.get(key))
        if found is None:
            found = _tokenize_with_kiwi(text, [(start, end, "NNP") for start, end in names])
            if kept is not None:
                kept.add(key, found)
    return found


def _parse_cached_morphemes(found: Any) -> tuple[Morph, ...] | None:
    """Return the morphemes that were kept; None if they are missing or damaged."""
    try:
        return tuple(
            Morph(str(form), str(tag), int(start), int(end)) for form, tag, start, end in found
        )
    except (TypeError, ValueError):
        return None


def _tokenize_with_kiwi(text: str, spans: list[tuple[int, int, str]]) -> tuple[Morph, ...]:
    kiwi = _load_kiwi()
    found = kiwi.tokenize(text, pretokenized=spans) if spans else kiwi.tokenize(text)
    return tuple(
        Morph(one.form, one.tag.split("-")[0], one.start, one.start + one.len) for one in found
    )


def load_analyser() -> None:
    """Load the analyser and read one sentence."""
    with _LOCK:
        _tokenize_with_kiwi("문을 열어 줘", [])


def release_analyser() -> None:
    """Release the memory of the analyser; the next new text loads it again."""
    with _LOCK:
        _load_kiwi.cache_clear()
