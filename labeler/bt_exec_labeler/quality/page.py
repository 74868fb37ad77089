"""HTML page of a run: figures as bars, and a sample clip of each mid step with its record."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from bt_exec.failure import UsageError
from bt_exec_labeler.clips import RECENT, cut
from bt_exec_labeler.episode import Episode
from bt_exec_labeler.pictures import picture

__all__ = ["write_page"]


def write_page(
    path: Path,
    figures: Mapping[str, Any],
    records: Sequence[Mapping[str, Any]],
    episodes: Mapping[str, Episode],
) -> None:
    """Write the page as a single self-contained file.

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
    try:
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}") from error


def _samples(
    records: Sequence[Mapping[str, Any]], episodes: Mapping[str, Episode]
) -> Iterator[dict[str, Any]]:
    """Return one record of each mid step with the picture of its clip."""
    from bt_exec_labeler.labelers.prompt import contact_sheet
    from bt_exec_llm.client import image_block

    shown: set[str] = set()
    for line in records:
        if line["mid_step_id"] in shown:
            continue
        shown.add(line["mid_step_id"])
        episode = episodes.get(line["episode"])
        frames = () if episode is None else cut(episode, line["t"], RECENT).readable().frames
        block = image_block(contact_sheet([picture(one) for one in frames])) if frames else None
        yield {
            "item": line["item"],
            "record": json.dumps(line["record"], ensure_ascii=False, indent=1),
            "picture": f"data:{block.media_type};base64,{block.data}" if block else "",
        }
