"""Printed report and HTML page of a run."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

from bt_exec.failure import UsageError
from bt_exec.files import file_errors
from bt_exec_labeler.batch.output_and_answer_cache import Output
from bt_exec_labeler.clips import RECENT, cut_clip, decode_frame
from bt_exec_labeler.episode import Episode
from bt_exec_labeler.quality.agreement import Agreement, agreement, agreement_by_field
from bt_exec_labeler.quality.checks import contradictions, duplicates, split_leaks
from bt_exec_labeler.splits import missing_splits, reproducible_share, splits_of_run
from bt_exec_labeler.vocabulary import Vocabulary

__all__ = ["REVIEW_SHARE", "make_report", "review_figures", "review_sample", "write_page"]


REVIEW_SHARE = 0.1
"""Share of the records of each mid step that are reviewed; at least one."""


def make_report(
    output: Output,
    vocabulary: Vocabulary,
    episodes: Mapping[str, Episode] | None,
    against: Sequence[Mapping[str, Any]] | None,
    html: Path | None,
    decided: Mapping[str, Mapping[str, Mapping[str, Any]]] = MappingProxyType({}),
) -> dict[str, Any]:
    """Return the figures of a run, and write the HTML page if requested.

    Args:
        output: The run.
        vocabulary: Vocabulary of the run.
        episodes: Recorded episodes by name; if None, figures that need them are left out.
        against: Records of another run on the same recording, or None.
        html: File of the page, or None.
        decided: Decisions by reviewer and item.
    """
    records, dropped = output.record_lines(), output.dropped_lines()
    steps = Counter(line["mid_step_id"] for line in records)
    kept = [line for line in records if line["record"]["uncertainty"] != "high"]
    wrong = Counter[str]()
    for line in records:
        episode = None if episodes is None else episodes.get(line["episode"])
        wrong.update(b.code for b in contradictions(line, vocabulary, episode))
    groups = duplicates(records, episodes) if episodes is not None else []
    splits = splits_of_run(output.folder, kept)
    of = {line["item"]: line["episode"] for line in records}
    figures: dict[str, Any] = {
        "items": len(records) + len(dropped),
        "records": len(records),
        "usable": len(kept),
        "drops": _word_counts(why["code"] for line in dropped for why in line["why"]),
        "uncertainty": _word_counts(line["record"]["uncertainty"] for line in records),
        "mid_steps": {name: steps[name] for name in vocabulary.mid_steps},
        "missing": [name for name in vocabulary.mid_steps if not steps[name]],
        "contradictions": dict(wrong),
        "duplicates": len(groups),
        "leaks": len(split_leaks(groups, of, splits)),
        "splits": _word_counts(splits[line["episode"]] for line in kept),
        "empty_splits": missing_splits(splits.values(), len(splits)),
        "kinds": _word_counts(line.get("kind", "step") for line in records),
        "flawed": sum(bool(line.get("flaws")) for line in [*records, *dropped]),
        "review": len(review_sample(records)),
        "agreement": {} if against is None else agreement(records, against),
        "fields": {} if against is None else agreement_by_field(records, against),
        "people": review_figures(records, decided),
    }
    if html is not None:
        write_page(html, figures, records, episodes or {})
        figures["page"] = str(html)
    return {**figures, "lines": _lines(figures)}


def review_sample(records: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return the ids of the items to review: a deterministic sample from each mid step."""
    by_step: dict[str, list[str]] = defaultdict(list)
    for line in records:
        by_step[line["mid_step_id"]].append(line["item"])
    chosen: list[str] = []
    for items in by_step.values():
        count = max(1, round(REVIEW_SHARE * len(items)))
        chosen += sorted(items, key=reproducible_share)[:count]
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
        lines.append(f"! {figures['duplicates']} groups of near duplicates{between}")
    if figures["flawed"]:
        lines.append(f"! {figures['flawed']} moments have recording flaws")
    kinds = [f"{kind} {n}" for kind, n in figures["kinds"].items() if kind != "step"]
    if kinds:
        lines.append(f"  of other kinds: {', '.join(kinds)}")
    for name, found in figures["fields"].items():
        lines.append(f"  {name:24} {_agreement_text(found)}")
    for step, found in figures["agreement"].items():
        lines.append(f"  goal of {step or 'all':24} {_agreement_text(found)}")
    for name, counts in figures["people"]["reviewers"].items():
        said = ", ".join(f"{kind} {count}" for kind, count in counts.items())
        lines.append(f"  reviewed by {name}: {said}")
    for pair, found in figures["people"]["agreement"].items():
        lines.append(f"  agreement {pair:24} {_agreement_text(found[''])}")
    splits = ", ".join(f"{name} {count}" for name, count in figures["splits"].items())
    lines.append(f"splits by episode: {splits or 'none'}; {figures['review']} for review")
    lines += [figures["empty_splits"]] if figures["empty_splits"] else []
    if "page" in figures:
        lines.append(f"page: {figures['page']}")
    return lines


def _agreement_text(found: Agreement) -> str:
    same = f"{100 * found.same:5.1f} % of {found.moments} the same"
    if found.kappa is None:
        return f"{same}; determined by the prompt: no picture is needed"
    return f"{same}, {100 * found.blind:5.1f} % without pictures, kappa {found.kappa:.2f}"


def _word_counts(words: Iterable[str]) -> dict[str, int]:
    return dict(Counter(words).most_common())


def review_figures(
    records: Sequence[Mapping[str, Any]], decided: Mapping[str, Mapping[str, Mapping[str, Any]]]
) -> dict[str, Any]:
    """Return the figures of a review: decisions, and the agreement of reviewers and labeler.

    Agreement is measured on short goals, as between labelers. A rejected record counts as an empty
    goal, which agrees only with another rejection.

    Args:
        records: Lines of ``records.jsonl``.
        decided: Result of `decisions_of`.
    """
    said = {name: _decided_records(records, found) for name, found in decided.items()}
    names = sorted(said)
    pairs: dict[str, dict[str, Agreement]] = {}
    for at, name in enumerate(names):
        pairs[f"labeler, {name}"] = agreement(records, said[name], pooled=True)
        for other in names[at + 1 :]:
            pairs[f"{name}, {other}"] = agreement(said[name], said[other], pooled=True)
    counts = {
        name: dict(sorted(Counter(one["decision"] for one in decided[name].values()).items()))
        for name in names
    }
    return {"reviewers": counts, "agreement": {pair: of for pair, of in pairs.items() if of}}


def _decided_records(
    records: Sequence[Mapping[str, Any]], decided: Mapping[str, Mapping[str, Any]]
) -> list[dict[str, Any]]:
    """Return the records of a run that a reviewer decided on, with the corrections."""
    found: list[dict[str, Any]] = []
    for line in records:
        decision = decided.get(line["item"])
        if decision is None:
            continue
        record = decision["record"] if decision["decision"] == "correct" else line["record"]
        if decision["decision"] == "reject":
            record = {**line["record"], "short_goal_dsl": []}
        found.append({**line, "record": record})
    return found


def write_page(
    path: Path,
    figures: Mapping[str, Any],
    records: Sequence[Mapping[str, Any]],
    episodes: Mapping[str, Episode],
) -> None:
    """Write the report as a single self-contained HTML file.

    Raises:
        UsageError: If it cannot be written, or the drawing library is not installed.
    """
    try:
        from jinja2 import Environment
    except ImportError:
        raise UsageError("a page needs jinja2: pip install 'bt-exec[label]'") from None

    template = Path(__file__).with_name("page.html").read_text(encoding="utf-8")
    page = Environment(autoescape=True, trim_blocks=True).from_string(template)
    text = page.render(figures=figures, samples=list(_samples(records, episodes)))
    with file_errors(path, "written"):
        path.write_text(text, encoding="utf-8")


def _samples(
    records: Sequence[Mapping[str, Any]], episodes: Mapping[str, Episode]
) -> Iterator[dict[str, Any]]:
    """Yield one record of each mid step, with a picture of its clip."""
    from bt_exec_labeler.labelers.prompt import contact_sheet
    from bt_exec_llm.client import image_block

    shown: set[str] = set()
    for line in records:
        if line["mid_step_id"] in shown:
            continue
        shown.add(line["mid_step_id"])
        episode = episodes.get(line["episode"])
        frames = (
            ()
            if episode is None
            else cut_clip(episode, line["t"], RECENT).without_damaged_frames().frames
        )
        block = (
            image_block(contact_sheet([decode_frame(one) for one in frames])) if frames else None
        )
        yield {
            "item": line["item"],
            "record": json.dumps(line["record"], ensure_ascii=False, indent=1),
            "picture": f"data:{block.media_type};base64,{block.data}" if block else "",
        }
