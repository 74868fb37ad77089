"""Korean morphology: kiwipiepy, loaded once, lazily, and ahead of time where somebody can wait.

Without its default, multi-word and typo dictionaries it loads in 0.3 s and takes 0.3 s more for the
first sentence; then a command takes under a millisecond (kiwipiepy 0.24).
"""

from __future__ import annotations

import threading
from collections.abc import Iterable
from functools import cache, lru_cache
from typing import Any, NamedTuple

from bt_exec.failure import UsageError
from bt_exec.pack_errors import extra_hint

__all__ = ["Morph", "load", "morphs"]

_LOCK = threading.Lock()


class Morph(NamedTuple):
    """A morpheme: its form, its tag of the Sejong set, and where it stands."""

    form: str
    tag: str
    start: int
    end: int


@cache
def _kiwi() -> Any:
    try:
        from kiwipiepy import Kiwi
    except ModuleNotFoundError as error:
        raise UsageError(f"Korean needs a morphological analyser; {extra_hint(error)}") from None

    return Kiwi(load_default_dict=False, load_typo_dict=False, load_multi_dict=False, num_workers=1)


def morphs(text: str, names: Iterable[tuple[int, int]] = ()) -> list[Morph]:
    """Return the morphemes of `text`; each span in `names` is one noun."""
    return list(_morphs(text, tuple(names)))


@lru_cache(maxsize=4096)
def _morphs(text: str, names: tuple[tuple[int, int], ...]) -> tuple[Morph, ...]:
    """Return what `morphs` does, cached: each reader of a site reads all its utterances."""
    spans = [(start, end, "NNP") for start, end in names]
    with _LOCK:
        kiwi = _kiwi()
        found = kiwi.tokenize(text, pretokenized=spans) if spans else kiwi.tokenize(text)
    return tuple(
        Morph(one.form, one.tag.split("-")[0], one.start, one.start + one.len) for one in found
    )


def load() -> None:
    """Load everything and read one sentence."""
    morphs("문을 열어 줘")
