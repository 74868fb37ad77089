"""Implementation of ``bt-exec label run``."""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from bt_exec.batch.engines import interrupt_check
from bt_exec.cli.output_streams import progress_bar
from bt_exec.failure import UnknownName
from bt_exec.files import expand_home
from bt_exec_labeler.batch.budget import Budget, Ledger
from bt_exec_labeler.batch.output_and_answer_cache import Cache, Output, default_cache
from bt_exec_labeler.batch.run import Progress
from bt_exec_labeler.batch.run import label_moments as label
from bt_exec_labeler.labeler_items import Item, Role, items_of
from bt_exec_labeler.labelers import Labeler, LabelerSettings, find_labeler
from bt_exec_labeler.sources import read_source
from bt_exec_labeler.vocabulary import Vocabulary, digest_of, load_vocabulary

__all__ = ["role_by_name", "run"]

_ENGINES = ("threads", "ray")


@dataclass(frozen=True, slots=True)
class _Moments:
    """Iterable over the moments of a recording, which is read again for each iteration."""

    source: Path
    vocabulary: Vocabulary
    role: Role
    stride_s: float

    def __iter__(self) -> Iterator[Item]:
        for episode in read_source(self.source):
            yield from items_of(episode, self.vocabulary, self.role, stride_s=self.stride_s)


def run(
    source: Path,
    words: Path,
    out: Path,
    *,
    labeler: str,
    role: str,
    options: Mapping[str, Any] = MappingProxyType({}),
    stride_s: float = 1.0,
    workers: int = 1,
    budget: Mapping[str, float | None] = MappingProxyType({}),
    cache: Path | None = None,
    no_cache: bool = False,
    resume: bool = False,
    engine: str = "threads",
) -> dict[str, Any]:
    """Label a recording and return the summary of the run.

    Raises:
        UsageError: If an argument is invalid. In this case, no request is sent.
    """
    who = role_by_name(role)
    if engine not in _ENGINES:
        raise UnknownName("engine", engine, _ENGINES)
    vocabulary = load_vocabulary(words)
    limits = Budget(**budget)
    ledger = Ledger(limits)
    settings = LabelerSettings(who, vocabulary, options, ledger)
    found = find_labeler(labeler, settings)
    manifest = {
        "source": str(expand_home(source).resolve()),
        "vocabulary": digest_of(words),
        "schema_version": vocabulary.version,
        "role": who,
        "labeler": labeler,
        "options": dict(options),
        "stride_s": stride_s,
    }
    moments = _Moments(source, vocabulary, who, stride_s)
    next(iter(moments), None)  # an unreadable recording is reported before the folder is created
    with (
        _open_cache(cache, labeler, options, wanted=not no_cache and labeler != "rules") as kept,
        Output(out).create_or_resume(manifest, resume=resume) as output,
    ):
        ledger.persist_in(output.result_store)
        make = _Maker(labeler, settings, limits, output.result_store.path)
        with (
            interrupt_check() as stop,
            _progress_bar() as tell,
            _open_labeler(engine, found, make, workers) as labelling,
        ):
            progress = label(
                moments,
                labelling,
                vocabulary,
                output,
                cache=kept,
                budget=limits,
                workers=workers,
                tell=tell,
                stop=stop,
            )
        output.write_json_lines()
        return _summary(progress, output, limits, resumed=resume)


def role_by_name(name: str) -> Role:
    """Return a role by name.

    Raises:
        UnknownName: If there is no such role.
    """
    roles: dict[str, Role] = {"planner": "planner", "controller": "controller"}
    if name not in roles:
        raise UnknownName("role", name, roles)
    return roles[name]


def _summary(
    progress: Progress, output: Output, budget: Budget, *, resumed: bool
) -> dict[str, Any]:
    """Return the summary of a run."""
    changes = progress.changes
    dropped = progress.items - progress.records
    left = changes.total - progress.items
    lines = [
        f"{progress.records} records, {dropped} dropped, {left} left of {changes.total} "
        f"({progress.cached} from the cache): {output.folder}"
    ]
    if resumed and (changes.kept or changes.gone or changes.changed):
        lines.append(
            f"resumed: {changes.kept} moments were labelled before, "
            f"{changes.new - changes.changed} are new, {changes.changed} changed in the recording, "
            f"{changes.gone} are gone from it"
        )
    lines += [f"! {n} batches: {code}" for code, n in sorted(progress.batches_failed.items())]
    limits, spent = budget.limits(), output.result_store.spent()
    if limits:
        used = [f"{spent.get(kind, 0.0):.6g} of {limit:g} {kind}" for kind, limit in limits.items()]
        lines.append(f"budget used by all runs in this folder: {', '.join(used)}")
    usage = {name: value for name, value in progress.usage.items() if value}
    if n := usage.get("overbilled"):
        lines.append(
            f"! the server billed {n:g} requests more than they may cost: it writes more than "
            "client.max_tokens, or counts more tokens than a request has bytes"
        )
    if usage:
        lines.append(", ".join(f"{name} {value:g}" for name, value in usage.items()))
    why = Counter(
        reason["code"] for line in output.result_store.results_in_order() for reason in line["why"]
    )
    lines += [f"  {count:5} {code}" for code, count in why.most_common()]
    stopped = progress.stopped if left else ""
    if left and not stopped:
        stopped = "some moments got no answer, or the recording changed during the run"
    if stopped:
        hint = "with --resume and a larger one" if "budget" in stopped else "with --resume"
        lines.append(f"stopped: {stopped}; run the same command {hint} to continue")
    return {
        "folder": str(output.folder),
        "items": changes.total,
        "records": progress.records,
        "dropped": dropped,
        "left": left,
        "cached": progress.cached,
        "changed": {"new": changes.new, "changed": changes.changed, "gone": changes.gone},
        "why": dict(why),
        "usage": usage,
        "stopped": stopped,
        "lines": lines,
    }


@dataclass(frozen=True)
class _Maker:
    """Factory that creates a run's labeler in another process, with that process's allowance."""

    labeler: str
    settings: LabelerSettings
    budget: Budget
    store: Path

    def __call__(self, allowance: Any) -> Labeler:
        return find_labeler(self.labeler, replace(self.settings, allowance=allowance))

    def __reduce__(self) -> tuple[Any, ...]:
        bare = LabelerSettings(self.settings.role, self.settings.vocabulary, self.settings.options)
        return (_Maker, (self.labeler, bare, self.budget, self.store))


@contextmanager
def _open_cache(
    path: Path | None, labeler: str, options: Mapping[str, Any], *, wanted: bool
) -> Iterator[Cache | None]:
    """Yield the cache for a labeler with these options, or None if no cache is used."""
    if not wanted:
        yield None
        return
    scope = hashlib.sha256(json.dumps([labeler, options], sort_keys=True).encode()).hexdigest()
    cache = Cache(path or default_cache(), scope[:16])
    try:
        yield cache
    finally:
        cache.close()


@contextmanager
def _open_labeler(name: str, labeler: Labeler, make: _Maker, workers: int) -> Iterator[Labeler]:
    """Yield the labeler for an engine: in threads of this process, or on a Ray cluster."""
    if name == "threads":
        yield labeler
        return
    from bt_exec_labeler.labelers.on_ray import RayLabeler

    cluster = RayLabeler(labeler, make, workers, budget=make.budget, store=make.store)
    try:
        yield cluster
    finally:
        cluster.close()


@contextmanager
def _progress_bar() -> Iterator[Callable[[Progress], None]]:
    """Show a progress bar with the state and cost of a run; yield a function that updates it."""
    with progress_bar("labelling", 0) as move:

        def tell(progress: Progress) -> None:
            cost = progress.usage.get("cost", 0.0)
            requests = progress.usage.get("requests", 0)
            said = f"{requests:g} requests" + (f", cost {cost:.4f}" if cost else "")
            move(progress.items, said if requests else "", progress.changes.total)

        yield tell
