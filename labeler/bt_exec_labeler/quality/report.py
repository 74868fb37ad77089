"""What is printed of a run, and the page that shows it."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from bt_exec_labeler.batch.parts import Output
from bt_exec_labeler.episode import Episode
from bt_exec_labeler.quality.agreement import Agreement, agreement
from bt_exec_labeler.quality.contradictions import contradictions
from bt_exec_labeler.quality.duplicates import duplicates, leaks
from bt_exec_labeler.splits import share_of, split_of
from bt_exec_labeler.vocabulary import Vocabulary

__all__ = ["REVIEW_SHARE", "make_report", "review_sample"]

REVIEW_SHARE = 0.1
"""Of each mid step's records, this share goes to people; at least one."""


def make_report(
    output: Output,
    vocabulary: Vocabulary,
    episodes: Mapping[str, Episode] | None,
    against: Sequence[Mapping[str, Any]] | None,
    html: Path | None,
) -> dict[str, Any]:
    """Return the figures of a run, and write its page if one is wanted.

    Args:
        output: The run.
        vocabulary: What it was made with.
        episodes: The recordings by name, or None: then what needs them is left out.
        against: Records of another run over the same recordings, or None.
        html: Where the page goes, or None.
    """
    lines = list(output.lines())
    records = [line for line in lines if line["record"] is not None]
    steps = Counter(line["mid_step_id"] for line in records)
    kept = [line for line in records if line["record"]["uncertainty"] != "high"]
    wrong = Counter[str]()
    for line in records:
        episode = None if episodes is None else episodes.get(line["episode"])
        wrong.update(b.code for b in contradictions(line, vocabulary, episode))
    groups = duplicates(records, episodes) if episodes is not None else []
    of = {line["item"]: line["episode"] for line in lines}
    figures: dict[str, Any] = {
        "items": len(lines),
        "records": len(records),
        "usable": len(kept),
        "drops": _counted(why["code"] for line in lines for why in line["why"]),
        "uncertainty": _counted(line["record"]["uncertainty"] for line in records),
        "mid_steps": {name: steps[name] for name in vocabulary.mid_steps},
        "missing": [name for name in vocabulary.mid_steps if not steps[name]],
        "contradictions": dict(wrong),
        "duplicates": len(groups),
        "leaks": len(leaks(groups, of)),
        "splits": _counted(split_of(line["episode"]) for line in kept),
        "review": len(review_sample(records)),
        "agreement": {} if against is None else agreement(records, against),
    }
    if html is not None:
        from bt_exec_labeler.quality.page import write_page

        write_page(html, figures, records, episodes or {})
        figures["page"] = str(html)
    return {**figures, "lines": _lines(figures)}


def review_sample(records: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return the items that people look at: a fixed share of each mid step, always the same."""
    by_step: dict[str, list[str]] = defaultdict(list)
    for line in records:
        by_step[line["mid_step_id"]].append(line["item"])
    chosen: list[str] = []
    for items in by_step.values():
        count = max(1, round(REVIEW_SHARE * len(items)))
        chosen += sorted(items, key=share_of)[:count]
    return sorted(chosen)


def _lines(figures: Mapping[str, Any]) -> list[str]:
    records = figures["records"]
    lines = [f"{figures['items']} items, {records} records, {figures['usable']} usable"]
    lines += [f"  dropped  {n:5} {code}" for code, n in figures["drops"].items()]
    for name in ("low", "mid", "high"):
        count = figures["uncertainty"].get(name, 0)
        share = f"{100 * count / records:5.1f} %" if records else ""
        lines.append(f"  uncertainty {name:5}{count:6} {share}")
    lines += [f"  {count:6} {name}" for name, count in figures["mid_steps"].items()]
    if figures["missing"]:
        lines.append(f"! no record of {', '.join(figures['missing'])}")
    lines += [f"! {n} records: {code}" for code, n in figures["contradictions"].items()]
    if figures["duplicates"]:
        between = f", {figures['leaks']} of them between splits" if figures["leaks"] else ""
        lines.append(f"! {figures['duplicates']} groups of clips show the same{between}")
    for step, found in figures["agreement"].items():
        lines.append(f"  agreement {step or 'of all':24} {_agreed(found)}")
    splits = ", ".join(f"{name} {count}" for name, count in figures["splits"].items())
    lines.append(
        f"splits by episode: {splits or 'none'}; {figures['review']} for people to look at"
    )
    if "page" in figures:
        lines.append(f"page: {figures['page']}")
    return lines


def _agreed(found: Agreement) -> str:
    beyond = "-" if found.kappa is None else f"{found.kappa:.2f}"
    return f"{100 * found.same:5.1f} % of {found.moments}, kappa {beyond}"


def _counted(words: Iterable[str]) -> dict[str, int]:
    return dict(Counter(words).most_common())
