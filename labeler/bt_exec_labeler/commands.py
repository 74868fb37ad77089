"""What ``bt-exec label …`` does; every function takes plain values and returns plain data.

``lines`` in what they return is what people read; the rest is for ``--json``.
"""

from __future__ import annotations

import hashlib
import json
import signal
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any

from bt_exec.cli.progress_bar import progress_bar
from bt_exec.expand_home import expand_home
from bt_exec.failure import UnknownName, UsageError
from bt_exec_labeler.batch.cache import Cache, default_cache
from bt_exec_labeler.batch.parts import Output, read_lines
from bt_exec_labeler.batch.run import Budget, Progress
from bt_exec_labeler.batch.run import run as label
from bt_exec_labeler.items import Item, Role, items_of
from bt_exec_labeler.labelers import Labeler, LabelerSettings, find_labeler
from bt_exec_labeler.sources import read_source
from bt_exec_labeler.spans import spans_of
from bt_exec_labeler.vocabulary import Vocabulary, load_vocabulary

__all__ = ["check", "dataset", "draft", "replay", "report", "run"]

_ENGINES = ("threads", "ray")
_FORMS = ("parquet", "lerobot")


def draft(site: str, out: Path) -> dict[str, Any]:
    """Write the draft of a site's vocabulary.

    Raises:
        UsageError: If the file is there already, or cannot be written.
    """
    from bt_exec_labeler.drafting import draft_vocabulary

    text = draft_vocabulary(site)
    try:
        with out.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise UsageError(f"{out} is there already; name another file with --out") from None
    except OSError as error:
        raise UsageError(f"{out} cannot be written: {error.strerror}") from error
    return {"file": str(out), "lines": [f"{out}: go over it by hand, then bt-exec label check"]}


def check(source: Path, words: Path) -> dict[str, Any]:
    """Return what of a recording would be labelled."""
    vocabulary = load_vocabulary(words)
    rows: list[dict[str, Any]] = []
    flaws: list[dict[str, Any]] = []
    outside = Counter[str]()
    for episode in read_source(source):
        spans = spans_of(episode, vocabulary)
        outside.update(a.op for a in episode.actions if not vocabulary.step_of(a.op, a.args))
        items = sum(1 for _ in items_of(episode, vocabulary, "controller"))
        flaws += [{"episode": episode.id, **asdict(flaw)} for flaw in episode.flaws]
        rows.append(
            {
                "episode": episode.id,
                "seconds": round(episode.duration_s, 2),
                "frames": len(episode.frames),
                "actions": len(episode.actions),
                "spans": len(spans),
                "moments": items,
            }
        )
    total = {
        key: sum(row[key] for row in rows) for key in ("frames", "actions", "spans", "moments")
    }
    lines = [
        f"{row['episode']:24} {row['seconds']:8.1f} s  {row['frames']:5} frames  "
        f"{row['actions']:4} actions  {row['spans']:4} spans  {row['moments']:5} moments"
        for row in rows
    ]
    lines += [f"! {f['episode']}: {f['where']}: {f['message']} ({f['kind']})" for f in flaws]
    lines += [f"! {op}: {n} actions belong to no mid step" for op, n in sorted(outside.items())]
    lines.append(f"{len(rows)} episodes, {total['spans']} spans, {total['moments']} moments")
    return {
        "episodes": rows,
        "flaws": flaws,
        "outside": dict(outside),
        "total": total,
        "lines": lines,
    }


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
    """Label a recording.

    Raises:
        UsageError: If something that was given is wrong; nothing was asked.
    """
    who = role_of(role)
    if engine not in _ENGINES:
        raise UnknownName("engine", engine, _ENGINES)
    vocabulary = load_vocabulary(words)
    make = partial(find_labeler, labeler, LabelerSettings(who, vocabulary, options))
    found = make()
    output = Output(out)
    manifest = {
        "source": str(expand_home(source).resolve()),
        "vocabulary": digest_of(words),
        "schema_version": vocabulary.version,
        "role": who,
        "labeler": labeler,
        "options": dict(options),
        "stride_s": stride_s,
    }
    total = sum(1 for _ in moments_of(source, vocabulary, who, stride_s))
    output.begin(manifest, resume=resume)
    kept = None
    if not no_cache and labeler != "rules":
        scope = hashlib.sha256(json.dumps([labeler, options], sort_keys=True).encode()).hexdigest()
        kept = Cache(cache or default_cache(), scope[:16])
    try:
        with (
            _stopping() as stop,
            _bar(total) as tell,
            _engine(engine, found, make, workers) as labelling,
        ):
            progress = label(
                moments_of(source, vocabulary, who, stride_s),
                labelling,
                vocabulary,
                output,
                cache=kept,
                budget=Budget(**budget),
                workers=workers,
                tell=tell,
                stop=stop,
            )
    finally:
        if kept is not None:
            kept.close()
    output.join()
    return _told(progress, total, output)


def report(
    folder: Path, words: Path, source: Path | None, other: Path | None, html: Path | None
) -> dict[str, Any]:
    """Return how good a run is."""
    from bt_exec_labeler.quality.report import make_report
    from bt_exec_labeler.review.decisions import decisions_of

    output, vocabulary = Output(folder), load_vocabulary(words)
    output.manifest()  # refuses a folder that is no run
    episodes = None if source is None else {e.id: e for e in read_source(source)}
    against = None if other is None else list(read_lines(other / "records.jsonl"))
    figures: dict[str, Any] = make_report(
        output, vocabulary, episodes, against, html, decisions_of(folder)
    )
    return figures


def dataset(
    folder: Path,
    source: Path,
    words: Path,
    out: Path,
    *,
    keep_uncertain: bool,
    form: str = "parquet",
    fps: int = 2,
) -> dict[str, Any]:
    """Make a training set of a run.

    Raises:
        UsageError: If the run is of another recording or vocabulary.
        UnknownName: If there is no such form.
    """
    from bt_exec_labeler.datasets.write import write_dataset
    from bt_exec_labeler.lerobot.write import write_lerobot
    from bt_exec_labeler.review.decisions import decisions_of, settled

    if form not in _FORMS:
        raise UnknownName("format", form, _FORMS)
    manifest = Output(folder).manifest()
    vocabulary = vocabulary_of(folder, words)
    decided, left_out = decisions_of(folder), 0
    records: list[dict[str, Any]] = []
    for line in read_lines(folder / "records.jsonl"):
        found = settled(line, decided, vocabulary)
        left_out += found is None
        if found and (keep_uncertain or found["record"]["uncertainty"] != "high"):
            records.append(dict(found))
    episodes = {episode.id: episode for episode in read_source(source)}
    if unknown := sorted({line["episode"] for line in records} - set(episodes)):
        raise UsageError(f"{source} has no episode {unknown[0]}; it is not what was labelled")
    role = role_of(manifest["role"])
    about = (out, role, records, episodes, vocabulary)
    counts = write_lerobot(*about, fps=fps) if form == "lerobot" else write_dataset(*about)
    said = ", ".join(f"{split} {count}" for split, count in counts.items())
    of = " (episodes)" if form == "lerobot" else ""
    lines = [f"{out}: {role} set, {said or 'empty'}{of}"]
    if left_out:
        lines.append(f"{left_out} records left out: people rejected them, or disagree")
    return {"folder": str(out), "rows": counts, "left_out": left_out, "lines": lines}


def replay(folder: Path, item: str | None) -> dict[str, Any]:
    """Tick short goals again.

    Raises:
        UsageError: If there is no such record, or its mission cannot be run again.
        UnknownName: If the run has no such item.
    """
    from bt_exec_labeler.replay import journal_of, replay_line
    from bt_exec_labeler.replay import replay as again

    journal = journal_of(Path(Output(folder).manifest()["source"]))
    records = {line["item"]: line for line in read_lines(folder / "records.jsonl")}
    if item is not None:
        if item not in records:
            raise UnknownName("record", item, records)
        found = [(item, one) for one in replay_line(records[item], journal)]
    else:
        missions = sorted({line["episode"] for line in records.values()})
        found = [(name, one) for name in missions for one in again(journal.mission(name))]
    lines = [
        f"{'✓' if one.same else '✗'} {name:16} {one.op:16} recorded {one.recorded}, now {one.now}"
        for name, one in found
    ]
    different = sum(not one.same for _, one in found)
    lines.append(f"{len(found)} goals, {len(found) - different} end as recorded")
    rows = [{"of": name, **asdict(one)} for name, one in found]
    return {"goals": rows, "different": different, "lines": lines}


def role_of(name: str) -> Role:
    """Return a role by name.

    Raises:
        UnknownName: If there is none.
    """
    roles: dict[str, Role] = {"planner": "planner", "controller": "controller"}
    if name not in roles:
        raise UnknownName("role", name, roles)
    return roles[name]


def vocabulary_of(folder: Path, words: Path) -> Vocabulary:
    """Return the vocabulary of a run.

    Raises:
        UsageError: If the run was made with another one, or there is no run.
    """
    if Output(folder).manifest()["vocabulary"] != digest_of(words):
        raise UsageError(f"{folder} was made with another vocabulary than {words}")
    return load_vocabulary(words)


def digest_of(path: Path) -> str:
    """Return the SHA-256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def moments_of(source: Path, vocabulary: Vocabulary, role: Role, stride_s: float) -> Iterator[Item]:
    """Return the items of a recording, episode by episode."""
    for episode in read_source(source):
        yield from items_of(episode, vocabulary, role, stride_s=stride_s)


def _told(progress: Progress, total: int, output: Output) -> dict[str, Any]:
    """Return how a run ended."""
    dropped = progress.items - progress.records
    lines = [
        f"{progress.records} records, {dropped} dropped, {total - progress.items} left of {total} "
        f"({progress.cached} from the cache): {output.folder}"
    ]
    lines += [f"! {n} batches: {code}" for code, n in sorted(progress.batches_failed.items())]
    usage = {name: value for name, value in progress.usage.items() if value}
    if usage:
        lines.append(", ".join(f"{name} {value:g}" for name, value in usage.items()))
    why = Counter(reason["code"] for line in output.lines() for reason in line["why"])
    lines += [f"  {count:5} {code}" for code, count in why.most_common()]
    left = total - progress.items
    stopped = progress.stopped or ("some batches got no answer" if left else "")
    if stopped:
        lines.append(f"stopped: {stopped}; the same command with --resume goes on")
    return {
        "folder": str(output.folder),
        "items": total,
        "records": progress.records,
        "dropped": dropped,
        "left": left,
        "cached": progress.cached,
        "why": dict(why),
        "usage": usage,
        "stopped": stopped,
        "lines": lines,
    }


@contextmanager
def _engine(
    name: str, labeler: Labeler, make: Callable[[], Labeler], workers: int
) -> Iterator[Labeler]:
    """Yield who labels: the labeler in threads of this process, or the workers of a cluster."""
    if name == "threads":
        yield labeler
        return
    from bt_exec_labeler.labelers.on_ray import RayLabeler

    cluster = RayLabeler(labeler, make, workers)
    try:
        yield cluster
    finally:
        cluster.close()


@contextmanager
def _stopping() -> Iterator[Callable[[], bool]]:
    """Yield a function that says whether Ctrl-C was pressed; pressed twice, it ends the program."""
    pressed: list[int] = []

    def note(number: int, _: Any) -> None:
        pressed.append(number)
        signal.signal(signal.SIGINT, before)
        sys.stderr.write("\nfinishing what is in flight; Ctrl-C again ends at once\n")

    before = signal.signal(signal.SIGINT, note)
    try:
        yield lambda: bool(pressed)
    finally:
        signal.signal(signal.SIGINT, before)


@contextmanager
def _bar(total: int) -> Iterator[Callable[[Progress], None]]:
    """Show how far a run is, and what it cost; yield what moves it."""
    with progress_bar("labelling", total) as move:

        def tell(progress: Progress) -> None:
            cost = progress.usage.get("cost", 0.0)
            requests = progress.usage.get("requests", 0)
            said = f"{requests:g} requests" + (f", cost {cost:.4f}" if cost else "")
            move(progress.items, said if requests else "")

        yield tell
