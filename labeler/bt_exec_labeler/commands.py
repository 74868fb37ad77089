"""Implementations of ``bt-exec label …``, with plain arguments and results.

``lines`` in the results are for readers, the other keys for ``--json``.
"""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

from bt_exec.failure import UnknownName, UsageError
from bt_exec_labeler.batch.command import run
from bt_exec_labeler.batch.output import Output, read_lines
from bt_exec_labeler.checking import check
from bt_exec_labeler.datasets.command import dataset
from bt_exec_labeler.sources import read_source
from bt_exec_labeler.vocabulary import load_vocabulary

__all__ = ["check", "dataset", "draft", "replay", "report", "run"]


def draft(site: str, out: Path) -> dict[str, Any]:
    """Write the draft of a site's vocabulary.

    Raises:
        UsageError: If the file exists, or cannot be written.
    """
    from bt_exec_labeler.drafting import draft_vocabulary

    text = draft_vocabulary(site)
    try:
        with out.open("x", encoding="utf-8") as file:
            file.write(text)
    except FileExistsError:
        raise UsageError(f"{out} exists already; name another file with --out") from None
    except OSError as error:
        raise UsageError(f"{out} cannot be written: {error.strerror}") from error
    return {"file": str(out), "lines": [f"{out}: edit it, then run bt-exec label check"]}


def report(
    folder: Path, words: Path, source: Path | None, other: Path | None, html: Path | None
) -> dict[str, Any]:
    """Return the quality figures of a run."""
    from bt_exec_labeler.quality.report import make_report
    from bt_exec_labeler.review.decisions import decisions_of

    output, vocabulary = Output(folder), load_vocabulary(words)
    output.manifest()  # refuses a folder that is not a run
    episodes = None if source is None else {e.id: e for e in read_source(source)}
    against = None if other is None else list(read_lines(other / "records.jsonl"))
    figures: dict[str, Any] = make_report(
        output, vocabulary, episodes, against, html, decisions_of(folder)
    )
    return figures


def replay(folder: Path, item: str | None) -> dict[str, Any]:
    """Run short goals of records again.

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
