"""Assignment of episodes to splits, stratified by content and stable when episodes are added."""

from __future__ import annotations

import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

__all__ = [
    "SPLITS",
    "Split",
    "assign_splits",
    "missing_splits",
    "reproducible_share",
    "splits_of_run",
]

Split: TypeAlias = Literal["train", "val", "test"]

SPLITS: tuple[Split, ...] = get_args(Split)

_SHARES: Mapping[Split, float] = {"train": 0.8, "val": 0.1, "test": 0.1}
_FEWEST = len(SPLITS)  # minimum number of episodes for every split to have one


def splits_of_run(
    folder: Path, lines: Iterable[Mapping[str, Any]], *, keep: bool = False
) -> dict[str, Split]:
    """Return the split of every episode of a run.

    Args:
        folder: Folder of the run; ``splits.json`` contains earlier assignments, which are kept.
        lines: Lines of ``records.jsonl``.
        keep: Whether new assignments are written to ``splits.json``, so that they do not change
            later.
    """
    path = folder / "splits.json"
    try:
        read = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        read = {}
    before = {str(name): split for name, split in read.items() if split in SPLITS}
    steps: dict[str, set[str]] = defaultdict(set)
    for line in lines:
        steps[line["episode"]].add(line["mid_step_id"])
    found = assign_splits(steps, before)
    if keep and found != before:
        path.write_text(json.dumps({**before, **found}, indent=1) + "\n", encoding="utf-8")
    return found


def assign_splits(
    steps: Mapping[str, Iterable[str]], before: Mapping[str, Split] | None = None
) -> dict[str, Split]:
    """Return the split of each episode: 8 of 10 train, 1 val, 1 test, stratified by content.

    With three or more episodes, no split is empty, unless earlier assignments prevent this.

    Args:
        steps: Mid steps of each episode, by name. Episodes with the same mid steps form a stratum.
        before: Earlier assignments, which are kept.
    """
    strata = {name: frozenset(found) for name, found in steps.items()}
    assigned = {name: split for name, split in (before or {}).items() if name in strata}
    have: Counter[tuple[Split, frozenset[str] | None]] = Counter()
    for name, split in assigned.items():
        have.update([(split, None), (split, strata[name])])
    sizes = Counter(strata.values())
    new = [name for name in strata if name not in assigned]
    new.sort(
        key=lambda name: (-sizes[strata[name]], sorted(strata[name]), reproducible_share(name))
    )
    for name in new:
        split = max(SPLITS, key=lambda one: _missing_count(one, strata[name], have))
        assigned[name] = split
        have.update([(split, None), (split, strata[name])])
    for split in SPLITS:
        if len(assigned) >= _FEWEST and not have[split, None]:
            _fill_empty(split, assigned, have, new)
    return dict(sorted(assigned.items()))


def _missing_count(
    split: Split, stratum: frozenset[str], have: Mapping[tuple[Split, frozenset[str] | None], int]
) -> float:
    """Return how many episodes a split lacks in a stratum, plus how many it lacks in total."""
    lacks = [
        _SHARES[split] * (1 + sum(have[one, group] for one in SPLITS)) - have[split, group]
        for group in (stratum, None)
    ]
    return lacks[0] + lacks[1]


def _fill_empty(
    split: Split,
    assigned: dict[str, Split],
    have: Counter[tuple[Split, frozenset[str] | None]],
    new: list[str],
) -> None:
    """Move an episode of the largest split to an empty one."""
    largest = max(SPLITS, key=lambda one: have[one, None])
    free = [name for name in new if assigned[name] == largest]
    if free and have[largest, None] > 1:
        assigned[free[-1]] = split
        have[largest, None] -= 1
        have[split, None] += 1


def missing_splits(splits: Iterable[Split], episodes: int) -> str:
    """Return a warning that lists empty splits, or an empty string."""
    empty = [split for split in SPLITS if split not in set(splits)]
    if not empty or not episodes:
        return ""
    hint = f"; {_FEWEST} are needed" if episodes < _FEWEST else ""
    return f"! no records for {' and '.join(empty)}: {episodes} episodes have records{hint}"


def reproducible_share(text: str) -> float:
    """Return a number from 0 to 1 derived from a text, for reproducible samples."""
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8], "big") / 2**64
